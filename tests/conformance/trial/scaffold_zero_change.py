"""The client stores its new control before it takes the difference, so the change is zero and the server's control
never moves."""

import numpy as np

ALGORITHM = "Scaffold"
KEYS = ("c-never",)


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
            ck[k] = new
            dc.append(new - ck[k])
            dy.append(y - w)
        w = w + server_lr * np.mean(dy, axis=0)
        c = c + np.sum(dc, axis=0) / n_clients
        out.append(w)
    return out
