"""The vocabulary over rows of a table; what the table holds stands in :mod:`fltheory.readings.table`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fltheory.algorithms.participation import Full, SchemeMoments
from fltheory.algorithms.vocabulary import AnyVector, ClientVector, Federation, PerClient, Vector, with_leaves
from fltheory.kinds import Array, Number
from fltheory.problems.blocks import blocks_of
from fltheory.problems.oracles.protocol import Covariances
from fltheory.readings.affine_parts import add_parts, map_parts
from fltheory.readings.arrays import compressor_variance, per_client_numbers
from fltheory.readings.centre import CentralLoss, require_centre
from fltheory.readings.coordinates import coordinate_numbers, require_vector
from fltheory.readings.entry import Layout, Setup, dense
from fltheory.readings.noise import QUIET, CentralNoise
from fltheory.readings.numbers import Numbers, accept
from fltheory.readings.proximal import ProximalSteps
from fltheory.readings.refusals import (
    refuse_resent,
    refuse_rule,
    require_everyone,
    require_known_blocks,
    require_no_absent,
    require_old_state,
    require_plain_absent,
)


@dataclass(frozen=True)
class ClientRows:
    """Coefficients over base vectors: ``base`` and, times the membership, ``member``, both ``(N, B)``."""

    base: Array
    member: Array | None = None
    everyone: bool = False


@dataclass(frozen=True)
class ServerRows:
    """``const`` ``(B,)``, ``average`` ``(N, B)`` times ``a_k``, ``absent`` ``(B,)`` times ``b``, and ``members``
    ``(N, B)`` times ``m_k``; None stands for zero."""

    const: Array
    average: Array | None = None
    absent: Array | None = None
    members: Array | None = None

    @property
    def random(self) -> bool:
        """Whether it carries labels of the scheme."""
        return any(part is not None for part in (self.average, self.absent, self.members))


class TableFederation:
    """The vocabulary over rows of a table: ``first`` ``(B, d)`` and ``second`` ``(B, B, d, d)``, growing.

    Of a problem with ``L`` blocks every vector stands as ``L`` rows, one after the other: its parts in the blocks, zero
    elsewhere.  Coefficients are then numbers per block.
    """

    def __init__(
        self,
        entry: Setup,
        covariances: Covariances | None,
        scheme: SchemeMoments | None,
        central: CentralNoise = QUIET,
    ) -> None:
        if entry.participation.separate_runs:
            raise ValueError(
                f"{entry.participation!r}: the table holds one local run per client; moments() in its affine reading "
                "takes separate runs"
            )
        self.problem = dense(entry.problem)
        self.numbers: Numbers = entry.numbers
        self.participation = entry.participation
        self.covariances = covariances
        self.central = central
        self.scheme = scheme
        self.folded = isinstance(entry.participation, Full)
        self.n_clients = self.problem.n_clients
        self.dimension = self.problem.dimension
        self.blocks = blocks_of(self.problem)
        parts = np.arange(len(self.blocks))[:, None] == self.blocks.block_of
        self._masks = self.numbers.array(parts.astype(int))
        self.weights = self.numbers.array(self.problem.weights)
        scale = entry.participation.gradient_scale(list(self.weights))
        one = [self.numbers.convert(1)] * self.n_clients
        self._scale = self.numbers.array(one if scale is None else scale)
        self._proximal = ProximalSteps(self.problem, self.numbers, self._scale)
        self.round = -1

    def begin(self, round: int, first: Array, second: Array) -> None:
        """A new round whose base vectors are the leaves of the state, with moments as ``first`` and ``second``."""
        self.round = round
        self.first, self.second = self.split(first, second)
        self._batches = 0
        self._used: set[int] = set()

    def split(self, first: Array, second: Array) -> tuple[Array, Array]:
        """Moments ``(B, d)`` and ``(B, B, d, d)`` of vectors as those of their parts, ``L`` for each."""
        count, d = first.shape
        parts = len(self.blocks)
        if parts == 1:
            return first, second
        means = first[:, None, :] * self._masks
        left, right = self._masks[:, None, :, None], self._masks[None, :, None, :]
        pairs = second[:, None, :, None] * (left * right)[None, :, None]
        return means.reshape(count * parts, d), pairs.reshape(count * parts, count * parts, d, d)

    def send(self, w: Vector) -> ClientVector:
        if w.payload.random:
            refuse_resent()
        rows = np.broadcast_to(w.payload.const, (self.n_clients, len(w.payload.const)))
        return ClientVector(self, ClientRows(rows, None, self.folded))

    def batch(self) -> int:
        self._batches += 1
        return self._batches - 1

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        index = self.batch() if batch is None else batch
        if index in self._used and self.covariances is not None:
            raise ValueError("two gradients on one draw: their joint law is not kept by this reading")
        self._used.add(index)
        points = self._at_cohort(x.payload).base
        before = len(self.first)
        for k in range(self.n_clients):
            self._answer(self.problem.matrices[k], self.problem.vectors[k], points[k], partial(self._covariance, k))
        places = np.repeat(np.arange(self.n_clients), len(self.blocks))
        answers = np.zeros((self.n_clients, before + len(places)), dtype=self.numbers.dtype)
        answers[places, before + np.arange(len(places))] = self._scale[places]
        return ClientVector(self, ClientRows(answers, None, self.folded))

    @property
    def centre(self) -> CentralLoss:
        """The server's own loss."""
        return CentralLoss(self, self._centre_gradient, self._centre_prox)

    def _centre_gradient(self, y: ServerRows) -> ServerRows:
        loss = require_centre(self.problem).centre
        if y.random:
            raise ValueError(
                "the server's own loss was asked at a random average of its round: not kept by this reading"
            )
        quiet = self.central.covariances is None
        self._answer(loss.mean_matrix, loss.mean_vector, y.const, None if quiet else self.central.at)
        unit = np.zeros(len(self.first), dtype=self.numbers.dtype)
        unit[-len(self.blocks) :] = self.numbers.convert(1)
        return ServerRows(unit)

    def _centre_prox(self, y: ServerRows, step_size: Number) -> ServerRows:
        matrix, vector = self._proximal.central_map(self._proximal.step_size(step_size))
        if y.random:
            raise ValueError(
                "the server's own loss was asked at a random average of its round: not kept by this reading"
            )
        self._answer(matrix, -vector, y.const, None)
        unit = np.zeros(len(self.first), dtype=self.numbers.dtype)
        unit[-len(self.blocks) :] = self.numbers.convert(1)
        return ServerRows(unit)

    def prox(self, x: ClientVector, step_size: Number) -> ClientVector:
        """The step ``M_k x + v_k`` is an answer without noise."""
        matrices, vectors = self._proximal.maps(self._proximal.step_size(step_size))
        points = self._at_cohort(x.payload).base
        before = len(self.first)
        for k in range(self.n_clients):
            self._answer(matrices[k], -vectors[k], points[k], None)
        return ClientVector(self, ClientRows(self._units(before), None, self.folded))

    def compress(self, x: ClientVector, variance: Number) -> ClientVector:
        """A row of noise: no mean, uncorrelated with all others, its covariance ``omega`` times the diagonal of ``E x x'``."""
        omega = compressor_variance(self.numbers, variance)
        if omega == 0:
            return x
        points = self._at_cohort(x.payload).base
        before, parts, d = len(self.first), len(self.blocks), self.dimension
        size = before + self.n_clients * parts
        first = np.zeros((size, d), dtype=self.numbers.dtype)
        second = np.zeros((size, size, d, d), dtype=self.numbers.dtype)
        first[:before], second[:before, :before] = self.first, self.second
        for k, coefficients in enumerate(points):
            known = slice(0, len(coefficients))
            itself = np.tensordot(coefficients, self.second[known, known], axes=(0, 0))
            squares = omega * np.diagonal(np.tensordot(coefficients, itself, axes=(0, 0)))
            for part, mask in enumerate(self._masks):
                place = before + k * parts + part
                second[place, place][np.arange(d), np.arange(d)] = mask * squares
        self.first, self.second = first, second
        rows = add_parts(points, self._units(before), 1)
        return ClientVector(self, ClientRows(rows, None, self.folded))

    def _units(self, before: int) -> Array:
        """Coefficients of each client's newest base vector, in its parts, ``before`` counting the older ones."""
        places = np.repeat(np.arange(self.n_clients), len(self.blocks))
        units = np.zeros((self.n_clients, before + len(places)), dtype=self.numbers.dtype)
        units[places, before + np.arange(len(places))] = self.numbers.convert(1)
        return units

    def _covariance(self, client: int, point: Array) -> Array:
        """``E Cov(g | x)`` of a client's answer from ``E (x,1)(x,1)'``; zero with exact gradients."""
        if self.covariances is None:
            return np.zeros((self.dimension, self.dimension), dtype=self.numbers.dtype)
        extended = np.zeros((self.n_clients, *point.shape), dtype=self.numbers.dtype)
        extended[client] = point
        found: Array = self.covariances.at(extended)[client]
        return found

    def _answer(
        self, matrix: Array, vector: Array, coefficients: Array, covariance: Callable[[Array], Array] | None
    ) -> None:
        """The rows of an answer ``matrix x - vector`` (unscaled) at the point with these coefficients.

        ``covariance`` gives that of its noise from ``E (x,1)(x,1)'``, ``None`` for exact answers.
        """
        count, d = self.first.shape
        point = np.zeros(count, dtype=self.numbers.dtype)
        point[: len(coefficients)] = coefficients
        mean = point @ self.first
        with_others = np.tensordot(point, self.second, axes=(0, 0))
        rows = matrix @ with_others - vector[None, :, None] * self.first[:, None, :]
        itself = np.tensordot(point, with_others, axes=(0, 0))
        crossed = (matrix @ mean)[:, None] * vector[None, :]
        square = matrix @ itself @ matrix.T - crossed - crossed.T + vector[:, None] * vector[None, :]
        if covariance is not None:
            extended = np.zeros((d + 1, d + 1), dtype=self.numbers.dtype)
            extended[:d, :d], extended[:d, d], extended[d, :d] = itself, mean, mean
            extended[d, d] = self.numbers.convert(1)
            square = square + covariance(extended)
        masks, parts = self._masks, len(self.blocks)
        first = np.zeros((count + parts, d), dtype=self.numbers.dtype)
        first[:count], first[count:] = self.first, masks * (matrix @ mean - vector)
        second = np.zeros((count + parts, count + parts, d, d), dtype=self.numbers.dtype)
        second[:count, :count], second[count:, :count] = self.second, masks[:, None, :, None] * rows
        second[count:, count:] = masks[:, None, :, None] * masks[None, :, None, :] * square
        second[:count, count:] = second[count:, :count].transpose(1, 0, 3, 2)
        self.first, self.second = first, second

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        rows = self._at_cohort(x.payload).base
        if self.folded:
            return Vector(self, ServerRows(self.weights @ rows))
        if absent is not None:
            require_plain_absent(absent.payload.random)
        elif self.scheme is not None:
            require_no_absent(bool(self.scheme.mean[self.n_clients + 1] != 0), self.participation)
        zero = np.zeros(rows.shape[1], dtype=self.numbers.dtype)
        return Vector(self, ServerRows(zero, rows, None if absent is None else absent.payload.const))

    def population_average(self, x: ClientVector) -> Vector:
        form: ClientRows = x.payload
        require_everyone(form.everyone)
        members = None if form.member is None else form.member * self.weights[:, None]
        return Vector(self, ServerRows(self.weights @ form.base, members=members))

    def layers(self, due: Any, x: ClientVector) -> ClientVector:
        require_known_blocks(due, "the table reading knows linear rounds only")
        chosen = np.array(self.blocks.chosen(due))
        rows = self._at_cohort(x.payload).base
        if not chosen.any():
            return ClientVector(self, ClientRows(rows, None, self.folded))
        if not self.folded:
            refuse_resent()
        columns = chosen[np.arange(rows.shape[1]) % len(chosen)]
        mixed = np.array(rows)
        mixed[:, columns] = (self.weights @ rows)[columns]
        return ClientVector(self, ClientRows(mixed, None, True))

    def scale(self, numbers: Any, v: AnyVector) -> AnyVector:
        require_vector(v, self, "scale")
        factors = coordinate_numbers(numbers, self.numbers, self.blocks)
        one_each = [factors[self.blocks.block_of == block] for block in range(len(self.blocks))]
        if any(bool(factor != own[0]) for own in one_each for factor in own):
            raise ValueError(
                "scale: the numbers differ within a block, and the table keeps one coefficient per block and vector; use "
                "moments(), or name every coordinate as a block with with_blocks(problem, ...)"
            )
        numbers_of = np.array([own[0] for own in one_each], dtype=self.numbers.dtype)

        def scaled(rows: Array | None, _: Array | None) -> Array | None:
            return None if rows is None else rows * numbers_of[np.arange(rows.shape[-1]) % len(numbers_of)]

        return type(v)(self, map_parts(v.payload, v.payload, scaled))

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        if self.folded:
            return new
        require_old_state(otherwise.payload.everyone, self.participation)
        old = otherwise.payload.base
        return ClientVector(self, ClientRows(old, add_parts(self._at_cohort(new.payload).base, old, -1), True))

    def per_client(self, numbers: Any) -> PerClient:
        return per_client_numbers(numbers, self.numbers, self.n_clients)

    def decide(self, rule: Callable[..., Any], *vectors: AnyVector) -> AnyVector:
        refuse_rule("the table reading knows linear rounds only")

    def zero(self) -> Vector:
        return Vector(self, ServerRows(np.zeros(1, dtype=self.numbers.dtype)))

    def zero_clients(self) -> ClientVector:
        return ClientVector(self, ClientRows(np.zeros((self.n_clients, 1), dtype=self.numbers.dtype), None, True))

    def add(self, left: Any, right: Any, sign: int) -> Any:
        if isinstance(left, ClientRows) and left.everyone != right.everyone:
            left, right = self._at_cohort(left), self._at_cohort(right)
        return map_parts(left, right, lambda a, b: add_parts(a, b, sign))

    def multiply(self, payload: Any, number: Number) -> Any:
        factor = accept(self.numbers, number)
        return map_parts(payload, payload, lambda a, _: None if a is None else a * factor)

    def scale_clients(self, payload: ClientRows, numbers: PerClient) -> ClientRows:
        factors = np.array(numbers.numbers, dtype=self.numbers.dtype)[:, None]
        scaled: ClientRows = map_parts(payload, payload, lambda a, _: None if a is None else a * factors)
        return scaled

    def reciprocal(self, number: Number) -> Any:
        return 1 / accept(self.numbers, number)

    def _at_cohort(self, form: ClientRows) -> ClientRows:
        if self.folded or not form.everyone:
            return form
        return ClientRows(form.base if form.member is None else add_parts(form.base, form.member, 1))

    def state(self, layout: Layout, template: Any) -> Any:
        """The unknown state: one base vector (in its parts) per server leaf, one per client and per-client leaf."""
        unit = self.numbers.array(np.repeat(np.eye(base_count(layout), dtype=int), len(self.blocks), axis=1))
        vectors: list[Any] = []
        at = 0
        for server in layout.server:
            count = 1 if server else self.n_clients
            form = ServerRows(unit[at]) if server else ClientRows(unit[at : at + count], None, True)
            vectors.append(Vector(self, form) if server else ClientVector(self, form))
            at += count
        return with_leaves(template, vectors)


def base_count(layout: Layout) -> int:
    """How many vectors of ``d`` entries a state holds."""
    return layout.size // layout.dimension


if TYPE_CHECKING:
    #: Held against the vocabulary by the type checker.
    _FEDERATION: type[Federation] = TableFederation
