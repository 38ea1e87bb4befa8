"""The local loss lacks alpha/2 |x|^2: of the proximal term only the product with the server's model is left (official
code, asked)."""

import numpy as np

ALGORITHM = "FedDyn"
KEYS = ("dyn-prox-linear",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, alpha):
    w, h = start.copy(), 0 * start
    hk = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) - hk[k] - alpha * w)
            hk[k] = hk[k] - alpha * (x - w)
            local.append(x)
        h = h - alpha / n_clients * (sum(local) - len(local) * w)
        w = np.mean(local, axis=0) - h / alpha
        out.append(w)
    return out
