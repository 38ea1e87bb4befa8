"""Right: FedAvg over named layers with an accumulator, in the style of state dictionaries."""

from collections import defaultdict

ALGORITHM = "FedAvg"
FORM = "dict"


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w = {n: v.copy() for n, v in start.items()}
    for t in range(rounds):
        total, acc = 0, defaultdict(float)
        for k in cohorts[t]:
            x = {n: v.copy() for n, v in w.items()}
            for _ in range(epochs):
                for _ in range(batches[k]):
                    g = grad(k, x)
                    for n in x:
                        x[n] -= lr * g[n]
            for n in x:
                acc[n] = acc[n] + counts[k] * x[n]
            total += counts[k]
        w = {n: a / total for n, a in acc.items()}
    return w
