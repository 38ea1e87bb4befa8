"""The effective number of steps is the plain mean over the cohort, not the one weighted by data."""

import numpy as np

ALGORITHM = "FedNova"
KEYS = ("nova-tau-equal",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        p = np.array([counts[k] for k in cohorts[t]], float)
        p /= p.sum()
        tau = np.array([epochs * batches[k] for k in cohorts[t]])
        d = []
        for k, steps in zip(cohorts[t], tau, strict=True):
            x = w.copy()
            for _ in range(steps):
                x = x - lr * grad(k, x)
            d.append((w - x) / steps)
        w = w - tau.mean() * sum(a * b for a, b in zip(p, d, strict=True))
        out.append(w)
    return out
