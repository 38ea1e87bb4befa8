"""Witnesses against vacuity: a derivation evaluated on one exact instance, by averages over all points and nothing else."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from fltheory.derivation.replay import unpacked

Point = Mapping[str, Any]


HOLDS: Mapping[str, Callable[[Fraction], bool]] = {">=": lambda x: x >= 0, ">": lambda x: x > 0, "=": lambda x: x == 0}


def plus(a: Any, b: Any) -> Any:
    return tuple(x + y for x, y in zip(a, b, strict=True)) if isinstance(a, tuple) else a + b


def times(a: Any, b: Any) -> Any:
    a, b = (b, a) if isinstance(a, tuple) else (a, b)
    return tuple(a * x for x in b) if isinstance(b, tuple) else a * b


@dataclass(frozen=True)
class FiniteInstance:
    """Finite ``axes`` {axis: {point: weight}}; parameters, vectors (tuples) and values ``given`` as functions of a point, those
    with an equation or a definition may be left out; ``functions`` {name: (value, gradient)} of a vector and a point; the true
    ``cases`` at a point.  Times are whole numbers; what is given is defined at the time after the last too.
    """

    axes: Mapping[str, Mapping[Any, Fraction]]
    given: Mapping[str, Callable[[Point], Any]]
    functions: Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]] = field(default_factory=dict)
    cases: Callable[[Point], set[str]] = lambda point: set()


class Evaluation:
    """The texts of a derivation on an instance: ``broken`` lists declarations and hypotheses that the instance does not obey,
    ``facts`` {name: the averages of a fact, which should not be negative, or zero if its relation is "="}.
    """

    def __init__(self, lines: Sequence[Any], instance: FiniteInstance) -> None:
        lines = [unpacked(line) for line in lines]
        self.instance, self.axes = instance, instance.axes
        self.known: dict[Any, Any] = {}
        self.made: dict[str, tuple[list[str], Callable[[Point], Any]]] = {}
        self.lines, self.broken, self.texts = lines, [], {}  # type: ignore[var-annotated]
        for line in lines:
            getattr(self, f"line_{next(iter(line))}", lambda line: None)(line)
        self.facts = {name: (self.averages(*text), text[2]) for name, text in self.texts.items()}

    def averages(self, text: str, over: Sequence[str], _: str, case: str, rename: Mapping[str, str]) -> list[Any]:
        others = [
            p
            for p in self.points([a for a in self.axes if a not in over])
            if not case or case in self.instance.cases(p)
        ]
        return [self.mean(ast.parse(str(text), mode="eval").body, over, point, rename) for point in others]

    def points(self, axes: Sequence[str]) -> Iterator[dict[str, Any]]:
        return (dict(zip(axes, one, strict=True)) for one in product(*(self.axes[a] for a in axes)))

    def mean(self, node: ast.expr, over: Sequence[str], point: Point, rename: Mapping[str, str]) -> Any:
        total: Any = None
        for drawn in self.points(over):
            weight = Fraction(1)
            for axis, one in drawn.items():
                weight *= self.axes[axis][one]
            term = times(weight, self.value(node, {**point, **drawn}, rename))
            total = term if total is None else plus(total, term)
        return total

    def value(self, node: ast.expr, point: Point, rename: Mapping[str, str]) -> Any:
        if isinstance(node, ast.Name):
            axes, function = self.made[rename.get(node.id, node.id)]
            key = rename.get(node.id, node.id), *(point[a] for a in axes)
            if key not in self.known:
                self.known[key] = function(point)
            return self.known[key]
        if isinstance(node, ast.Constant):
            return Fraction(str(node.value))
        if isinstance(node, ast.UnaryOp):
            return times(Fraction(-1), self.value(node.operand, point, rename))
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left, point, rename), self.value(node.right, point, rename)
            if isinstance(node.op, ast.Add | ast.Sub):
                return plus(left, right if isinstance(node.op, ast.Add) else times(Fraction(-1), right))
            if isinstance(node.op, ast.Mult):
                return times(left, right)
            return left ** int(right) if isinstance(node.op, ast.Pow) else times(1 / right, left)
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id == "mean":
            return self.mean(node.args[0], [a.id for a in node.args[1:] if isinstance(a, ast.Name)], point, rename)
        sides = [self.value(a, point, rename) for a in node.args]
        return sum((x * y for x, y in zip(sides[0], sides[-1], strict=True)), Fraction(0))

    def make(self, name: str, axes: Sequence[str], text: Any = None) -> None:
        node = ast.parse(str(text), mode="eval").body
        self.made[name] = sorted(axes), self.instance.given.get(name) or (lambda point: self.value(node, point, {}))

    def obeys(self, text: str, over: Sequence[str] = (), relation: str = ">=", case: str = "") -> None:
        found = self.averages(text, over, relation, case, {})
        if not all(map(HOLDS[relation], found)):
            self.broken.append(f"{text} {relation} 0 on average over {list(over)} {case}")

    def line_parameter(self, line: Mapping[str, Any]) -> None:
        name = line["parameter"]
        self.make(name, line.get("varies", ()))
        for end, sign in (("low", 1), ("high", -1)):
            if line.get(end) is not None:
                self.obeys(f"{sign}*({name} - ({line[end]}))", (), ">" if line.get(f"{end}_open") else ">=")
        if line.get("next") is not None:
            (time,) = [a for a in line["varies"] if a == "t"]
            node = ast.parse(str(line["next"]), mode="eval").body
            for p in self.points(list(self.axes)):
                if self.made[name][1]({**p, time: p[time] + 1}) != self.value(node, p, {}):
                    self.broken.append(f"next {name} at {p}")

    def line_choose(self, line: Mapping[str, Any]) -> None:
        self.obeys(f"{line['choose']} - ({line['equals']})", (), "=")

    def line_let(self, line: Mapping[str, Any]) -> None:
        self.make(line["let"], list(self.axes), line["equals"])

    def line_value(self, line: Mapping[str, Any]) -> None:
        self.make(line["value"], line.get("axes", ()))

    def line_vector(self, line: Mapping[str, Any]) -> None:
        name, equals = line["vector"], line.get("equals")
        self.make(name, line.get("axes", ()), equals)
        for label, text in (equals if isinstance(equals, dict) else {"": equals} if equals is not None else {}).items():
            self.obeys(f"sq({name} - ({text}))", (), "=", label)
        self.means(name, line.get("mean", ()))

    def means(self, name: str, means: Any) -> None:
        for axis, text, _ in means:
            self.obeys(f"sq(mean({name}, {axis}))" if text == "0" else f"sq(mean({name}, {axis}) - ({text}))", (), "=")

    def line_point(self, line: Mapping[str, Any]) -> None:
        point, of = line["point"], line["of"]
        axes = sorted(
            {*self.made[point][0], *next(one.get("axes", ()) for one in self.lines if one.get("function") == of)}
        )
        node = ast.parse(point, mode="eval").body
        for key, function in zip(("value", "gradient"), self.instance.functions[of], strict=True):
            self.made[line.get(key) or f"{key[0].replace('v', 'f')}_{point}"] = (
                axes,
                lambda p, function=function: function(self.value(node, p, {}), p),  # type: ignore[misc]
            )
        self.means(line.get("gradient") or f"g_{point}", line.get("mean", ()))

    def line_next(self, line: Mapping[str, Any]) -> None:
        """At t + 1 a vector has the law of the following one at t, over all that is drawn, at the same clients."""
        here, there = (ast.parse(line[key], mode="eval").body for key in ("next", "following"))
        drawn = [a for a in self.axes if a not in ("k", "t")]
        for t in self.axes["t"]:
            laws: list[Counter[Any]] = [Counter(), Counter()]
            for law, node, time in zip(laws, (here, there), (t + 1, t), strict=True):
                for p in self.points(drawn):
                    weight = Fraction(1)
                    for axis, one in p.items():
                        weight *= self.axes[axis][one]
                    law[tuple(self.value(node, {**p, "k": k, "t": time}, {}) for k in self.axes.get("k", [0]))] += (
                        weight  # type: ignore[assignment]
                    )
            if laws[0] != laws[1]:
                self.broken.append(f"{line['following']} is not the next {line['next']} at {t}")

    def line_hypothesis(self, line: Mapping[str, Any]) -> None:
        if not line.get("points"):
            self.obeys(line["form"], line.get("over", ()), line.get("relation", ">="))

    def line_assume(self, line: Mapping[str, Any]) -> None:
        told = next(one for one in self.lines if one.get("hypothesis") == line["hypothesis"] and "assume" not in one)
        rename: dict[str, str] = {}
        for letter, point in zip(told.get("points", ()), line.get("points", ()), strict=True):
            names = next(one for one in self.lines if one.get("point") == point and one["of"] == told["of"])
            rename |= {letter: point, f"f_{letter}": names.get("value") or f"f_{point}"}
            rename |= {f"g_{letter}": names.get("gradient") or f"g_{point}"}
        self.fact(line["assume"], told["form"], told.get("over", ()), told.get("relation", ">="), "", rename)

    def fact(self, name: str, form: Any, over: Any, relation: str = ">=", case: str = "", rename: Any = None) -> None:
        self.texts[name] = form, list(over), relation, case, rename or {}

    def line_combine(self, line: Mapping[str, Any]) -> None:
        case = line.get("case") or ""
        self.fact(line["combine"], line["form"], line.get("over", ()), line.get("relation", ">="), case)

    def line_cases(self, line: Mapping[str, Any]) -> None:
        self.texts[line["cases"]] = (*self.texts[line["facts"][0]][:3], "", {})

    def line_closure(self, line: Mapping[str, Any]) -> None:
        self.texts[line["closure"]] = self.texts[line["fact"]]

    def line_telescope(self, line: Mapping[str, Any]) -> None:
        form, over, *others = self.texts[line["fact"]]
        self.texts[line["telescope"]] = form, [*over, "t"], *others

    def line_independent(self, line: Mapping[str, Any]) -> None:
        self.make(line["total"], ["t"])
        text = f"{line['total']} - sq(mean({line['noise']}, {line['clients']}))"
        self.fact(line["independent"], text, self.texts[line["fact"]][1])

    def line_define(self, line: Mapping[str, Any]) -> None:
        text = str(line["form"])
        for one in reversed([one for one in self.lines if "let" in one]):
            text = re.sub(rf"\b{one['let']}\b", f"({one['equals']})", text)
        line = {**line, "form": text}
        node, times_ = ast.parse(text, mode="eval").body, list(self.axes["t"])
        at = lambda time: lambda p: self.mean(node, line["over"], {**first_points(self.axes), **p, "t": time(p)}, {})  # noqa: E731
        self.made[line["define"]] = ["t"], at(lambda p: p["t"])
        self.made[line["next"]] = ["t"], at(lambda p: p["t"] + 1)
        self.made[line.get("first") or ""] = [], at(lambda p: times_[0])
        self.made[line.get("last") or ""] = [], at(lambda p: times_[-1] + 1)
        self.fact(line["define"], f"{line['define']} - ({line['form']})", line["over"], "=")
        later = {one["next"]: one["following"] for one in self.lines if "following" in one}
        for name, (axes, function) in [*self.made.items()]:
            if "t" in axes and any(one.get("parameter") == name for one in self.lines):
                later[name] = f"next {name}"
                self.made[later[name]] = axes, lambda p, function=function: function({**p, "t": p["t"] + 1})  # type: ignore[misc]
        self.fact(line["next"], f"{line['next']} - ({line['form']})", line["over_next"], "=", "", later)

    def line_induction(self, line: Mapping[str, Any]) -> None:
        self.fact(line["induction"], f"{line['bound']} - {line['of']}", line.get("over", ()))


def first_points(axes: Mapping[str, Mapping[Any, Fraction]]) -> dict[str, Any]:
    return {axis: next(iter(points)) for axis, points in axes.items()}
