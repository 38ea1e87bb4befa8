"""Models are averaged by data counts although the paper's average is plain (a choice rather than a bug)."""

import numpy as np

ALGORITHM = "FedDyn"
CONVENTION = "the server's h is averaged with the other weights than models (equal, or by counts)"


def run(grad, counts, start, rounds, cohorts, n_clients, epochs, batches, lr, alpha):
    w, h = start.copy(), 0 * start
    hk = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) - hk[k] + alpha * (x - w))
            hk[k] = hk[k] - alpha * (x - w)
            local.append(x)
        n = np.array([counts[k] for k in cohorts[t]])
        h = h - alpha / n_clients * sum(x - w for x in local)
        w = n @ np.array(local) / n.sum() - h / alpha
        out.append(w)
    return out
