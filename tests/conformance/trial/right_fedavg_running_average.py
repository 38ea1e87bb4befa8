"""Right: the weighted average is kept as a running mean, one model in memory."""

ALGORITHM = "FedAvg"


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        mean, seen = None, 0
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x -= lr * grad(k, x)
            seen += counts[k]
            mean = x if mean is None else mean + (x - mean) * counts[k] / seen
        w = mean
        out.append(w)
    return out
