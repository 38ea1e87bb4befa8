"""Right: FedNova that adds up the gradients of the local steps instead of comparing models."""

ALGORITHM = "FedNova"


def run(grad, counts, start, rounds, cohorts, epochs, batches, lr):
    w, out = start.copy(), []
    for t in range(rounds):
        total = sum(counts[k] for k in cohorts[t])
        tau_eff = sum(counts[k] / total * epochs * batches[k] for k in cohorts[t])
        direction = 0 * w
        for k in cohorts[t]:
            x, acc = w, 0 * w
            for _ in range(epochs * batches[k]):
                g = grad(k, x)
                acc = acc + g
                x = x - lr * g
            direction = direction + counts[k] / total * acc / (epochs * batches[k])
        w = w - lr * tau_eff * direction
        out.append(w)
    return out
