"""The arrays reading over an array module: the same words, cohorts and batches, with all vectors on a device.

Cohorts are drawn on the host from the streams (a few integers a run and round) and sent, many rounds at a time; keys of batches
and noise are made on the device.  Vectors stay there: only :meth:`DeviceFederation.decide` copies, since its rules are functions
of NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from fltheory import streams
from fltheory.algorithms.participation import Participation
from fltheory.algorithms.vocabulary import AnyVector, ClientVector, Federation, PerClient, Vector
from fltheory.gpu.cohorts import Ahead, DrawsAhead
from fltheory.gpu.device import DeviceArray
from fltheory.gpu.families import OnDevice
from fltheory.gpu.plans import THREADS, DevicePlan, DeviceSlots
from fltheory.gpu.quadratic import LARGEST_MAPS, applied
from fltheory.kinds import Array, Number
from fltheory.problems.base import Problem
from fltheory.problems.mixed import client_part
from fltheory.problems.scaled import describe, is_quadratic
from fltheory.readings.arrays import ArrayFederation, ClientArray, compressor_variance
from fltheory.readings.centre import require_centre
from fltheory.readings.coordinates import coordinate_numbers, require_vector
from fltheory.readings.draws import CENTRE_CLIENT, START_ROUND
from fltheory.readings.refusals import require_everyone, require_no_absent, require_old_state


class DeviceFederation(ArrayFederation):
    """The vocabulary over device arrays; ``cohorts`` are the host's, everything inside vectors is the device's."""

    def __init__(self, problem: Problem, participation: Participation, draws: DrawsAhead, work: OnDevice) -> None:
        super().__init__(problem, participation, draws)
        self.draws: DrawsAhead = draws
        self.work = work
        self.device = work.device
        self.xp = work.device.xp
        xp, ones = self.xp, np.ones(self.n_clients)
        scales = participation.gradient_scale(list(self.weights))
        self._scales = xp.asarray(
            (ones if scales is None else np.array(scales, dtype=np.float64)) * work.clients.factor
        )
        self._population = xp.asarray(np.ascontiguousarray(self.weights))[None, :]
        # Keys of (seed, run): the first half of the addresses of all draws.
        seed = streams.mix(np.uint64(streams.check_seed(draws.seed)))
        self._roots = xp.asarray(streams.fold(seed, draws.run_ids))
        self._rows = xp.arange(self.runs)[:, None]
        self._proximal_maps: dict[Any, tuple[DeviceArray, ...]] = {}
        # Everyone is there before the first round, and under full participation in every round.
        clients = np.ascontiguousarray(self.cohorts.clients, dtype=np.int64)
        self._all = (xp.asarray(clients), xp.zeros(clients.shape, dtype=np.int64))
        self._seated, self._coefficients, self._absent = self._all, self._population, None
        self._ahead: Ahead | None = None

    def begin(self, round: int) -> None:
        super().begin(round)
        if not self.cohorts.is_population:
            self._seat(self.draws.ahead(round, self.participation, self.weights), round)

    def _seat(self, ahead: Ahead, round: int) -> None:
        """Take the cohorts of a round out of those that were drawn ahead, which are sent together."""
        xp = self.xp
        if self._ahead is not ahead:
            self._ahead = ahead
            self._sent = tuple(xp.asarray(part) for part in (ahead.clients, ahead.coefficients, ahead.absent))
            self._first_times = xp.zeros(ahead.clients.shape[1:], dtype=np.int64)
        clients, self._coefficients, absent = (part[round - ahead.first] for part in self._sent)
        self._absent = absent if bool(np.any(self.cohorts.absent != 0)) else None
        again = self.participation.separate_runs
        self._seated = (clients, xp.asarray(self._occurrence) if again else self._first_times)

    def vector(self, values: Any) -> Vector:
        return Vector(self, self.xp.asarray(super().vector(values).payload))

    def send(self, w: Vector) -> ClientVector:
        shape = (self.runs, int(self._seated[0].shape[1]), self.dimension)
        return self._of_cohort(self.xp.broadcast_to(w.payload[:, None, :], shape))

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        step = self.batch() if batch is None else batch
        return self._of_cohort(self.work.clients.gradients(self._at_cohort(x.payload), self._slots(step)))

    def local_sgd(
        self, x: ClientVector, steps: int, step_size: Callable[[int], Number], shift: ClientVector | None = None
    ) -> ClientVector:
        """Twin: the loop in :func:`fltheory.algorithms.vocabulary.local_sgd`."""
        rates = np.array([float(step_size(step)) for step in range(steps)])
        extra = None if shift is None else self._at_cohort(shift.payload)
        values = self.work.clients.local_sgd(self._at_cohort(x.payload), self._slots(self._step), rates, extra)
        self._step += steps
        return self._of_cohort(values)

    def _centre_gradient(self, y: DeviceArray) -> DeviceArray:
        require_centre(self.problem)
        self._central_step += 1
        plan = self._central_plan()
        return plan.gradients(y[:, None, :], self._at_centre(plan.factor, self._central_step - 1))[:, 0]

    def _central_plan(self) -> DevicePlan:
        assert self.work.centre is not None  # a mixed problem without kernels for its centre is refused before
        return self.work.centre

    def _at_centre(self, scale: float, first: int = 0) -> DeviceSlots:
        alone = self.device.constant(np.zeros((self.runs, 1), dtype=np.int64))
        scales = self.device.constant(np.full(1, scale))
        return DeviceSlots(alone, alone, self._roots, scales, self._address, CENTRE_CLIENT, first)

    def prox(self, x: ClientVector, step_size: Number) -> ClientVector:
        gamma, part = self._proximal.step_size(step_size), client_part(self.problem)
        maps = self._quadratic_maps(("clients", gamma), part, lambda: self._proximal.maps(gamma))
        return self._of_cohort(applied(self.device, self._at_cohort(x.payload), self._slots(0), None, *maps))

    def _centre_prox(self, y: DeviceArray, step_size: Number) -> DeviceArray:
        gamma, part = self._proximal.step_size(step_size), require_centre(self.problem).centre

        def found() -> tuple[Array, Array]:
            inverse, vector = self._proximal.central_map(gamma)
            return inverse[None], vector[None]

        maps = self._quadratic_maps(("centre", gamma), part, found)
        return applied(self.device, y[:, None, :], self._at_centre(1.0), None, *maps)[:, 0]

    def _quadratic_maps(self, key: Any, part: Any, find: Callable[[], tuple[Array, Array]]) -> tuple[DeviceArray, ...]:
        """Columns of the inverses (twice: a shift that is not there has none of its own) and vectors of proximal steps."""
        if not is_quadratic(part) or part.n_clients * part.dimension**2 > LARGEST_MAPS:
            raise ValueError(
                f"prox on a {describe(part)}: backend='cupy' makes proximal steps of quadratics of up to {LARGEST_MAPS} numbers "
                "only; expected backend='numba'"
            )
        if key not in self._proximal_maps:
            inverses, vectors = find()
            columns = self.xp.asarray(np.ascontiguousarray(inverses.swapaxes(-1, -2)))
            self._proximal_maps[key] = (columns, columns, self.xp.asarray(np.ascontiguousarray(vectors)))
        return self._proximal_maps[key]

    def compress(self, x: ClientVector, variance: Number) -> ClientVector:
        omega = float(compressor_variance(self.numbers, variance))
        if omega == 0:
            return x
        self._compressed += 1
        points, slots = self._at_cohort(x.payload), self._slots(0)
        out = self.xp.empty(points.shape)
        self.device.launch(
            "sparsify",
            int(points.shape[0]) * int(points.shape[1]),
            THREADS,
            out=out,
            **self.device.points("x", points),
            chance=1 / (1 + omega),
            factor=1 + omega,
            clients=slots.clients,
            roots=slots.roots,
            occurrence=slots.occurrence,
            round=slots.round,
            first_client=slots.first_client,
            step=self._compressed - 1,
            slots=int(points.shape[1]),
            d=self.dimension,
        )
        return self._of_cohort(out)

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        if absent is None:
            require_no_absent(self._absent is not None, self.participation)
        points = self._at_cohort(x.payload)
        return Vector(self, self._weighted_sum(self._coefficients, points, None if absent is None else absent.payload))

    def population_average(self, x: ClientVector) -> Vector:
        require_everyone(x.payload.everyone)
        return Vector(self, self._weighted_sum(self._population, x.payload.values))

    def _weighted_sum(
        self, coefficients: DeviceArray, x: DeviceArray, absent: DeviceArray | None = None
    ) -> DeviceArray:
        """``sum_m coefficients[:, m] x[:, m, :]`` in the order of the slots, and the absent with their weight."""
        out = self.xp.empty((self.runs, self.dimension))
        with_absent = absent is not None and self._absent is not None
        self.device.launch(
            "weighted_sum",
            -(-self.runs * self.dimension // THREADS),
            THREADS,
            out=out,
            coefficients=coefficients,
            c_run=int(coefficients.shape[1]) if coefficients.shape[0] > 1 else 0,
            **self.device.points("x", x),
            runs=self.runs,
            slots=int(x.shape[1]),
            d=self.dimension,
            absent=self._absent if with_absent else out,
            w=self.xp.ascontiguousarray(absent) if with_absent else out,
            with_absent=with_absent,
        )
        return out

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        if self.cohorts.is_population:
            return new
        require_old_state(otherwise.payload.everyone, self.participation)
        values = otherwise.payload.values.copy()
        values[self._rows, self._seated[0]] = self._at_cohort(new.payload)
        return ClientVector(self, ClientArray(values, True))

    def layers(self, due: Any, x: ClientVector) -> ClientVector:
        points = self._at_cohort(x.payload)
        require_no_absent(self._absent is not None, self.participation)
        if isinstance(due, Vector):
            require_vector(due, self, "layers")
            chosen = due.payload[:, None, :] != 0
        else:
            chosen = self.device.constant(np.ascontiguousarray(self.blocks.coordinates(due)))
        middle = self._weighted_sum(self._coefficients, points)[:, None, :]
        return self._of_cohort(self.xp.where(chosen, middle, points))

    def scale(self, numbers: Any, v: AnyVector) -> AnyVector:
        require_vector(v, self, "scale")
        factors = self.device.constant(np.ascontiguousarray(coordinate_numbers(numbers, self.numbers, self.blocks)))
        if isinstance(v.payload, ClientArray):
            return type(v)(self, ClientArray(v.payload.values * factors, v.payload.everyone))
        return type(v)(self, v.payload * factors)

    def decide(self, rule: Callable[..., Any], *vectors: AnyVector) -> AnyVector:
        everyone = all(isinstance(v, ClientVector) and v.payload.everyone for v in vectors)

        def shown(v: Any) -> Any:
            if not isinstance(v, (Vector, ClientVector)) or v.fed is not self:
                return v  # refused below, in the words of all readings
            if isinstance(v, Vector):
                return Vector(self, self.xp.asnumpy(v.payload))
            values = v.payload.values if everyone else self._at_cohort(v.payload)
            return ClientVector(self, ClientArray(self.xp.asnumpy(values), everyone))

        found: Any = super().decide(rule, *(shown(v) for v in vectors))
        if isinstance(found, ClientVector):
            answer: Any = ClientVector(self, ClientArray(self.xp.asarray(found.payload.values), found.payload.everyone))
        else:
            answer = Vector(self, self.xp.asarray(found.payload))
        return answer  # type: ignore[no-any-return]

    def zero(self) -> Vector:
        return Vector(self, self.xp.zeros((self.runs, self.dimension)))

    def zero_clients(self) -> ClientVector:
        return ClientVector(self, ClientArray(self.xp.zeros((self.runs, self.n_clients, self.dimension)), True))

    def scale_clients(self, payload: ClientArray, numbers: PerClient) -> ClientArray:
        factors = self.device.constant(np.array(numbers.numbers, dtype=np.float64))
        chosen = factors[None, :] if payload.everyone else factors[self._seated[0]]
        return ClientArray(payload.values * chosen[..., None], payload.everyone)

    @property
    def _address(self) -> int:
        """The number of the round in addresses of draws."""
        return self.round if self.round >= 0 else START_ROUND

    def _slots(self, first: int) -> DeviceSlots:
        clients, occurrence = self._seated
        everyone = self.cohorts.is_population
        return DeviceSlots(clients, occurrence, self._roots, self._scales, self._address, 0, first, everyone)

    def _of_cohort(self, values: DeviceArray) -> ClientVector:
        return ClientVector(self, ClientArray(values, self.cohorts.is_population))

    def _at_cohort(self, payload: ClientArray) -> DeviceArray:
        if not payload.everyone or self.cohorts.is_population:
            return payload.values
        return payload.values[self._rows, self._seated[0]]


if TYPE_CHECKING:
    #: Held against the vocabulary by the type checker.
    _FEDERATION: type[Federation] = DeviceFederation
