"""Bias is corrected with t starting at zero plus two: 1 - beta^(t+2), one round too late."""

import numpy as np

ALGORITHM = "FedAdam"
KEYS = ("correct-late",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, server_lr, beta1, beta2, tau):
    w, m, v, out = start.copy(), 0 * start, 0 * start, []
    for t in range(rounds):
        total, d = sum(counts[k] for k in cohorts[t]), 0 * w
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            d = d + counts[k] / total * (x - w)
        m = beta1 * m + (1 - beta1) * d
        v = beta2 * v + (1 - beta2) * d**2
        i = t + 2
        w = w + server_lr * (m / (1 - beta1**i)) / (np.sqrt(v / (1 - beta2**i)) + tau)
        out.append(w)
    return out
