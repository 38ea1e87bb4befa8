"""The buffer of new global weights is not set to zero: the old model stays in the sum (a management framework for
FL)."""

ALGORITHM = "FedAvg"
KEYS = ("onto-old",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        total = sum(counts[k] for k in cohorts[t])
        old = w.copy()
        for k in cohorts[t]:
            x = old.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            w = w + x * counts[k] / total
        out.append(w)
    return out
