"""The velocity is applied to the averaged model instead of the old one: w = average + beta v."""

ALGORITHM = "FedAvgM"
KEYS = ("m-onto",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, server_lr, momentum):
    w, v, out = start.copy(), 0 * start, []
    for t in range(rounds):
        total, d = sum(counts[k] for k in cohorts[t]), 0 * w
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * grad(k, x)
            d = d + counts[k] / total * (x - w)
        v = momentum * v + d
        w = w + d + server_lr * v
        out.append(w)
    return out
