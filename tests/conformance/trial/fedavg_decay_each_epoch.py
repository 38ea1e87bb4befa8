"""The learning rate is multiplied by the decay after each local epoch, not after each round (a scheduler stepped in
the client's loop)."""

ALGORITHM = "FedAvg"
KEYS = ("decay-epochs-rounds",)


def run(grad, weights, start, rounds, cohorts, epochs, batches, lr, lr_decay):
    w, out = start.copy(), []
    for t in range(rounds):
        mass = sum(weights[k] for k in cohorts[t])
        new = 0 * w
        for k in cohorts[t]:
            x, eta = w, lr * lr_decay**t
            for _ in range(epochs):
                for _ in range(batches[k]):
                    x = x - eta * grad(k, x)
                eta = eta * lr_decay
            new = new + weights[k] / mass * x
        w = new
        out.append(w)
    return out
