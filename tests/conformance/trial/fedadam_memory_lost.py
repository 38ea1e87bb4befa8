"""The server's Adam is made anew in each round: both moments start at zero every time (a framework's aggregator)."""

import numpy as np

ALGORITHM = "FedAdam"
KEYS = ("state-forgotten",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, server_lr, beta1, beta2, tau):
    w, out = start.copy(), []
    for t in range(rounds):
        m, v = 0 * w, 0 * w
        total, d = sum(counts[k] for k in cohorts[t]), 0 * w
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            d = d + counts[k] / total * (x - w)
        m = beta1 * m + (1 - beta1) * d
        v = beta2 * v + (1 - beta2) * d**2
        w = w + server_lr * m / (np.sqrt(v) + tau)
        out.append(w)
    return out
