"""The server's control is updated as soon as each client returns, so that later clients of the round see another c."""

import numpy as np

ALGORITHM = "Scaffold"
KEYS = ("c-at-once",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, server_lr):
    w, c = start.copy(), np.zeros_like(start)
    ck = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        dy = []
        for k in cohorts[t]:
            y, steps = w.copy(), epochs * batches[k]
            for _ in range(steps):
                y = y - lr * (grad(k, y) - ck[k] + c)
            new = ck[k] - c + (w - y) / (steps * lr)
            dy.append(y - w)
            c = c + (new - ck[k]) / n_clients
            ck[k] = new
        w = w + server_lr * np.mean(dy, axis=0)
        out.append(w)
    return out
