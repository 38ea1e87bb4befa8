"""Exact proofs that a worst case is infinite: quadratic losses on which every bounded quantity is zero and the measure is not.

All that a model knows of an instance is quadratic in it: an instance that is ``s`` times as long has ``s^2`` times the
quantities and ``s^2`` times the measure.  So an instance with all quantities at most zero and a positive measure makes the
worst case infinite, whatever bounds are given.  Here such instances are sought among two clients and a server's own loss,

    f_k(x) = <x, A_k x>/2 + <b_k, x>,    f_c(x) = <x, A_c x>/2 + <b_c, x>,    mean A_k + A_c >= 0,    mean b_k + b_c = 0,

in three dimensions, run in rationals through the program of the method.  No solver and no tolerance is involved: step sizes
may be as small as they like.  What is not found may grow all the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from fltheory.problems.linear_algebra import solve_exact
from fltheory.worstcase import verifier
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.client_classes import ClientClasses
from fltheory.worstcase.functional import Functional
from fltheory.worstcase.model import Model

Vector = tuple[Fraction, ...]
Matrix = tuple[Vector, ...]
Pair = tuple[Vector, Vector]

ZERO: Vector = (Fraction(0),) * 3
FIRST: Vector = (Fraction(1), Fraction(0), Fraction(0))
#: x -> (x_2, x_1 + x_3, x_2): eigenvalues 0 and -+ sqrt 2; it leads from the first coordinate to the last in two steps.
CHAIN: Matrix = tuple(tuple(Fraction(int(abs(i - j) == 1)) for j in range(3)) for i in range(3))


@dataclass(frozen=True)
class Growth:
    """An instance with all quantities at most zero and a positive ``measure``: every multiple of it is an instance too.

    ``clients`` are two pairs ``(A_k, b_k)``, ``centre`` is ``(A_c, b_c)``, zero where the method asks for no such loss;
    ``start`` is the first model, relative to the minimiser at the origin; ``state`` is every given direction of the server;
    its opposite is the mean of every given direction of the clients, and turned by a coordinate it is what they deviate.
    ``curvatures`` are those of parabolas, the losses of each of several classes of clients in the place of ``clients``.
    """

    clients: tuple[tuple[Matrix, Vector], tuple[Matrix, Vector]]
    centre: tuple[Matrix, Vector]
    start: Vector
    state: Vector
    measure: Fraction
    curvatures: tuple[Fraction, ...] = ()

    def belongs(self, clients: FunctionClass, centre: FunctionClass | None) -> bool:
        """Whether the losses are of their classes and the origin is a minimiser of their sum; exact."""
        (first, b), (second, c) = self.clients
        losses = [(first, clients), (second, clients)] + ([] if centre is None else [(self.centre[0], centre)])
        inside = all(
            _semidefinite(_sum((matrix, 1), (parabola(kind.mu), -1)))
            and _semidefinite(_sum((parabola(kind.L), 1), (matrix, -1)))
            for matrix, kind in losses
        )
        total = _sum((first, Fraction(1, 2)), (second, Fraction(1, 2)), (self.centre[0], 1))
        slopes = [(x + y) / 2 + z for x, y, z in zip(b, c, self.centre[1], strict=True)]
        return inside and _semidefinite(total) and not any(slopes)


@dataclass(frozen=True)
class Ran:
    """Basis vectors of the Gram blocks (one for each of both clients) and function values, of a run."""

    basis: Mapping[tuple[str, int], Pair]
    values: Mapping[int, Fraction]

    def gram(self, block: str, i: int, j: int) -> Fraction:
        """An entry of a block; noises are zero."""
        if " " in block:
            return Fraction(0)
        return (
            sum((_dot(x, y) for x, y in zip(self.basis[block, i], self.basis[block, j], strict=True)), Fraction(0)) / 2
        )

    def evaluate(self, model: Model, functional: Functional) -> Fraction:
        """A functional's value."""
        gram, single = model.form(functional)
        total = sum((entry * self.gram(*key) for key, entry in gram.items()), Fraction(0))
        return total + sum((entry * self.values[register] for register, entry in single.items()), Fraction(0))


def growth(model: Model, left: Callable[[], float] = lambda: math.inf) -> Growth | None:
    """An exact instance of growth, or ``None`` where none was found (which does not say that there is none).

    ``left`` tells the seconds that are left; no further instance is tried when there are none.
    """
    clients = model.clients
    if isinstance(clients, ClientClasses):
        return None  # candidates are clients of one class
    if any(item[0] in ("minimiser", "infimum") for item in model.instructions):
        return None
    centre = model.centre if model.space.has_centre else None
    for candidate in _candidates(model, clients):
        if left() <= 0:
            return None
        ran = run(model, candidate)
        if ran is None or any(ran.evaluate(model, item.functional) > 0 for item in model.assumptions):
            continue
        measure = ran.evaluate(model, model.measure)
        if measure > 0 and candidate.belongs(clients, centre):
            return replace(candidate, measure=measure)
    return None


def _candidates(model: Model, clients: FunctionClass) -> Iterator[Growth]:
    """From the minimiser with unlike slopes there; from a place where the sum of all losses is flat and its parts are not; from
    anywhere with parabolas (where the start is not bounded); from the minimiser with a state of the method's own."""
    centre = model.centre if model.space.has_centre else None
    deviations = (1, 0) if model.shares.clients != 1 else (0,)
    shared = (0, 1) if centre is not None else (0,)
    for deviation in deviations:
        for push in shared:
            if deviation or push:
                yield _at_minimiser(clients, centre, Fraction(deviation), Fraction(push))
    if clients.mu < 0:
        for deviation in deviations:
            for push in shared if centre is not None and centre.mu < 0 else (0,):
                if deviation or push:
                    yield _on_a_plain(clients, centre, Fraction(deviation), Fraction(push))
    for curvature in (clients.L, clients.mu):
        for own in (centre.L, centre.mu) if centre is not None else (Fraction(0),):
            if curvature + own >= 0:
                losses = (parabola(curvature), ZERO)
                yield Growth((losses, losses), (parabola(own), ZERO), FIRST, ZERO, Fraction(0))
    if any(item[0] == "given" and item[2] == 0 for item in model.instructions):
        yield replace(_at_minimiser(clients, centre, Fraction(0), Fraction(0)), state=FIRST)


def _at_minimiser(clients: FunctionClass, centre: FunctionClass | None, deviation: Fraction, push: Fraction) -> Growth:
    """``x_0 = x* = 0``; slopes ``deviation`` along the first axis (opposite signs), ``push`` along the second (against the
    server's)."""
    half = (clients.L - clients.mu) / 2
    middle = parabola((clients.L + clients.mu) / 2 + half / 4)
    tilt = half / 4 * deviation
    slopes = [(sign * deviation, push, Fraction(0)) for sign in (1, -1)]
    first, second = (
        (_sum((middle, 1), (CHAIN, sign * tilt)), slope) for sign, slope in zip((1, -1), slopes, strict=True)
    )
    own = parabola(Fraction(0) if centre is None else (centre.L + centre.mu) / 2 + (centre.L - centre.mu) / 4)
    return Growth((first, second), (own, (Fraction(0), -push, Fraction(0))), ZERO, ZERO, Fraction(0))


def _on_a_plain(clients: FunctionClass, centre: FunctionClass | None, deviation: Fraction, push: Fraction) -> Growth:
    """``x_0`` along the first axis, which all of ``mean A_k + A_c`` ignores; its parts turn there, against each other."""
    room = min(-clients.mu, clients.L) / 8
    if centre is not None:
        room = min(room, centre.L / 8, -centre.mu / 8 if push else room)
    rise = _sum((tuple(tuple(Fraction(int(i == j == 2)) for j in range(3)) for i in range(3)), room))
    low = parabola(Fraction(0))
    if centre is not None and centre.mu > 0:  # then mean A_k carries what makes up for it
        low = parabola(centre.mu)
    first, second = ((_sum((rise, 1), (CHAIN, room * (push + sign * deviation)), (low, -1)), ZERO) for sign in (1, -1))
    own = _sum((CHAIN, -room * push), (low, 1), (rise, int(centre is not None)))
    return Growth((first, second), (own, ZERO), FIRST, ZERO, Fraction(0))


def run(model: Model, instance: Growth) -> Ran | None:
    """The method's program on an instance, without noise; clients' minimisers and infima are those of losses with none below 0.

    ``None`` where a gradient is not what the model says of it: at a minimiser that the clients share they are alike.
    """
    queries = {query.register: query for group in model.groups for query in group.queries}
    basis: dict[tuple[str, int], Pair] = {}
    values: dict[int, Fraction] = {}

    def place(vector: Mapping[tuple[str, int], Fraction]) -> Pair:
        parts = [(entry, basis[key]) for key, entry in vector.items() if " " not in key[0]]
        first, second = (
            tuple(sum((entry * pair[k][i] for entry, pair in parts), Fraction(0)) for i in range(3)) for k in (0, 1)
        )
        return first, second

    for register, item in enumerate(model.instructions):
        coordinates = model.space.coordinates[register]
        if item[0] == "given":
            begin, apart = (instance.start, ZERO) if item[2] == 1 else (instance.state, _turned(instance.state))
            if item[1:3] == ("clients", 0):
                begin = _opposite(begin)
            away = (ZERO, ZERO) if model.shares.clients == 1 else (apart, _opposite(apart))
            basis |= {key: (begin, begin) if key[0] == "mean" else away for key in coordinates}
        elif item[0] == "minimiser":
            basis |= {key: (ZERO, ZERO) for key in coordinates}
            values[register] = Fraction(0)
        elif item[0] == "infimum":
            values[register] = Fraction(0)
        elif item[0] in ("gradient", "centre", "prox", "centre prox"):
            losses = instance.clients if item[0] in ("gradient", "prox") else (instance.centre, instance.centre)
            if item[0] == "gradient" and instance.curvatures:
                losses = ((parabola(instance.curvatures[item[2] - 1]), ZERO),) * 2
            if item[0] in ("gradient", "centre"):
                points = place(queries[register].point)
            else:
                begins = place(model.space.coordinates[item[1]])
                found = [_implicit(a, b, x, item[2]) for (a, b), x in zip(losses, begins, strict=True)]
                if any(point is None for point in found):
                    return None
                points = found[0], found[1]  # type: ignore[assignment]
            pulls = [_apply(a, x) for (a, _), x in zip(losses, points, strict=True)]
            slopes = [_plus(pull, b) for pull, (_, b) in zip(pulls, losses, strict=True)]
            mean = tuple(x / 2 + y / 2 for x, y in zip(*slopes, strict=True))
            for key, entry in coordinates.items():
                if key[0] == "mean":
                    one = tuple(entry * x for x in mean)  # the factor is -1 for the server's gradient at the minimiser
                    basis[key] = one, one
                elif key[0] == "deviation":
                    apart = tuple(x - y for x, y in zip(slopes[0], mean, strict=True))
                    basis[key] = apart, _opposite(apart)
            if place(coordinates) != tuple(slopes):
                return None
            heights = [_dot(x, pull) / 2 + _dot(b, x) for x, pull, (_, b) in zip(points, pulls, losses, strict=True)]
            values[register] = sum(heights, Fraction(0)) / 2
    return Ran(basis, values)


def parabola(factor: Fraction) -> Matrix:
    """The matrix of ``factor |x|^2/2``."""
    return tuple(tuple(factor * (i == j) for j in range(3)) for i in range(3))


def _implicit(matrix: Matrix, slope: Vector, x: Vector, factor: Fraction) -> Vector | None:
    """``y = x - factor (matrix y + slope)``, if there is one such ``y``."""
    left = np.array(_sum((parabola(Fraction(1)), 1), (matrix, factor)), dtype=object)
    right = np.array([a - factor * b for a, b in zip(x, slope, strict=True)], dtype=object)
    solved = solve_exact(left, right)
    return None if solved is None or solved[1].shape[1] else tuple(solved[0].tolist())


def _sum(*terms: tuple[Matrix, Fraction | int]) -> Matrix:
    return tuple(
        tuple(sum((factor * matrix[i][j] for matrix, factor in terms), Fraction(0)) for j in range(3)) for i in range(3)
    )


def _apply(matrix: Matrix, x: Vector) -> Vector:
    return tuple(_dot(row, x) for row in matrix)


def _plus(x: Vector, y: Vector) -> Vector:
    return tuple(a + b for a, b in zip(x, y, strict=True))


def _opposite(x: Vector) -> Vector:
    return tuple(-a for a in x)


def _turned(x: Vector) -> Vector:
    return x[-1:] + x[:-1]


def _dot(x: Vector, y: Vector) -> Fraction:
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


def _semidefinite(matrix: Matrix) -> bool:
    found: bool = verifier.positive_semidefinite([list(row) for row in matrix])
    return found
