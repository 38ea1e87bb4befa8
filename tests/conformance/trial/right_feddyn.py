"""Right: FedDyn as printed, with the state of the server."""

import numpy as np

ALGORITHM = "FedDyn"


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, alpha):
    w, h, g, out = start.copy(), 0 * start, np.zeros((n_clients, start.size)), []
    for t in range(rounds):
        thetas = []
        for k in cohorts[t]:
            theta = w.copy()
            for _ in range(epochs * batches[k]):
                theta = theta - lr * (grad(k, theta) - g[k] + alpha * (theta - w))
            g[k] -= alpha * (theta - w)
            thetas.append(theta)
        h = h - alpha / n_clients * sum(theta - w for theta in thetas)
        w = sum(thetas) / len(thetas) - h / alpha
        out.append(w)
    return out
