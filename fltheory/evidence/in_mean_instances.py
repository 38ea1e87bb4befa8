"""Exact small instances of a statement about vectors and averages: they meet its hypotheses, and may break it.

Vectors are numbers, an axis has two points, a function is a quadratic on each client; everything is drawn from a few plain
fractions with a fixed seed, means that are known are made to hold, and instances against a hypothesis are thrown away.  A
hypothesis of a function is looked at where the proof uses it and between 0, 1 and -2.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, permutations, product
from random import Random
from typing import Any

from fltheory.derivation.packs import form_of
from fltheory.evidence.arithmetic import evaluate
from fltheory.evidence.in_mean import InMean, Use, listed
from fltheory.evidence.relation_points import value_of

#: How many instances are tried.
MOST = 3000
_PLAIN = tuple(map(Fraction, ("0", "1", "-1", "2", "1/2", "-2", "3", "1/4", "-1/2", "4")))
_WEIGHTS = ((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 3), Fraction(2, 3)), (Fraction(1),))
_SPARE = {"zero_": Fraction(0), "one_": Fraction(1), "other_": Fraction(-2)}
Point = Mapping[str, int]


def instances(stated: InMean) -> Iterator[SmallInstance]:
    """Instances that meet the hypotheses."""
    random = Random(0)
    for number in range(MOST):
        try:  # a range may be empty, or have fewer values than are asked for
            one = SmallInstance(stated, random, number)
            if one.meets_all():
                yield one
        except (ZeroDivisionError, IndexError, ValueError):
            continue


def broken(stated: InMean, most: int | None = None) -> tuple[int, str, float]:
    """How many instances were tried, the first that breaks the statement in words (empty: none), and its margin."""
    tried = 0
    for one in islice(instances(stated), most):
        tried += 1
        try:
            text, margin = one.breach()
        except (ZeroDivisionError, ValueError):
            continue
        if text:
            return tried, text, margin
    return tried, "", 0.0


class SmallInstance:
    """Numbers, tables of vectors and quadratics, drawn when they are first asked for."""

    def __init__(self, stated: InMean, random: Random, number: int) -> None:
        self.stated, self.random = stated, random
        self.things = {one["name"]: one for one in stated.read_things if "of" not in one or one.get("name")}
        self.points = {point: one for one in stated.read_things if one.get("of") for point in listed(one["points"])}
        axes = {axis for found in stated.axes.values() for axis in found} | set(stated.over.split())
        self.weights = {axis: random.choice(_WEIGHTS[: 3 if axis == "k" else 1]) for axis in sorted(axes)}
        self.numbers: dict[str, dict[tuple[int, ...], Fraction]] = {}
        self.tables: dict[tuple[str, tuple[int, ...]], Fraction] = {}
        self.quadratics: dict[tuple[str, tuple[int, ...]], list[Fraction]] = {}
        for name, low, high in stated.ranges:
            along = (stated.varies or {}).get(name, "").split()
            self.numbers[name] = {
                indices: self._number(low, high, dict(zip(along, indices, strict=True)))
                for indices in product(*(range(len(self.weights[axis])) for axis in along))
            }

    def _number(self, low: Any, high: Any, at: Point) -> Fraction:
        varies = self.stated.varies or {}
        known = {name: self._table(name, at) for name in self.numbers if {*varies.get(name, "").split()} <= at.keys()}
        plain = self.random.choice(_PLAIN)
        if low is None:
            return plain
        bottom = evaluate(low[0], known)
        top = None if high is None else evaluate(high[0], known)
        above = plain > bottom or (plain == bottom and not low[1])
        if above and (top is None or plain < top or (plain == top and not high[1])):
            return plain
        found: Fraction = value_of((low, high), self.random.randrange(6), known)
        return found

    def _table(self, name: str, at: Point) -> Fraction:
        along = (self.stated.varies or {}).get(name, "").split()
        return self.numbers[name][tuple(at[axis] for axis in along)]

    def _draw(self) -> Fraction:
        pool = [*_PLAIN, *(value for table in self.numbers.values() for value in table.values())]
        return self.random.choice(pool)

    # Values

    def value(self, node: ast.expr, at: Point) -> Fraction:
        """A form at a point of all axes on which it depends."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return Fraction(node.value)
        if isinstance(node, ast.Name):
            return self.named(node.id, at)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.value(node.operand, at)
        if isinstance(node, ast.BinOp):
            return _OPERATIONS[type(node.op)](self.value(node.left, at), self.value(node.right, at))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "mean":
                over = [one.id for one in node.args[1:] if isinstance(one, ast.Name)]
                return self.average(lambda point: self.value(node.args[0], point), over, at)
            one, two = node.args[0], node.args[-1]
            return self.value(one, at) * self.value(two, at)
        raise ValueError(f"{ast.unparse(node)} is no form")

    def average(self, term: Callable[[Point], Fraction], over: Sequence[str], at: Point) -> Fraction:
        """The average over axes."""
        total = Fraction(0)
        for indices in product(*(range(len(self.weights[axis])) for axis in over)):
            weight = Fraction(1)
            for axis, index in zip(over, indices, strict=True):
                weight *= self.weights[axis][index]
            total += weight * term({**at, **dict(zip(over, indices, strict=True))})
        return total

    def named(self, name: str, at: Point) -> Fraction:
        """A number, a vector, a value, or a function's value or gradient at a vector."""
        if name in self.numbers:
            return self._table(name, at)
        if name in _SPARE:
            return _SPARE[name]
        if name[:2] in ("f_", "g_") and (name[2:] in self.points or name[2:] in _SPARE):
            return self._of_function(name[0], name[2:], at)
        thing = self.things[name]
        if thing["equals"]:
            return self.value(ast.parse(thing["equals"], mode="eval").body, at)
        axes = (thing["axes"] or "").split()
        key = name, tuple(at[axis] for axis in axes)
        if key not in self.tables:
            along = thing["along"]
            if thing["mean"] and at[along] == len(self.weights[along]) - 1:
                wanted = self.value(ast.parse(thing["mean"], mode="eval").body, at)
                self.tables[key] = self._completing(wanted, lambda point: self.named(name, point), along, at)
            else:
                self.tables[key] = self._draw()
        return self.tables[key]

    def _completing(self, wanted: Fraction, term: Callable[[Point], Fraction], along: str, at: Point) -> Fraction:
        """The last of the values along an axis, which brings their mean to what is wanted."""
        *others, last = self.weights[along]
        rest = sum((w * term({**at, along: i}) for i, w in enumerate(others)), Fraction(0))
        return (wanted - rest) / last

    def _of_function(self, kind: str, point: str, at: Point, of: str = "") -> Fraction:
        of = of or (self.points[point]["of"] if point in self.points else next(iter(self.points.values()))["of"])
        curvature, slope, offset = self._quadratic(of, at)
        x = self.named(point, at)
        return curvature * x**2 / 2 + slope * x + offset if kind == "f" else curvature * x + slope

    def _quadratic(self, of: str, at: Point) -> list[Fraction]:
        """Curvature, slope and offset of a function; what is known of its gradient at a point settles its slope."""
        axes = (self.things[of]["axes"] or "").split() if of in self.things else []
        key = of, tuple(at[axis] for axis in axes)
        if key not in self.quadratics:
            found = self.quadratics[key] = [self._draw(), self._draw(), self._draw()]
            known = next(
                (p for p, one in self.points.items() if one["of"] == of and (one["mean"] or one["equals"])), None
            )
            if known is not None:
                one = self.points[known]
                wanted = self.value(ast.parse(one["equals"] or one["mean"], mode="eval").body, at)
                x = self.named(known, at)
                if one["equals"]:
                    found[1] = wanted - found[0] * x
                elif at[one["along"]] == len(self.weights[one["along"]]) - 1:
                    gradient = lambda point: self._of_function("g", known, point, of)  # noqa: E731
                    found[1] = self._completing(wanted, gradient, one["along"], at) - found[0] * x
        return self.quadratics[key]

    # Truth

    def _everywhere(
        self, form: str, over: Sequence[str], rename: Mapping[str, str] | None = None
    ) -> Iterator[Fraction]:
        """The averaged form at every point of the other axes."""
        tree = ast.parse(form, mode="eval").body
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and rename and node.id in rename:
                node.id = rename[node.id]
        others = [axis for axis in self.weights if axis not in over]
        for indices in product(*(range(len(self.weights[axis])) for axis in others)):
            yield self.average(lambda at: self.value(tree, at), list(over), dict(zip(others, indices, strict=True)))

    def meets_all(self) -> bool:
        """Whether ranges and hypotheses hold."""
        for name, low, high in self.stated.ranges:
            for value in self.numbers[name].values() if low else ():
                known = {other: self._table(other, dict.fromkeys(self.weights, 0)) for other in self.numbers}
                bottom = evaluate(low[0], known)
                if value < bottom or (value == bottom and low[1]):
                    return False
                if high is not None:
                    top = evaluate(high[0], known)
                    if value > top or (value == top and high[1]):
                        return False
        return all(self._meets(one) for one in self.stated.every_use)

    def _meets(self, one: Use) -> bool:
        form, over, letters, relation = (
            (one.form, one.over.split(), [f"x{i}" for i, _ in enumerate(one.at)], ">=")
            if one.form
            else form_of(one.hypothesis, one.names)
        )
        places: list[Sequence[str]] = [one.at]
        if letters:
            places += list(permutations(_SPARE, len(letters)))
        for place in places:
            rename = dict(zip(letters, place, strict=True))
            rename |= {f"{kind}_{letter}": f"{kind}_{p}" for letter, p in rename.items() for kind in "fg"}
            values = list(self._everywhere(form, over, rename))
            if any(value < 0 or (relation == "=" and value) for value in values):
                return False
        return True

    def breach(self) -> tuple[str, float]:
        """The instance and both sides in words where the statement is false, and by how much; empty where it is true."""
        over = self.stated.over.split()
        for number, (left, sign, right) in enumerate(self.stated.claims):
            for one, two in zip(self._everywhere(left, over), self._everywhere(right, over), strict=True):
                good = one <= two if sign == "<=" else one >= two if sign == ">=" else one == two
                if not good:
                    margin = -float(abs(one - two) / max(abs(one), abs(two)))
                    place = f" of relation {number}" if len(self.stated.claims) > 1 else ""
                    words = f"left{place} = {one}, right = {two}, so that left {sign} right is false"
                    return f"{self.words()}: {words}", margin
        return "", 0.0

    def words(self) -> str:
        """All that was drawn."""
        parts = [
            f"{axis} with weights {', '.join(map(str, weights))}"
            for axis, weights in self.weights.items()
            if len(weights) > 1
        ]
        parts += [f"{name} = {_values(table.values())}" for name, table in self.numbers.items()]
        names = dict.fromkeys(name for name, _ in self.tables)
        parts += [f"{name} = {_values(v for (n, _), v in sorted(self.tables.items()) if n == name)}" for name in names]
        for (name, place), (a, b, c) in sorted(self.quadratics.items()):
            index = f"_{''.join(str(i + 1) for i in place)}" if place else ""
            parts.append(f"{name}{index}(x) = {a}/2 x^2 + ({b}) x + ({c})".replace("/1/2", "/2"))
        return "; ".join(parts)


def _values(values: Any) -> str:
    found = [str(one) for one in values]
    return found[0] if len(found) == 1 else f"({', '.join(found)})"


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    return base ** int(exponent)


_OPERATIONS: Mapping[type, Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: _power,
}
