"""The clients' optimiser has momentum 0.9, made anew in each round, where the paper has plain gradient steps."""

ALGORITHM = "FedAvg"
KEYS = ("local-momentum",)


def run(grad, weights, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        mass = sum(weights[k] for k in cohorts[t])
        new = 0 * w
        for k in cohorts[t]:
            x, v = w, 0 * w
            for _ in range(epochs * batches[k]):
                v = 0.9 * v + grad(k, x)
                x = x - lr * v
            new = new + weights[k] / mass * x
        w = new
        out.append(w)
    return out
