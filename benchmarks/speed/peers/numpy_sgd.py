"""Mini-batch FedAvg in NumPy: all clients of all runs in one product, or one client after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.data import BATCH, RIDGE, STEP, Sampled


class NumpySGD:
    """Draws by ``numpy.random.Generator``; models ``(slots, C, f)`` or ``(slots, f)``."""

    def __init__(self, task: Sampled) -> None:
        self.task = task
        self.rows, labels, self.starts, self.sizes, self.coefficients = task.table
        self.labels: Any = np.eye(10)[labels] if task.kind == "softmax" else labels.astype(float)

    def gradient(self, w: Any, index: Any) -> Any:
        """Mean gradient over the rows ``index`` ``(..., b)`` at ``w``."""
        x, y = self.rows[index], self.labels[index]
        if self.task.kind == "softmax":
            p = x @ w.swapaxes(-1, -2)
            p -= p.max(axis=-1, keepdims=True)
            np.exp(p, out=p)
            p /= p.sum(axis=-1, keepdims=True)
            p -= y
            return p.swapaxes(-1, -2) @ x / BATCH + RIDGE * w
        slope = -y / (1.0 + np.exp(y * (x @ w[..., None])[..., 0]))
        return (slope[..., None, :] @ x)[..., 0, :] / BATCH + RIDGE * w

    def vectorised(self, rounds: int, *, runs: int = 1) -> Any:
        """All runs and clients side by side."""
        task, rng = self.task, np.random.default_rng(0)
        w = np.zeros((runs, *task.shape))
        for _ in range(rounds):
            clients = self._cohorts(rng, runs)
            first, sizes = self.starts[clients].ravel(), self.sizes[clients].ravel()
            x = np.repeat(w, task.cohort, axis=0)
            for _ in range(task.steps):
                index = first[:, None] + (rng.random((len(x), BATCH)) * sizes[:, None]).astype(np.int64)
                x -= STEP * self.gradient(x, index)
            shares = self.coefficients[clients]
            w = (shares.reshape(runs, task.cohort, *[1] * len(task.shape)) * x.reshape(runs, -1, *task.shape)).sum(
                axis=1
            )
        return w

    def loop(self, rounds: int) -> Any:
        """One client after the other, one run."""
        task, rng = self.task, np.random.default_rng(0)
        w = np.zeros(task.shape)
        for _ in range(rounds):
            total = np.zeros(task.shape)
            for k in self._cohorts(rng, 1)[0]:
                x = w
                for _ in range(task.steps):
                    x = x - STEP * self.gradient(x, self.starts[k] + rng.integers(self.sizes[k], size=BATCH))
                total += self.coefficients[k] * x
            w = total
        return w

    def fed(self, draws: list[tuple[Any, Any]]) -> Any:
        """One run with the draws given."""
        w = np.zeros(self.task.shape)
        for clients, rows in draws:
            x = np.repeat(w[None], len(clients), axis=0)
            for step in range(self.task.steps):
                x -= STEP * self.gradient(x, self.starts[clients][:, None] + rows[:, step])
            w = np.tensordot(self.coefficients[clients], x, axes=1)
        return w.ravel()

    def _cohorts(self, rng: Any, runs: int) -> Any:
        n, size = self.task.n_clients, self.task.cohort
        if self.task.clients is None:
            return np.broadcast_to(np.arange(n), (runs, n))
        return np.stack([rng.choice(n, size, replace=False) for _ in range(runs)])
