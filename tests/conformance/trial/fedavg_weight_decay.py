"""The clients' optimiser has weight decay 1e-3, which the algorithm has not (official code of a later algorithm, in
all baselines)."""

ALGORITHM = "FedAvg"
KEYS = ("weight-decay",)


def run(grad, weights, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        mass = sum(weights[k] for k in cohorts[t])
        new = 0 * w
        for k in cohorts[t]:
            x = w
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) + 1e-3 * x)
            new = new + weights[k] / mass * x
        w = new
        out.append(w)
    return out
