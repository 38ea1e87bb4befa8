"""PyTorch code runs as it stands: models, loaders, optimisers, dictionaries of tensors (skipped without PyTorch)."""

from __future__ import annotations

import copy

import pytest

import fltheory as fl

torch = pytest.importorskip("torch")


def trained(model, loader, epochs, lr, mu=0.0, anchor=None, clear=True):
    """A client's loop as it is usually written."""
    optimiser, criterion = torch.optim.SGD(model.parameters(), lr=lr), torch.nn.MSELoss()
    for _ in range(epochs):
        for inputs, targets in loader:
            if clear:
                optimiser.zero_grad()
            loss = criterion(model(inputs), targets)
            if anchor is not None:
                loss = loss + mu / 2 * sum(
                    ((a - b) ** 2).sum() for a, b in zip(model.parameters(), anchor, strict=True)
                )
            loss.backward()
            optimiser.step()
    return model.state_dict()


def fedavg(model, loaders, cohorts, epochs, lr, clear=True, share=True):
    history = [copy.deepcopy(model.state_dict())]
    for cohort in cohorts:
        states, sizes = [], []
        for k in cohort:
            local = copy.deepcopy(model)
            states.append(trained(local, loaders[k], epochs, lr, clear=clear))
            sizes.append(len(loaders[k].dataset) if share else 1)
        mean = {n: sum(s[n] * m for s, m in zip(states, sizes, strict=True)) / sum(sizes) for n in states[0]}
        model.load_state_dict(mean)
        history.append(copy.deepcopy(mean))
    return history


def fedprox(model, loaders, cohorts, epochs, lr, mu):
    history = []
    for cohort in cohorts:
        states, sizes = [], []
        for k in cohort:
            local = copy.deepcopy(model)
            anchor = [p.detach().clone() for p in model.parameters()]
            states.append(trained(local, loaders[k], epochs, lr, mu, anchor))
            sizes.append(len(loaders[k].dataset))
        model.load_state_dict(
            {n: sum(s[n] * m for s, m in zip(states, sizes, strict=True)) / sum(sizes) for n in states[0]}
        )
        history.append(copy.deepcopy(model))
    return history


def scaffold(start, grad, cohorts, epochs, batches, n_clients, lr, server_lr):
    """Tensors and the given gradients."""
    w = torch.tensor(start)
    c, ck, history = torch.zeros_like(w), [torch.zeros_like(w) for _ in range(n_clients)], []
    for cohort in cohorts:
        moves, changes = [], []
        for k in cohort:
            x = w.clone()
            for _ in range(epochs * batches[k]):
                x -= lr * (grad(k, x) - ck[k] + c)
            new = ck[k] - c + (w - x) / (epochs * batches[k] * lr)
            moves.append(x - w)
            changes.append(new - ck[k])
            ck[k] = new
        w = w + server_lr * torch.stack(moves).mean(0)
        c = c + torch.stack(changes).sum(0) / n_clients
        history.append(w)
    return history


def test_right_code_passes() -> None:
    first = fl.conform(fedavg, "FedAvg")
    assert first.verdict == "equal" and first.precision == "single"
    assert fl.conform(fedprox, "FedProx").verdict == "equal"
    assert fl.conform(scaffold, "Scaffold").verdict == "equal"


def test_wrong_code_is_named() -> None:
    def stale(model, loaders, cohorts, epochs, lr):
        return fedavg(model, loaders, cohorts, epochs, lr, clear=False)

    def plain(model, loaders, cohorts, epochs, lr):
        return fedavg(model, loaders, cohorts, epochs, lr, share=False)

    assert fl.conform(stale, "FedAvg").keys == ("accumulate",)
    assert fl.conform(plain, "FedAvg").keys == ("uniform",)
