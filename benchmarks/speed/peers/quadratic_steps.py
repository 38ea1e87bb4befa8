"""Exact gradient steps on quadratics, step by step: dense matrices and tridiagonal ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: ``call(rounds, runs)``: in round ``r`` all clients take one step with each of ``rates(r)``, and are averaged with equal weights.
Peer = Callable[..., Any]


def numpy_dense(problem: Any, rates: Any) -> dict[str, Peer]:
    """Clients and runs in one batched product, or a loop over the clients."""
    matrices, vectors = np.array(problem.matrices), np.array(problem.vectors)
    n, d = vectors.shape

    def vectorised(rounds: int, *, runs: int = 1) -> Any:
        w = np.zeros((d, runs))
        for number in range(rounds):
            x = np.broadcast_to(w, (n, d, runs)).copy()
            for rate in rates(number):
                x -= rate * (matrices @ x - vectors[:, :, None])
            w = x.mean(axis=0)
        return w.T

    def loop(rounds: int, *, runs: int = 1) -> Any:
        w = np.zeros((d, runs))
        for number in range(rounds):
            total = np.zeros_like(w)
            for matrix, vector in zip(matrices, vectors, strict=True):
                x = w.copy()
                for rate in rates(number):
                    x -= rate * (matrix @ x - vector[:, None])
                total += x
            w = total / n
        return w.T

    return {"NumPy, clients vectorised": vectorised, "NumPy, client loop": loop}


def jax_dense(problem: Any, rates: Any) -> dict[str, Peer]:
    """A scan over the steps of all clients at once, or over the clients one after the other."""
    import jax
    import jax.numpy as jnp

    matrices, vectors = jnp.array(problem.matrices), jnp.array(problem.vectors)

    def local(matrix: Any, vector: Any, w: Any, steps: Any) -> Any:
        return jax.lax.scan(lambda x, rate: (x - rate * (matrix @ x - vector[:, None]), None), w, steps)[0]

    def together(w: Any, steps: Any) -> Any:
        return jax.vmap(local, in_axes=(0, 0, None, None))(matrices, vectors, w, steps).mean(axis=0)

    def in_turn(w: Any, steps: Any) -> Any:
        add = lambda total, own: (total + local(*own, w, steps), None)  # noqa: E731
        return jax.lax.scan(add, jnp.zeros_like(w), (matrices, vectors))[0] / len(matrices)

    return {
        "JAX, clients at once": _jax_rounds(together, rates, len(vectors[0])),
        "JAX, clients in turn": _jax_rounds(in_turn, rates, len(vectors[0])),
    }


def torch_dense(problem: Any, rates: Any) -> dict[str, Peer]:
    """A loop over the clients."""
    import torch

    torch.set_num_threads(1)
    matrices, vectors = torch.tensor(np.array(problem.matrices)), torch.tensor(np.array(problem.vectors))

    def loop(rounds: int, *, runs: int = 1) -> Any:
        w = torch.zeros((matrices.shape[1], runs), dtype=torch.float64)
        for number in range(rounds):
            total = torch.zeros_like(w)
            for matrix, vector in zip(matrices, vectors, strict=True):
                x = w.clone()
                for rate in rates(number):
                    x = x - float(rate) * (matrix @ x - vector[:, None])
                total += x
            w = total / len(matrices)
        return w.numpy().T

    return {"PyTorch, client loop": loop}


def numpy_tridiagonal(problem: Any, rates: Any) -> dict[str, Peer]:
    """Shifted arrays over all clients, and SciPy's CSR matrices client by client."""
    from scipy import sparse

    diagonals, off = np.array(problem.diagonals)[:, :, None], np.array(problem.off_diagonals)[:, :, None]
    vectors = np.array(problem.vectors)[:, :, None]
    n, d = problem.diagonals.shape
    rows = [
        sparse.diags_array([o, a, o], offsets=[-1, 0, 1]).tocsr()
        for a, o in zip(problem.diagonals, problem.off_diagonals, strict=True)
    ]

    def vectorised(rounds: int, *, runs: int = 1) -> Any:
        w = np.zeros((d, runs))
        for number in range(rounds):
            x = np.broadcast_to(w, (n, d, runs)).copy()
            for rate in rates(number):
                g = diagonals * x - vectors
                g[:, 1:] += off * x[:, :-1]
                g[:, :-1] += off * x[:, 1:]
                g *= rate
                x -= g
            w = x.mean(axis=0)
        return w.T

    def csr(rounds: int, *, runs: int = 1) -> Any:
        w = np.zeros((d, runs))
        for number in range(rounds):
            total = np.zeros_like(w)
            for matrix, vector in zip(rows, vectors, strict=True):
                x = w.copy()
                for rate in rates(number):
                    x -= rate * (matrix @ x - vector)
                total += x
            w = total / n
        return w.T

    return {"NumPy, clients vectorised": vectorised, "SciPy CSR, client loop": csr}


def jax_tridiagonal(problem: Any, rates: Any) -> dict[str, Peer]:
    """Shifted arrays, a scan over the steps, clients at once or in turn."""
    import jax
    import jax.numpy as jnp

    data = tuple(jnp.array(part)[:, :, None] for part in (problem.diagonals, problem.off_diagonals, problem.vectors))
    d = problem.dimension

    def local(diagonal: Any, off: Any, vector: Any, w: Any, steps: Any) -> Any:
        below = jnp.concatenate([jnp.zeros((1, 1)), off])
        above = jnp.concatenate([off, jnp.zeros((1, 1))])

        def step(x: Any, rate: Any) -> Any:
            nothing = jnp.zeros((1, x.shape[1]))
            down, up = jnp.concatenate([nothing, x[:-1]]), jnp.concatenate([x[1:], nothing])
            return x - rate * (diagonal * x + below * down + above * up - vector), None

        return jax.lax.scan(step, w, steps)[0]

    def together(w: Any, steps: Any) -> Any:
        return jax.vmap(local, in_axes=(0, 0, 0, None, None))(*data, w, steps).mean(axis=0)

    def in_turn(w: Any, steps: Any) -> Any:
        add = lambda total, own: (total + local(*own, w, steps), None)  # noqa: E731
        return jax.lax.scan(add, jnp.zeros_like(w), data)[0] / problem.n_clients

    return {
        "JAX, clients at once": _jax_rounds(together, rates, d),
        "JAX, clients in turn": _jax_rounds(in_turn, rates, d),
    }


def _jax_rounds(one_round: Any, rates: Any, dimension: int) -> Peer:
    import jax
    import jax.numpy as jnp

    program = jax.jit(
        lambda w, rounds: jax.lax.fori_loop(0, rounds, lambda r, x: one_round(x, jnp.asarray(rates(r))), w)
    )

    def call(rounds: int, *, runs: int = 1) -> Any:
        return np.asarray(program(jnp.zeros((dimension, runs)), rounds).block_until_ready()).T

    return call
