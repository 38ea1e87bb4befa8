"""The proximal term is accumulated over batches: it is added to a running sum that is never cleared, so that it
counts i times at step i."""

ALGORITHM = "FedProx"
KEYS = ("prox-accumulates",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x, pull = w.copy(), 0 * w
            for _ in range(epochs * batches[k]):
                pull = pull + mu * (x - w)
                x = x - lr * (grad(k, x) + pull)
            local.append(x)
        n = [counts[k] for k in cohorts[t]]
        w = sum(a * x for a, x in zip(n, local, strict=True)) / sum(n)
        out.append(w)
    return out
