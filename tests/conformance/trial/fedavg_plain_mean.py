"""Takes the plain mean of the cohort's models although clients hold different amounts of data (several PyTorch
tutorials)."""

import numpy as np

ALGORITHM = "FedAvg"
KEYS = ("uniform",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w = start
    out = []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs):
                for _ in range(batches[k]):
                    x = x - lr * grad(k, x)
            local.append(x)
        w = np.mean(local, axis=0)
        out.append(w)
    return out
