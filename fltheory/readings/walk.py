"""One round's action on second moments: ``E z z'`` of ``z = (s - reference, 1)``, round by round."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array, PointLike
from fltheory.problems.base import Problem
from fltheory.problems.oracles import AnyOracle, Exact
from fltheory.problems.oracles.protocol import Covariances
from fltheory.readings.affine import label_moments, read_round
from fltheory.readings.entry import Opening, Setup, dense, enter, is_stationary, open_state, require_quadratic
from fltheory.readings.forms import Point, RoundForm, sources
from fltheory.readings.noise import CentralNoise, central_calls, covariances_of
from fltheory.readings.numbers import Numbers
from fltheory.readings.rounding import Rounding

#: A run whose second moments exceed this has diverged.
LARGEST = 1e200


class Walk:
    """The second moment ``E z z'`` of ``z = (s - reference, 1)``, with ``s`` the enlarged state of ``D`` entries.

    ``origin`` ``(d,)`` is the model that deviations are taken from, by default the minimiser; the reference is the state
    that the algorithm starts from there.
    """

    def __init__(
        self,
        problem: Problem,
        algorithm: Algorithm,
        oracle: AnyOracle | None,
        centre_oracle: AnyOracle | None,
        start: PointLike | None,
        numbers: Numbers,
        *,
        origin: Any = None,
        what: str = "exact moments",
    ) -> None:
        require_quadratic(problem, what)
        self.entry: Setup = enter(dense(problem), algorithm, numbers=numbers)
        self.numbers = numbers
        self.origin = np.asarray(self.entry.problem.constants.minimiser) if origin is None else numbers.array(origin)
        self.opening: Opening = open_state(self.entry, start)
        self.reference = open_state(self.entry, self.origin).values
        self.oracle: AnyOracle = Exact() if oracle is None else oracle
        self.covariances: Covariances | None = covariances_of(self.oracle, self.entry.problem, numbers, self.origin)
        self.opening.require_quiet_start(self.oracle)
        self.central = CentralNoise.of(self.entry, centre_oracle, self.origin)
        self.changes = not is_stationary(self.entry, self.opening)
        self.scheme = label_moments(self.entry)
        self._raw: tuple[int, RoundForm] | None = None
        self._form: tuple[int, RoundForm] | None = None
        self._fixed_noise: tuple[RoundForm, Array] | None = None
        self._fixed_points: dict[int, Array] = {}
        z = np.concatenate([self.opening.values - self.reference, numbers.array([1])])
        self.moment: Array = z[:, None] * z[None, :]
        offset = self.opening.model @ self.reference - self.origin
        self.pick = np.concatenate([self.opening.model, offset[:, None]], axis=1)

    @property
    def multiplicative(self) -> bool:
        """Whether the noise of some oracle depends on the points, as that of mini-batches does."""
        return any(found is not None and not found.fixed for found in (self.covariances, self.central.covariances))

    def raw_form(self, round: int) -> RoundForm:
        """The round's affine map; read once if the step sizes are constant."""
        key = round if self.changes else 0
        if self._raw is None or self._raw[0] != key:
            noisy = self.covariances is not None
            shareable = self.covariances is None or self.covariances.shareable
            own = self.central.covariances
            with np.errstate(over="ignore", invalid="ignore"):  # the mean map says what is not finite
                raw = read_round(
                    self.entry,
                    self.opening,
                    round,
                    self.scheme,
                    noisy=noisy,
                    shareable=shareable,
                    central=0 if own is None else central_calls(self.entry, round),
                    plain_centre=own is None or own.fixed,
                )
            self._raw = (key, raw)
        return self._raw[1]

    def form(self, round: int) -> RoundForm:
        """The round's affine map, in deviations from the reference."""
        raw = self.raw_form(round)
        key = round if self.changes else 0
        if self._form is None or self._form[0] != key:
            self._form = (key, raw.moved(self.reference, self.origin))
            self._fixed_points = {}
        return self._form[1]

    def form_around(self, reference: Array, round: int = 0) -> RoundForm:
        """The round's affine map in deviations from another state."""
        return self.raw_form(round).moved(reference, self.origin)

    @cached_property
    def rounding(self) -> Rounding | None:
        """What rounding may have done by now; nothing in exact types."""
        if self.numbers.exact:
            return None
        hessian = np.asarray(dense(self.entry.problem).mean_matrix, dtype=np.float64)
        return Rounding(self.opening.model, hessian, self.reference, constant=not self.changes)

    def step(self, round: int) -> None:
        """One round."""
        with np.errstate(over="ignore", invalid="ignore"):  # a run that diverges is told by its status
            form = self.form(round)
            if self.rounding is not None:
                self.rounding.step(form, self.moment)
            self.moment = self.after(form, self.moment)

    def after(self, form: RoundForm, moment: Array) -> Array:
        """``E z+ z+'`` from ``E z z'``: a linear map, fixed noise being in proportion to the last entry ``E 1``."""
        wide, found = self._noises(form, moment)
        if found is None or self.covariances is None:
            return form.advance(wide, None)
        if not self.covariances.fixed:
            return form.advance(wide, form.noise_moment(found))
        return form.advance(wide, self.fixed_noise(form) * moment[-1, -1])

    def fixed_noise(self, form: RoundForm) -> Array:
        """What noise of the clients that does not depend on the points adds to ``E s+ s+'`` in a round, ``(D, D)``."""
        size, problem = len(self.reference), self.entry.problem
        if self.covariances is None or not form.n_calls:
            return np.asarray(self.numbers.array(np.zeros((size, size), dtype=int)))
        if self._fixed_noise is None or self._fixed_noise[0] is not form:
            one = self.numbers.array(np.ones((1, 1, 1), dtype=int))
            shape = (form.n_calls, problem.n_clients, problem.dimension, problem.dimension)
            self._fixed_noise = (form, form.noise_moment(np.broadcast_to(self.covariances.at(one), shape)))
        return self._fixed_noise[1]

    def diverged(self) -> bool:
        """Whether the second moments left the range of trust."""
        if self.numbers.exact:
            return False
        return not bool(np.all(np.abs(self.moment) < LARGEST))

    def unresolved(self, second: Array | None = None) -> bool:
        """Whether rounding may have left no digit of ``E |w - w*|^2`` or of the gap; ``second`` is :meth:`second_model`."""
        if self.rounding is None:
            return False
        return self.rounding.lost(self.second_model if second is None else lambda: second)

    def mean_model(self) -> Array:
        """``E w``."""
        return np.asarray(self.pick @ self.moment[:, -1] + self.origin)

    def second_model(self) -> Array:
        """``E (w - w*)(w - w*)'``."""
        return np.asarray(self.pick @ self.moment @ self.pick.T)

    def _noises(self, form: RoundForm, moment: Array) -> tuple[Array, Array | None]:
        """``E z z'`` with the noise of the server's loss, and the mean conditional covariances of the clients' noise at
        the calls of a round, ``(calls, N, d, d)`` or None; in the order of the calls, since one may depend on another.
        """
        n, d = self.entry.problem.n_clients, self.entry.problem.dimension
        moment, waiting, found = form.widened(moment), list(form.central), None
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

    def injected(self, state: Array, round: int = 0) -> Array:
        """The second moment ``(D, D)``, about ``state``, of the state one round after ``state``."""
        unit = self.numbers.array(np.zeros(self.moment.shape, dtype=int))
        unit[-1, -1] = self.numbers.convert(1)
        after: Array = self.after(self.form_around(state, round), unit)[:-1, :-1]
        return after

    def inside(self, round: int) -> list[tuple[Array, ...]]:
        """At every call: ``E|g_k|^2``, the noise's part of it, drift, ``E|xbar - w*|^2``, ``E|x_k - w*|^2``."""
        d = self.entry.problem.dimension
        rows: list[tuple[Array, ...]] = []
        moment, noise = self._noises(self.form(round), self.moment)
        for call, second, gradient, spread in self._calls(round, moment, noise):
            drift, mean = _drift_and_mean(moment, noise, call, self.entry.problem.weights)
            distance = np.trace(second[:, :d, :d], axis1=1, axis2=2)
            rows.append((gradient, spread, drift, mean, distance))
        return rows

    def gradients(self, round: int) -> list[Array]:
        """The first of :meth:`inside` alone, ``E|g_k|^2`` at every call."""
        found = self._noises(self.form(round), self.moment)
        return [gradient for _, _, gradient, _ in self._calls(round, *found)]

    def _calls(self, round: int, moment: Array, noise: Array | None) -> Iterator[tuple[Point, Array, Array, Array]]:
        """Every call with ``E (x,1)(x,1)'``, ``E|g_k|^2`` and the noise's part of it."""
        form = self.form(round)
        problem, d = self.entry.problem, self.entry.problem.dimension
        at_minimiser = (problem.matrices @ self.origin) - problem.vectors
        affine = np.concatenate([problem.matrices, at_minimiser[:, :, None]], axis=2)
        for index, call in enumerate(form.points):
            second = form.point_moments(moment, call)
            if noise is not None:
                second[:, :d, :d] = second[:, :d, :d] + self._noise_at(index, form, noise)
            gradient = ((affine @ second) * affine).sum(axis=(1, 2))
            spread = gradient * 0 if noise is None else np.trace(noise[call.noise], axis1=1, axis2=2)
            factor = 1 if call.scale is None else call.scale * call.scale
            yield call, second, (gradient + spread) * factor, spread * factor

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
