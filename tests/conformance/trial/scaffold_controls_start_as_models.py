"""Control variates are made as copies of the initial network and so do not start at zero (a benchmark, reported as
unstable)."""

import numpy as np

ALGORITHM = "Scaffold"
KEYS = ("controls-model",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, server_lr):
    w, c = start.copy(), start.copy()
    ck = np.array([start.copy() for _ in range(n_clients)])
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
        c = c + np.sum(dc, axis=0) / n_clients
        out.append(w)
    return out
