"""Texts of derivations averaged over the axes of an exact finite instance, by going through all their points."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Point = Mapping[str, Any]
Law = Mapping[Any, Fraction]
Names = Mapping[str, str]

HOLDS: Mapping[str, Callable[[Fraction], bool]] = {">=": lambda x: x >= 0, ">": lambda x: x > 0, "=": lambda x: x == 0}


def plus(a: Any, b: Any) -> Any:
    return tuple([x + y for x, y in zip(a, b, strict=True)]) if isinstance(a, tuple) else a + b


def times(a: Any, b: Any) -> Any:
    a, b = (b, a) if isinstance(a, tuple) else (a, b)
    return tuple([a * x for x in b]) if isinstance(b, tuple) else a * b


@dataclass(frozen=True)
class FiniteInstance:
    """Finite ``axes`` {axis: {point: weight}}; parameters, vectors (tuples) and values ``given`` as functions of a point, those
    with an equation or a definition may be left out; ``functions`` {name: (value, gradient)} of a vector and a point; the true
    ``cases`` at a point.  Times are whole numbers; what is given is defined at the time after the last too.  A point of a
    cohort's axis is the tuple of the clients at its places.  An axis may be a function of the time, as the past is; without a
    time it is all of the past.
    """

    axes: Mapping[str, Any]
    given: Mapping[str, Callable[[Point], Any]]
    functions: Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]] = field(default_factory=dict)
    cases: Callable[[Point], set[str]] = lambda point: set()


class Tabulated:
    """A number or a vector on some axes; it sees no others, and each value is computed once.

    ``late``: it knows of later times, as averages over time do.
    """

    def __init__(
        self, axes: Sequence[str] | frozenset[str], function: Callable[[Point], Any], late: bool = False
    ) -> None:
        self.axes, self.function, self.late = tuple(sorted(axes)), function, late
        self.values: dict[Any, Any] = {}

    def __call__(self, point: Point) -> Any:
        key = tuple([point[a] for a in self.axes])
        if key not in self.values:
            self.values[key] = self.function(dict(zip(self.axes, key, strict=True)))
        return self.values[key]


@dataclass(frozen=True)
class Text:
    """What a fact says, as text: averaged ``over`` axes, where its ``cases`` are true, some names standing for others."""

    form: str
    over: tuple[str, ...] = ()
    relation: str = ">="
    cases: frozenset[str] = frozenset()
    names: tuple[tuple[str, str], ...] = ()


class FiniteSpace:
    """FiniteSpace of texts over the axes of an instance."""

    def __init__(self, instance: FiniteInstance) -> None:
        self.instance, self.axes = instance, instance.axes
        self.made: dict[str, Tabulated] = {}
        self.lets: dict[str, ast.expr] = {}
        self.built: dict[Any, Tabulated] = {}
        self.texts: dict[Any, Tabulated] = {}
        self.found: dict[Text, list[Any]] = {}
        self.laws: dict[Any, list[tuple[dict[str, Any], Fraction]]] = {}

    def law(
        self, axes: Sequence[str], time: int | None = None, late: bool = False
    ) -> list[tuple[dict[str, Any], Fraction]]:
        """The points of some axes with their weights, at a time if it is none of them; ``late``: with all of the past."""
        key = tuple(axes), time, late
        if key not in self.laws:
            found: list[tuple[dict[str, Any], Fraction]] = [({}, Fraction(1))]
            for axis in sorted(axes, key=lambda a: callable(self.axes[a])):
                law = self.axes[axis]
                found = [
                    ({**one, axis: x}, weight * more)
                    for one, weight in found
                    for x, more in (law(None if late else one.get("t", time)) if callable(law) else law).items()
                ]
            self.laws[key] = found
        return self.laws[key]

    def points(self, axes: Sequence[str], late: bool = False) -> Iterator[dict[str, Any]]:
        return (one for one, _ in self.law(axes, late=late))

    def average(self, inner: Tabulated, over: Sequence[str]) -> Tabulated:
        over = [a for a in inner.axes if a in over]
        if not over:
            return inner

        def averaged(point: Point) -> Any:
            terms = (
                times(weight, inner({**point, **one})) for one, weight in self.law(over, point.get("t"), inner.late)
            )
            total = next(terms)
            for term in terms:
                total = plus(total, term)
            return total

        return Tabulated([a for a in inner.axes if a not in over], averaged, inner.late or "t" in over)

    def read(self, text: Any, names: Names | None = None) -> Tabulated:
        key = str(text), tuple(sorted((names or {}).items()))
        if key not in self.texts:
            self.texts[key] = self.build(ast.parse(key[0], mode="eval").body, names or {})
        return self.texts[key]

    def build(self, node: ast.expr, names: Names) -> Tabulated:
        key = ast.unparse(node), tuple(sorted(names.items()))
        if key not in self.built:
            self.built[key] = self._build(node, names)
        return self.built[key]

    def _build(self, node: ast.expr, names: Names) -> Tabulated:
        if isinstance(node, ast.Name):
            name = names.get(node.id, node.id)
            return self.build(self.lets[name], {}) if name in self.lets else self.made[name]
        if isinstance(node, ast.Constant):
            constant = Fraction(str(node.value))
            return Tabulated((), lambda point: constant)
        if isinstance(node, ast.UnaryOp):
            return self.joined(lambda x: times(Fraction(-1), x), self.build(node.operand, names))
        if isinstance(node, ast.BinOp):
            operator = OPERATORS[type(node.op)]
            return self.joined(operator, self.build(node.left, names), self.build(node.right, names))
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        inner = self.build(node.args[0], names)
        if node.func.id == "mean":
            return self.average(inner, [a.id for a in node.args[1:] if isinstance(a, ast.Name)])
        return self.joined(inner_product, inner, self.build(node.args[-1], names))

    def joined(self, operator: Callable[..., Any], *parts: Tabulated) -> Tabulated:
        axes = frozenset(a for part in parts for a in part.axes)
        return Tabulated(axes, lambda point: operator(*(part(point) for part in parts)), any(p.late for p in parts))

    def spelled_out(self, text: Any) -> ast.expr:
        """A text without names that stand for expressions."""
        lets = self.lets

        class Spelling(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.AST:
                return self.visit(lets[node.id]) if node.id in lets else node

        return Spelling().visit(ast.parse(str(text), mode="eval").body)  # type: ignore[no-any-return]

    def averages(self, text: Text) -> list[Any]:
        """The averages of a text at all points of the other axes."""
        if text not in self.found:
            whole = self.average(self.read(text.form, dict(text.names)), text.over)
            clocks = [a for a in self.axes if text.cases and a == "t" and a not in whole.axes]
            points = self.points([*whole.axes, *clocks], whole.late)
            self.found[text] = [whole(p) for p in points if not text.cases or text.cases <= self.instance.cases(p)]
        return self.found[text]


OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: plus,
    ast.Sub: lambda a, b: plus(a, times(Fraction(-1), b)),
    ast.Mult: times,
    ast.Div: lambda a, b: times(1 / b, a),
    ast.Pow: lambda a, b: a ** int(b),
}


def inner_product(a: Any, b: Any) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))
