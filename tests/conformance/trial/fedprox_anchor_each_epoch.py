"""The model to which the proximal term pulls is saved at the start of each local epoch, not of the round."""

ALGORITHM = "FedProx"
KEYS = ("prox-epoch",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs):
                anchor = x.copy()
                for _ in range(batches[k]):
                    x = x - lr * (grad(k, x) + mu * (x - anchor))
            local.append(x)
        n = [counts[k] for k in cohorts[t]]
        w = sum(a * x for a, x in zip(n, local, strict=True)) / sum(n)
        out.append(w)
    return out
