"""Besides the pull to the server's model the optimiser adds mu times the parameters themselves (an optimiser taken
from another method)."""

ALGORITHM = "FedProx"
KEYS = ("prox-and-decay",)


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr, mu):
    w, out = start.copy(), []
    for t in range(rounds):
        local = []
        for k in cohorts[t]:
            x = w.copy()
            for _ in range(epochs * batches[k]):
                x = x - lr * (grad(k, x) + mu * (x - w) + mu * x)
            local.append(x)
        n = [counts[k] for k in cohorts[t]]
        w = sum(a * x for a, x in zip(n, local, strict=True)) / sum(n)
        out.append(w)
    return out
