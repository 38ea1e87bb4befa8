"""Right: FedAvgM with the velocity in the direction of the update."""

ALGORITHM = "FedAvgM"


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, server_lr, momentum):
    w, velocity, out = start.copy(), 0 * start, []
    for t in range(rounds):
        total = sum(counts[k] for k in cohorts[t])
        update = 0 * w
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            update += counts[k] / total * (x - w)
        velocity = momentum * velocity + update
        w = w + server_lr * velocity
        out.append(w)
    return out
