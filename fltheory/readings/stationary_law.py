"""The stationary law of a run: its mean, covariance, gap and distance, exactly; or that it has no finite second moments."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from fltheory.algorithms.joint_moments import LabelMoments
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array, Number, PointLike
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_flag
from fltheory.problems.oracles import AnyOracle
from fltheory.progress import tells
from fltheory.readings.entry import require_stationary
from fltheory.readings.forms import weighted
from fltheory.readings.limit_state import UnresolvedError
from fltheory.readings.mean_square import MeanSquareFactor, SecondMomentMap, grows
from fltheory.readings.numbers import FLOAT, RATIONAL, Numbers
from fltheory.readings.round_map import round_map
from fltheory.readings.walk import Walk
from fltheory.readings.warned import UNDECIDED, UNRESOLVED, PrecisionWarning
from fltheory.tables import Framed, Shown, number

GROWS, WALKS, MOVES = "mean square grows", "random walk", "mean moves without end"


@dataclass(frozen=True, eq=False)
class Stationary(Shown, Framed):
    """First and second moments of the server's model in the limit of many rounds.

    ==================== ============ ===========================================================================
    attribute            shape        meaning
    ==================== ============ ===========================================================================
    ``exists``                        whether the law has finite second moments; else what follows holds no number
    ``factor``                        the factor per round of the mean square (``RoundMap.mean_square_factor``), to floats:
                                      1.0 may stand for a factor below one where ``exists`` says so
    ``mean``             ``(d,)``     ``E w``; None if the law does not exist
    ``covariance``       ``(d, d)``   ``Cov w``; None if the law does not exist
    ``squared_distance``              ``E |w - w*|^2``; ``inf`` if the law does not exist
    ``gap``                           ``E F(w) - F*``; ``inf`` if the law does not exist
    ``minimiser``        ``(d,)``     ``w*``
    ``error``                         bound of the error of ``covariance`` in spectral norm; 0 in rationals
    ``status``                        "stationary"; else "mean square grows" (``factor >= 1``), "random walk" (noise in
                                      a direction in which nothing contracts) or "mean moves without end"
    ==================== ============ ===========================================================================

    ``bool(result)`` is ``exists``.
    """

    factor: float
    minimiser: Array
    status: str = "stationary"
    mean: Array | None = None
    covariance: Array | None = None
    squared_distance: Number = inf
    gap: Number = inf
    error: float = inf

    @property
    def exists(self) -> bool:
        """Whether there is a stationary law with finite second moments."""
        return self.status == "stationary"

    def __bool__(self) -> bool:
        return self.exists

    def facts(self) -> list[tuple[str, str]]:
        if not self.exists:
            floats = "contraction by less than 1e-13 per round counts as none; exact=True decides"
            return [("status", self.status), ("mean-square factor", number(self.factor)), ("floats", floats)]
        return [
            ("$\\mathbb{E}\\,F(w)-F^*$", number(self.gap)),
            ("$\\mathbb{E}\\,\\|w-w^*\\|^2$", number(self.squared_distance)),
            ("$\\mathbb{E}\\,\\|w-\\mathbb{E} w\\|^2$", number(self.variance)),
            ("mean-square factor", _factor(self.factor)),
        ]

    def records(self) -> list[dict[str, Any]]:
        """One dict: gap, squared_distance, variance, factor, status."""
        return [
            {
                "gap": float(self.gap),
                "squared_distance": float(self.squared_distance),
                "variance": float(self.variance),
                "factor": float(self.factor),
                "status": self.status,
            }
        ]

    @property
    def variance(self) -> Number:
        """``E |w - E w|^2``; ``inf`` if the law does not exist."""
        return inf if self.covariance is None else np.trace(self.covariance)

    def __repr__(self) -> str:
        if self.exists:
            return (
                f"Stationary(gap={float(self.gap):.6g}, squared_distance={float(self.squared_distance):.6g}, "
                f"variance={float(self.variance):.6g}, mean-square factor {_factor(self.factor)} per round)"
            )
        why = {
            GROWS: f"the mean square {grows(self.factor)}",
            WALKS: "noise moves a direction in which the rounds do not contract, so that its variance grows without end; "
            "exact=True decides",
            MOVES: "the mean moves without end",
        }[self.status]
        return f"Stationary(no stationary law with finite second moments: {why})"


def _factor(factor: Number) -> str:
    """Of a law that exists: six digits, or so many more that a factor below one does not print as 1."""
    text = f"{factor:.6g}"
    if factor == 1:
        return "less than 1 by less than 1e-12"
    return repr(float(factor)) if text == "1" else text


@tells("stationary")
def stationary(
    problem: Problem,
    algorithm: Algorithm,
    *,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    exact: bool = False,
) -> Stationary:
    """The first two moments of the model that many rounds tend to, or that the second ones are not finite.

    Exact for quadratic problems, under every participation scheme and oracle of :func:`fltheory.readings.moments`: with the
    random map ``s -> A s + b`` of a round and the limit ``s_inf`` of the mean, the covariance of the state solves

        X = E A X A' + C,    C the covariance of the state one round after ``s_inf``,

    which has one solution if and only if the mean square contracts.  ``start`` (default: zero) matters where quantities are
    conserved.  With ``exact=True`` all is in Fractions, and whether the mean square contracts is decided exactly.

    Warns
    -----
    PrecisionWarning : a state too large to tell whether what floats take for conserved is conserved.

    Raises
    ------
    ValueError : as :func:`fltheory.readings.moments`; step sizes that change; in floats a factor so close to one that they
        cannot tell; in rationals a state of too many entries.
    """
    numbers: Numbers = RATIONAL if check_flag("exact", exact) else FLOAT
    walk = Walk(problem, algorithm, oracle, centre_oracle, start, numbers, what="a stationary law")
    require_stationary(walk.entry, walk.opening, "a stationary law")
    moments = SecondMomentMap.of(walk)
    about = moments
    if exact:
        about = SecondMomentMap.of(
            Walk(problem, algorithm, oracle, centre_oracle, start, FLOAT, what="a stationary law")
        )
    contracts, factor = moments.contracts(), about.factor
    if contracts is None:
        raise ValueError(
            f"the mean-square factor lies in [{factor.lower!r}, {factor.upper!r}]: floats cannot tell whether a stationary "
            "law exists; exact=True decides"
        )
    if not contracts:
        return Stationary(factor.value, walk.origin, GROWS)
    rounds = round_map(problem, algorithm, exact=exact, start=start)
    if rounds.resolved is None:
        warnings.warn(f"{UNDECIDED}: they count as conserved here", PrecisionWarning, stacklevel=2)
    if rounds.resolved is False:
        if not exact:
            raise UnresolvedError(f"{UNRESOLVED}, so that a stationary law may or may not exist; exact=True decides")
        factor = MeanSquareFactor(max(factor.value, 1.0), factor.lower, max(factor.upper, 1.0))
    try:
        state = rounds.fixed_point()
    except UnresolvedError:
        raise
    except ValueError:
        return Stationary(factor.value, walk.origin, MOVES)
    noise = walk.injected(state)
    if moments.leaves(noise):
        return Stationary(max(factor.value, 1.0), walk.origin, WALKS)
    inside = moments.left @ noise @ moments.left.T
    solved = moments.solve(inside) if moments.size else inside
    if solved is None:
        raise ValueError(f"the equations of D={moments.size} second moments were not solved; expected a smaller state")
    pick = rounds.model @ moments.basis
    covariance, mean = pick @ solved @ pick.T, np.asarray(rounds.model @ state)
    away = mean - walk.origin
    deviations = covariance + away[:, None] * away[None, :]
    matrix = walk.entry.problem.mean_matrix
    error = 0.0
    if not exact:
        rounded = _rounding(walk, state, rounds.fixed_point_error()) * float(np.linalg.norm(moments.left, 2)) ** 2
        error = _error(moments, solved, inside, rounded) * float(np.linalg.norm(pick, 2)) ** 2
    return Stationary(
        factor.value,
        walk.origin,
        "stationary",
        mean,
        covariance,
        np.trace(deviations),
        (deviations * matrix).sum() / 2,
        error,
    )


def _rounding(walk: Walk, state: Array, moved: float) -> float:
    """Error of the covariance after one round of cohorts from ``state``, which may be ``moved`` away from its true place.

    It is ``sum_ll' E[theta_l theta_l'] v_l v_l''`` with ``v_l = P_l (state, 1)``, whose terms may cancel, as all do where
    the cohort is everyone; and so may the parts of each ``v_l``.
    """
    raw, form = walk.raw_form(0), walk.form_around(state)
    size, unit = len(state), 16 * len(state) * float(np.finfo(float).eps)
    reach = np.linalg.norm(raw.maps[:, :size, :size], axis=(1, 2))
    parts = reach * float(np.linalg.norm(state)) + np.linalg.norm(raw.maps[:, :size, -1], axis=1)
    ends = np.linalg.norm(form.maps[:, :size, -1], axis=1)
    off = unit * parts + reach * moved
    second = form.second if isinstance(form.second, LabelMoments) else np.abs(form.second)
    return float(ends @ weighted(second, unit * ends + 2 * off) + off @ weighted(second, off))


def _error(moments: SecondMomentMap, solved: Array, inside: Array, off: float) -> float:
    """``|X - X_true|``: the error ``E`` has ``E - Phi(E) = R``, so that ``-|R| Y <= E <= |R| Y`` with ``Y = Phi(Y) + I``.

    ``R`` counts the residual, the rounding of ``Phi`` and ``C``, and ``off``, by which ``C`` is off through cancellation.
    """
    if not moments.size:
        return 0.0
    bound = moments.solve(np.eye(moments.size))
    if bound is None:
        return inf
    rest = float(np.linalg.norm(solved - moments(solved) - inside, 2))
    rounded = 16 * moments.size * float(np.finfo(float).eps)
    size = float(np.linalg.norm(solved, 2)) + float(np.linalg.norm(inside, 2))
    return (rest + rounded * size + off) * float(np.linalg.norm(bound, 2))
