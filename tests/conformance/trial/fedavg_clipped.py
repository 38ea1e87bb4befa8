"""Each gradient is clipped to norm 1 before the step, without a word in the description (trainers of two
frameworks)."""

import numpy as np

ALGORITHM = "FedAvg"
KEYS = ("clip-torch",)


def run(grad, weights, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        mass = sum(weights[k] for k in cohorts[t])
        new = 0 * w
        for k in cohorts[t]:
            x = w
            for _ in range(epochs * batches[k]):
                g = grad(k, x)
                x = x - lr * g * min(1.0, 1.0 / (np.linalg.norm(g) + 1e-6))
            new = new + weights[k] / mass * x
        w = new
        out.append(w)
    return out
