"""The proximal term is mu/2 times the distance, not its square (a baseline of a large framework, mended later)."""

import numpy as np

ALGORITHM = "FedProx"
KEYS = ("prox-norm-half",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                d = x - w
                r = np.linalg.norm(d)
                x = x - lr * (grad(k, x) + (mu / 2 * d / r if r > 0 else 0 * d))
            local.append(x)
        n = [counts[k] for k in cohorts[t]]
        w = sum(a * x for a, x in zip(n, local, strict=True)) / sum(n)
        out.append(w)
    return out
