"""The server's model is kept as a reference to the client's own arrays, so that the proximal term is always zero (two
frameworks)."""

ALGORITHM = "FedProx"
KEYS = ("prox-none",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            anchor = x
            for _ in range(epochs * batches[k]):
                x -= lr * (grad(k, x) + mu * (x - anchor))
            local.append(x)
        n = [counts[k] for k in cohorts[t]]
        w = sum(a * x for a, x in zip(n, local, strict=True)) / sum(n)
        out.append(w)
    return out
