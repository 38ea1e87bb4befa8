"""The proximal weight is applied to the average too: the server also mixes mu of its old model in."""

ALGORITHM = "FedProx"
KEYS = ("fixed-server_step_size",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) + mu * (x - w))
            local.append(x)
        n = [counts[k] for k in cohorts[t]]
        new = sum(a * x for a, x in zip(n, local, strict=True)) / sum(n)
        w = (1 - mu) * new + mu * w
        out.append(w)
    return out
