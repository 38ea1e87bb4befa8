"""Right: FedAdam as printed, without correction of bias, moments in place."""

import numpy as np

ALGORITHM = "FedAdam"


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, server_lr, beta1, beta2, tau):
    w, m, v, out = start.copy(), np.zeros_like(start), np.zeros_like(start), []
    for t in range(rounds):
        ws = np.array([counts[k] for k in cohorts[t]], float)
        deltas = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x -= lr * grad(k, x)
            deltas.append(x - w)
        delta = ws @ np.array(deltas) / ws.sum()
        m *= beta1
        m += (1 - beta1) * delta
        v += (1 - beta2) * (delta * delta - v)
        w = w + server_lr * m / (tau + v**0.5)
        out.append(w)
    return out
