"""The mean round in matrices of FLINT: the round map in rationals, without a Python step per number.

Every vector of a round is ``P z`` with ``z = (s, 1)``, the state and a constant: a server vector is one matrix ``(d, D+1)``, a
client vector one for each client.  Under a random scheme a vector may carry the round's random scalars, each at most once;
what is kept then is its expectation, and that it is random.  This is the affine reading (of which the arrays reading is the
case of full participation) for the mean alone, and those two are its twins: what they refuse it declines, so that they say
why, and where python-flint is not installed they answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.algorithms.vocabulary import AnyVector, ClientVector, Federation, PerClient, Vector, leaves, with_leaves
from fltheory.kinds import Array, Number
from fltheory.problems import rational_matrices
from fltheory.problems.blocks import blocks_of
from fltheory.problems.rational_matrices import pack, unpack
from fltheory.readings.arrays import compressor_variance, per_client_numbers
from fltheory.readings.centre import CentralLoss, require_centre
from fltheory.readings.coordinates import coordinate_numbers, require_vector
from fltheory.readings.entry import Opening, Setup, dense
from fltheory.readings.numbers import RATIONAL, accept
from fltheory.readings.proximal import ProximalSteps

#: So many equal local steps or more are taken by squaring.
LEAST_SQUARED = 4


class Declined(Exception):
    """The round says what its twins refuse, or what is not kept here."""


@dataclass(frozen=True)
class Server:
    """``(d, D+1)``, and whether it is the mean of what carries random scalars of the scheme."""

    values: Any
    random: bool = False


@dataclass(frozen=True)
class Clients:
    """One ``(d, D+1)`` per client: ``base`` and, times the membership, ``member`` (None: zero)."""

    base: tuple[Any, ...]
    member: tuple[Any, ...] | None = None
    everyone: bool = False


def mean_round(entry: Setup, opening: Opening, round: int) -> tuple[Array, Array] | None:
    """``T`` ``(D, D)`` and ``c`` ``(D,)`` of the (mean) round, or None where this reading does not serve."""
    if entry.numbers is not RATIONAL or rational_matrices.library() is None:
        return None
    try:
        fed = RationalFederation(entry, opening.layout.size)
        fed.round = round
        state = entry.algorithm.round(fed, fed.state(opening))
        found = unpack_rows([row for leaf in leaves(state) for row in fed.end(leaf.payload)])
    except Declined:
        return None
    return np.ascontiguousarray(found[:, :-1]), np.ascontiguousarray(found[:, -1])


def unpack_rows(parts: list[Any]) -> Array:
    """Matrices one below the other, as Fractions."""
    return np.concatenate([unpack(part) for part in parts])


class RationalFederation:
    """The vocabulary over matrices of FLINT; ``size`` counts the entries of the state."""

    def __init__(self, entry: Setup, size: int) -> None:
        problem = dense(entry.problem)
        self.problem = problem
        self.participation = entry.participation
        self.numbers = entry.numbers
        self.n_clients, self.dimension = int(problem.n_clients), int(problem.dimension)
        self.blocks = blocks_of(problem)
        self.columns = size + 1
        self.weights = self.numbers.array(problem.weights)
        self.folded = isinstance(entry.participation, Full)
        self.round = 0
        n, law = self.n_clients, None if self.folded else entry.participation.moments(entry.weights)
        self._means = _rationals(self.weights if law is None else law.mean[1 : n + 1])
        self._members = None if law is None else _rationals(law.mean[n + 2 :])
        self._absent = _rationals([0 if law is None else law.mean[n + 1]])[0]
        self._weighs_absent = law is not None and law.second[n + 1, n + 1] != 0
        self._weights = _rationals(self.weights)
        scale = entry.participation.gradient_scale(list(self.weights))
        own = None if scale is None else self.numbers.array(np.array(scale, dtype=object))
        self._proximal = ProximalSteps(problem, self.numbers, own)
        factors = [1] * n if own is None else _rationals(own)
        self._matrices = [pack(a) * factor for a, factor in zip(problem.matrices, factors, strict=True)]
        self._vectors = [pack(b) * factor for b, factor in zip(problem.vectors, factors, strict=True)]
        self._last = rational_matrices.library().fmpq_mat(1, self.columns, [0] * size + [1])
        self._one = pack(self.numbers.array(np.eye(self.dimension, dtype=int)))
        self._zero = rational_matrices.library().fmpq_mat(self.dimension, self.columns)

    def state(self, opening: Opening) -> Any:
        """The unknown state at the begin of a round: each leaf picks its own columns."""
        layout, vectors, at = opening.layout, [], 0
        for server in layout.server:
            count = 1 if server else self.n_clients
            parts = tuple(self._unit(at + k * self.dimension) for k in range(count))
            at += count * self.dimension
            vectors.append(Vector(self, Server(parts[0])) if server else ClientVector(self, Clients(parts, None, True)))
        return with_leaves(opening.template, vectors)

    def end(self, payload: Any) -> list[Any]:
        """The rows of a leaf in the mean of the state after the round."""
        if isinstance(payload, Server):
            return [payload.values]
        if not payload.everyone:
            raise Declined
        if payload.member is None or self._members is None:
            return list(payload.base)
        return [b + m * chance for b, m, chance in zip(payload.base, payload.member, self._members, strict=True)]

    def send(self, w: Vector) -> ClientVector:
        if w.payload.random:
            raise Declined
        return ClientVector(self, Clients((w.payload.values,) * self.n_clients, None, self.folded))

    def batch(self) -> int:
        return 0

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        points = self._at_cohort(x.payload).base
        found = [a * p - b * self._last for a, p, b in zip(self._matrices, points, self._vectors, strict=True)]
        return ClientVector(self, Clients(tuple(found), None, self.folded))

    def local_sgd(
        self, x: ClientVector, steps: int, step_size: Callable[[int], Number], shift: ClientVector | None
    ) -> Any:
        """Equal steps ``x <- x - eta (A x - b + s)`` by squaring: ``M^E x + eta sum_{i<E} M^i (b - s)``, ``M = I - eta A``."""
        rates = [accept(self.numbers, step_size(step)) for step in range(steps)]
        if steps < LEAST_SQUARED or any(rate != rates[0] for rate in rates):
            return NotImplemented
        eta = _rationals(rates[:1])[0]
        starts = self._at_cohort(x.payload).base
        pulls = [b * self._last for b in self._vectors]
        if shift is not None:
            pulls = [pull - s for pull, s in zip(pulls, self._at_cohort(shift.payload).base, strict=True)]
        found = []
        for a, start, pull in zip(self._matrices, starts, pulls, strict=True):
            power, total = self._power(self._one - a * eta, steps)
            found.append(power * start + total * (pull * eta))
        return ClientVector(self, Clients(tuple(found), None, self.folded))

    def _power(self, base: Any, exponent: int) -> tuple[Any, Any]:
        """``M^e`` and ``sum_{i<e} M^i`` for ``e >= 1``."""
        power, total = base, self._one
        for bit in bin(exponent)[3:]:
            power, total = power * power, total + power * total
            if bit == "1":
                power, total = power * base, total + power
        return power, total

    @property
    def centre(self) -> CentralLoss:
        """The server's own loss."""
        return CentralLoss(self, self._centre_gradient, self._centre_prox)

    def _centre_gradient(self, y: Server) -> Server:
        loss = require_centre(self.problem).centre
        return Server(pack(loss.mean_matrix) * y.values - pack(loss.mean_vector) * self._last, y.random)

    def _centre_prox(self, y: Server, step_size: Number) -> Server:
        matrix, vector = self._proximal.central_map(self._proximal.step_size(step_size))
        return Server(pack(matrix) * y.values + pack(vector) * self._last, y.random)

    def prox(self, x: ClientVector, step_size: Number) -> ClientVector:
        matrices, vectors = self._proximal.maps(self._proximal.step_size(step_size))
        points = self._at_cohort(x.payload).base
        found = [pack(m) * p + pack(v) * self._last for m, p, v in zip(matrices, points, vectors, strict=True)]
        return ClientVector(self, Clients(tuple(found), None, self.folded))

    def compress(self, x: ClientVector, variance: Number) -> ClientVector:
        if compressor_variance(self.numbers, variance) == 0:
            return x
        raise Declined

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        total = self._sum(self._means, self._at_cohort(x.payload).base)
        if absent is None and self._weighs_absent:
            raise Declined
        if absent is not None:
            if absent.payload.random:
                raise Declined
            total = total + absent.payload.values * self._absent
        return Vector(self, Server(total, not self.folded))

    def population_average(self, x: ClientVector) -> Vector:
        form: Clients = x.payload
        if not form.everyone:
            raise Declined
        return Vector(self, Server(self._sum(self._weights, self.end(form)), form.member is not None))

    def layers(self, due: Any, x: ClientVector) -> ClientVector:
        if isinstance(due, Vector):
            raise Declined
        mask = self.blocks.coordinates(due)
        points = self._at_cohort(x.payload)
        if not mask.any():
            return ClientVector(self, points)
        if not self.folded:
            raise Declined
        chosen = pack(self.numbers.array(np.diag(mask.astype(int))))
        middle = chosen * self._sum(self._means, points.base)
        base = tuple((self._one - chosen) * one + middle for one in points.base)
        return ClientVector(self, Clients(base, None, True))

    def scale(self, numbers: Any, v: AnyVector) -> AnyVector:
        require_vector(v, self, "scale")
        factors = coordinate_numbers(numbers, self.numbers, self.blocks)
        diagonal = pack(self.numbers.array(np.eye(self.dimension, dtype=int)) * factors)
        return type(v)(self, _each(v.payload, lambda one: diagonal * one))

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        if self.folded:
            return new
        if self.participation.separate_runs or not otherwise.payload.everyone:
            raise Declined
        old = otherwise.payload.base
        fresh = tuple(a - b for a, b in zip(self._at_cohort(new.payload).base, old, strict=True))
        return ClientVector(self, Clients(old, fresh, True))

    def per_client(self, numbers: Any) -> PerClient:
        return per_client_numbers(numbers, self.numbers, self.n_clients)

    def decide(self, rule: Callable[..., Any], *vectors: AnyVector) -> NoReturn:
        raise Declined

    def zero(self) -> Vector:
        return Vector(self, Server(self._zero))

    def zero_clients(self) -> ClientVector:
        return ClientVector(self, Clients((self._zero,) * self.n_clients, None, True))

    def add(self, left: Any, right: Any, sign: int) -> Any:
        if isinstance(left, Server):
            values = left.values + right.values if sign > 0 else left.values - right.values
            return Server(values, left.random or right.random)
        if left.everyone != right.everyone:
            left, right = self._at_cohort(left), self._at_cohort(right)
        base = tuple(a + b * sign for a, b in zip(left.base, right.base, strict=True))
        if left.member is None and right.member is None:
            return Clients(base, None, left.everyone)
        first, second = ((self._zero,) * self.n_clients if one.member is None else one.member for one in (left, right))
        return Clients(base, tuple(a + b * sign for a, b in zip(first, second, strict=True)), left.everyone)

    def multiply(self, payload: Any, number: Number) -> Any:
        factor = _rationals([accept(self.numbers, number)])[0]
        return _each(payload, lambda one: one * factor)

    def scale_clients(self, payload: Clients, numbers: PerClient) -> Clients:
        factors = _rationals(numbers.numbers)
        base = tuple(one * factor for one, factor in zip(payload.base, factors, strict=True))
        if payload.member is None:
            return Clients(base, None, payload.everyone)
        member = tuple(one * factor for one, factor in zip(payload.member, factors, strict=True))
        return Clients(base, member, payload.everyone)

    def reciprocal(self, number: Number) -> Any:
        return 1 / accept(self.numbers, number)

    def _unit(self, column: int) -> Any:
        entries = [0] * (self.dimension * self.columns)
        for row in range(self.dimension):
            entries[row * self.columns + column + row] = 1
        return rational_matrices.library().fmpq_mat(self.dimension, self.columns, entries)

    def _sum(self, factors: Any, parts: Any) -> Any:
        total = self._zero
        for factor, part in zip(factors, parts, strict=True):
            total = total + part * factor
        return total

    def _at_cohort(self, form: Clients) -> Clients:
        """The vector of a client that takes part: its membership is one."""
        if self.folded or not form.everyone:
            return form
        if form.member is None:
            return Clients(form.base)
        return Clients(tuple(a + b for a, b in zip(form.base, form.member, strict=True)))


def _each(payload: Any, operation: Callable[[Any], Any]) -> Any:
    """A linear map of every part."""
    if isinstance(payload, Server):
        return Server(operation(payload.values), payload.random)
    member = None if payload.member is None else tuple(map(operation, payload.member))
    return Clients(tuple(map(operation, payload.base)), member, payload.everyone)


def _rationals(numbers: Any) -> list[Any]:
    """Numbers of FLINT from Fractions and integers."""
    make = rational_matrices.library().fmpq
    return [make(int(one.numerator), int(one.denominator)) for one in numbers]


if TYPE_CHECKING:
    #: Held against the vocabulary by the type checker.
    _FEDERATION: type[Federation] = RationalFederation
