"""Right: FedAvg over lists of layers, written as a server step along averaged differences."""

ALGORITHM = "FedAvg"
FORM = "list"


def local(layers, steps, lr, oracle):
    layers = [a.copy() for a in layers]
    for _ in range(steps):
        layers = [a - lr * g for a, g in zip(layers, oracle(layers), strict=True)]
    return layers


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w, out = [a.copy() for a in start], [start]
    for cohort in cohorts[:rounds]:
        total = sum(counts[k] for k in cohort)
        delta = [0 * a for a in w]
        for k in cohort:
            x = local(w, epochs * batches[k], lr, lambda p, k=k: grad(k, p))
            delta = [d + (b - a) * counts[k] / total for d, a, b in zip(delta, w, x, strict=True)]
        w = [a + d for a, d in zip(w, delta, strict=True)]
        out.append(w)
    return out
