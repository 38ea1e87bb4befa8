"""The proximal term sums the layers' norms without squares (a small repository with FedProx in its name)."""

import numpy as np

ALGORITHM = "FedProx"
FORM = "list"
KEYS = ("prox-norms-half",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    w, out = [a.copy() for a in start], []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = [a.copy() for a in w]
            for _ in range(epochs * batches[k]):
                g = grad(k, x)
                step = []
                for a, b, c in zip(x, w, g, strict=True):
                    r = np.linalg.norm(a - b)
                    step.append(c + (mu / 2 * (a - b) / r if r > 0 else 0))
                x = [a - lr * s for a, s in zip(x, step, strict=True)]
            local.append(x)
        n = np.array([counts[k] for k in cohorts[t]])
        w = [sum(p * x[i] for p, x in zip(n / n.sum(), local, strict=True)) for i in range(len(w))]
        out.append(w)
    return out
