"""The client copies the server's model when it is constructed and pulls to that first model in all rounds."""

ALGORITHM = "FedProx"
KEYS = ("prox-first",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    anchor = start.copy()
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) + mu * (x - anchor))
            local.append(x)
        n = [counts[k] for k in cohorts[t]]
        w = sum(a * x for a, x in zip(n, local, strict=True)) / sum(n)
        out.append(w)
    return out
