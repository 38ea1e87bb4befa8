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
import numpy.typing as npt

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.problems.base import Problem, check_count
from fltheory.problems.mixed import client_part
from fltheory.problems.oracles import AnyOracle, check_oracle, is_noisy
from fltheory.problems.oracles.protocol import COVARIANCE
from fltheory.readings.affine import label_moments, read_round
from fltheory.readings.arrays import OracleCall
from fltheory.readings.centre import check_centre_oracle
from fltheory.readings.entry import (
    Layout,
    Opening,
    Setup,
    enter,
    exact_federation,
    open_state,
    require_quadratic,
    require_stationary,
)
from fltheory.readings.limit_state import MOST_WIDE, UnresolvedError, conserves, refine, solve_limit
from fltheory.readings.linear import identity, stable_range
from fltheory.readings.mean_square import MOST_EXACT, MeanSquareFactor, SecondMomentMap, grows, injected
from fltheory.readings.numbers import FLOAT, RATIONAL, Numbers
from fltheory.readings.walk import Walk
from fltheory.readings.wide import WideRound

Array = npt.NDArray[Any]
#: Up to so many entries of a state in rationals the rank of ``I - T`` is computed to judge what floats say of it.
MOST_EXACT_STATE = 100
#: The same in products behind ``T``, for a map in floats.
MOST_RATIONAL = 3_000


@dataclass(frozen=True, eq=False)
class Source:
    """What a round map was read off, to read more."""

    problem: Problem
    algorithm: Algorithm
    oracle: AnyOracle | None
    centre_oracle: AnyOracle | None
    start: Any
    round: int
    entry: Setup
    opening: Opening


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
    source: Source | None = field(default=None, repr=False)

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
        return float(np.abs(np.linalg.eigvals(basis.T @ matrix @ basis)).max())

    @cached_property
    def _stable(self) -> Array:
        matrix = _floats(self.matrix)
        return stable_range(np.eye(len(matrix)) - matrix, FLOAT)

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
        source = self.source
        return None if source is None else WideRound(source.problem, source.algorithm, source.opening, source.round)

    @property
    def sure(self) -> bool:
        """Whether all that is random in a round is added to it whatever the state: its linear part is ``T`` surely."""
        source = self.source
        if self.mean:
            return False
        if source is None:
            return True
        noisy = [one for one in (source.oracle, source.centre_oracle) if one is not None and is_noisy(one)]
        return not any(COVARIANCE.of(one, "the mean-square factor needs").state_dependent for one in noisy)

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
        return SecondMomentMap.of(_walk(self.source), self.source.round)

    def mean_square_contracts(self) -> bool:
        """Whether the mean-square factor is below one in the directions that floats resolve; on the border as its value says."""
        found = self._second_moments.contracts()
        return self._second_moments.factor.value < 1 if found is None else found

    def walks(self, state: Array) -> bool:
        """Whether the randomness of a round from ``state`` moves a quantity that rounds do not contract: a random walk."""
        source, moments = self.source, self._second_moments
        if source is None or moments.size == len(moments.basis):
            return False
        if self.sure and all(
            oracle is None or not is_noisy(oracle) for oracle in (source.oracle, source.centre_oracle)
        ):
            return False
        return moments.leaves(injected(_walk(source), _floats(state), source.round))

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
        entry = replace(self.source.entry, participation=Full())
        log: list[OracleCall] = []
        fed = exact_federation(entry, 1, log)
        fed.begin(self.source.round)
        entry.algorithm.round(fed, self.layout.build(fed, self.source.opening.template, self.start[None, :]))
        each = len(log) * int(entry.problem.n_clients) * int(entry.problem.dimension) ** 2
        return len(log), each * (len(self.start) + 1) if self.mean else each


def round_map(
    problem: Problem,
    algorithm: Algorithm,
    *,
    exact: bool = False,
    round: int | None = None,
    numbers: Numbers | None = None,
    start: Any = None,
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
    full = isinstance(entry.participation, Full)
    with np.errstate(over="ignore", invalid="ignore"):
        if full:
            matrix, shift = _applied_to_basis(entry, opening, round or 0)
        else:
            matrix, shift = read_round(entry, opening, round or 0, label_moments(entry)).mean_map()
    if not entry.numbers.exact and not (np.isfinite(matrix).all() and np.isfinite(shift).all()):
        raise ValueError("the round map overflows: an entry is not finite in floats; exact=True gives it in rationals")
    return RoundMap(matrix, shift, opening.values, opening.model, opening.layout, entry.numbers, not full, source)


#: What :attr:`RoundMap.resolved` being False means.
UNRESOLVED = "the rounds contract, or expand, some directions by less than floats resolve (1e-13 per round)"
#: What it means that it is None.
UNDECIDED = "the state is too large to tell whether directions that floats take for conserved contract by less than 1e-13 per round"


class MeanSquareWarning(UserWarning):
    """The mean of the rounds converges and their mean square does not: runs need not come near the mean's limit."""


class PrecisionWarning(UserWarning):
    """Rounding may have taken more than half of the digits of an answer in floats."""


def fixed_point(
    problem: Problem,
    algorithm: Algorithm,
    *,
    exact: bool = False,
    start: Any = None,
    numbers: Numbers | None = None,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
) -> Array:
    """The model ``(d,)`` where the (mean) rounds end, started at the model ``start`` (default: zero).

    With ``exact=True`` the entries are Fractions.  With ``numbers`` a field of rational functions and generators as
    fields of the algorithm the entries are rational functions of them.  Floats are refined with residuals in fifty digits,
    where that is little work; ``RoundMap.fixed_point_error`` says how far off they may be.  Noise of mean zero leaves the
    end as it is; ``oracle`` and ``centre_oracle`` count in the warning only.

    Warns
    -----
    MeanSquareWarning : under random cohorts or noisy gradients the mean converges and the mean square does not
        (``RoundMap.mean_square_factor``, ``RoundMap.walks``).
    PrecisionWarning : an error of the floats above a relative 1e-8; directions that floats take for conserved and that are
        not, or of which it is not known (``RoundMap.resolved``).

    Raises
    ------
    ValueError : as :func:`round_map`; also if numbers are given (no symbols) and the rounds move away from the fixed
        point or around it, so that they do not end there, and if there is no fixed point.
    """
    rounds = round_map(
        problem, algorithm, exact=exact, numbers=numbers, start=start, oracle=oracle, centre_oracle=centre_oracle
    )
    limit = rounds.fixed_point()
    model = np.asarray(rounds.model @ limit)
    if rounds.numbers.domain is not None:
        return model
    factor = rounds.contraction() if rounds.numbers.exact else rounds.resolved_contraction()
    if not _mean_contracts(rounds, factor):
        what = "diverge" if factor > 1 + 1e-9 else "do not converge"
        raise ValueError(f"the rounds {what}: their contraction factor is {factor:.6g}; expected less than 1")
    if not rounds.sure and not rounds.mean_square_contracts():
        warnings.warn(
            f"the mean of the rounds tends to this point while their mean square {grows(rounds.mean_square.value)}: runs and "
            "averages of runs need not come near it",
            MeanSquareWarning,
            stacklevel=2,
        )
    elif rounds.walks(limit):
        warnings.warn(
            "the mean of the rounds tends to this point while noise moves a direction in which they do not contract, so that "
            "its variance grows without end: runs and averages of runs need not come near it",
            MeanSquareWarning,
            stacklevel=2,
        )
    error = rounds.fixed_point_error()
    if rounds.resolved is False and not rounds.numbers.exact:
        warnings.warn(f"{UNRESOLVED}: they count as conserved here; exact=True decides", PrecisionWarning, stacklevel=2)
    elif rounds.resolved is None:
        warnings.warn(f"{UNDECIDED}: they count as conserved here", PrecisionWarning, stacklevel=2)
    elif error > 1e-8 * float(np.linalg.norm(limit.astype(np.float64))) + 1e-300:
        warnings.warn(
            f"rounding may have moved this point by {error:.1e}; exact=True gives it in rationals",
            PrecisionWarning,
            stacklevel=2,
        )
    return model


def _mean_contracts(rounds: RoundMap, factor: float) -> bool:
    """Whether the factor is below one, exactly in rationals where that is close and the state small."""
    if rounds.numbers.exact and abs(factor - 1) < 1e-9:
        moments = SecondMomentMap(rounds.matrix, None, rounds.numbers)
        if moments.unknowns <= MOST_EXACT:
            return bool(moments.contracts())
    return factor < 1


def _applied_to_basis(entry: Setup, opening: Opening, round: int) -> tuple[Array, Array]:
    """``T`` and ``c`` from one round of ``D + 1`` runs: the zero state and the unit states."""
    size = opening.layout.size
    fed = exact_federation(entry, size + 1)
    states = entry.numbers.array(np.eye(size + 1, size, -1, dtype=int))
    fed.begin(round)
    out = opening.layout.flatten(entry.algorithm.round(fed, opening.layout.build(fed, opening.template, states)))
    return np.ascontiguousarray((out[1:] - out[0]).T), out[0]


def _walk(source: Source) -> Walk:
    """The second moments of the source in floats, about zero: their linear part does not depend on the origin."""
    return Walk(
        source.problem,
        source.algorithm,
        source.oracle,
        source.centre_oracle,
        source.start,
        FLOAT,
        origin=np.zeros(source.problem.dimension),
        what="the mean-square factor",
    )


def _floats(matrix: Array) -> npt.NDArray[np.float64]:
    return matrix.astype(np.float64)
