"""Right: SCAFFOLD, option I, with classes for clients and server."""

import numpy as np

ALGORITHM = "Scaffold"


class Client:
    def __init__(self, oracle, size, steps):
        self.oracle, self.c, self.steps = oracle, np.zeros(size), steps

    def train(self, w, c, lr):
        y = w.copy()
        for _ in range(self.steps):
            y = y - lr * (self.oracle(y) - self.c + c)
        old, self.c = self.c, self.oracle(w)
        return y - w, self.c - old


def run(grad, start, rounds, cohorts, n_clients, epochs, batches, lr, server_lr):
    clients = [Client(lambda x, k=k: grad(k, x), start.size, epochs * batches[k]) for k in range(n_clients)]
    w, c, out = start.copy(), 0 * start, []
    for t in range(rounds):
        answers = [clients[k].train(w, c, lr) for k in cohorts[t]]
        w = w + server_lr * sum(a for a, _ in answers) / len(answers)
        c = c + sum(b for _, b in answers) / n_clients
        out.append(w)
    return out
