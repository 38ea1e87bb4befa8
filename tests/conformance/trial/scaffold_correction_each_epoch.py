"""The correction is applied once at the end of each epoch instead of in each step."""

import numpy as np

ALGORITHM = "Scaffold"
KEYS = ("correct-epoch",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, server_lr):
    w, c = start.copy(), np.zeros_like(start)
    ck = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        dy, dc = [], []
        for k in cohorts[t]:
            y, steps = w.copy(), epochs * batches[k]
            for _ in range(epochs):
                for _ in range(batches[k]):
                    y = y - lr * grad(k, y)
                y = y - lr * (c - ck[k])
            new = ck[k] - c + (w - y) / (steps * lr)
            dy.append(y - w)
            dc.append(new - ck[k])
            ck[k] = new
        w = w + server_lr * np.mean(dy, axis=0)
        c = c + np.sum(dc, axis=0) / n_clients
        out.append(w)
    return out
