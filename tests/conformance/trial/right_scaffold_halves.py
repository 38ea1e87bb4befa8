"""Right: SCAFFOLD, option II, in two halves: the client remembers in its state, the server sends its control as a
message."""

import fltheory as fl

ALGORITHM = "Scaffold"


def fit(model, grad, state, message, epochs, batches, lr):
    c = 0 * model if message is None else message
    own = state.get("c", 0 * model)
    y, steps = model.copy(), 0
    for _ in range(epochs):
        for _ in range(batches):
            y = y - lr * (grad(y) + c - own)
            steps += 1
    state["c"] = own - c + (model - y) / (steps * lr)
    return y - model, state["c"] - own


def aggregate(model, results, n_clients, state, server_lr):
    state["c"] = state.get("c", 0 * model) + sum(d for _, d in results) / n_clients
    return model + server_lr * sum(d for d, _ in results) / len(results), state["c"]


run = fl.from_client_server(fit, aggregate)
