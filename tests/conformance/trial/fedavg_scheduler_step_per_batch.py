"""The scheduler is stepped after each batch within the client's loop and starts again each round from lr."""

ALGORITHM = "FedAvg"
KEYS = ("decay-steps-restart",)


def run(grad, weights, start, rounds, cohorts, epochs, batches, lr, lr_decay):
    w, out = start.copy(), []
    for t in range(rounds):
        mass = sum(weights[k] for k in cohorts[t])
        new = 0 * w
        for k in cohorts[t]:
            x, eta = w, lr
            for _ in range(epochs * batches[k]):
                x = x - eta * grad(k, x)
                eta *= lr_decay
            new = new + weights[k] / mass * x
        w = new
        out.append(w)
    return out
