"""Updates are normalised by the number of epochs, which is the same for all, so that nothing but FedAvg is left."""

import numpy as np

ALGORITHM = "FedNova"
KEYS = ("nova-none",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        p = np.array([counts[k] for k in cohorts[t]], float)
        p /= p.sum()
        d = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            d.append((w - x) / epochs)
        w = w - epochs * sum(a * b for a, b in zip(p, d, strict=True))
        out.append(w)
    return out
