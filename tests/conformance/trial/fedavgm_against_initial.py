"""The server's update is the difference to the initial model of the run, which is never renewed, not to the last
model."""

ALGORITHM = "FedAvgM"
KEYS = ("m-initial",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, server_lr, momentum):
    initial, w, v, out = start.copy(), start.copy(), 0 * start, []
    for t in range(rounds):
        total, new = sum(counts[k] for k in cohorts[t]), 0 * w
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            new = new + counts[k] / total * x
        v = momentum * v + (initial - new)
        w = initial - server_lr * v
        out.append(w)
    return out
