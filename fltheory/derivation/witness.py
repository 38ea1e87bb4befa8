"""Witnesses against vacuity: a derivation evaluated on one exact instance, by averages over all points and nothing else."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import comb, prod
from typing import Any

from fltheory.derivation.finite import (
    HOLDS,
    FiniteInstance,
    FiniteSpace,
    Point,
    Tabulated,
    Text,
    inner_product,
    plus,
    times,
)
from fltheory.derivation.replay import renamed, unpacked

DRAWN = ("noise", "cohort")


class Evaluation:
    """The texts of a derivation on an instance: ``broken`` lists declarations and hypotheses that the instance does not obey,
    ``facts`` {name: the averages of a fact, which should not be negative, or zero if its relation is "="}.

    ``space``: of another derivation with the same declarations on the same instance, so that nothing is computed twice.
    """

    def __init__(self, lines: Sequence[Any], instance: FiniteInstance, space: FiniteSpace | None = None) -> None:
        self.lines = [unpacked(line) for line in lines]
        self.space = space or FiniteSpace(instance)
        self.instance, self.axes, self.made = instance, instance.axes, self.space.made
        self.kinds = {str(line["axis"]): str(line["kind"]) for line in self.of_rule("axis")}
        self.clock = next((a for a, kind in self.kinds.items() if kind == "time"), "t")
        self.times = [*self.axes.get(self.clock, ())]
        self.texts: dict[str, Text] = {}
        self.supposed: dict[Text, None] = {}
        self.laws: list[tuple[str, Callable[[], bool]]] = []
        for line in self.lines:
            getattr(self, f"line_{next(iter(line))}")(line)

    @cached_property
    def broken(self) -> list[str]:
        return list(self._breaches())

    @property
    def obeyed(self) -> bool:
        """Whether nothing is broken; the first that is decides."""
        return next(self._breaches(), None) is None

    def _breaches(self) -> Iterator[str]:
        for text in self.supposed:
            if not all(map(HOLDS[text.relation], self.space.averages(text))):
                yield f"{text.form} {text.relation} 0 on average over {list(text.over)} {set(text.cases)}"
        yield from (what for what, obeyed in self.laws if not obeyed())

    @cached_property
    def facts(self) -> dict[str, tuple[list[Any], str]]:
        return {name: (self.space.averages(text), text.relation) for name, text in self.texts.items()}

    @cached_property
    def false(self) -> list[str]:
        return [name for name, (numbers, relation) in self.facts.items() if not all(map(HOLDS[relation], numbers))]

    @cached_property
    def vanishing(self) -> list[str]:
        """Vectors that are zero at every point."""
        names = [line["vector"] for line in self.of_rule("vector")]
        points = {name: self.space.points(self.made[name].axes, self.made[name].late) for name in names}
        return [name for name in names if not any(any(self.made[name](p)) for p in points[name])]

    @cached_property
    def _by_rule(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for line in self.lines:
            found.setdefault(next(iter(line)), []).append(line)
        return found

    def of_rule(self, rule: str) -> list[dict[str, Any]]:
        return self._by_rule.get(rule, [])

    # What there is

    def make(self, name: str, axes: Sequence[str], function: Callable[[Point], Any], late: bool = False) -> None:
        if name not in self.made:
            self.made[name] = Tabulated(axes, self.instance.given.get(name) or function, late)

    def obeys(self, form: str, over: Sequence[str] = (), relation: str = ">=", case: str = "") -> None:
        self.supposed[Text(form, tuple(over), relation, frozenset({case} - {""}))] = None

    def at(self, inner: Tabulated, time: Callable[[Point], Any]) -> Callable[[Point], Any]:
        """A quantity at a time that depends on the point."""
        return lambda p: inner({**p, self.clock: time(p)})

    def nowhere(self, point: Point) -> Any:
        raise LookupError("a name has no value on the instance")

    def line_axis(self, line: Mapping[str, Any]) -> None:
        """An axis is of the instance, as a function is."""

    line_function = line_axis

    def line_parameter(self, line: Mapping[str, Any]) -> None:
        name = line["parameter"]
        chosen = next((one["equals"] for one in self.of_rule("choose") if one["choose"] == name), None)
        self.make(
            name, line.get("varies", ()), self.nowhere if chosen is None else lambda p: self.space.read(chosen)(p)
        )
        for end, sign in (("low", 1), ("high", -1)):
            if line.get(end) is not None:
                self.obeys(f"{sign}*({name} - ({line[end]}))", (), ">" if line.get(f"{end}_open") else ">=")
        for what, here, there in (("next", self.now, self.later), ("first", None, self.first_time)):
            if line.get(what) is not None:
                told, own = self.space.read(line[what]), self.made[name]
                sides = self.at(told, here or self.first_time), self.at(own, there)
                self.laws.append((f"{what} {name}", lambda sides=sides: self.equal(*sides)))  # type: ignore[misc]

    def now(self, point: Point) -> Any:
        return point[self.clock]

    def later(self, point: Point) -> Any:
        return point[self.clock] + 1

    def first_time(self, point: Point) -> Any:
        return self.times[0]

    def equal(self, left: Callable[[Point], Any], right: Callable[[Point], Any]) -> bool:
        return all(left(p) == right(p) for p in self.space.points([a for a in self.axes if self.kinds[a] != "past"]))

    def line_choose(self, line: Mapping[str, Any]) -> None:
        self.obeys(f"{line['choose']} - ({line['equals']})", (), "=")

    def line_let(self, line: Mapping[str, Any]) -> None:
        self.space.lets[line["let"]] = ast.parse(str(line["equals"]), mode="eval").body

    def line_value(self, line: Mapping[str, Any]) -> None:
        self.make(line["value"], line.get("axes", ()), self.nowhere)

    def line_vector(self, line: Mapping[str, Any]) -> None:
        name, equals = line["vector"], line.get("equals")
        equations = equals if isinstance(equals, dict) else {"": equals} if equals is not None else {}
        read = {label: self.space.read(text) for label, text in equations.items()}

        def function(p: Point) -> Any:
            return next(one for label, one in read.items() if not label or label in self.instance.cases(p))(p)

        late = any(one.late for one in read.values())
        self.make(name, line.get("axes", ()), function if equations else self.nowhere, late)
        for label, text in equations.items():
            self.obeys(f"sq({name} - ({text}))", (), "=", label)
        self.means(name, line.get("mean", ()))

    def means(self, name: str, means: Any) -> None:
        for axis, text, _ in means:
            self.obeys(f"sq(mean({name}, {axis}))" if text == "0" else f"sq(mean({name}, {axis}) - ({text}))", (), "=")

    def line_point(self, line: Mapping[str, Any]) -> None:
        point, of = self.made[line["point"]], line["of"]
        axes = {*point.axes, *next(one.get("axes", ()) for one in self.of_rule("function") if one["function"] == of)}
        gradient = line.get("gradient") or f"g_{line['point']}"
        names = line.get("value") or f"f_{line['point']}", gradient
        for name, function in zip(names, self.instance.functions[of], strict=True):
            self.make(name, sorted(axes), lambda p, function=function: function(point(p), p), point.late)  # type: ignore[misc]
        self.means(gradient, line.get("mean", ()))
        if line.get("equals") is not None:
            self.obeys(f"sq({gradient} - ({line['equals']}))", (), "=")

    def line_cohort(self, line: Mapping[str, Any]) -> None:
        """The average over the clients at the places of a cohort, and that cohorts are drawn as the scheme says."""
        name, clients, axis, size = line["cohort"], line["clients"], line["axis"], line["size"]
        of, share = self.made[line["of"]], f"1/({size})"

        def drawn(p: Point) -> Any:
            total = of({**p, clients: p[axis][0]})
            for one in p[axis][1:]:
                total = plus(total, of({**p, clients: one}))
            return times(Fraction(1, len(p[axis])), total)

        self.make(name, sorted({*of.axes, axis} - {clients}), drawn, of.late)
        self.obeys(f"sq(mean({name}, {axis}) - mean({line['of']}, {clients}))", (), "=")
        law, weights, scheme = self.axes[axis], self.axes[clients], line["scheme"]
        places = len(next(iter(law)))
        self.obeys(f"{size} - {places}", (), "=")
        form, relation = f"sq({line['of']}) - sq({name})", ">="
        if scheme != "equal inclusion":
            if scheme == "without replacement":
                share = f"(({line['count']}) - ({size}))/(({size})*(({line['count']}) - 1))"
                self.obeys(f"{line['count']} - {len(weights)}", (), "=")
            mean, spread = f"mean({name}, {axis})", f"mean({line['of']}, {clients})"
            form, relation = f"sq({name} - {mean}) - {share}*sq({line['of']} - {spread})", "="
        self.laws.append((f"cohorts {scheme}", lambda: drawn_by(scheme, law, weights, places)))
        self.texts[name] = Text(form, (axis, clients), relation)

    def line_independent(self, line: Mapping[str, Any]) -> None:
        """The sum over the clients of squared weights times the bounds of the noises, which are uncorrelated."""
        noise, clients, given = line["noise"], line["clients"], self.texts[line["fact"]]
        bound = self.space.average(self.space.read(f"{given.form} + sq({noise})", dict(given.names)), given.over)
        weights, single = self.axes[clients], self.made[noise]

        def total(p: Point) -> Fraction:
            return sum((weight**2 * bound({**p, clients: k}) for k, weight in weights.items()), Fraction(0))

        def uncorrelated() -> bool:
            for p in self.space.points([a for a in single.axes if a not in (clients, *given.over)]):
                for k, m in combinations(weights, 2):
                    product_of = lambda q, k=k, m=m: inner_product(*(single({**p, **q, clients: i}) for i in (k, m)))  # noqa: B023, E731
                    if self.space.average(Tabulated(given.over, product_of), given.over)({}):
                        return False
            return True

        self.make(line["total"], [a for a in bound.axes if a != clients], total)
        self.laws.append((f"{noise} independent between {clients}", uncorrelated))
        text = f"{line['total']} - sq(mean({noise}, {clients}))"
        self.texts[line["independent"]] = Text(text, given.over)

    def line_distinction(self, line: Mapping[str, Any]) -> None:
        labels = {*line["labels"]}
        one_each = lambda: all(len(labels & self.instance.cases({self.clock: t})) == 1 for t in self.times)  # noqa: E731
        self.laws.append((f"one case of {line['distinction']} at every time", one_each))

    def line_next(self, line: Mapping[str, Any]) -> None:
        """At t + 1 all that has a next has the law of what follows at t, over all that is drawn, at the same clients."""
        self.laws.append((f"{line['following']} is the next {line['next']}", lambda: self.same_laws))

    @cached_property
    def same_laws(self) -> bool:
        pairs = [(one["next"], one["following"]) for one in self.of_rule("next")]
        drawn = [a for a in self.axes if self.kinds[a] in (*DRAWN, "past")]
        fixed = list(self.space.points([a for a in self.axes if self.kinds[a] in ("clients", "steps")]))
        numbers: dict[Any, int] = {}
        seen: dict[
            int, tuple[Any, int]
        ] = {}  # the same objects come again and again, and to hash a fraction takes long

        def number(value: Any) -> int:
            if id(value) not in seen:
                seen[id(value)] = value, numbers.setdefault(value, len(numbers))
            return seen[id(value)][1]

        for t in self.times:
            laws: list[Counter[Any]] = [Counter(), Counter()]
            for law, side, time in zip(laws, zip(*pairs, strict=True), (t + 1, t), strict=True):
                quantities = [self.made[name] for name in side]
                for p, weight in self.space.law(drawn, time):
                    found = tuple([number(q({**p, **one, self.clock: time})) for q in quantities for one in fixed])
                    law[found] += weight  # type: ignore[assignment]
            if laws[0] != laws[1]:
                return False
        return True

    def line_hypothesis(self, line: Mapping[str, Any]) -> None:
        if not line.get("points"):
            self.obeys(line["form"], line.get("over", ()), line.get("relation", ">="))

    # Facts

    def line_assume(self, line: Mapping[str, Any]) -> None:
        told = next(one for one in self.of_rule("hypothesis") if one["hypothesis"] == line["hypothesis"])
        names: dict[str, str] = {}
        for letter, point in zip(told.get("points", ()), line.get("points", ()), strict=True):
            pair = next(one for one in self.of_rule("point") if one["point"] == point and one["of"] == told["of"])
            names |= {letter: point, f"f_{letter}": pair.get("value") or f"f_{point}"}
            names |= {f"g_{letter}": pair.get("gradient") or f"g_{point}"}
        relation, over = told.get("relation", ">="), tuple(told.get("over", ()))
        text = Text(told["form"], over, relation, names=tuple(sorted(names.items())))
        self.texts[line["assume"]] = text
        self.supposed[text] = None

    def line_scaled(self, line: Mapping[str, Any]) -> None:
        text = self.texts[line["fact"]]
        self.texts[line["scaled"]] = replace(text, form=f"({text.form})*sq({line['vector']})")

    def line_exponential(self, line: Mapping[str, Any]) -> None:
        """Of one that is rational on an instance its tangents are supposed; a number that has a logarithm has to have this one."""
        sides = self.space.read(line["value"]), self.space.read(line["exponent"])
        both = self.space.joined(lambda value, exponent: getattr(value, "logarithm", exponent) == exponent, *sides)
        self.laws.append((f"exponential {line['exponential']}", lambda: all(map(both, self.space.points(both.axes)))))

    def line_tangent(self, line: Mapping[str, Any]) -> None:
        told = {one["exponential"]: one for one in self.of_rule("exponential")}
        above, at = told[line["above"]], told[line["at"]]
        form = f"{above['value']} - ({at['value']})*(1 + {above['exponent']} - ({at['exponent']}))"
        self.texts[line["tangent"]] = Text(form)
        self.supposed[self.texts[line["tangent"]]] = None

    def line_lemma(self, line: Mapping[str, Any]) -> None:
        """A derivation of its own, which has an instance of its own."""

    def line_apply(self, line: Mapping[str, Any]) -> None:
        """What a lemma concludes, in the names here: that its objects are those of the lemma is supposed."""
        lemma = next(one for one in self.of_rule("lemma") if one["lemma"] == line["lemma"])["derivation"]
        inner, names = (
            [unpacked(one) for one in lemma["lines"]],
            {own: str(here) for own, here in line["names"].items()},
        )
        own, here = points_of(inner), points_of(self.lines)
        for (of, point), pair in own.items():
            names |= dict(zip(pair, here.get((names.get(of, ""), names.get(point, "")), ()), strict=False))
        told = next(one for one in inner if one.get("combine") == line["conclusion"])
        table = {one: ast.parse(text, mode="eval").body for one, text in names.items()}
        over = tuple(names[a] for a in told.get("over", ()) if a in names)
        text = Text(ast.unparse(renamed(told["form"], table)), over, told.get("relation", ">="))
        self.texts[line["apply"]] = text
        self.supposed[text] = None

    def line_combine(self, line: Mapping[str, Any]) -> None:
        cases = {line.get("case") or ""}.union(*(self.texts[one].cases for one in line.get("facts") or ())) - {""}
        over, relation = tuple(line.get("over", ())), line.get("relation", ">=")
        self.texts[line["combine"]] = Text(str(line["form"]), over, relation, frozenset(cases))

    def line_cases(self, line: Mapping[str, Any]) -> None:
        text = self.texts[line["facts"][0]]
        self.texts[line["cases"]] = Text(text.form, text.over, text.relation, names=text.names)

    def line_closure(self, line: Mapping[str, Any]) -> None:
        self.texts[line["closure"]] = self.texts[line["fact"]]

    def line_telescope(self, line: Mapping[str, Any]) -> None:
        text = self.texts[line["fact"]]
        self.obeys(f"{line['length']} - {len(self.times)}", (), "=")
        self.texts[line["telescope"]] = Text(text.form, (*text.over, self.clock), text.relation, text.cases, text.names)

    def line_end(self, line: Mapping[str, Any]) -> None:
        text, told = self.texts[line["fact"]], {one["define"]: one for one in self.of_rule("define")}
        ends = [("next", "last") if line.get("last") else ("define", "first")] * len(line["of"])
        names = {told[n][here]: told[n][there] for n, (here, there) in zip(line["of"], ends, strict=True)}
        names |= {new: names.get(old, old) for new, old in text.names}
        self.texts[line["end"]] = Text(text.form, text.over, text.relation, text.cases, tuple(sorted(names.items())))

    def line_define(self, line: Mapping[str, Any]) -> None:
        form = ast.unparse(self.space.spelled_out(line["form"]))
        here, over = self.space.average(self.space.read(form), line["over"]), tuple(line["over"])
        for key, time in (("define", self.now), ("next", self.later)):
            self.make(line[key], [self.clock], self.at(here, time))
        for key, end in (("first", self.times[0]), ("last", self.times[-1] + 1)):
            if line.get(key):
                self.make(line[key], [], self.at(here, lambda p, end=end: end))  # type: ignore[misc]
        self.texts[line["define"]] = Text(f"{line['define']} - ({form})", over, "=")
        later = {one["next"]: one["following"] for one in self.of_rule("next")}
        moving = [one["parameter"] for one in self.of_rule("parameter") if self.clock in one.get("varies", ())]
        for name in filter(self.made.__contains__, moving):
            later[name] = f"next {name}"
            self.make(later[name], self.made[name].axes, self.at(self.made[name], self.later))
        names, over = tuple(sorted(later.items())), tuple(line["over_next"])
        self.texts[line["next"]] = Text(f"{line['next']} - ({form})", over, "=", names=names)

    def line_induction(self, line: Mapping[str, Any]) -> None:
        index = line["index"]
        low = next(one["low"] for one in self.of_rule("parameter") if one["parameter"] == index)
        begins = lambda: self.made[index]({self.clock: self.times[0]}) == self.space.read(low)({})  # noqa: E731
        self.laws.append((f"{index} begins at {low}", begins))
        over = tuple(line.get("over", ()))
        self.texts[line["induction"]] = Text(f"{line['bound']} - {line['of']}", over)


def points_of(lines: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], tuple[str, str]]:
    """Names of values and gradients, by function and point."""
    points = [line for line in lines if next(iter(line)) == "point"]
    names = lambda one: (one.get("value") or f"f_{one['point']}", one.get("gradient") or f"g_{one['point']}")  # noqa: E731
    return {(one["of"], one["point"]): names(one) for one in points}


def drawn_by(scheme: str, law: Mapping[Any, Fraction], weights: Mapping[Any, Fraction], places: int) -> bool:
    """Whether cohorts are drawn as a scheme says; for equal inclusion with their places in random order, as a subset has none."""
    if scheme == "equal inclusion":
        single: Counter[Any] = Counter()
        for cohort, weight in law.items():
            for k in cohort:
                single[k] += weight / places  # type: ignore[assignment]
        return dict(single) == dict(weights)
    if scheme == "with replacement":
        return dict(law) == {
            c: prod((weights[k] for k in c), start=Fraction(1)) for c in product(weights, repeat=places)
        }
    uniform = Fraction(1, comb(len(weights), places))
    return len({*weights.values()}) == 1 and dict(law) == {c: uniform for c in combinations(weights, places)}
