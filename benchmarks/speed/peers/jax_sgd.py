"""Mini-batch FedAvg in JAX: jit, vmap over runs and clients, a scan over the steps, a loop over the rounds, float64."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from benchmarks.speed.data import BATCH, RIDGE, STEP, Sampled


class JaxSGD:
    """Draws by ``jax.random``; compiled once per number of runs, for any number of rounds."""

    def __init__(self, task: Sampled) -> None:
        self.task = task
        rows, labels, starts, sizes, coefficients = task.table
        self.rows, self.starts, self.sizes = jnp.array(rows), jnp.array(starts), jnp.array(sizes)
        self.coefficients = jnp.array(coefficients)
        self.labels = (
            jax.nn.one_hot(labels, 10, dtype=jnp.float64) if task.kind == "softmax" else jnp.array(labels * 1.0)
        )
        self._many = jax.jit(jax.vmap(self._run, in_axes=(0, None, None)))
        self._one = jax.jit(self._run)

    def gradient(self, w: Any, index: Any) -> Any:
        """Mean gradient over the rows ``index`` ``(b,)``."""
        x, y = self.rows[index], self.labels[index]
        if self.task.kind == "softmax":
            return (jax.nn.softmax(x @ w.T, axis=-1) - y).T @ x / BATCH + RIDGE * w
        return (-y * jax.nn.sigmoid(-y * (x @ w))) @ x / BATCH + RIDGE * w

    def run(self, rounds: int, *, runs: int = 1, step: float = STEP) -> Any:
        """All runs in one program."""
        keys = jax.random.split(jax.random.key(0), runs)
        found = self._one(keys[0], rounds, step) if runs == 1 else self._many(keys, rounds, step)
        return found.block_until_ready()

    def fed(self, draws: list[tuple[Any, Any]]) -> Any:
        """One run with the draws given."""
        local = jax.jit(jax.vmap(self._local_given, in_axes=(None, 0, 0)))
        w = jnp.zeros(self.task.shape)
        for clients, rows in draws:
            x = local(w, self.starts[clients], jnp.array(rows))
            w = jnp.tensordot(self.coefficients[clients], x, axes=1)
        return w.ravel()

    def _run(self, key: Any, rounds: Any, step: Any) -> Any:
        task, n = self.task, self.task.n_clients

        def one_round(number: Any, w: Any) -> Any:
            here = jax.random.fold_in(key, number)
            if task.clients is None:
                clients = jnp.arange(n)
            else:
                clients = jax.random.choice(jax.random.fold_in(here, n), n, (task.cohort,), replace=False)
            keys = jax.random.split(here, task.cohort)
            x = jax.vmap(partial(self._local, w, step))(self.starts[clients], self.sizes[clients], keys)
            return jnp.tensordot(self.coefficients[clients], x, axes=1)

        return jax.lax.fori_loop(0, rounds, one_round, jnp.zeros(task.shape))

    def _local(self, w: Any, step: Any, start: Any, size: Any, key: Any) -> Any:
        rows = jax.random.randint(key, (self.task.steps, BATCH), 0, size)
        return jax.lax.scan(lambda x, own: (x - step * self.gradient(x, start + own), None), w, rows)[0]

    def _local_given(self, w: Any, start: Any, rows: Any) -> Any:
        return jax.lax.scan(lambda x, own: (x - STEP * self.gradient(x, start + own), None), w, rows)[0]
