"""Exact means and second moments along a run: ``E |w_t - w*|^2`` and ``E F(w_t) - F*`` without any sampling.

For quadratic problems, under every participation scheme, with exact gradients, additive noise or mini-batches, of the
clients' losses and of the server's own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, overload

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array, Integers, Number, PointLike
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_choice, check_count, check_flag, check_request
from fltheory.problems.oracles import AnyOracle
from fltheory.progress import tells
from fltheory.readings.entry import dense
from fltheory.readings.numbers import FLOAT, RATIONAL
from fltheory.readings.traces import MomentTraces, not_negative, traces
from fltheory.readings.walk import Walk
from fltheory.readings.warned import ROUNDED_AWAY, PrecisionWarning
from fltheory.tables import Framed, Shown, ends

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class Moments(Shown, Framed):
    """Exact expectations at the recorded rounds (``M`` of them, the start included).

    ==================== ============= ============================================================
    attribute            shape         meaning
    ==================== ============= ============================================================
    ``rounds``           ``(M,)``      how many rounds have been made
    ``mean``             ``(M, d)``    ``E w``
    ``deviations``       ``(M, d, d)`` ``E (w - w*)(w - w*)'``
    ``squared_distance`` ``(M,)``      ``E |w - w*|^2``
    ``gap``              ``(M,)``      ``E F(w) - F*``
    ``minimiser``        ``(d,)``      ``w*``
    ``status``                         "finished"; "diverged", or "unresolved", where rounding
                                       leaves no digit: then later rounds are not listed
    ``rounding``                       what rounding may have changed of the squared distance or
                                       of the gap, relative, where rounds expand; 0.0 up to 1e-8
    ==================== ============= ============================================================
    """

    rounds: Integers
    mean: Array
    deviations: Array
    squared_distance: Array
    gap: Array
    minimiser: Array
    status: str = "finished"
    rounding: float = 0.0

    def headline(self) -> str:
        size = f"{int(self.rounds[-1])} rounds, d={self.mean.shape[1]}"
        return f"{size}: E F - F* {ends(self.gap)}, E |w - w*|^2 {ends(self.squared_distance)}; {self.status}"

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("$\\mathbb{E}\\,F(w)-F^*$", ends(self.gap)),
            ("$\\mathbb{E}\\,\\|w-w^*\\|^2$", ends(self.squared_distance)),
            ("$\\mathbb{E}\\,\\|w-\\mathbb{E} w\\|^2$", ends(self.variance)),
            ("records", str(len(self.rounds))),
        ]

    def records(self) -> list[dict[str, Any]]:
        """One dict per recorded round: round, gap, squared_distance, variance."""
        columns = zip(self.rounds, self.gap, self.squared_distance, self.variance, strict=True)
        return [
            {"round": int(round), "gap": gap, "squared_distance": distance, "variance": variance}
            for round, gap, distance, variance in columns
        ]

    @property
    def second(self) -> Array:
        """``E w w'``, ``(M, d, d)``."""
        cross = (self.mean - self.minimiser)[:, :, None] * self.minimiser[None, None, :]
        fixed = self.minimiser[:, None] * self.minimiser[None, :]
        result: Array = self.deviations + cross + cross.swapaxes(1, 2) + fixed
        return result

    @property
    def covariance(self) -> Array:
        """``Cov w``, ``(M, d, d)``."""
        deviation = self.mean - self.minimiser
        result: Array = self.deviations - deviation[:, :, None] * deviation[:, None, :]
        return result

    @property
    def variance(self) -> Array:
        """``E |w - E w|^2``, ``(M,)``."""
        return np.asarray(np.trace(self.covariance, axis1=1, axis2=2))


@dataclass(frozen=True, eq=False, repr=False)
class InsideRounds(Shown):
    """Exact expectations at the oracle calls of every round: ``R`` rounds of ``J`` calls, ``N`` clients.

    The clients' points are those that each client would have if it took part, started from the server's model.

    ===================== ============= =====================================================================
    attribute             shape         meaning
    ===================== ============= =====================================================================
    ``gradient``          ``(R, J, N)`` ``E |g_k|^2`` of the stochastic gradients
    ``variance``          ``(R, J, N)`` ``E |g_k - grad F_k(x_k)|^2``
    ``drift``             ``(R, J)``    ``E sum_k p_k |x_k - xbar|^2`` with ``xbar = sum_k p_k x_k``
    ``distance``          ``(R, J)``    ``E |xbar - w*|^2``
    ``client_distance``   ``(R, J, N)`` ``E |x_k - w*|^2``
    ===================== ============= =====================================================================
    """

    gradient: Array
    variance: Array
    drift: Array
    distance: Array
    client_distance: Array
    status: str = "finished"

    def headline(self) -> str:
        rounds, calls, clients = self.gradient.shape
        return f"{rounds} rounds of {calls} calls, N={clients}: largest E |g_k|^2 = {float(self.G2):.6g}; {self.status}"

    @property
    def G2(self) -> Number:
        """``max E |g_k|^2`` over rounds, calls and clients: Assumption 4 of Li et al. along this run."""
        return max(self.gradient.ravel().tolist())


@overload
def moments(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    exact: bool = False,
    every: int = 1,
    keep: Literal["all"] = "all",
) -> Moments: ...


@overload
def moments(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    exact: bool = False,
    every: int = 1,
    keep: Literal["traces"],
) -> MomentTraces: ...


@tells("moments")
def moments(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    exact: bool = False,
    every: int = 1,
    keep: str = "all",
) -> Moments | MomentTraces:
    """Exact first and second moments of the server's model after 0, every, 2 every, ... rounds.

    ================== =========================================================================================
    argument           meaning
    ================== =========================================================================================
    ``rounds``         how many rounds
    ``oracle``         ``Exact()`` (default), ``AdditiveNoise``, ``FiniteSupportNoise``, ``MiniBatch`` (fresh batches),
                       or any that knows its covariance, fixed or quadratic in the point
    ``centre_oracle``  the same for the server's own loss of a mixed problem, fresh and independent at each call
    ``start``          the initial model, ``(d,)`` (default: zero)
    ``exact``          Fractions throughout; floats count as their shortest decimals
    ``every``          record every so many rounds
    ``keep``           "all", or "traces": squared distance and gap only (``MomentTraces``), without a matrix for each record;
                       by the eigenvalues of the round map where that is possible, which takes well below a microsecond a round
    ================== =========================================================================================

    Warns
    -----
    PrecisionWarning : rounds that expand while their terms nearly cancel, as beyond stability, so that rounding may have
        changed an answer in floats by more than a relative 1e-8.

    Raises
    ------
    ValueError : gradients that are not affine, no minimiser, a scheme whose moments are out of reach (normalised
        weights with more than a million cohorts), a round of degree two in the scheme's random scalars; mini-batches
        of the server's loss at a random average of the round.
    """
    found = find_moments(
        problem,
        algorithm,
        rounds=rounds,
        oracle=oracle,
        centre_oracle=centre_oracle,
        start=start,
        exact=exact,
        every=every,
        keep=keep,
    )
    lost = found.status == ROUNDED_AWAY
    if lost or found.rounding:
        what = f"rounding may have changed these moments by a relative {found.rounding:.1e}"
        what = (
            f"rounding leaves no digit of these moments after round {int(found.rounds[-1])}, where they end"
            if lost
            else what
        )
        warnings.warn(f"{what}; exact=True gives them in rationals", PrecisionWarning, stacklevel=3)
    return found


def find_moments(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    exact: bool = False,
    every: int = 1,
    keep: str = "all",
) -> Moments | MomentTraces:
    """As :func:`moments`, without its warning: ``status`` and ``rounding`` say the same."""
    rounds, every = check_count("rounds", rounds, least=0), check_count("every", every)
    check_choice("keep", keep, ("all", "traces"))
    walk = Walk(problem, algorithm, oracle, centre_oracle, start, RATIONAL if check_flag("exact", exact) else FLOAT)
    if keep == "traces":
        return traces(walk, rounds, every)
    size = len(walk.origin)
    check_request(f"rounds={rounds} with every={every}", rounds // every * (size + size**2))
    recorded, means, seconds = [0], [walk.mean_model()], [walk.second_model()]
    status = "finished"
    for round in range(rounds):
        walk.step(round)
        if walk.diverged():
            status = "diverged"
            break
        if (round + 1) % every == 0:
            second = walk.second_model()
            if walk.unresolved(second):
                status = ROUNDED_AWAY
                break
            recorded.append(round + 1)
            means.append(walk.mean_model())
            seconds.append(second)
    deviations = np.stack(seconds)
    matrix = dense(walk.entry.problem).mean_matrix
    return Moments(
        np.array(recorded, dtype=np.int64),
        np.stack(means),
        deviations,
        not_negative(np.asarray(np.trace(deviations, axis1=1, axis2=2))),
        not_negative(np.asarray((deviations * matrix).sum(axis=(1, 2)) / 2)),
        walk.origin,
        status,
        0.0 if walk.rounding is None else walk.rounding.worst,
    )


def inside_rounds(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    oracle: AnyOracle | None = None,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    exact: bool = False,
) -> InsideRounds:
    """Exact expectations at every oracle call of ``rounds`` rounds; arguments as :func:`moments`."""
    rounds = check_count("rounds", rounds)
    walk = Walk(problem, algorithm, oracle, centre_oracle, start, RATIONAL if check_flag("exact", exact) else FLOAT)
    check_request(f"rounds={rounds}", rounds * 5 * walk.entry.problem.n_clients)
    rows, status = _walked(walk, rounds, walk.inside)
    gradient, variance, drift, distance, client_distance = (
        np.stack([np.stack([np.asarray(call[i]) for call in row]) for row in rows]) for i in range(5)
    )
    return InsideRounds(gradient, variance, drift, distance, client_distance, status)


def _walked(walk: Walk, rounds: int, look: Callable[[int], list[T]]) -> tuple[list[list[T]], str]:
    """What ``look`` sees in every round before it is made, and how the run ended."""
    rows: list[list[T]] = []
    for round in range(rounds):
        with np.errstate(over="ignore", invalid="ignore"):  # a run that diverges is told by its status
            rows.append(look(round))
        if not rows[-1]:
            raise ValueError(
                f"algorithm={type(walk.entry.algorithm).__name__} asks for no gradient of the clients in round {round}: there is "
                "nothing inside the round to measure"
            )
        walk.step(round)
        if walk.diverged():
            return rows, "diverged"
        if round + 1 < rounds and walk.unresolved():
            return rows, ROUNDED_AWAY
    return rows, "finished"


def second_moment_of_gradients(
    problem: Problem,
    algorithm: Algorithm,
    rounds: int,
    oracle: AnyOracle | None = None,
    *,
    centre_oracle: AnyOracle | None = None,
    start: PointLike | None = None,
    exact: bool = False,
) -> Array:
    """``E |grad F_k(x_k, xi)|^2`` at every call, ``(rounds, calls, N)``; its maximum is ``G^2`` of Li et al. (A4).

    Raises
    ------
    ValueError : as :func:`moments`; a round without a gradient of the clients.
    """
    rounds = check_count("rounds", rounds)
    walk = Walk(problem, algorithm, oracle, centre_oracle, start, RATIONAL if check_flag("exact", exact) else FLOAT)
    check_request(f"rounds={rounds}", rounds * 5 * walk.entry.problem.n_clients)
    rows, _ = _walked(walk, rounds, walk.gradients)
    return np.stack([np.stack([np.asarray(gradient) for gradient in row]) for row in rows])
