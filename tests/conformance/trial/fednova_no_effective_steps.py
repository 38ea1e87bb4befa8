"""The averaged normalised update is not multiplied by the effective number of steps."""

import numpy as np

ALGORITHM = "FedNova"
KEYS = ("nova-tau-none",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        p = np.array([counts[k] for k in cohorts[t]], float)
        p /= p.sum()
        d = []
        for k in cohorts[t]:
            x, steps = w.copy(), epochs * batches[k]
            for _ in range(steps):
                x = x - lr * grad(k, x)
            d.append((w - x) / steps)
        w = w - sum(a * b for a, b in zip(p, d, strict=True))
        out.append(w)
    return out
