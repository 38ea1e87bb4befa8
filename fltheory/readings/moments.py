"""Exact means and second moments along a run: ``E |w_t - w*|^2`` and ``E F(w_t) - F*`` without any sampling.

For quadratic problems, under every participation scheme, with exact gradients, additive noise or mini-batches, of the
clients' losses and of the server's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory.problems.base import check_count
from fltheory.problems.oracles import Exact
from fltheory.readings.affine import label_moments, read_round
from fltheory.readings.entry import Entry, Opening, dense, enter, is_stationary, open_state, require_quadratic
from fltheory.readings.forms import Point, RoundForm, sources
from fltheory.readings.noise import CentralNoise, Covariances, central_calls, covariances_of
from fltheory.readings.numbers import FLOAT, RATIONAL, Numbers

Array = npt.NDArray[Any]
#: A run whose second moments exceed this is ended with the status "diverged".
LARGEST = 1e200


@dataclass(frozen=True, eq=False)
class Moments:
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
    ``status``                         "finished", or "diverged": then later rounds are not listed
    ==================== ============= ============================================================
    """

    rounds: npt.NDArray[np.int64]
    mean: Array
    deviations: Array
    squared_distance: Array
    gap: Array
    minimiser: Array
    status: str = "finished"

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


@dataclass(frozen=True, eq=False)
class InsideRounds:
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

    @property
    def G2(self) -> Any:
        """``max E |g_k|^2`` over rounds, calls and clients: Assumption 4 of Li et al. along this run."""
        return max(self.gradient.ravel().tolist())


def moments(
    problem: Any,
    algorithm: Any,
    *,
    rounds: int,
    oracle: Any = None,
    centre_oracle: Any = None,
    start: Any = None,
    exact: bool = False,
    every: int = 1,
) -> Moments:
    """Exact first and second moments of the server's model after 0, every, 2 every, ... rounds.

    ================== =========================================================================================
    argument           meaning
    ================== =========================================================================================
    ``rounds``         how many rounds
    ``oracle``         ``Exact()`` (default), ``AdditiveNoise``, ``FiniteSupportNoise``, ``MiniBatch`` (fresh batches)
    ``centre_oracle``  the same for the server's own loss of a mixed problem, fresh and independent at each call
    ``start``          the initial model, ``(d,)`` (default: zero)
    ``exact``          Fractions throughout; floats count as their shortest decimals
    ``every``          record every so many rounds
    ================== =========================================================================================

    Raises
    ------
    ValueError : gradients that are not affine, no minimiser, a scheme whose moments are out of reach (normalised
        weights with more than a million cohorts), a round of degree two in the scheme's random scalars; mini-batches
        of the server's loss at a random average of the round.
    """
    rounds, every = check_count("rounds", rounds, least=0), check_count("every", every)
    walk = _Walk(problem, algorithm, oracle, centre_oracle, start, RATIONAL if exact else FLOAT)
    recorded, means, seconds = [0], [walk.mean_model()], [walk.second_model()]
    status = "finished"
    for round in range(rounds):
        walk.step(round)
        if walk.diverged():
            status = "diverged"
            break
        if (round + 1) % every == 0:
            recorded.append(round + 1)
            means.append(walk.mean_model())
            seconds.append(walk.second_model())
    deviations = np.stack(seconds)
    matrix = dense(walk.entry.problem).mean_matrix
    return Moments(
        np.array(recorded, dtype=np.int64),
        np.stack(means),
        deviations,
        np.asarray(np.trace(deviations, axis1=1, axis2=2)),
        np.asarray((deviations * matrix).sum(axis=(1, 2)) / 2),
        walk.minimiser,
        status,
    )


def inside_rounds(
    problem: Any,
    algorithm: Any,
    *,
    rounds: int,
    oracle: Any = None,
    centre_oracle: Any = None,
    start: Any = None,
    exact: bool = False,
) -> InsideRounds:
    """Exact expectations at every oracle call of ``rounds`` rounds; arguments as :func:`moments`."""
    rounds = check_count("rounds", rounds)
    walk = _Walk(problem, algorithm, oracle, centre_oracle, start, RATIONAL if exact else FLOAT)
    rows: list[list[tuple[Array, ...]]] = []
    status = "finished"
    for round in range(rounds):
        rows.append(walk.inside(round))
        walk.step(round)
        if walk.diverged():
            status = "diverged"
            break
    gradient, variance, drift, distance, client_distance = (
        np.stack([np.stack([np.asarray(call[i]) for call in row]) for row in rows]) for i in range(5)
    )
    return InsideRounds(gradient, variance, drift, distance, client_distance, status)


def second_moment_of_gradients(
    problem: Any,
    algorithm: Any,
    rounds: int,
    oracle: Any = None,
    *,
    centre_oracle: Any = None,
    start: Any = None,
    exact: bool = False,
) -> Array:
    """``E |grad F_k(x_k, xi)|^2`` at every call, ``(rounds, calls, N)``; its maximum is ``G^2`` of Li et al. (A4)."""
    return inside_rounds(
        problem, algorithm, rounds=rounds, oracle=oracle, centre_oracle=centre_oracle, start=start, exact=exact
    ).gradient


class _Walk:
    """The second moment ``E z z'`` of ``z = (s - s_ref, 1)``, round by round."""

    def __init__(
        self, problem: Any, algorithm: Any, oracle: Any, centre_oracle: Any, start: Any, numbers: Numbers
    ) -> None:
        require_quadratic(problem, "exact moments")
        self.entry: Entry = enter(dense(problem), algorithm, numbers=numbers)
        self.numbers = numbers
        self.minimiser = np.asarray(self.entry.problem.constants.minimiser)
        self.opening: Opening = open_state(self.entry, start)
        self.reference = open_state(self.entry, self.minimiser).values
        self.oracle = Exact() if oracle is None else oracle
        self.covariances: Covariances | None = covariances_of(self.oracle, self.entry.problem, numbers, self.minimiser)
        self.opening.require_quiet_start(self.oracle)
        self.central = CentralNoise.of(self.entry, centre_oracle, self.minimiser)
        self.changes = not is_stationary(self.entry, self.opening)
        self.scheme = label_moments(self.entry)
        self._form: tuple[int, RoundForm] | None = None
        self._fixed_noise: Array | None = None
        self._fixed_points: dict[int, Array] = {}
        z = np.concatenate([self.opening.values - self.reference, numbers.array([1])])
        self.moment: Array = z[:, None] * z[None, :]
        offset = self.opening.model @ self.reference - self.minimiser
        self.pick = np.concatenate([self.opening.model, offset[:, None]], axis=1)

    def form(self, round: int) -> RoundForm:
        """The round's affine map, in deviations; read once if the step sizes are constant."""
        key = round if self.changes else 0
        if self._form is None or self._form[0] != key:
            noisy = self.covariances is not None
            shareable = self.covariances is None or self.covariances.fixed
            own = self.central.covariances
            raw = read_round(
                self.entry, self.opening, round, self.scheme, noisy=noisy, shareable=shareable,
                central=0 if own is None else central_calls(self.entry, round), plain_centre=own is None or own.fixed,
            )  # fmt: skip
            self._form = (key, raw.moved(self.reference, self.minimiser))
            self._fixed_noise, self._fixed_points = None, {}
        return self._form[1]

    def step(self, round: int) -> None:
        """One round."""
        form = self.form(round)
        moment, found = self._noises(form)
        if found is None or self.covariances is None:
            self.moment = form.advance(moment, None)
            return
        if not self.covariances.fixed:
            self.moment = form.advance(moment, form.noise_moment(found))
            return
        if self._fixed_noise is None:
            self._fixed_noise = form.noise_moment(found)
        self.moment = form.advance(moment, self._fixed_noise)

    def diverged(self) -> bool:
        """Whether the second moments left the range of trust."""
        if self.numbers.exact:
            return False
        return not bool(np.all(np.abs(self.moment) < LARGEST))

    def mean_model(self) -> Array:
        """``E w``."""
        return np.asarray(self.pick @ self.moment[:, -1] + self.minimiser)

    def second_model(self) -> Array:
        """``E (w - w*)(w - w*)'``."""
        return np.asarray(self.pick @ self.moment @ self.pick.T)

    def _noises(self, form: RoundForm) -> tuple[Array, Array | None]:
        """``E z z'`` with the noise of the server's loss, and the mean conditional covariances of the clients' noise at
        the calls of a round, ``(calls, N, d, d)`` or None; in the order of the calls, since one may depend on another.
        """
        n, d = self.entry.problem.n_clients, self.entry.problem.dimension
        moment, waiting, found = form.widened(self.moment), list(form.central), None
        if self.covariances is not None and form.n_calls:
            shape = (form.n_calls, n, d, d)
            fixed = self.covariances.fixed
            found = (
                np.broadcast_to(self.covariances.at(moment), shape) if fixed else np.zeros(shape, self.numbers.dtype)
            )
        for index, call in enumerate((*form.points, None)):
            while waiting and (call is None or waiting[0].before <= index):
                place = len(self.moment) - 1 + (len(form.central) - len(waiting)) * d
                point = form.central_moment(moment, found, waiting.pop(0))
                moment[place : place + d, place : place + d] = self.central.at(point)
            if found is not None and call is not None and self.covariances is not None and not self.covariances.fixed:
                points = form.point_moments(moment, call)
                points[:, :d, :d] = points[:, :d, :d] + form.point_noise(found, call)
                found[call.noise] = self.covariances.at(points)
        return moment, found

    def inside(self, round: int) -> list[tuple[Array, ...]]:
        """At every call: ``E|g_k|^2``, the noise's part of it, drift, ``E|xbar - w*|^2``, ``E|x_k - w*|^2``."""
        form = self.form(round)
        moment, noise = self._noises(form)
        problem, d = self.entry.problem, self.entry.problem.dimension
        at_minimiser = (problem.matrices @ self.minimiser) - problem.vectors
        affine = np.concatenate([problem.matrices, at_minimiser[:, :, None]], axis=2)
        rows: list[tuple[Array, ...]] = []
        for index, call in enumerate(form.points):
            second = form.point_moments(moment, call)
            if noise is not None:
                second[:, :d, :d] = second[:, :d, :d] + self._noise_at(index, form, noise)
            gradient = ((affine @ second) * affine).sum(axis=(1, 2))
            spread = gradient * 0 if noise is None else np.trace(noise[call.noise], axis1=1, axis2=2)
            factor = 1 if call.scale is None else call.scale * call.scale
            drift, mean = _drift_and_mean(moment, noise, call, problem.weights)
            distance = np.trace(second[:, :d, :d], axis1=1, axis2=2)
            rows.append(((gradient + spread) * factor, spread * factor, drift, mean, distance))
        return rows

    def _noise_at(self, index: int, form: RoundForm, noise: Array) -> Array:
        assert self.covariances is not None
        if not self.covariances.fixed:
            return form.point_noise(noise, form.points[index])
        if index not in self._fixed_points:
            self._fixed_points[index] = form.point_noise(noise, form.points[index])
        return self._fixed_points[index]


def _drift_and_mean(moment: Array, noise: Array | None, call: Point, weights: Array) -> tuple[Any, Any]:
    """``E sum_k p_k |x_k - xbar|^2`` and ``E |xbar - w*|^2`` at one call."""
    centre = (call.state * weights[:, None, None]).sum(axis=0)
    apart = call.state - centre
    mean = ((centre @ moment) * centre).sum()
    drift = (((apart @ moment) * apart).sum(axis=(1, 2)) * weights).sum()
    own = None if noise is None else sources(call)
    if noise is None or own is None:
        return drift, mean
    if own.ndim == 4:
        energy = ((own @ noise[: own.shape[1]].swapaxes(0, 1)) * own).sum(axis=(1, 2, 3))
        return drift + (weights * (1 - weights) * energy).sum(), mean + (weights * weights * energy).sum()
    middle = (own * weights[:, None, None, None, None]).sum(axis=0)
    off = own - middle
    mean = mean + ((middle @ noise[: len(middle)]) * middle).sum()
    energy = ((off @ noise[: len(middle)]) * off).sum(axis=(1, 2, 3, 4))
    return drift + (weights * energy).sum(), mean
