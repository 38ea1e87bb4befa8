"""Keeps one correction per client, renewed from the averaged model: right for all clients in every round, wrong for
cohorts."""

import numpy as np

ALGORITHM = "Scaffold"
KEYS = ("ck-shift",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, server_lr):
    w = start.copy()
    h = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        local = {}
        for k in cohorts[t]:
            y = w.copy()
            for _ in range(epochs * batches[k]):
                y = y - lr * (grad(k, y) - h[k])
            local[k] = y
        mean = np.mean(list(local.values()), axis=0)
        for k, y in local.items():
            h[k] = h[k] + (mean - y) / (epochs * batches[k] * lr)
        w = w + server_lr * (mean - w)
        out.append(w)
    return out
