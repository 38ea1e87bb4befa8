"""Right: FedProx in two halves, the proximal gradient added to the loss's."""

import fltheory as fl

ALGORITHM = "FedProx"


def fit(model, grad, count, epochs, batches, lr, mu):
    x = model.copy()
    for _ in range(epochs * batches):
        g = grad(x)
        g = g + mu * (x - model)
        x = x - lr * g
    return count, x


def aggregate(model, results):
    total = sum(n for n, _ in results)
    return sum(n * x for n, x in results) / total


run = fl.from_client_server(fit, aggregate)
