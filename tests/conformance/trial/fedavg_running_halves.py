"""Models are averaged pairwise as they arrive, (average + new)/2, so that the last client has half of all weight."""

ALGORITHM = "FedAvg"
KEYS = ("pairwise-first",)


def run(grad, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        average = None
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            average = x if average is None else (average + x) / 2
        w = average
        out.append(w)
    return out
