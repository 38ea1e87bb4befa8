"""The client's control divides the movement by epochs times the learning rate and forgets the batches (a framework's
example)."""

import numpy as np

ALGORITHM = "Scaffold"
KEYS = ("ck-epochs",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, server_lr):
    w, c = start.copy(), np.zeros_like(start)
    ck = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        dy, dc = [], []
        for k in cohorts[t]:
            y = w.copy()
            for _ in range(epochs * batches[k]):
                y = y - lr * (grad(k, y) - ck[k] + c)
            new = ck[k] - c + (w - y) / (epochs * lr)
            dy.append(y - w)
            dc.append(new - ck[k])
            ck[k] = new
        w = w + server_lr * np.mean(dy, axis=0)
        c = c + np.sum(dc, axis=0) / n_clients
        out.append(w)
    return out
