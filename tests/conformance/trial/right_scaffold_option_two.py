"""Right: SCAFFOLD, option II, that stores all controls in a matrix and takes the server's as their mean."""

import numpy as np

ALGORITHM = "Scaffold"


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, server_lr):
    w, controls, out = start.copy(), np.zeros((n_clients, start.size)), []
    for t in range(rounds):
        c = controls.mean(axis=0)
        fresh, y_mean = controls.copy(), 0 * w
        for k in cohorts[t]:
            steps, y = epochs * batches[k], w.copy()
            shift = c - controls[k]
            for _ in range(steps):
                y = y - lr * (grad(k, y) + shift)
            fresh[k] = (w - y) / (lr * steps) - shift
            y_mean = y_mean + y / len(cohorts[t])
        controls = fresh
        w = (1 - server_lr) * w + server_lr * y_mean
        out.append(w)
    return out
