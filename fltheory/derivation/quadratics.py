"""CurvedFunctions with rational data for the functions that lines declare, as curved as their hypotheses allow."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any
from zlib import crc32

from fltheory.derivation.draws import Declared
from fltheory.derivation.finite import Point, plus

Q = Fraction
DIMENSION = 2
Vector = tuple[Fraction, ...]


def some(*labels: Any) -> Fraction:
    """A number that belongs to the labels: a quarter of one of -4 to 4, never 0."""
    return Q((1, -2, 3, -4, -1, 2, -3, 4)[crc32(repr(labels).encode()) >> 7 & 7], 4)


def some_vector(*labels: Any) -> Vector:
    return tuple(some(*labels, i) for i in range(DIMENSION))


class CurvedFunctions:
    """sum_i a_i (x_i - c_i)^2/2 + b for each function and client; ``number`` gives the value of a constant."""

    def __init__(self, draws: Declared, number: Callable[[str], Fraction]) -> None:
        self.draws, self.number = draws, number
        self._sums: dict[str, list[str]] = {}

    def functions(self) -> dict[str, Any]:
        """Values and gradients, of vectors at points, by the functions' names."""
        return {name: self._function(name) for name in self.draws.named["function"]}

    def _function(self, name: str) -> tuple[Callable[[Vector, Point], Fraction], Callable[[Vector, Point], Vector]]:
        clients = self.has_clients(name)

        def parts(p: Point) -> list[tuple[Fraction, tuple[Vector, Vector]]]:
            if clients:
                return [(Q(1), self.data(name, p[self.draws.client]))]
            return [
                (weight, self.data(one, k)) for one in self._sum_of(name) or [name] for k, weight in self._shares(one)
            ]

        def value(x: Vector, p: Point) -> Fraction:
            terms = [w * a * (y - c) ** 2 / 2 for w, one in parts(p) for a, c, y in zip(*one, x, strict=True)]
            return sum(terms, some(name, p[self.draws.client] if clients else None))

        def slope(x: Vector, p: Point) -> Vector:
            total: Vector = (Q(0),) * DIMENSION
            for w, one in parts(p):
                total = plus(total, tuple([w * a * (y - c) for a, c, y in zip(*one, x, strict=True)]))
            return total

        return value, slope

    def _shares(self, name: str) -> list[tuple[Any, Fraction]]:
        """The clients with their weights, or one that is all."""
        return [*self.draws.weights.items()] if self.has_clients(name) else [(None, Q(1))]

    def has_clients(self, name: str) -> bool:
        return bool(self.draws.named["function"][name].get("axes"))

    def data(self, name: str, k: Any) -> tuple[Vector, Vector]:
        """Curvatures and centre; the second part of a sum leaves to the first what the sum allows."""
        low, high = self._curvatures(name)
        turned = [*self.draws.named["function"]].index(name) + (k or 0)
        bends = [(low + high) / 2 if k == 2 else (high, low)[(i + turned) % 2] for i in range(DIMENSION)]
        for whole in self.draws.named["function"]:
            others = self._sum_of(whole)
            if name in others[1:]:
                most = self._curvatures(whole)[1]
                bends = [min(a, most - b) for a, b in zip(bends, self.data(others[0], k)[0], strict=True)]
        return tuple(bends), some_vector("centre", name, None if self._are_alike(name) else k)

    def _are_alike(self, name: str) -> bool:
        """Whether the clients share a minimiser: where their gradients add up to nothing each of them vanishes."""
        zeros = {line["let"] for line in self.draws.of_rule("let") if str(line["equals"]) == "0"}
        alike = [hypothesis for hypothesis, (_, names) in self.draws.packs.items() if zeros & {*names.values()}]
        return any(self.draws.named["hypothesis"][one].get("of") == name for one in alike)

    def _sum_of(self, name: str) -> list[str]:
        """The two functions of which a function is the sum, by the equation of its gradient at a point."""
        if name not in self._sums:
            self._sums[name] = self._summands(name)
        return self._sums[name]

    def _summands(self, name: str) -> list[str]:
        points = self.draws.of_rule("point")
        for line in points:
            equation = str(line.get("equals") or "-")
            if line["of"] == name and not equation.startswith("-"):
                gradients = re.findall(r"\w+", equation)
                return [p["of"] for p in points if (p.get("gradient") or f"g_{p['point']}") in gradients]
        return []

    def _curvatures(self, name: str) -> tuple[Fraction, Fraction]:
        """The least and the largest; a little less than zero where nothing says that a function is convex or bounded below."""
        low: list[Fraction] = []
        high: list[Fraction] = []
        for hypothesis, (pack, names) in self.draws.packs.items():
            of = self.draws.named["hypothesis"][hypothesis].get("of")
            if pack == "infimum" and of is not None and name in self._sum_of(of):
                low.append(Q(0))
            if of == name:
                if pack == "strongly convex":
                    low.append(self.number(names["mu"]))
                elif pack in ("convex", "infimum"):
                    low.append(Q(0))
                elif pack in ("smooth", "Lipschitz gradients"):
                    high.append(self.number(names["L"]))
        most = min(high, default=Q(1))
        weights = self.draws.weights if self.has_clients(name) else {}
        return max(low, default=-most * min([Q(1, 4), *weights.values()]) / 2), most

    def minimiser(self, functions: Sequence[str]) -> Vector:
        """Of the sum of functions, averaged over the clients."""
        top, bottom = [Q(0)] * DIMENSION, [Q(0)] * DIMENSION
        for name in functions:
            for k, weight in self._shares(name):
                for i, (a, c) in enumerate(zip(*self.data(name, k), strict=True)):
                    top[i], bottom[i] = top[i] + weight * a * c, bottom[i] + weight * a
        return tuple(t / b if b else Q(0) for t, b in zip(top, bottom, strict=True))

    def infimum(self, name: str, point: Point) -> Fraction:
        """A value that a hypothesis calls an infimum: of each client's function, or of their average.

        Raises
        ------
        LookupError : no hypothesis does.
        """
        for hypothesis, (pack, names) in self.draws.packs.items():
            of = str(self.draws.named["hypothesis"][hypothesis].get("of"))
            if name not in names.values() or pack not in ("infimum", "infimum of the average"):
                continue
            k, value = self.draws.client, self._function(of)[0]
            if pack == "infimum" and self.has_clients(of):
                return value(self.data(of, point[k])[1], point)
            at = self.minimiser(self._sum_of(of) or [of])
            return sum((weight * value(at, {k: one}) for one, weight in self._shares(of)), Q(0))
        raise LookupError(f"no hypothesis says what {name} is")
