"""The server divides the sum of control changes by the cohort's size and not by the number of all clients (a
benchmark, mended later)."""

import numpy as np

ALGORITHM = "Scaffold"
KEYS = ("c-over-cohort",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, server_lr):
    w, c = start.copy(), np.zeros_like(start)
    ck = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        dy, dc = [], []
        for k in cohorts[t]:
            y, steps = w.copy(), epochs * batches[k]
            for _ in range(steps):
                y = y - lr * (grad(k, y) - ck[k] + c)
            new = ck[k] - c + (w - y) / (steps * lr)
            dy.append(y - w)
            dc.append(new - ck[k])
            ck[k] = new
        w = w + server_lr * np.mean(dy, axis=0)
        c = c + np.mean(dc, axis=0)
        out.append(w)
    return out
