"""Gradients are summed over an epoch's batches and one step is taken with their mean (full batch, one step per
epoch)."""

ALGORITHM = "FedAvg"
KEYS = ("frozen-epoch",)


def run(grad, weights, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        mass = sum(weights[k] for k in cohorts[t])
        new = 0 * w
        for k in cohorts[t]:
            x = w
            for _ in range(epochs):
                g = sum(grad(k, x) for _ in range(batches[k]))
                x = x - lr * g
            new = new + weights[k] / mass * x
        w = new
        out.append(w)
    return out
