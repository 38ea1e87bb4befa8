"""The server subtracts h instead of h divided by alpha."""

import numpy as np

ALGORITHM = "FedDyn"
KEYS = ("h-undivided",)


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
        h = h - alpha / n_clients * sum(x - w for x in local)
        w = sum(local) / len(local) - h
        out.append(w)
    return out
