"""Functions of one variable: piecewise quadratics with a continuous derivative.

Linear functions, Huber functions and smooth convex functions with several curvatures are the usual worst cases of
first-order methods; here they are exact in rationals, minimisers included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from fltheory.problems.base import Array, Number, check_finite, check_number, check_positive, frozen
from fltheory.problems.numbers import as_number, harmonise, map_array, object_array, to_fraction


@dataclass(frozen=True, eq=False)
class PiecewiseQuadratic:
    """``f`` with ``f(anchor) = value``, ``f'(anchor) = slope`` and ``f'' = curvatures[i]`` between breakpoints.

    ``breakpoints``: ``m >= 0`` increasing numbers; ``curvatures``: ``m + 1`` numbers, from left to right.  A
    negative curvature is allowed.  Integers next to Fractions make it exact.  ``ValueError`` for other shapes.
    """

    breakpoints: Array
    curvatures: Array
    anchor: Number = 0
    slope: Number = 0
    value: Number = 0

    def __post_init__(self) -> None:
        names = ("breakpoints", "curvatures", "anchor", "slope", "value")
        data = harmonise({name: getattr(self, name) for name in names})
        breaks, curvatures = data["breakpoints"], data["curvatures"]
        if breaks.ndim != 1 or curvatures.shape != (len(breaks) + 1,):
            raise ValueError(
                f"breakpoints has shape {breaks.shape} and curvatures {curvatures.shape}; expected (m,) and (m + 1,)"
            )
        for name in names[2:]:
            check_number(name, getattr(self, name))
        for name in names:
            check_finite(name, data[name])
        if not all(a < b for a, b in pairwise(breaks.tolist())):
            raise ValueError(f"breakpoints={breaks.tolist()} do not increase; expected t_1 < t_2 < ...")
        object.__setattr__(self, "breakpoints", frozen(breaks))
        object.__setattr__(self, "curvatures", frozen(curvatures))
        for name in names[2:]:
            object.__setattr__(self, name, data[name].item())

    @property
    def exact(self) -> bool:
        """Whether the numbers are rationals."""
        return self.curvatures.dtype == object

    def promoted(self) -> PiecewiseQuadratic:
        """Floats that are whole numbers as rationals; other functions unchanged."""
        numbers = [*self.breakpoints.tolist(), *self.curvatures.tolist(), self.anchor, self.slope, self.value]
        if self.exact or any(number != int(number) for number in numbers):
            return self
        scalars = [to_fraction(number) for number in (self.anchor, self.slope, self.value)]
        arrays = [map_array(to_fraction, array) for array in (self.breakpoints, self.curvatures)]
        return PiecewiseQuadratic(*arrays, *scalars)

    @cached_property
    def pieces(self) -> tuple[tuple[Number, Number, Number, Number], ...]:
        """Per piece ``(r, v, s, c)``: ``f(x) = v + s (x - r) + c (x - r)^2/2``."""
        breaks, curvatures = self.breakpoints.tolist(), self.curvatures.tolist()
        home = sum(1 for t in breaks if t < self.anchor)
        found = {home: (self.anchor, self.value, self.slope, curvatures[home])}
        for i in range(home, len(breaks)):
            found[i + 1] = (breaks[i], *_evaluate(found[i], breaks[i]), curvatures[i + 1])
        for i in range(home, 0, -1):
            found[i - 1] = (breaks[i - 1], *_evaluate(found[i], breaks[i - 1]), curvatures[i - 1])
        return tuple(found[i] for i in range(len(breaks) + 1))

    def __call__(self, x: Array) -> Array:
        """``f(x)`` entry by entry."""
        return self._apply(x)[0]

    def derivative(self, x: Array) -> Array:
        """``f'(x)`` entry by entry."""
        return self._apply(x)[1]

    def _apply(self, x: Array) -> tuple[Array, Array]:
        breaks = self.breakpoints.tolist()
        index = np.zeros(x.shape, dtype=np.int64)
        for t in breaks:
            index += (x > t).astype(np.int64)
        dtype = object if self.breakpoints.dtype == object else np.float64
        columns = [np.array(column, dtype=dtype) for column in zip(*self.pieces, strict=True)]
        r, v, s, c = (column[index] for column in columns)
        step = x - r
        return np.asarray(v + s * step + c * step * step / 2), np.asarray(s + c * step)

    def minimum(self, *, name: str = "f") -> tuple[Number, Number]:
        """``(minimiser, minimum)``, the minimiser of least absolute value; ``ValueError`` if unbounded below."""
        (_, _, left, bend), (_, _, right, turn) = self.pieces[0], self.pieces[-1]
        if bend < 0 or (bend == 0 and left > 0):
            raise ValueError(f"{name} is unbounded below as w -> -infinity (slope {left}, curvature {bend} there)")
        if turn < 0 or (turn == 0 and right < 0):
            raise ValueError(f"{name} is unbounded below as w -> infinity (slope {right}, curvature {turn} there)")
        candidates = [point for i in range(len(self.pieces)) for point in self._stationary(i)]
        # In floats a stationary point on a border may fall outside both neighbours; borders are always admissible.
        candidates += [(t, i) for i, t in enumerate(self.breakpoints.tolist())]
        return min(
            ((w, _evaluate(self.pieces[i], w)[0]) for w, i in candidates), key=lambda pair: (pair[1], abs(pair[0]))
        )

    def _stationary(self, i: int) -> list[tuple[Number, int]]:
        breaks = self.breakpoints.tolist()
        low, high = (breaks[i - 1] if i else None), (breaks[i] if i < len(breaks) else None)
        r, _, s, c = self.pieces[i]
        if c == 0 and s != 0:
            return []
        point = 0 * r if c == 0 else r - s / c
        if low is not None and point < low:
            if c != 0:
                return []
            point = low
        if high is not None and point > high:
            if c != 0:
                return []
            point = high
        return [(point, i)]

    def map_numbers(self, convert: Callable[[Number], Any]) -> PiecewiseQuadratic:
        """Entries converted one by one."""
        scalars = [map_array(convert, object_array([v], ())).item() for v in (self.anchor, self.slope, self.value)]
        return PiecewiseQuadratic(map_array(convert, self.breakpoints), map_array(convert, self.curvatures), *scalars)


def linear(slope: Number) -> PiecewiseQuadratic:
    """``slope * w``: a bounded gradient, no curvature."""
    slope = as_number("slope", slope)
    check_number("slope", slope)
    return PiecewiseQuadratic(np.array([], dtype=int), np.array([0]), slope=slope)


def parabola(curvature: Number, centre: Number = 0) -> PiecewiseQuadratic:
    """``curvature (w - centre)^2/2``."""
    curvature, centre = as_number("curvature", curvature), as_number("centre", centre)
    check_number("curvature", curvature)
    check_number("centre", centre)
    return PiecewiseQuadratic(np.array([], dtype=int), np.array([curvature]), anchor=centre)


def huber(threshold: Number, curvature: Number = 1, centre: Number = 0) -> PiecewiseQuadratic:
    """``curvature (w - centre)^2/2`` within ``threshold`` of the centre, linear outside."""
    threshold = as_number("threshold", threshold)
    curvature, centre = as_number("curvature", curvature), as_number("centre", centre)
    check_positive("threshold", threshold)
    check_number("curvature", curvature)
    check_number("centre", centre)
    breaks = np.array([centre - threshold, centre + threshold])
    return PiecewiseQuadratic(breaks, np.array([0, curvature, 0]), anchor=centre)


def weighted_sum(functions: Sequence[PiecewiseQuadratic], weights: Sequence[Number]) -> PiecewiseQuadratic:
    """``sum_k p_k f_k``."""
    breaks = sorted({t for f in functions for t in f.breakpoints.tolist()})
    # A point inside each piece identifies which pieces of the summands are active there.
    inside = [breaks[0] - 1, *((a + b) / 2 for a, b in pairwise(breaks)), breaks[-1] + 1] if breaks else [0]
    curvatures = [
        sum(
            p * f.curvatures.tolist()[sum(1 for t in f.breakpoints.tolist() if t < point)]
            for p, f in zip(weights, functions, strict=True)
        )
        for point in inside
    ]
    dtype = functions[0].curvatures.dtype
    zero = np.array([0 * weights[0]], dtype=dtype)
    value = sum(p * f(zero).item() for p, f in zip(weights, functions, strict=True))
    slope = sum(p * f.derivative(zero).item() for p, f in zip(weights, functions, strict=True))
    return PiecewiseQuadratic(
        np.array(breaks, dtype=dtype), np.array(curvatures, dtype=dtype), zero.item(), slope, value
    )


def _evaluate(piece: tuple[Number, Number, Number, Number], x: Number) -> tuple[Number, Number]:
    r, v, s, c = piece
    step = x - r
    return v + s * step + c * step * step / 2, s + c * step
