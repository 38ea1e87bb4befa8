"""Right: FedProx's step written as a contraction towards the server's model, (1 - lr mu) x + lr mu w - lr g."""

import numpy as np

ALGORITHM = "FedProx"


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = (1 - lr * mu) * x + lr * mu * w - lr * grad(k, x)
            local.append(x)
        w = np.average(local, axis=0, weights=[counts[k] for k in cohorts[t]])
        out.append(w)
    return out
