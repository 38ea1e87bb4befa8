"""Momentum mixes the old model with the new average, w = beta w + (1 - beta) average: no memory of updates."""

ALGORITHM = "FedAvgM"
KEYS = ("m-mixed",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, server_lr, momentum):
    w, out = start.copy(), []
    for t in range(rounds):
        total, new = sum(counts[k] for k in cohorts[t]), 0 * w
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            new = new + counts[k] / total * x
        new = w + server_lr * (new - w)
        w = momentum * w + (1 - momentum) * new
        out.append(w)
    return out
