"""The server's state divides by the cohort's size and not by the number of all clients."""

import numpy as np

ALGORITHM = "FedDyn"
KEYS = ("h-over-cohort",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, alpha):
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
        h = h - alpha * (sum(local) / len(local) - w)
        w = np.mean(local, axis=0) - h / alpha
        out.append(w)
    return out
