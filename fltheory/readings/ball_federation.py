"""The ball reading: one round in floats with derivatives along every direction of the state, and with proven radii.

Rounds are deterministic: everyone takes part, gradients are exact.  Numbers that an algorithm multiplies with are the floats that
its text computes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from fltheory.algorithms.vocabulary import AnyVector, ClientVector, Federation, PerClient, Vector
from fltheory.kinds import Array, Floats, Number
from fltheory.problems.blocks import blocks_of
from fltheory.problems.mixed import client_part
from fltheory.problems.second_order import EPS, SecondOrder, sum_error
from fltheory.problems.second_order_of import second_order
from fltheory.readings.arrays import compressor_variance, per_client_numbers
from fltheory.readings.balls import SAFE, AskedAt, Ball, anchored, combined, multiplied, sizes
from fltheory.readings.centre import CentralLoss, require_centre
from fltheory.readings.coordinates import coordinate_numbers, require_vector
from fltheory.readings.entry import Setup
from fltheory.readings.numbers import FLOAT, accept
from fltheory.readings.proximal import ProximalSteps
from fltheory.readings.refusals import refuse_rule, require_known_blocks

#: Newton steps that polish a proximal step of a loss that is not quadratic.
POLISH = 2


class Curved:
    """Second derivatives of the clients and of the server's own loss, found when first asked for."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.clients: SecondOrder = second_order(client_part(problem))
        self._centre: SecondOrder | None = None

    @property
    def centre(self) -> SecondOrder:
        if self._centre is None:
            self._centre = second_order(require_centre(self.problem).centre)
        return self._centre

    @property
    def unknown(self) -> str:
        """Why nothing can be proved; empty where it can."""
        parts = [self.clients, self.centre] if hasattr(self.problem, "centre_gradient") else [self.clients]
        return next((part.unknown for part in parts if part.unknown), "")


class BallFederation:
    """The vocabulary over balls.  With ``rounding=False`` radii count no rounding: they are then Lipschitz bounds."""

    def __init__(self, entry: Setup, curved: Curved, rounding: bool = True) -> None:
        self.problem = entry.problem
        self.participation = entry.participation
        self.curved = curved
        self.eps = EPS if rounding else 0.0
        self.n_clients = int(self.problem.n_clients)
        self.dimension = int(self.problem.dimension)
        self.blocks = blocks_of(self.problem)
        self.weights = np.asarray(self.problem.weights, dtype=float)
        self.round = 0
        self.asked = 0
        self._batches = 0
        scale = self.participation.gradient_scale(list(self.weights))
        self._scale = None if scale is None else np.array(scale, dtype=float)
        self._proximal = ProximalSteps(self.problem, FLOAT, self._scale)

    # Linear words.

    def send(self, w: Vector) -> ClientVector:
        ball, n = w.payload, self.n_clients
        mid = np.broadcast_to(ball.mid[:, None], (len(ball.mid), n, self.dimension))
        return ClientVector(self, Ball(mid, np.full(n, ball.value), np.full(n, ball.slope)))

    def average(self, x: ClientVector, absent: Vector | None = None) -> Vector:
        return self.population_average(x)

    def population_average(self, x: ClientVector) -> Vector:
        ball, p = x.payload, self.weights
        mid = np.zeros((len(ball.mid), self.dimension))
        for k in range(self.n_clients):
            mid += p[k] * ball.mid[:, k]
        value, slope = p @ ball.value, p @ ball.slope
        if self.eps:
            share = sum_error(self.n_clients)
            value, slope = (
                r + share * float(p @ size) for r, size in zip((value, slope), sizes(ball.mid), strict=True)
            )
        return Vector(self, Ball(mid, np.asarray(value), np.asarray(slope)))

    def only_cohort(self, new: ClientVector, otherwise: ClientVector) -> ClientVector:
        return new

    def per_client(self, numbers: Any) -> PerClient:
        return per_client_numbers(numbers, FLOAT, self.n_clients)

    def layers(self, due: Any, x: ClientVector) -> ClientVector:
        if isinstance(due, Vector):
            require_known_blocks(due, "this reading differentiates a round")
        mask = self.blocks.coordinates(due)
        ball, mean = x.payload, self.population_average(x).payload
        mid = np.array(ball.mid)
        mid[..., mask] = mean.mid[:, None][..., mask]
        return ClientVector(self, Ball(mid, ball.value + mean.value, ball.slope + mean.slope))

    def scale(self, numbers: Any, v: AnyVector) -> AnyVector:
        require_vector(v, self, "scale")
        factors = np.asarray(coordinate_numbers(numbers, FLOAT, self.blocks), dtype=float)
        ball, most = v.payload, float(np.abs(factors).max())
        mid = ball.mid * factors
        rounded = [2 * self.eps * size for size in sizes(mid)]
        return type(v)(self, Ball(mid, most * ball.value + rounded[0], most * ball.slope + rounded[1]))

    def zero(self) -> Vector:
        return Vector(self, Ball(np.zeros((1, self.dimension)), np.asarray(0.0), np.asarray(0.0)))

    def zero_clients(self) -> ClientVector:
        none = np.zeros(self.n_clients)
        return ClientVector(self, Ball(np.zeros((1, self.n_clients, self.dimension)), none, none))

    def add(self, left: Ball, right: Ball, sign: int) -> Ball:
        rows = max(len(left.mid), len(right.mid))
        first, second = _rows(left.mid, rows), _rows(right.mid, rows)
        return combined(first + second if sign > 0 else first - second, left, right, sign, self.eps)

    def multiply(self, payload: Ball, number: Number) -> Ball:
        factor = float(accept(FLOAT, number))
        return multiplied(payload.mid * factor, payload, factor, self.eps)

    def scale_clients(self, payload: Ball, numbers: PerClient) -> Ball:
        factors = np.array(numbers.numbers, dtype=float)
        return multiplied(payload.mid * factors[:, None], payload, factors, self.eps)

    def reciprocal(self, number: Number) -> Any:
        return 1 / accept(FLOAT, number)

    # Words about losses.

    def batch(self) -> int:
        self._batches += 1
        return self._batches - 1

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        ball, second = x.payload, self.curved.clients
        points = np.ascontiguousarray(ball.mid[0])
        mid = np.empty(ball.mid.shape)
        mid[0] = client_part(self.problem).client_gradients(points[None])[0]
        found = [self._along(second, k, points[k], ball, ball.mid[1:, k], k, mid) for k in range(self.n_clients)]
        answer = self._answer(second, ball, mid, np.array([f[0] for f in found]), np.array([f[1] for f in found]))
        if self._scale is not None:
            answer = multiplied(answer.mid * self._scale[:, None], answer, self._scale, self.eps)
        return ClientVector(self, answer)

    @property
    def centre(self) -> CentralLoss:
        """The server's own loss."""
        return CentralLoss(self, self._centre_gradient, self._centre_prox)

    def _centre_gradient(self, ball: Ball) -> Ball:
        second, point = self.curved.centre, ball.mid[0]
        mid = np.empty(ball.mid.shape)
        mid[0] = require_centre(self.problem).centre_gradient(point[None])[0]
        value, slope = self._along(second, 0, point, ball, ball.mid[1:], None, mid)
        return self._answer(second, ball, mid, np.asarray(value), np.asarray(slope))

    def _along(
        self, second: SecondOrder, k: int, x: Array, ball: Ball, rows: Array, slot: int | None, mid: Floats
    ) -> tuple[float, float]:
        """Write ``H_k(x)`` times the rows into ``mid``; radii of gradient and products beside what ``x`` does to them."""
        value = second.gradient_error(k, x) * SAFE if self.eps else 0.0
        if not len(rows):
            return value, 0.0
        place = mid[1:] if slot is None else mid[1:, slot]
        place[...] = second.apply(k, x, rows)
        size = float(np.linalg.norm(rows))
        share = second.product_error(k, x) if self.eps else 0.0
        if ball.value[slot or 0] if ball.value.ndim else ball.value:
            radius = float(ball.value[slot or 0] if ball.value.ndim else ball.value)
            share += second.variation(k, x, radius * SAFE)
        return value, share * size * SAFE

    def _answer(self, second: SecondOrder, ball: Ball, mid: Floats, value: Floats, slope: Floats) -> Ball:
        if ball.asked is None:
            lower, upper = (second.lower, second.upper) if mid.ndim == 3 else (second.lower[0], second.upper[0])
            ball.asked = AskedAt(self.asked, np.asarray(lower), np.asarray(upper))
            self.asked += 1
        return anchored(mid, ball, 0.0, 1.0, (value, slope))

    def prox(self, x: ClientVector, step_size: Number) -> ClientVector:
        gamma, ball = self._proximal.step_size(step_size), x.payload
        part, everyone = client_part(self.problem), np.arange(self.n_clients)
        begin = ball.mid[0]
        near = self._proximal.at(begin[None], everyone[None], gamma)[0]
        mid, value, slope = np.empty(ball.mid.shape), np.empty(self.n_clients), np.empty(self.n_clients)
        rates = gamma * (np.ones(self.n_clients) if self._scale is None else self._scale)
        for k in range(self.n_clients):

            def slope_at(y: Array, client: int = k) -> Array:
                return np.asarray(part.client_gradients(y[None], np.array([client]))[0])

            radii = (float(ball.value[k]), float(ball.slope[k]))
            mid[:, k], value[k], slope[k] = self._implicit(
                self.curved.clients, k, ball.mid[:, k], near[k], float(rates[k]), slope_at, radii
            )
        return ClientVector(self, Ball(mid, value, slope))

    def _centre_prox(self, ball: Ball, step_size: Number) -> Ball:
        gamma = self._proximal.step_size(step_size)
        near = self._proximal.central_at(ball.mid[0][None], gamma)[0]
        centre = require_centre(self.problem)

        def slope_at(y: Array) -> Array:
            return np.asarray(centre.centre_gradient(y[None])[0])

        radii = (float(ball.value), float(ball.slope))
        mid, value, slope = self._implicit(self.curved.centre, 0, ball.mid, near, float(gamma), slope_at, radii)
        return Ball(mid, np.asarray(value), np.asarray(slope))

    def _implicit(
        self,
        second: SecondOrder,
        k: int,
        begin: Array,
        y: Array,
        gamma: float,
        slope_at: Callable[[Array], Array],
        radii: tuple[float, float],
    ) -> tuple[Array, float, float]:
        """``y + gamma grad f(y) = begin[0]`` and its derivatives, from an approximate ``y``.

        ``I + gamma H`` is at least ``1 + gamma mu > 0``, so that residuals divided by that number bound errors.
        """
        least = 1 + gamma * float(second.lower[k])
        identity = np.eye(len(y))
        for _ in range(POLISH):
            rest = y + gamma * slope_at(y) - begin[0]
            y = y - np.linalg.solve(identity + gamma * second.matrix(k, y), rest)
        rest = float(np.linalg.norm(y + gamma * slope_at(y) - begin[0]))
        noise = 4 * EPS * (float(np.linalg.norm(y)) + float(np.linalg.norm(begin[0])))
        noise += gamma * second.gradient_error(k, y)
        value = (radii[0] + (rest + noise if self.eps else 0.0)) / least * SAFE if least > 0 else np.inf
        along, slope = begin[1:], 0.0
        if len(along):
            along = np.linalg.solve(identity + gamma * second.matrix(k, y), begin[1:].T).T
            left = float(np.linalg.norm(along + gamma * second.apply(k, y, along) - begin[1:]))
            size = float(np.linalg.norm(along))
            share = gamma * (second.variation(k, y, value) + second.product_error(k, y)) + 8 * EPS
            slope = (radii[1] + left + share * size) / least * SAFE if least > 0 else np.inf
        return np.concatenate([y[None], along]), float(value), float(slope)

    # Refused words.

    def compress(self, x: ClientVector, variance: Number) -> ClientVector:
        if compressor_variance(FLOAT, variance) == 0:
            return x
        raise ValueError(
            "compress: which coordinates are kept is random, and beyond quadratics only deterministic rounds are read"
        )

    def decide(self, rule: Callable[..., Any], *vectors: AnyVector) -> AnyVector:
        refuse_rule("this reading differentiates a round")


def _rows(mid: Floats, rows: int) -> Floats:
    """Derivatives of a constant vector are zero."""
    if len(mid) == rows:
        return mid
    more = np.zeros((rows - len(mid), *mid.shape[1:]))
    return np.concatenate([mid, more])


if TYPE_CHECKING:
    #: Held against the vocabulary by the type checker.
    _FEDERATION: type[Federation] = BallFederation
