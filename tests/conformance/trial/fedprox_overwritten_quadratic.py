"""The proximal loss is overwritten by its linear part: only -mu <x, w> is left of mu/2 |x - w|^2 (official code of
another method)."""

ALGORITHM = "FedProx"
KEYS = ("prox-linear",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) - mu * w)
            local.append(x)
        n = [counts[k] for k in cohorts[t]]
        w = sum(a * x for a, x in zip(n, local, strict=True)) / sum(n)
        out.append(w)
    return out
