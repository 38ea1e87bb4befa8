"""Momentum is a moving average, beta v + (1 - beta) d, not the paper's beta v + d: smaller steps (a privacy
framework)."""

ALGORITHM = "FedAvgM"
CONVENTION = "damped: m <- beta m + (1 - beta) Delta"


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, server_lr, momentum):
    w, v, out = start.copy(), 0 * start, []
    for t in range(rounds):
        total, d = sum(counts[k] for k in cohorts[t]), 0 * w
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            d = d + counts[k] / total * (w - x)
        v = momentum * v + (1 - momentum) * d
        w = w - server_lr * v
        out.append(w)
    return out
