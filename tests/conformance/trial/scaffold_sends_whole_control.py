"""Clients send their whole new control variate, and the server adds it as if it were the change (a framework's
example)."""

import numpy as np

ALGORITHM = "Scaffold"
KEYS = ("c-adds-controls",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, server_lr):
    w, c = start.copy(), np.zeros_like(start)
    ck = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        dy, sent = [], []
        for k in cohorts[t]:
            y, steps = w.copy(), epochs * batches[k]
            for _ in range(steps):
                y = y - lr * (grad(k, y) - ck[k] + c)
            ck[k] = ck[k] - c + (w - y) / (steps * lr)
            dy.append(y - w)
            sent.append(ck[k].copy())
        w = w + server_lr * np.mean(dy, axis=0)
        c = c + np.sum(sent, axis=0) / n_clients
        out.append(w)
    return out
