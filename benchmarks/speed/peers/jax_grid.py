"""FedAvg with Scheme I on small quadratics in JAX: step sizes times seeds in one program, the gap of every round kept."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp


class JaxGrid:
    """``gaps(steps, seeds, rounds)``, ``(step sizes, seeds, rounds + 1)``."""

    def __init__(self, problem: Any, local_steps: int, clients: int) -> None:
        constants = problem.constants
        self.matrices, self.vectors = jnp.array(problem.matrices), jnp.array(problem.vectors)
        self.mean, self.minimiser = jnp.array(problem.mean_matrix), jnp.array(constants.minimiser)
        self.shares = jnp.array(problem.weights)
        self.local_steps, self.clients = local_steps, clients
        over_seeds = jax.vmap(self._run, in_axes=(None, 0, None))
        self._program = jax.jit(jax.vmap(over_seeds, in_axes=(0, None, None)), static_argnums=2)

    def gaps(self, steps: Any, seeds: int, rounds: int) -> Any:
        """Of all configurations."""
        keys = jax.random.split(jax.random.key(0), seeds)
        return self._program(jnp.array(steps), keys, rounds).block_until_ready()

    def _run(self, step: Any, key: Any, rounds: int) -> Any:
        n = len(self.shares)

        def local(k: Any, w: Any) -> Any:
            move = lambda x, _: (x - step * (self.matrices[k] @ x - self.vectors[k]), None)  # noqa: E731
            return jax.lax.scan(move, w, None, length=self.local_steps)[0]

        def one_round(w: Any, own: Any) -> Any:
            clients = jax.random.choice(own, n, (self.clients,), p=self.shares)
            w = jax.vmap(local, in_axes=(0, None))(clients, w).mean(axis=0)
            return w, self._gap(w)

        start = jnp.zeros(self.matrices.shape[1])
        _, gaps = jax.lax.scan(one_round, start, jax.random.split(key, rounds))
        return jnp.concatenate([self._gap(start)[None], gaps])

    def _gap(self, w: Any) -> Any:
        far = w - self.minimiser
        return far @ self.mean @ far / 2
