"""The server only averages: its state h is left out (asked for in a review of a platform's strategy)."""

import numpy as np

ALGORITHM = "FedDyn"
KEYS = ("h-never",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, alpha):
    w = start.copy()
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
        w = np.mean(local, axis=0)
        out.append(w)
    return out
