"""The axes of a finite instance for a derivation: two or three clients, two-point noise, cohorts, times and their past."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, product
from math import prod
from typing import Any

from fltheory.derivation.finite import Law, Point
from fltheory.derivation.packs import told_by
from fltheory.derivation.replay import unpacked
from fltheory.derivation.witness import DRAWN

Q = Fraction
FIRST, PLACES = 1, 2
#: A noise is one of these numbers times a vector.
NOISE: Law = {-1: Q(2, 3), 2: Q(1, 3)}
_RULES = ("parameter", "vector", "value", "hypothesis", "choose", "next", "function", "distinction", "axis", "cohort")


def chances(laws: Sequence[Law]) -> dict[Any, Fraction]:
    """The law of independent draws."""
    pairs = product(*(law.items() for law in laws))
    return {tuple(x for x, _ in one): prod((weight for _, weight in one), start=Q(1)) for one in pairs}


@dataclass(frozen=True)
class Attempt:
    """Numbers of an instance that may be chosen: of times; the weights of two clients that are chosen as squares are m/(m + n)
    and n/(m + n), with m^2 + n^2 a square; the distance from an open end; from the first point to what differs along axes; of
    times with noise, zero after them so that a past stays short; and what parameters, vectors and values are ``given`` as, each by
    its name, constants or functions of the point, where nothing else settles them; ``starts``: vectors that move on, at the first
    time; ``functions`` by value and gradient.
    """

    times: int = 2
    legs: tuple[int, int] = (3, 4)
    room: Fraction = Q(1)
    spread: Fraction = Q(1)
    noisy: int = 2
    given: Mapping[str, Any] = field(default_factory=dict)
    starts: Mapping[str, tuple[Fraction, ...]] = field(default_factory=dict)
    functions: Mapping[str, Any] = field(default_factory=dict)


def places(size: str) -> int:
    """Of cohorts: what their size says, if it is a number; one more than others if it says so."""
    return int(size) if size.isdigit() else PLACES + int((re.findall(r"\+ (\d+)$", size) or [0])[0])


class Declared:
    """What the lines of a derivation declare, by rule and name, and the axes of an instance for it."""

    def __init__(self, lines: Sequence[Any], attempt: Attempt) -> None:
        self.attempt, self.times = attempt, range(FIRST, FIRST + attempt.times)
        self.lines: list[dict[str, Any]] = [unpacked(line) for line in lines]
        self.named = {rule: {str(line[rule]): line for line in self.of_rule(rule)} for rule in _RULES}
        self.packs = {name: told_by(line) for name, line in self.named["hypothesis"].items()}
        self.kinds = {name: str(line["kind"]) for name, line in self.named["axis"].items()}
        self.schemes = {line["axis"]: line["scheme"] for line in self.named["cohort"].values()}
        self.independent = {line["noise"]: line["total"] for line in self.of_rule("independent")}
        self.client = next((axis for axis, kind in self.kinds.items() if kind == "clients"), "k")
        self.places = {line["axis"]: places(str(line["size"])) for line in self.named["cohort"].values()}
        subsets = "without replacement" in self.schemes.values()
        equal = subsets or "equal weights" in {pack for pack, _ in self.packs.values()}
        legs: tuple[int, ...] = (1, 1) if equal else (1, 2)
        if "N" in self.named["choose"]:
            legs = attempt.legs
        elif subsets:
            legs = (1,) * (max(self.places.values()) + 1)
        self.weights: Law = {k: Q(leg, sum(legs)) for k, leg in enumerate(legs)}
        self.axes: dict[str, Any] = {axis: self._law(axis, kind) for axis, kind in self.kinds.items() if kind != "past"}
        self.again = self._drawn_again()
        self.noisy = attempt.noisy if len(self.again) < 3 else 1
        for axis, kind in self.kinds.items():
            if kind == "past":
                self.axes[axis] = cache(self._past) if self.again else {"heads": Q(1, 3), "tails": Q(2, 3)}

    @cached_property
    def _by_rule(self) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = {}
        for line in self.lines:
            found.setdefault(next(iter(line)), []).append(line)
        return found

    def of_rule(self, rule: str) -> list[dict[str, Any]]:
        return self._by_rule.get(rule, [])

    def _law(self, axis: str, kind: str) -> Law:
        if kind == "clients":
            return self.weights
        if kind == "noise":  # one number for all, or one for each of two clients
            return chances([NOISE, NOISE]) if self.independent else NOISE
        if kind == "cohort":
            return self._cohorts(self.schemes.get(axis, "with replacement"), self.places.get(axis, PLACES))
        return dict.fromkeys(self.times, Q(1, len(self.times))) if kind == "time" else dict.fromkeys((0, 1), Q(1, 2))

    def _cohorts(self, scheme: str, places: int) -> Law:
        """For equal inclusion the places are filled independently, or by the same client, with equal probability."""
        if scheme == "without replacement":
            every = list(combinations(self.weights, places))
            return dict.fromkeys(every, Q(1, len(every)))
        law = chances([self.weights] * places)
        if scheme == "equal inclusion":
            return {c: (weight + (self.weights[c[0]] if len({*c}) == 1 else 0)) / 2 for c, weight in law.items()}
        return law

    def _past(self, time: int | None) -> Law:
        """What was drawn at every time before this one, and before the first if a local point begins after a step."""
        draws = chances([self.axes[a] for a in self.again])
        early = draws if "first" in self.named["vector"] else {(): Q(1)}
        end = FIRST + self.noisy if time is None else min(time, FIRST + self.noisy)
        return chances([early, *(draws for _ in range(FIRST, end))])

    def following(self, name: str) -> str | None:
        """What follows a vector, or a value at it, at the next time."""
        values = {line.get("value") or f"f_{line['point']}": line["point"] for line in self.of_rule("point")}
        pairs = {here: line["following"] for here, line in self.named["next"].items()}
        return next(
            (values.get(there, there) for here, there in pairs.items() if name in (here, values.get(here))), None
        )

    def _drawn_again(self) -> list[str]:
        """Axes that are drawn anew at each time."""
        found: set[str] = set()
        for name, line in self.named["next"].items():
            found |= {*self.axes_of(line["following"])} - {*self.axes_of(name)}
        return [a for a in self.kinds if a in found and self.kinds[a] in DRAWN]

    def axes_of(self, name: str) -> Sequence[str]:
        """The axes of a vector, or of a value at a point."""
        if name in self.named["vector"]:
            return list(self.named["vector"][name].get("axes", ()))
        for line in self.of_rule("point"):
            if (line.get("value") or f"f_{line['point']}") == name:
                return [*self.axes_of(line["point"]), *self.named["function"][line["of"]].get("axes", ())]
        return ()

    def before(self, point: Point, t: int) -> dict[str, Any]:
        """A point at an earlier time, with what the past says was drawn then."""
        if not self.again:
            return {**point, "t": t}
        drawn = point["past"][t] if t < FIRST + self.noisy else [next(iter(self.axes[a])) for a in self.again]
        drawn = dict(zip(self.again, drawn, strict=True))
        return {**point, **drawn, "t": t, "past": point["past"][:t]}

    def cases(self, point: Point) -> set[str]:
        """One label of each distinction, in turn."""
        return {line["labels"][point["t"] % len(line["labels"])] for line in self.named["distinction"].values()}
