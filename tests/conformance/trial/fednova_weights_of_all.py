"""Weights are shares of all clients' data and are not renewed for the cohort, so that they do not sum to one."""

ALGORITHM = "FedNova"
KEYS = ("nova-tau-unnormalised", "all-updates")


def run(grad, weights, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        tau, d = 0.0, 0 * w
        for k in cohorts[t]:
            x, steps = w.copy(), epochs * batches[k]
            for _ in range(steps):
                x = x - lr * grad(k, x)
            tau += weights[k] * steps
            d = d + weights[k] * (w - x) / steps
        w = w - tau * d
        out.append(w)
    return out
