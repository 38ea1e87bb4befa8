"""The penalty is mu |x - w|^2 without the half, so that mu counts twice."""

ALGORITHM = "FedProx"
KEYS = ("prox-double",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) + 2 * mu * (x - w))
            local.append(x)
        n = [counts[k] for k in cohorts[t]]
        w = sum(a * x for a, x in zip(n, local, strict=True)) / sum(n)
        out.append(w)
    return out
