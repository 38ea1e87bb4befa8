"""Where rounds that are not linear come to rest, found in floats: Newton's method on the round, or Anderson's.

What is found is material: ``certified_points`` proves how far the fixed point is from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fltheory.kinds import Floats
from fltheory.readings.enclosures import SmoothRound
from fltheory.readings.limit_state import solve_limit
from fltheory.readings.numbers import FLOAT

#: Plain rounds before Newton's method, and in a row where a step of it fails.
WARM_ROUNDS = 10
#: Plain rounds where Newton's method finds what rounds move away from.
MANY_ROUNDS = 3_000
#: ... unless they lead so many times farther than where they began.
FARTHEST = 1e3
MOST_NEWTON = 60
MOST_ANDERSON = 3_000
MEMORY = 8
HALVINGS = 6
#: A state is at rest whose round moves it by this share of its size at most.
AT_REST = 1e-8
#: Steps that no longer shorten the residual end the search once it is as small as this share.
FLOOR = 1e-12


@dataclass(frozen=True, eq=False)
class Resting:
    """A state ``(D,)`` that a round moves by ``residual``, how it was found, and its Jacobian where that was computed."""

    state: Floats
    residual: float
    method: str
    iterations: int
    matrix: Floats | None

    @property
    def attracting(self) -> bool:
        """Whether rounds nearby do not move away, as far as the eigenvalues of the Jacobian tell in floats."""
        return self.matrix is None or float(np.abs(np.linalg.eigvals(self.matrix)).max()) < 1 + 1e-9


def rest(rounds: SmoothRound, start: Floats | None = None, *, again: bool = True) -> Resting:
    """A fixed point of the rounds near where they lead from ``start`` (default: the algorithm's first state).

    Newton's method may find one that rounds move away from; then, and where it finds none, it tries ``again`` from where many
    rounds lead.

    Raises
    ------
    ValueError : none is found.
    """
    state = rounds.opening.values if start is None else start
    state, residual = _plain(rounds, np.asarray(state, dtype=float), WARM_ROUNDS)
    if not rounds.differentiable:
        return _anderson(rounds, state)
    try:
        found: Resting | ValueError = _newton(rounds, state, residual)
    except ValueError as error:
        found = error
    if again and not (isinstance(found, Resting) and found.attracting):
        found = _from_afar(rounds, state) or found
    if isinstance(found, ValueError):
        raise found
    return found


def _from_afar(rounds: SmoothRound, state: Floats) -> Resting | None:
    """An attracting fixed point where many rounds lead, if they lead to one and not away without end."""
    far = state
    for _ in range(MANY_ROUNDS):
        far = rounds(far)
        if not _size(far) <= FARTHEST * (1 + _size(state)):
            return None
    try:
        found = _newton(rounds, far, _size(rounds(far) - far))
    except ValueError:
        return None
    near = _size(found.state) <= FARTHEST * (1 + _size(state))
    return found if near and found.attracting else None


def _plain(rounds: SmoothRound, state: Floats, most: int) -> tuple[Floats, float]:
    """Up to so many rounds, as long as each moves the state less than the one before it, and the last such move."""
    after = rounds(state)
    residual = _size(after - state)
    for _ in range(most):
        following = rounds(after)
        found = _size(following - after)
        if not found < residual:
            break
        state, after, residual = after, following, found
    return state, residual


def _newton(rounds: SmoothRound, state: Floats, residual: float) -> Resting:
    matrix = None
    for iteration in range(MOST_NEWTON):
        found = rounds.enclose(state, slopes=True)
        matrix = found.matrix
        assert matrix is not None  # asked for
        residual = _size(found.state - state)
        if residual == 0:
            return Resting(state, 0.0, "newton", iteration, matrix)
        try:
            step = solve_limit(matrix, found.state - matrix @ state, state, FLOAT).state - state
        except (ValueError, np.linalg.LinAlgError):
            step = np.full_like(state, np.nan)
        length = 1.0
        for _ in range(HALVINGS):
            trial = state + length * step
            moved = _size(rounds(trial) - trial) if np.isfinite(trial).all() else np.inf
            if moved < (1 - length / 4) * residual:
                break
            if residual <= FLOOR * (1 + _size(state)):  # rounding, or as good as it gets
                return Resting(
                    *min((state, residual), (trial, moved), key=lambda pair: pair[1]), "newton", iteration + 1, matrix
                )
            length /= 2
        else:
            before = residual
            state, residual = _plain(rounds, state, WARM_ROUNDS)
            if not residual < before:
                break
            continue
        state, residual = trial, moved
    _require_rest(state, residual, "Newton steps", MOST_NEWTON)
    return Resting(state, residual, "newton", MOST_NEWTON, matrix)


def _anderson(rounds: SmoothRound, state: Floats) -> Resting:
    """Anderson's acceleration: the next state mixes the last rounds so that their residuals cancel best."""
    states: list[Floats] = []
    moves: list[Floats] = []
    best, least, stale, made = state, np.inf, 0, 0
    while made < MOST_ANDERSON:
        made += 1
        move = rounds(state) - state
        residual = _size(move)
        stale = 0 if residual < 0.9 * least else stale + 1
        if residual < least:
            best, least = state, residual
        if least == 0 or (stale > 3 * MEMORY and least <= FLOOR * (1 + _size(best))) or not np.isfinite(residual):
            break
        states, moves = [*states[-MEMORY:], state], [*moves[-MEMORY:], move]
        following = state + move
        if len(moves) > 1:
            turns = np.stack([move - one for one in moves[:-1]], axis=1)
            mixed = np.linalg.lstsq(turns, move, rcond=1e-12)[0]
            following = following - (np.stack([state - one for one in states[:-1]], axis=1) + turns) @ mixed
        state = following
    _require_rest(best, least, "rounds", MOST_ANDERSON)
    return Resting(best, least, "anderson", made, None)


def _require_rest(state: Floats, residual: float, what: str, count: int) -> None:
    if not residual <= AT_REST * (1 + _size(state)):
        raise ValueError(
            f"no fixed point was found within {count} {what}: a round still moves the state by {residual:.3g}; expected rounds "
            "that come to rest (a smaller step size, a problem with a minimum)"
        )


def _size(state: Floats) -> float:
    size = float(np.linalg.norm(state))
    return size if np.isfinite(size) else float("inf")
