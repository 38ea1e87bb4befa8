"""Where ``s, T s + c, ...`` ends, and how far the floats may be from there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fltheory.kinds import Array
from fltheory.readings.linear import RANK_TOLERANCE, coordinates, identity, solve, stable_range
from fltheory.readings.numbers import FLOAT, Numbers
from fltheory.readings.wide import WideRound

#: A round of more products than this is not computed in wide numbers.
MOST_WIDE = 1_000_000
MOST_STEPS = 5
#: Roundings counted for each gradient behind the map.
ROUNDING = 4


class UnresolvedError(ValueError):
    """The rounds move, by less than floats resolve: whether and where they end is unknown in floats."""


@dataclass(frozen=True)
class LimitState:
    """The limit ``(D,)``, and the solution ``y`` of ``(I - T) y = r`` for ``r`` among the moves of the state."""

    state: Array
    along: Callable[[Array], Array]


def solve_limit(matrix: Array, shift: Array, start: Array, numbers: Numbers) -> LimitState:
    """The limit of ``s, T s + c, ...`` from ``start``.

    Where ``I - T`` is singular the equation is solved on the subspace that is reachable from the start: ``s_inf = s_0 + y``
    with ``(I - T) y = T s_0 + c - s_0`` and ``y`` in the stable range of ``I - T``, where ``I - T`` is invertible.

    Raises
    ------
    ValueError : no limit, because the state moves along an eigenvector of eigenvalue one.
    """
    gap = identity(len(shift), numbers) - matrix
    direct = solve(gap, shift, numbers)
    if direct is not None:
        return LimitState(direct, lambda rest: np.asarray(np.linalg.solve(gap, rest)))
    move = matrix @ start + shift - start
    basis = stable_range(gap, numbers)
    if not basis.shape[1]:
        if not numbers.exact and np.any(move != 0) and np.array_equal(matrix, np.eye(len(matrix))):
            raise UnresolvedError(
                f"the rounds move their start by {float(np.abs(move).max()):.3g} and contract less than floats resolve, "
                "so that their end is unknown; exact=True decides"
            )
        inside, image = None, None
    else:
        inside, image = coordinates(basis, move[:, None], numbers), coordinates(basis, gap @ basis, numbers)
    if inside is None or image is None:
        if all(abs(entry) <= (0 if numbers.exact else 1e-13) for entry in move.tolist()):
            return LimitState(start, np.zeros_like)
        raise ValueError("the round map has no fixed point that is reachable from start: it moves without end")
    along = solve(image, inside[:, 0], numbers)
    assert along is not None  # I - T is invertible on its stable range
    state: Array = start + basis @ along
    if numbers.exact:
        return LimitState(state, np.zeros_like)
    inverse = basis @ np.linalg.inv(image) @ basis.T  # orthonormal columns in floats
    return LimitState(state, lambda rest: np.asarray(inverse @ rest))


def conserves(matrix: Array, wide: WideRound) -> bool:
    """Whether the directions that ``T`` conserves in floats are conserved in decimals too, where ``I - T`` is singular.

    One random vector of the null space of ``I - T`` is tried: it stays if all do, and moves, with probability one, else.

    Raises
    ------
    TypeError, ValueError : texts that do not compute in decimals.
    """
    gap = np.eye(len(matrix)) - matrix
    _, values, right = np.linalg.svd(gap)
    still = right[values <= RANK_TOLERANCE * max(float(values[0]), float(np.finfo(float).tiny))]
    vector = np.random.default_rng(np.random.SeedSequence(0)).standard_normal(len(still)) @ still
    basis = stable_range(gap, FLOAT)
    image = basis.T @ gap @ basis
    return wide.conserves(vector, lambda rest: np.asarray(basis @ np.linalg.solve(image, basis.T @ rest)))


def refine(
    limit: LimitState, matrix: Array, shift: Array, wide: WideRound | None, calls: int, work: int
) -> tuple[Array, float]:
    """The limit after steps of iterative refinement, and its error to first order, in Euclidean norm.

    ``calls`` counts the gradients behind ``matrix`` and ``shift``, whose rounding is amplified by ``(I - T)^{-1}``; with
    ``wide``, and ``work`` products at most :data:`MOST_WIDE`, residuals do not suffer from it.
    """
    unit = float(np.finfo(float).eps)
    state = limit.state + limit.along(matrix @ limit.state + shift - limit.state)
    size = float(np.linalg.norm(state))
    reach = float(np.linalg.norm(matrix, 2)) * size + float(np.linalg.norm(shift))
    rounded = (
        ROUNDING * (calls + 1) * unit * reach * float(np.linalg.norm(limit.along(np.eye(len(state))), 2)) + unit * size
    )
    if wide is None or work > MOST_WIDE:
        return state, rounded
    better = state
    try:
        for _ in range(MOST_STEPS):
            step = limit.along(wide.move(better))
            if not np.isfinite(step).all():
                return state, rounded
            if np.array_equal(better + step, better):
                break
            better = better + step
        left = float(np.linalg.norm(limit.along(wide.move(better))))
    except (ArithmeticError, TypeError, ValueError):  # a text that does not compute in decimals
        return state, rounded
    return better, 1.01 * left + unit / 2 * size
