"""Quadratics with layers: a curvature, a centre and a noise for each layer of each client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fltheory.kinds import Array, Number
from fltheory.problems.blocks import Blocks, blocks_of, with_blocks
from fltheory.problems.checks import check_finite, check_nonnegative, check_problem
from fltheory.problems.numbers import harmonise
from fltheory.problems.oracles.additive import AdditiveNoise
from fltheory.problems.quadratic import QuadraticProblem


def layered_quadratic(
    sizes: Blocks | Mapping[str, int] | Sequence[int],
    curvatures: Any,
    centres: Any,
    *,
    coupling: Number = 0,
    weights: Any = None,
) -> QuadraticProblem:
    """``F_k(x) = sum_l h_{k,l} |x_l - c_{k,l}|^2/2 + coupling/2 sum_l (x_{l,last} - x_{l+1,first})^2`` with layers ``x_l``.

    ============== ======================== ==================================================================
    argument       shape                    meaning
    ============== ======================== ==================================================================
    ``sizes``      ``(L,)``                 sizes of the layers, by name or in order
    ``curvatures`` ``(N, L)`` or ``(L,)``   ``h``, of any sign; one row for all clients
    ``centres``    ``(N, L)`` or ``(N, d)`` ``c``: one number for all coordinates of a layer, or one for each
    ``coupling``                            ties neighbouring layers together, not negative; 0: they are apart
    ``weights``    ``(N,)``                 ``p_k``, default ``1/N``
    ============== ======================== ==================================================================

    Rational if all numbers are.

    Raises
    ------
    ValueError : shapes that do not fit; a negative coupling.
    """
    blocks = Blocks.of(sizes)
    check_nonnegative("coupling", coupling)
    data = harmonise({"curvatures": curvatures, "centres": centres, "coupling": coupling})
    h, c, tie = data["curvatures"], data["centres"], data["coupling"].item()
    d, count = blocks.dimension, len(blocks)
    if c.ndim != 2 or c.shape[1] not in (count, d) or not len(c):
        raise ValueError(f"centres has shape {c.shape}; expected (N, {count}), one per layer, or (N, {d})")
    if h.shape not in ((count,), (len(c), count)):
        raise ValueError(f"curvatures has shape {h.shape}; expected ({count},) or ({len(c)}, {count})")
    check_finite("curvatures", h)
    check_finite("centres", c)
    spread = np.broadcast_to(h, (len(c), count))[:, blocks.block_of]
    points = c if c.shape[1] == d else c[:, blocks.block_of]
    matrices = spread[..., None] * np.eye(d, dtype=int)
    for first in range(count - 1):
        here, there = int(blocks.indices(first)[-1]), int(blocks.indices(first + 1)[0])
        for i, j, sign in ((here, here, 1), (there, there, 1), (here, there, -1), (there, here, -1)):
            matrices[:, i, j] = matrices[:, i, j] + sign * tie
    made = QuadraticProblem(matrices, spread * points, (spread * points * points).sum(axis=1) / 2, weights)
    return with_blocks(made, blocks)


def layer_noise(problem: Any, variances: Any) -> AdditiveNoise:
    """Gaussian noise whose coordinates are independent, with one variance for each layer of ``problem``.

    ``variances``: ``(L,)`` for all clients, or ``(N, L)``.

    Raises
    ------
    ValueError : another shape, a negative variance.
    """
    check_problem("problem", problem)
    blocks = blocks_of(problem)
    given: Array = harmonise({"variances": variances})["variances"]
    if given.shape not in ((len(blocks),), (problem.n_clients, len(blocks))):
        raise ValueError(f"variances has shape {given.shape}; expected ({len(blocks)},) or (N, {len(blocks)})")
    for value in given.flat:
        check_nonnegative("variances", value)
    return AdditiveNoise(given[..., blocks.block_of][..., None] * np.eye(blocks.dimension, dtype=int))
