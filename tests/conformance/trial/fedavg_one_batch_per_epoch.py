"""The loop over batches is left after the first one, so that a client makes one step in each epoch."""

ALGORITHM = "FedAvg"
KEYS = ("one-batch",)


def run(grad, weights, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        mass = sum(weights[k] for k in cohorts[t])
        new = 0 * w
        for k in cohorts[t]:
            x = w
            for _ in range(epochs):
                for _ in range(batches[k]):
                    x = x - lr * grad(k, x)
                    break
            new = new + weights[k] / mass * x
        w = new
        out.append(w)
    return out
