"""The cohort's models are summed and divided by the number of all clients, not by the cohort's (a watermarking
project)."""

ALGORITHM = "FedAvg"
KEYS = ("all-models",)


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        new = 0 * w
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            new = new + x / n_clients
        w = new
        out.append(w)
    return out
