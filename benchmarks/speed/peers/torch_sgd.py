"""Mini-batch FedAvg in PyTorch as most programs have it: a loop over clients and steps, gradients by autograd, float64."""

from __future__ import annotations

from typing import Any

import torch

from benchmarks.speed.data import BATCH, RIDGE, STEP, Sampled


class TorchSGD:
    """Draws by a ``torch.Generator``."""

    def __init__(self, task: Sampled) -> None:
        torch.set_num_threads(1)
        self.task = task
        rows, labels, self.starts, self.sizes, coefficients = task.table
        self.rows, self.coefficients = torch.from_numpy(rows.copy()), coefficients
        self.labels = torch.from_numpy(labels.copy() if task.kind == "softmax" else labels.astype(float))

    def loop(self, rounds: int) -> Any:
        """One client after the other, one run."""
        task, generator = self.task, torch.Generator().manual_seed(0)
        w = torch.zeros(task.shape, dtype=torch.float64)
        for _ in range(rounds):
            if task.clients is None:
                clients = list(range(task.n_clients))
            else:
                clients = torch.randperm(task.n_clients, generator=generator)[: task.cohort].tolist()
            total = torch.zeros_like(w)
            for k in clients:
                size, start = int(self.sizes[k]), int(self.starts[k])
                x = w.clone()
                for _ in range(task.steps):
                    x = self._step(x, start + torch.randint(size, (BATCH,), generator=generator))
                total += self.coefficients[k] * x
            w = total
        return w

    def fed(self, draws: list[tuple[Any, Any]]) -> Any:
        """One run with the draws given."""
        w = torch.zeros(self.task.shape, dtype=torch.float64)
        for clients, rows in draws:
            total = torch.zeros_like(w)
            for k, own in zip(clients, rows, strict=True):
                x = w.clone()
                for step in range(self.task.steps):
                    x = self._step(x, torch.from_numpy(own[step].copy()) + int(self.starts[k]))
                total += self.coefficients[k] * x
            w = total
        return w.numpy().ravel()

    def _step(self, x: Any, index: Any) -> Any:
        x.requires_grad_(True)
        features, labels = self.rows[index], self.labels[index]
        if self.task.kind == "softmax":
            loss = torch.nn.functional.cross_entropy(features @ x.T, labels)
        else:
            loss = torch.nn.functional.softplus(-labels * (features @ x)).mean()
        (gradient,) = torch.autograd.grad(loss, x)
        with torch.no_grad():
            return x - STEP * (gradient + RIDGE * x)
