"""The round map: one round of an algorithm on a quadratic problem is ``s -> T s + c`` on its enlarged state.

``T`` and ``c`` come from the arrays reading, applied to the basis vectors of the state along the run axis.  Under
random participation the map is the *mean* round map: the cohort of a round is independent of the state, so the
expectation of the state obeys ``E s+ = T E s + c`` with the expectation of the affine reading's labelled map.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory.algorithms.participation import Full
from fltheory.readings.affine import label_moments, read_round
from fltheory.readings.entry import (
    Entry,
    Layout,
    Opening,
    enter,
    exact_federation,
    open_state,
    require_quadratic,
    require_stationary,
)
from fltheory.readings.linear import coordinates, identity, solve, stable_range
from fltheory.readings.numbers import FLOAT, Numbers

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class RoundMap:
    """``s -> matrix @ s + shift`` on the enlarged state of ``D`` entries.

    ============= ========== ==============================================================
    attribute     shape      meaning
    ============= ========== ==============================================================
    ``matrix``    ``(D, D)`` ``T``
    ``shift``     ``(D,)``   ``c``
    ``start``     ``(D,)``   the state that ``algorithm.start`` makes of the zero model
    ``model``     ``(d, D)`` picks the server's model out of a state
    ``layout``               where the leaves lie: ``layout.slices``, ``layout.server``
    ``numbers``              the number type
    ``mean``                 whether it is an expectation over random cohorts
    ============= ========== ==============================================================
    """

    matrix: Array
    shift: Array
    start: Array
    model: Array
    layout: Layout
    numbers: Numbers
    mean: bool = False
    opening: Any = field(default=None, repr=False)

    def __call__(self, state: Array) -> Array:
        """One round."""
        result: Array = self.matrix @ state + self.shift
        return result

    def eigenvalues(self) -> Array:
        """Eigenvalues of ``T`` in floats, largest modulus first."""
        values = np.linalg.eigvals(_floats(self.matrix))
        return values[np.argsort(-np.abs(values), kind="stable")]

    def spectral_radius(self) -> float:
        """``max |eigenvalue|`` of ``T``; one where a quantity is conserved (see :meth:`contraction`)."""
        return float(np.abs(self.eigenvalues()[0]))

    def contraction(self) -> float:
        """The spectral radius without conserved quantities: of ``T`` on the stable range of ``I - T``.

        The differences of successive states lie there once nothing is gained or lost, so this is the factor per
        round with which a run approaches its limit.
        """
        matrix = _floats(self.matrix)
        basis = stable_range(np.eye(len(matrix)) - matrix, FLOAT)
        if not basis.shape[1]:
            return 0.0
        return float(np.abs(np.linalg.eigvals(basis.T @ matrix @ basis)).max())

    def fixed_point(self, start: Array | None = None) -> Array:
        """The limit of ``s, T s + c, ...`` from a state ``start`` ``(D,)`` (default: the algorithm's).

        Where ``I - T`` is singular (SCAFFOLD conserves the sum of its control variates) the equation is solved on the
        subspace that is reachable from the start: ``s_inf = s_0 + y`` with ``(I - T) y = T s_0 + c - s_0`` and ``y``
        in the stable range of ``I - T``, where ``I - T`` is invertible.

        Raises
        ------
        ValueError : no limit, because the state moves along an eigenvector of eigenvalue one.
        """
        numbers = self.numbers
        gap = identity(len(self.shift), numbers) - self.matrix
        direct = solve(gap, self.shift, numbers)
        if direct is not None:
            return direct
        state = self.start if start is None else numbers.array(start)
        move = self(state) - state
        basis = stable_range(gap, numbers)
        if not basis.shape[1]:
            inside, image = None, None
        else:
            inside, image = coordinates(basis, move[:, None], numbers), coordinates(basis, gap @ basis, numbers)
        if inside is None or image is None:
            if all(abs(entry) <= (0 if numbers.exact else 1e-13) for entry in move.tolist()):
                return state
            raise ValueError("the round map has no fixed point that is reachable from start: it moves without end")
        along = solve(image, inside[:, 0], numbers)
        assert along is not None  # I - T is invertible on its stable range
        result: Array = state + basis @ along
        return result


def round_map(
    problem: Any,
    algorithm: Any,
    *,
    exact: bool = False,
    round: int | None = None,
    numbers: Numbers | None = None,
    start: Any = None,
) -> RoundMap:
    """The (mean) round map of an algorithm on a quadratic problem, with exact gradients.

    ============= =====================================================================================
    argument      meaning
    ============= =====================================================================================
    ``exact``     rationals; floats count as their shortest decimals
    ``round``     which round of an algorithm whose step sizes change; such algorithms have no map else
    ``numbers``   a number type, such as a field of rational functions, instead of ``exact``
    ``start``     the initial model, for ``RoundMap.start`` (default: zero)
    ============= =====================================================================================

    Raises
    ------
    ValueError : gradients that are not affine; step sizes that change while ``round`` is not given.
    """
    require_quadratic(problem, "the round map")
    entry = enter(problem, algorithm, exact=exact, numbers=numbers)
    opening = open_state(entry, start)
    if round is None:
        require_stationary(entry, opening, "the round map")
    if isinstance(entry.participation, Full):
        matrix, shift = _applied_to_basis(entry, opening, round or 0)
        return RoundMap(matrix, shift, opening.values, opening.model, opening.layout, entry.numbers)
    form = read_round(entry, opening, round or 0, label_moments(entry))
    matrix, shift = form.mean_map()
    return RoundMap(matrix, shift, opening.values, opening.model, opening.layout, entry.numbers, True)


def fixed_point(
    problem: Any, algorithm: Any, *, exact: bool = False, start: Any = None, numbers: Numbers | None = None
) -> Array:
    """The model ``(d,)`` where the (mean) rounds end, started at the model ``start`` (default: zero).

    With ``exact=True`` the entries are Fractions.  With ``numbers`` a field of rational functions and generators as
    fields of the algorithm the entries are rational functions of them.

    Raises
    ------
    ValueError : as :func:`round_map`; also if numbers are given (no symbols) and the rounds move away from the fixed
        point, so that they do not end there, and if there is no fixed point.
    """
    rounds = round_map(problem, algorithm, exact=exact, numbers=numbers, start=start)
    limit = rounds.fixed_point()
    if rounds.numbers.domain is None:
        factor = rounds.contraction()
        if factor > 1 + 1e-10:
            raise ValueError(f"the rounds diverge: their contraction factor is {factor:.6g}; expected at most 1")
    return np.asarray(rounds.model @ limit)


def _applied_to_basis(entry: Entry, opening: Opening, round: int) -> tuple[Array, Array]:
    """``T`` and ``c`` from one round of ``D + 1`` runs: the zero state and the unit states."""
    size = opening.layout.size
    fed = exact_federation(entry, size + 1)
    states = entry.numbers.array(np.eye(size + 1, size, -1, dtype=int))
    fed.begin(round)
    out = opening.layout.flatten(entry.algorithm.round(fed, opening.layout.build(fed, opening.template, states)))
    return np.ascontiguousarray((out[1:] - out[0]).T), out[0]


def _floats(matrix: Array) -> npt.NDArray[np.float64]:
    return matrix.astype(np.float64)
