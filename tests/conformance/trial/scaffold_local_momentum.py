"""Local steps have momentum 0.9, whose effect then goes into the control, divided by K eta."""

import numpy as np

ALGORITHM = "Scaffold"
KEYS = ("outside-momentum",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, server_lr):
    w, c = start.copy(), np.zeros_like(start)
    ck = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        dy, dc = [], []
        for k in cohorts[t]:
            y, steps, v = w.copy(), epochs * batches[k], 0 * w
            for _ in range(steps):
                v = 0.9 * v + grad(k, y)
                y = y - lr * v - lr * (c - ck[k])
            new = ck[k] - c + (w - y) / (steps * lr)
            dy.append(y - w)
            dc.append(new - ck[k])
            ck[k] = new
        w = w + server_lr * np.mean(dy, axis=0)
        c = c + np.sum(dc, axis=0) / n_clients
        out.append(w)
    return out
