"""The server's optimiser is constructed again in each round, so its momentum is lost and nothing but FedAvg remains."""

ALGORITHM = "FedAvgM"
KEYS = ("m-none",)


class ServerSGD:
    def __init__(self, lr, momentum):
        self.lr, self.momentum, self.v = lr, momentum, 0.0

    def step(self, w, d):
        self.v = self.momentum * self.v + d
        return w - self.lr * self.v


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, server_lr, momentum):
    w, out = start.copy(), []
    for t in range(rounds):
        optimiser = ServerSGD(server_lr, momentum)
        total, d = sum(counts[k] for k in cohorts[t]), 0 * w
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            d = d + counts[k] / total * (w - x)
        w = optimiser.step(w, d)
        out.append(w)
    return out
