"""The server applies the average of the clients' last gradients, times lr, to the old model instead of averaging
models."""

ALGORITHM = "FedAvg"
KEYS = ("last-move",)


def run(grad, weights, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        mass = sum(weights[k] for k in cohorts[t])
        g_mean = 0 * w
        for k in cohorts[t]:
            x = w
            for _ in range(epochs * batches[k]):
                g = grad(k, x)
                x = x - lr * g
            g_mean = g_mean + weights[k] / mass * g
        w = w - lr * g_mean
        out.append(w)
    return out
