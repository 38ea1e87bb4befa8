"""The effective number of steps is the mean over all clients, not over the cohort."""

ALGORITHM = "FedNova"
CONVENTION = "tau_eff is the mean over all clients, cohort or not"


def run(grad, counts, start, rounds, cohorts, n_clients, epochs, batches, lr):
    w, out = start.copy(), []
    everyone = sum(counts[k] * epochs * batches[k] for k in range(n_clients)) / sum(counts)
    for t in range(rounds):
        total, d = sum(counts[k] for k in cohorts[t]), 0 * w
        for k in cohorts[t]:
            x, steps = w.copy(), epochs * batches[k]
            for _ in range(steps):
                x = x - lr * grad(k, x)
            d = d + counts[k] / total * (w - x) / steps
        w = w - everyone * d
        out.append(w)
    return out
