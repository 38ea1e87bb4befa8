"""Only the first named layer is averaged; the rest is what the first client of the cohort sent (the server copies an
uploaded model)."""

ALGORITHM = "FedAvg"
FORM = "dict"
KEYS = ("bias-of-first",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w, out = {n: v.copy() for n, v in start.items()}, []
    for t in range(rounds):
        uploads = []
        for k in cohorts[t]:
            x = {n: v.copy() for n, v in w.items()}
            for _ in range(epochs * batches[k]):
                g = grad(k, x)
                for n in x:
                    x[n] = x[n] - lr * g[n]
            uploads.append((counts[k], x))
        total = sum(c for c, _ in uploads)
        w = dict(uploads[0][1])
        first = next(iter(w))
        w[first] = sum(c / total * x[first] for c, x in uploads)
        out.append(w)
    return out
