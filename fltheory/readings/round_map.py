"""The round map: one round of an algorithm on a quadratic problem is ``s -> T s + c`` on its enlarged state.

``T`` and ``c`` come from the arrays reading, applied to the basis vectors of the state along the run axis.  Under
random participation the map is the *mean* round map: the cohort of a round is independent of the state, so the
expectation of the state obeys ``E s+ = T E s + c`` with the expectation of the affine reading's labelled map.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array, Floats, PointLike
from fltheory.problems.base import Problem, check_count
from fltheory.problems.mixed import client_part
from fltheory.problems.oracles import AnyOracle, check_oracle
from fltheory.problems.oracles.protocol import COVARIANCE
from fltheory.readings.centre import check_centre_oracle
from fltheory.readings.entry import Layout, enter, open_state, require_quadratic, require_stationary
from fltheory.readings.limit_state import MOST_WIDE, UnresolvedError, conserves, refine, solve_limit
from fltheory.readings.linear import identity, is_regular, stable_range
from fltheory.readings.mean_square import MeanSquareFactor, SecondMomentMap
from fltheory.readings.numbers import FLOAT, RATIONAL, Numbers
from fltheory.readings.source import Source
from fltheory.readings.warned import UNDECIDED, PrecisionWarning
from fltheory.readings.wide import WideRound
from fltheory.tables import Framed, Shown

#: Up to so many entries of a state in rationals the rank of ``I - T`` is computed to judge what floats say of it.
MOST_EXACT_STATE = 100
#: The same in products behind ``T``, for a map in floats.
MOST_RATIONAL = 3_000
#: Up to so many entries of a state its eigenvalues are worked out to be shown.
MOST_SHOWN = 300
#: Up to so many entries of a state the factors of a map cost nothing to speak of, however they are computed.
SMALL = 256


@dataclass(frozen=True, eq=False, repr=False)
class RoundMap(Shown, Framed):
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
    source: Source | None = field(default=None, repr=False)

    def headline(self) -> str:
        kind = "mean over cohorts, " if self.mean else ""
        rational = self.numbers.domain is not None
        radius = "over rational functions" if rational else self._shown_radius()
        return f"D={len(self.shift)}, {kind}{radius}"

    def _shown_radius(self) -> str:
        if len(self.shift) > MOST_SHOWN:
            return "spectral_radius() and contraction() are computed when asked for"
        return f"spectral radius {self.spectral_radius():.6g}"

    def facts(self) -> list[tuple[str, str]]:
        found = [("round", "$s \\mapsto T s + c$"), ("numbers", self.numbers.name)]
        if self.numbers.domain is None and len(self.shift) <= MOST_SHOWN:
            values = [f"{value:.6g}" for value in self.eigenvalues()[:6]]
            found.append(("eigenvalues", ", ".join(values) + (", ..." if len(self.shift) > 6 else "")))
            found.append(("contraction", f"{self.resolved_contraction():.6g}"))
        return found

    def records(self) -> list[dict[str, Any]]:
        """One dict per eigenvalue of ``T``, the largest modulus first: real, imaginary, modulus.

        Raises
        ------
        ValueError : a map over rational functions.
        """
        if self.numbers.domain is not None:
            raise ValueError(f"numbers={self.numbers.name}: eigenvalues need numbers, not rational functions")
        return [
            {"real": float(value.real), "imaginary": float(value.imag), "modulus": float(abs(value))}
            for value in self.eigenvalues()
        ]

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
        round with which a run approaches its limit.  Directions that contract by less than floats resolve count with
        the factor 1.0 (see :attr:`resolved`).

        Warns
        -----
        PrecisionWarning : whether there are such directions is not known; they do not count then.
        """
        if self.resolved is None:
            warnings.warn(f"{UNDECIDED}: they do not count in this factor", PrecisionWarning, stacklevel=2)
        return self.resolved_contraction() if self.resolved is not False else max(self.resolved_contraction(), 1.0)

    def resolved_contraction(self) -> float:
        """:meth:`contraction` among the directions whose contraction floats resolve: by more than 1e-13 per round."""
        matrix, basis = _floats(self.matrix), self._stable
        if not basis.shape[1]:
            return 0.0
        if basis.shape[1] == len(matrix) > SMALL:  # any basis of everything will do
            return _spectral_radius(matrix)
        return float(np.abs(np.linalg.eigvals(basis.T @ matrix @ basis)).max())

    @cached_property
    def _stable(self) -> Array:
        matrix = _floats(self.matrix)
        gap = np.eye(len(matrix)) - matrix
        if len(matrix) > SMALL and is_regular(gap):
            return np.eye(len(matrix))
        return stable_range(gap, FLOAT)

    @cached_property
    def resolved(self) -> bool | None:
        """Whether all that counts as conserved in floats (contraction below 1e-13 per round) is conserved indeed.

        Decided in rationals where that is little work, else in decimals of fifty digits, which take what contracts by less
        than 1e-40 per round for conserved; None where that is too much work (a million products, an exact state of more than
        100 entries) or not possible.
        """
        if self.numbers.domain is not None or self._stable.shape[1] == len(self.matrix):
            return True
        if self.numbers.exact:
            if len(self.matrix) > MOST_EXACT_STATE:
                return None
            return self._exact_rank() == len(self._stable.T)
        source = self.source
        if source is None:  # the floats themselves are the map
            return (
                None
                if len(self.matrix) > MOST_EXACT_STATE
                else replace(self, matrix=RATIONAL.array(self.matrix), numbers=RATIONAL)._exact_rank()
                == len(self._stable.T)
            )
        if self._wide is None or self._work[1] > MOST_WIDE:
            return None
        try:
            if self._work[1] * (1 if self.mean else len(self.matrix)) <= MOST_RATIONAL:
                exact = round_map(source.problem, source.algorithm, exact=True, round=source.round)
                return exact._exact_rank() == len(self._stable.T)
            return conserves(self.matrix, self._wide)
        except (ArithmeticError, TypeError, ValueError):  # a text that does not compute in decimals
            return None

    def _exact_rank(self) -> int:
        """How many directions are not conserved, of a map in an exact type."""
        return int(stable_range(identity(len(self.matrix), self.numbers) - self.matrix, self.numbers).shape[1])

    @cached_property
    def _wide(self) -> WideRound | None:
        return None if self.source is None else self.source.wide()

    @property
    def sure(self) -> bool:
        """Whether all that is random in a round is added to it whatever the state: its linear part is ``T`` surely."""
        source = self.source
        if self.mean:
            return False
        if source is None:
            return True
        return not any(COVARIANCE.of(one, "the mean-square factor needs").state_dependent for one in source.noisy)

    @property
    def mean_square(self) -> MeanSquareFactor:
        """The factor per round of the mean square with its enclosure, conserved quantities left out.

        It is the spectral radius of the map ``X -> E A X A'`` of second moments, with the random matrix ``A`` of a round
        under the scheme and, for mini-batches, the oracles; the square of :meth:`contraction` where ``A`` is not random.
        Directions that contract by less than floats resolve count with a factor between ``1 - 1e-12`` and ``1 + 1e-12``.

        Raises
        ------
        ValueError : symbols among the numbers; what :func:`fltheory.readings.moments` refuses of a random round.
        """
        found = self._second_moments.factor
        if self.resolved is not False:
            return found
        return MeanSquareFactor(max(found.value, 1.0), max(found.lower, 1 - 1e-12), max(found.upper, 1 + 1e-12))

    @cached_property
    def _second_moments(self) -> SecondMomentMap:
        if self.numbers.domain is not None:
            raise ValueError("numbers is a field of rational functions: the mean-square factor needs numbers")
        if self.sure or self.source is None:
            return SecondMomentMap(_floats(self.matrix), None, FLOAT)
        return SecondMomentMap.of(self.source.walk(), self.source.round)

    def mean_square_contracts(self) -> bool:
        """Whether the mean-square factor is below one in the directions that floats resolve; on the border as its value says."""
        found = self._second_moments.contracts()
        return self._second_moments.factor.value < 1 if found is None else found

    def walks(self, state: Array) -> bool:
        """Whether the randomness of a round from ``state`` moves a quantity that rounds do not contract: a random walk."""
        source, moments = self.source, self._second_moments
        if source is None or moments.size == len(moments.basis):
            return False
        if self.sure and not source.noisy:
            return False
        return moments.leaves(source.walk().injected(_floats(state), source.round))

    def mean_square_factor(self) -> float:
        """The factor per round with which differences in mean square shrink or grow (below one: mean-square stable).

        Raises
        ------
        ValueError : as :attr:`mean_square`; a factor that is not known to a relative 1e-6.

        Warns
        -----
        PrecisionWarning : as :meth:`contraction`.
        """
        if self.resolved is None:
            warnings.warn(f"{UNDECIDED}: they do not count in this factor", PrecisionWarning, stacklevel=2)
        found = self.mean_square
        if found.upper - found.lower > 1e-6 * found.upper and found.upper > 1e-6:
            raise ValueError(f"the mean-square factor is only known to lie in [{found.lower:.6g}, {found.upper:.6g}]")
        return found.value

    def fixed_point(self, start: Array | None = None) -> Array:
        """The limit of ``s, T s + c, ...`` from a state ``start`` ``(D,)`` (default: the algorithm's).

        Where ``I - T`` is singular (SCAFFOLD conserves the sum of its control variates) the equation is solved on the
        subspace that is reachable from the start: ``s_inf = s_0 + y`` with ``(I - T) y = T s_0 + c - s_0`` and ``y``
        in the stable range of ``I - T``, where ``I - T`` is invertible.

        Raises
        ------
        ValueError : no limit, because the state moves along an eigenvector of eigenvalue one.
        """
        return self._end(start)[0]

    def fixed_point_error(self, start: Array | None = None) -> float:
        """How far :meth:`fixed_point` may be from the true limit in Euclidean norm, to first order; 0.0 in exact types.

        It is ``|(I - T)^{-1} (T s + c - s)|`` at the answer ``s``, plus half a unit in its last place, with the residual
        computed in decimals of fifty digits, floats of problem and algorithm counting as their shortest decimals.  Where
        that is too much work (a million products) or not possible it is a bound of the rounding of ``T`` and ``c``
        times ``|(I - T)^{-1}|``.  It is ``inf`` where directions contract, or may contract, by
        less than floats resolve (:attr:`resolved`).
        """
        return self._end(start)[1]

    def _end(self, start: Array | None) -> tuple[Array, float]:
        """The limit and its error."""
        return self._own_end if start is None else self._end_from(self.numbers.array(start))

    @cached_property
    def _own_end(self) -> tuple[Array, float]:
        return self._end_from(self.start)

    def _end_from(self, start: Array) -> tuple[Array, float]:
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                limit = solve_limit(self.matrix, self.shift, start, self.numbers)
        except UnresolvedError:
            raise
        except ValueError:
            if self.numbers.exact or self.resolved is True:
                raise
            how = "by less" if self.resolved is False else "not at all, or by less"
            raise UnresolvedError(
                f"the rounds move on in a direction in which they contract {how} than floats resolve, so that their end is "
                "unknown; exact=True decides"
            ) from None
        if self.numbers.exact:
            return limit.state, 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            state, error = refine(limit, self.matrix, self.shift, self._wide, *self._work)
        return state, error if self.resolved else float("inf")

    @cached_property
    def _work(self) -> tuple[int, int]:
        """Gradients that a client computes in a round, and the products that a round takes in wide numbers."""
        if self.source is None:
            return 1, 0
        calls, each = self.source.work()
        return calls, each * (len(self.start) + 1) if self.mean else each


def round_map(
    problem: Problem,
    algorithm: Algorithm,
    *,
    exact: bool = False,
    round: int | None = None,
    numbers: Numbers | None = None,
    start: PointLike | None = None,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
) -> RoundMap:
    """The (mean) round map of an algorithm on a quadratic problem.

    ============= =====================================================================================
    argument      meaning
    ============= =====================================================================================
    ``exact``     rationals; floats count as their shortest decimals
    ``round``     which round of an algorithm whose step sizes change; such algorithms have no map else
    ``numbers``   a number type, such as a field of rational functions, instead of ``exact``
    ``start``     the initial model, for ``RoundMap.start`` (default: zero)
    ``oracle``    what the clients' gradients are, for ``RoundMap.mean_square`` (default: exact); noise of mean zero
                  leaves the mean map as it is
    ``centre_oracle`` the same of the server's own loss of a mixed problem
    ============= =====================================================================================

    Raises
    ------
    ValueError : gradients that are not affine; step sizes that change while ``round`` is not given; a round that is no
        count; an oracle that does not fit the problem.
    """
    if round is not None:
        round = check_count("round", round, least=0)
    require_quadratic(problem, "the round map")
    entry = enter(problem, algorithm, exact=exact, numbers=numbers)
    opening = open_state(entry, start)
    if oracle is not None:
        check_oracle(client_part(problem), oracle)
    if centre_oracle is not None:
        check_centre_oracle(problem, centre_oracle)
    if round is None:
        require_stationary(entry, opening, "the round map")
    source = Source(problem, algorithm, oracle, centre_oracle, start, round or 0, entry, opening)
    with np.errstate(over="ignore", invalid="ignore"):
        matrix, shift = source.read()
    if not entry.numbers.exact and not (np.isfinite(matrix).all() and np.isfinite(shift).all()):
        raise ValueError("the round map overflows: an entry is not finite in floats; exact=True gives it in rationals")
    return RoundMap(matrix, shift, opening.values, opening.model, opening.layout, entry.numbers, source.random, source)


def _spectral_radius(matrix: Floats) -> float:
    """``max |eigenvalue|``; a matrix that is symmetric up to rounding is taken for symmetric, which is much less work."""
    size = float(np.abs(matrix).max())
    if float(np.abs(matrix - matrix.T).max()) <= len(matrix) * float(np.finfo(float).eps) * size:
        return float(np.abs(np.linalg.eigvalsh((matrix + matrix.T) / 2)).max())
    return float(np.abs(np.linalg.eigvals(matrix)).max())


def _floats(matrix: Array) -> Floats:
    return matrix.astype(np.float64)
