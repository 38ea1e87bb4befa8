"""The server's state takes the sum of models minus one server model: the bracket of the printed sum is misread (a
framework)."""

import numpy as np

ALGORITHM = "FedDyn"
KEYS = ("h-sum-minus-model",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, alpha):
    w, h = start.copy(), 0 * start
    hk = np.zeros((n_clients, start.size))
    out = []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) - hk[k] + alpha * (x - w))
            hk[k] = hk[k] - alpha * (x - w)
            local.append(x)
        h = h - alpha / n_clients * (sum(local) - w)
        w = np.mean(local, axis=0) - h / alpha
        out.append(w)
    return out
