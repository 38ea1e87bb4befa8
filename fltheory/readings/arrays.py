"""The arrays reading: NumPy arrays with a run axis and a client axis; floats, rationals or rational functions.

Server vectors are ``(runs, d)``.  Client vectors are ``(runs, slots, d)`` for the cohort of the round, or
``(runs, N, d)`` for per-client state of the whole population; the latter are gathered to the cohort where they meet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from fltheory.algorithms.participation import CohortOutcome, Full, Participation, check_participation
from fltheory.algorithms.vocabulary import Algorithm, AnyVector, ClientVector, Federation, PerClient, Vector
from fltheory.kinds import Array, Integers, Number, Truths
from fltheory.problems.base import Problem, check_finite, check_shape, real_array
from fltheory.problems.blocks import blocks_of
from fltheory.problems.checks import check_nonnegative
from fltheory.readings.centre import CentralLoss, require_centre
from fltheory.readings.coordinates import coordinate_numbers, require_vector
from fltheory.readings.numbers import FLOAT, Numbers, accept
from fltheory.readings.proximal import ProximalSteps
from fltheory.readings.refusals import (
    refuse_rule,
    require_everyone,
    require_known_blocks,
    require_no_absent,
    require_old_state,
)
from fltheory.readings.tree_sums import in_levels, level_sums


@dataclass(frozen=True)
class ClientArray:
    """Values of a client vector; ``everyone`` tells the population axis from the cohort axis."""

    values: Array
    everyone: bool


@dataclass(frozen=True)
class Cohorts:
    """The cohorts of one round for all runs: clients and coefficients ``(runs, slots)``, absent weight ``(runs,)``."""

    clients: Integers
    coefficients: Array
    absent: Array
    is_population: bool = False


class Draws(Protocol):
    """Where a run's randomness comes from."""

    @property
    def runs(self) -> int:
        """How many runs there are."""
        ...

    def cohorts(self, round: int, participation: Participation, weights: Array) -> Cohorts:
        """The cohorts of a round."""
        ...

    def gradient(self, round: int, step: int, x: Array, clients: Array, occurrence: Array) -> Array:
        """Stochastic gradients at ``x`` ``(runs, slots, d)``: the draw of step ``step`` of each slot's client.

        ``occurrence`` is 0 except where one client runs twice independently in one round.
        """
        ...

    def centre_gradient(self, round: int, step: int, y: Array) -> Array:
        """Gradients of the server's own loss at ``y`` ``(runs, d)``: the draw of its step ``step``."""
        ...

    def kept(self, round: int, step: int, chance: Number, clients: Array, occurrence: Array) -> Truths:
        """Which coordinates each slot keeps, ``(runs, slots, d)``, each with this chance: draw ``step`` of its compressors."""
        ...


def cohorts_from_outcomes(outcomes: list[CohortOutcome], numbers: Numbers, n_clients: int) -> Cohorts:
    """Given outcomes, one per run, as cohorts (for enumeration and for exact runs)."""
    if not outcomes:  # a round of no runs, in which everyone is asked
        everybody = np.zeros((0, n_clients))
        return Cohorts(everybody.astype(np.int64), numbers.array(everybody), numbers.array(np.zeros(0)), True)
    clients = np.array([o.clients for o in outcomes], dtype=np.int64)
    coefficients = numbers.array(np.array([list(o.coefficients) for o in outcomes], dtype=object))
    absent = numbers.array(np.array([o.absent for o in outcomes], dtype=object))
    everyone = clients.shape[1] == n_clients and bool(np.all(clients == np.arange(n_clients)))
    return Cohorts(clients, coefficients, absent, everyone)


#: Points ``(runs, slots, d)`` after ``steps`` exact steps of one rate, all runs having the same clients in their slots: of
#: ``(points, clients, steps, rate, shift)``; ``None`` where the loop is as good.
LocalSteps = Callable[[Array, list[int], int, float, Array | None], Array | None]


@dataclass(frozen=True)
class OracleCall:
    """One call of the gradient oracle, for quantities inside a round (drift, G^2 along a run)."""

    round: int
    step: int
    clients: Integers
    points: Array
    gradients: Array


class ArrayFederation:
    """The vocabulary over arrays.  ``problem`` and ``weights`` must already be in the number type ``numbers``.

    ``linear`` says that the caller takes what is computed for a linear map of the state, so that rules which look at
    values are refused.  ``local_steps`` computes what ``local_sgd`` says faster than its loop, or declines.
    """

    def __init__(
        self,
        problem: Problem,
        participation: Participation,
        draws: Draws,
        numbers: Numbers = FLOAT,
        *,
        log: list[OracleCall] | None = None,
        linear: bool = False,
        local_steps: LocalSteps | None = None,
    ) -> None:
        self.problem = problem
        self.participation = participation
        self.draws = draws
        self.numbers = numbers
        self.log = log
        self.linear = linear
        self._local_steps = local_steps
        self.n_clients = int(problem.n_clients)
        self.dimension = int(problem.dimension)
        self.blocks = blocks_of(problem)
        self.runs = draws.runs
        self.weights = numbers.array(problem.weights)
        self.round = -1
        self._step = 0
        self._central_step = 0
        self._compressed = 0
        self.cohorts = self._everyone()
        self._occurrence = np.zeros(self.cohorts.clients.shape, dtype=np.int64)
        participation.check(list(self.weights))
        scale = participation.gradient_scale(list(self.weights))
        self._gradient_scale = None if scale is None else numbers.array(np.array(scale, dtype=numbers.dtype))
        self._proximal = ProximalSteps(problem, numbers, self._gradient_scale)

    def begin(self, round: int) -> None:
        """Draw the cohorts of a round."""
        self.round = round
        self._step = 0
        self._central_step = 0
        self._compressed = 0
        self.cohorts = self.draws.cohorts(round, self.participation, self.weights)
        self._occurrence = np.zeros(self.cohorts.clients.shape, dtype=np.int64)
        if self.participation.separate_runs:
            clients = self.cohorts.clients
            for slot in range(1, clients.shape[1]):
                self._occurrence[:, slot] = (clients[:, :slot] == clients[:, slot : slot + 1]).sum(axis=1)

    def _everyone(self) -> Cohorts:
        """All clients with their weights: what ``start`` sees before the first round."""
        shape = (self.runs, self.n_clients)
        clients = np.broadcast_to(np.arange(self.n_clients), shape)
        absent = self.numbers.array(np.zeros(self.runs, dtype=int))
        return Cohorts(clients, np.broadcast_to(self.weights, shape), absent, True)

    def vector(self, values: Any) -> Vector:
        """A server vector from ``(d,)`` or ``(runs, d)`` values: the model a run starts from."""
        given = real_array("start", values)
        check_finite("start", given)
        array = self.numbers.array(given)
        check_shape("start", array, (self.runs, self.dimension) if array.ndim == 2 else (self.dimension,))
        check_finite("start", array)
        return Vector(self, np.array(np.broadcast_to(array, (self.runs, self.dimension))))

    def send(self, w: Vector) -> ClientVector:
        shape = (*self.cohorts.clients.shape, self.dimension)
        values = np.broadcast_to(w.payload[:, None, :], shape)
        return ClientVector(self, ClientArray(values, self.cohorts.is_population))

    def batch(self) -> int:
        self._step += 1
        return self._step - 1

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        step = self.batch() if batch is None else batch
        points = self._at_cohort(x.payload)
        values = self.draws.gradient(self.round, step, points, self.cohorts.clients, self._occurrence)
        if self._gradient_scale is not None:
            values = values * self._gradient_scale[self.cohorts.clients][..., None]
        if self.log is not None:
            self.log.append(OracleCall(self.round, step, self.cohorts.clients, points, values))
        return ClientVector(self, ClientArray(values, self.cohorts.is_population))

    def local_sgd(
        self, x: ClientVector, steps: int, step_size: Callable[[int], Number], shift: ClientVector | None = None
    ) -> Any:
        """Twin: the loop in :func:`fltheory.algorithms.vocabulary.local_sgd`; ``NotImplemented`` leaves it to that."""
        if self._local_steps is None or steps < 2 or self._gradient_scale is not None:
            return NotImplemented
        rates = {float(accept(self.numbers, step_size(step))) for step in range(steps)}
        if len(rates) > 1:
            return NotImplemented
        extra = None if shift is None else self._at_cohort(shift.payload)
        points, clients = self._at_cohort(x.payload), self.cohorts.clients[0].tolist()
        values = self._local_steps(points, clients, steps, rates.pop(), extra)
        if values is None:
            return NotImplemented
        self._step += steps
        return ClientVector(self, ClientArray(values, self.cohorts.is_population))

    @property
    def centre(self) -> CentralLoss:
        """The server's own loss, with draws of its own."""
        return CentralLoss(self, self._centre_gradient, self._centre_prox)

    def _centre_gradient(self, y: Array) -> Array:
        require_centre(self.problem)
        self._central_step += 1
        return self.draws.centre_gradient(self.round, self._central_step - 1, y)

    def _centre_prox(self, y: Array, step_size: Number) -> Array:
        return self._proximal.central_at(y, self._proximal.step_size(step_size))

    def prox(self, x: ClientVector, step_size: Number) -> ClientVector:
        gamma = self._proximal.step_size(step_size)
        values = self._proximal.at(self._at_cohort(x.payload), self.cohorts.clients, gamma)
        return ClientVector(self, ClientArray(values, self.cohorts.is_population))

    def compress(self, x: ClientVector, variance: Number) -> ClientVector:
        omega = compressor_variance(self.numbers, variance)
        if omega == 0:
            return x
        points, factor = self._at_cohort(x.payload), 1 + omega
        self._compressed += 1
        kept = self.draws.kept(self.round, self._compressed - 1, 1 / factor, self.cohorts.clients, self._occurrence)
        check_shape(f"kept() of {type(self.draws).__name__}", kept, points.shape)
        values = np.where(kept, points * factor, points * 0)
        return ClientVector(self, ClientArray(values, self.cohorts.is_population))

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        total = _weighted_sum(self.cohorts.coefficients, self._at_cohort(x.payload))
        if absent is None:
            require_no_absent(bool(np.any(self.cohorts.absent != 0)), self.participation)
        else:
            total = total + self.cohorts.absent[:, None] * absent.payload
        return Vector(self, total)

    def population_average(self, x: ClientVector) -> Vector:
        require_everyone(x.payload.everyone)
        if in_levels(self.n_clients) and not self.cohorts.is_population:
            return Vector(self, level_sums(self.weights, x.payload.values)[-1][:, 0])
        weights = np.broadcast_to(self.weights, (self.runs, self.n_clients))
        return Vector(self, _weighted_sum(weights, x.payload.values))

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        if self.cohorts.is_population:
            return new
        require_old_state(otherwise.payload.everyone, self.participation)
        values = np.array(otherwise.payload.values)
        fresh = self._at_cohort(new.payload)
        values[np.arange(self.runs)[:, None], self.cohorts.clients] = fresh
        return ClientVector(self, ClientArray(values, True))

    def per_client(self, numbers: Any) -> PerClient:
        return per_client_numbers(numbers, self.numbers, self.n_clients)

    def layers(self, due: Any, x: ClientVector) -> ClientVector:
        points = self._at_cohort(x.payload)
        require_no_absent(bool(np.any(self.cohorts.absent != 0)), self.participation)
        if isinstance(due, Vector):
            if self.linear:
                require_known_blocks(due, "this reading takes a round for a linear map")
            require_vector(due, self, "layers")
            middle = _weighted_sum(self.cohorts.coefficients, points)[:, None]
            values = np.where(due.payload[:, None] != 0, middle, points)
        else:
            mask = self.blocks.coordinates(due)
            values = np.array(points)
            values[..., mask] = _weighted_sum(self.cohorts.coefficients, points[..., mask])[:, None]
        return ClientVector(self, ClientArray(values, self.cohorts.is_population))

    def scale(self, numbers: Any, v: AnyVector) -> AnyVector:
        require_vector(v, self, "scale")
        factors = coordinate_numbers(numbers, self.numbers, self.blocks)
        if isinstance(v.payload, ClientArray):
            return type(v)(self, ClientArray(v.payload.values * factors, v.payload.everyone))
        return type(v)(self, v.payload * factors)

    def decide(self, rule: Callable[..., Any], *vectors: AnyVector) -> AnyVector:
        if self.linear:
            refuse_rule("this reading takes a round for a linear map")
        if self.numbers.exact:
            refuse_rule(f"its values are no {self.numbers.name} numbers")
        if not vectors:
            raise ValueError("decide got no vector; expected one server vector at least")
        kind = type(vectors[0])
        for vector in vectors:
            if not isinstance(vector, kind) or vector.fed is not self or kind not in (Vector, ClientVector):
                raise TypeError(
                    f"decide got a {type(vector).__name__}; expected vectors at the server, or vectors of the clients, "
                    "of this reading"
                )
        everyone = kind is ClientVector and all(vector.payload.everyone for vector in vectors)
        shown = []
        for vector in vectors:
            here = vector.payload
            if kind is ClientVector:
                here = here.values if everyone else self._at_cohort(here)
            values = np.array(here)
            values.flags.writeable = False
            shown.append(values)
        found = np.array(rule(*shown), dtype=np.float64)
        check_shape("decide", found, shown[0].shape)
        return kind(self, ClientArray(found, everyone) if kind is ClientVector else found)

    def zero(self) -> Vector:
        return Vector(self, self.numbers.array(np.zeros((self.runs, self.dimension), dtype=int)))

    def zero_clients(self) -> ClientVector:
        zeros = np.zeros((self.runs, self.n_clients, self.dimension), dtype=int)
        return ClientVector(self, ClientArray(self.numbers.array(zeros), True))

    def add(self, left: Any, right: Any, sign: int) -> Any:
        if isinstance(left, ClientArray):
            if left.everyone != right.everyone:
                left, right = (ClientArray(self._at_cohort(side), False) for side in (left, right))
            values = left.values + right.values if sign > 0 else left.values - right.values
            return ClientArray(values, left.everyone)
        return left + right if sign > 0 else left - right

    def multiply(self, payload: Any, number: Number) -> Any:
        factor = accept(self.numbers, number)
        if isinstance(payload, ClientArray):
            return ClientArray(payload.values * factor, payload.everyone)
        return payload * factor

    def scale_clients(self, payload: ClientArray, numbers: PerClient) -> ClientArray:
        factors = np.array(numbers.numbers, dtype=self.numbers.dtype)
        factors = factors[None, :] if payload.everyone else factors[self.cohorts.clients]
        return ClientArray(payload.values * factors[..., None], payload.everyone)

    def reciprocal(self, number: Number) -> Any:
        return 1 / accept(self.numbers, number)

    def _at_cohort(self, payload: ClientArray) -> Array:
        if not payload.everyone or self.cohorts.is_population:
            return payload.values
        return payload.values[np.arange(self.runs)[:, None], self.cohorts.clients]


def _weighted_sum(coefficients: Array, values: Array) -> Array:
    """``sum_m coefficients[:, m] values[:, m, :]`` in the order of the slots: bits do not depend on batching."""
    total: Array = coefficients[:, 0, None] * values[:, 0]
    for slot in range(1, values.shape[1]):
        total = total + coefficients[:, slot, None] * values[:, slot]
    return total


def per_client_numbers(values: Any, numbers: Numbers, n_clients: int) -> PerClient:
    """One number per client in the type ``numbers``; ``ValueError`` for another count, else as :func:`accept`."""
    listed = [accept(numbers, value) for value in values]
    if len(listed) != n_clients:
        raise ValueError(f"per_client got {len(listed)} numbers; one number per client, N={n_clients}")
    return PerClient(tuple(listed))


def compressor_variance(numbers: Numbers, variance: Number) -> Any:
    """``omega`` of a compressor in the type ``numbers``; ``ValueError`` for one that is negative or of no ordered type."""
    omega = accept(numbers, variance)
    check_nonnegative("variance of compress", omega)
    return omega


def participation_of(algorithm: Algorithm) -> Participation:
    """The participation scheme of an algorithm; full where it names none.

    Raises
    ------
    ValueError : something that is no scheme.
    """
    scheme: Participation = getattr(algorithm, "participation", Full())
    check_participation(scheme)
    return scheme


if TYPE_CHECKING:
    #: Held against the vocabulary by the type checker.
    _FEDERATION: type[Federation] = ArrayFederation
