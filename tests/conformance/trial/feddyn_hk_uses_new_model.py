"""The client's state is renewed against the new averaged model instead of the one that it began with."""

import numpy as np

ALGORITHM = "FedDyn"
KEYS = ("hk-new-model",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, alpha):
    w, h = start.copy(), 0 * start
    hk = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        local = {}
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) - hk[k] + alpha * (x - w))
            local[k] = x
        h = h - alpha / n_clients * sum(x - w for x in local.values())
        w = sum(local.values()) / len(local) - h / alpha
        for k, x in local.items():
            hk[k] = hk[k] - alpha * (x - w)
        out.append(w)
    return out
