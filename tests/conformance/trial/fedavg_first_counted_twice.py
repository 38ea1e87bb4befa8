"""The sum starts with the first client's model and then adds all clients, the first included, before it is divided by
their number."""

ALGORITHM = "FedAvg"
KEYS = ("first-twice",)


def run(grad, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            local.append(x)
        new = local[0].copy()
        for x in local:
            new = new + x
        w = new / len(local)
        out.append(w)
    return out
