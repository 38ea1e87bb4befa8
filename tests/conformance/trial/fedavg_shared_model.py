"""All clients train the same model object one after another: it is not set back to the server's model (standalone
simulators)."""

ALGORITHM = "FedAvg"
KEYS = ("chain",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        total = sum(counts[k] for k in cohorts[t])
        shared, new = w.copy(), 0 * w
        for k in cohorts[t]:
            for _ in range(epochs * batches[k]):
                shared = shared - lr * grad(k, shared)
            new = new + counts[k] / total * shared
        w = new
        out.append(w)
    return out
