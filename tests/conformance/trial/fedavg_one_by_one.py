"""The delta of each client is taken against the running (already updated) server model: updates are applied one by
one."""

ALGORITHM = "FedAvg"
KEYS = ("one-by-one",)


def run(grad, weights, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        mass = sum(weights[k] for k in cohorts[t])
        old = w.copy()
        for k in cohorts[t]:
            x = old
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            w = w + weights[k] / mass * (x - w)
        out.append(w)
    return out
