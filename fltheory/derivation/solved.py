"""Numbers of an instance: what its axes and runs say, what the hypotheses ask for, or some number in the range."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import isqrt
from typing import Any

from fltheory.derivation.draws import FIRST, PLACES, Attempt, Declared
from fltheory.derivation.finite import FiniteInstance, Point, Text
from fltheory.derivation.quadratics import DIMENSION, CurvedFunctions, Vector, some
from fltheory.derivation.witness import Evaluation

Q = Fraction
#: SolvedNumbers that the axes settle, if they are declared; an instance has rounds of two steps.
COUNTS = {"K": Q(PLACES), "size": Q(PLACES), "E": Q(2), "tau": Q(2)}
#: Local points of runs: the start of their round, the gradients since then, the present one, the points that follow.
RUNS = {"w": ("w0", "g_j", "g_w + noise", "w1"), "x": ("x0", "G_j", "g_x + noise", "u1")}
#: SolvedNumbers that a run settles: steps since the start of a round, an earlier one of the round, sizes of steps.
STEPS = ("since", "t_j", "eta", "eta_j", "eta_t0", "eta_E")
#: Starts and lengths of runs: they may be larger than needed; and what a run has done before its first time.
ROOMY, SPARE = ("D_sq", "F", "T"), "spent"
TRIALS = (0, 1, 2, 4, 8, 16)
UNITS = [tuple(Q(i == j) for j in range(DIMENSION)) for i in range(DIMENSION)]


def square_root(x: Fraction) -> Fraction:
    """A rational number whose square is at least x, and not much more."""
    n = max(0, x.numerator) * x.denominator
    root = isqrt(n)
    return Q(root + (root * root < n), x.denominator)


class SolvedNumbers:
    """Values for the names that lines declare, each found when it is asked for; of vectors a subclass knows."""

    def __init__(self, lines: Sequence[Any], attempt: Attempt) -> None:
        self.draws, self.attempt = Declared(lines, attempt), attempt
        self.named = self.draws.named
        self.quadratics = CurvedFunctions(self.draws, lambda name: self.read(name, {}))
        squares = {
            name: re.fullmatch(r"(\w+)\*\*2", str(line["equals"])) for name, line in self.named["choose"].items()
        }
        # numbers whose squares are chosen for others
        self.squares = {found[1]: name for name, found in squares.items() if found}
        self.roots = {root: name for root, name in self.squares.items() if name in ("N", "T")}
        timed = "time" in self.draws.kinds.values()
        self.run = next(
            (run for local, run in RUNS.items() if {local, *run[:2]} <= {*self.named["vector"]} and timed), None
        )
        given: dict[str, Callable[[Point], Any]] = {}
        for rule, method in (
            ("parameter", self.parameter),
            ("vector", self.vector),
            ("value", self.value),
        ):
            for name, line in self.named[rule].items():
                if name not in self.named["choose"] and line.get("equals") is None:
                    given[name] = partial(method, name)
        for name, found in attempt.given.items():
            given[name] = found if callable(found) else lambda point, found=found: found  # type: ignore[misc]
        functions = {**self.quadratics.functions(), **attempt.functions}
        self.instance = FiniteInstance(self.draws.axes, given, functions, self.draws.cases)
        self.here = Evaluation(lines, self.instance)
        for trial in TRIALS:
            self.here.make(f"trial {trial}", (), lambda p, trial=trial: Q(trial))  # type: ignore[misc]
        for i, unit in enumerate(UNITS):
            self.here.make(f"unit {i}", (), lambda p, unit=unit: unit)  # type: ignore[misc]
        self.unknowns = [
            (Text(str(line["form"]), tuple(line.get("over", ())), line.get("relation", ">="), names=names))
            for name, line in self.named["hypothesis"].items()
            for names in self._instances(name, line)
        ]
        lengths = [f"{line['length']} - {len(self.draws.times)}" for line in self.draws.of_rule("telescope")]
        for line in self.named["cohort"].values():
            lengths += [f"{line['size']} - {self.draws.places[line['axis']]}"]
            lengths += [f"{line['count']} - {len(self.draws.weights)}"] if line.get("count") is not None else []
        self.unknowns += [Text(length, (), "=") for length in lengths]
        self.unknowns += [
            self.here.texts[line[rule]] for rule in ("apply", "tangent") for line in self.draws.of_rule(rule)
        ]

    def read(self, text: str, point: Point) -> Any:
        return self.here.space.read(text)(point)

    def vector(self, name: str, point: Point) -> Vector:
        raise NotImplementedError

    def parameter(self, name: str, point: Point) -> Fraction:
        """What the axes or the run say, what follows by the next value, what the hypotheses need, or a number in the range."""
        line = self.named["parameter"][name]
        low, high = (None if line.get(end) is None else self.read(line[end], point) for end in ("low", "high"))
        if name == SPARE:
            return low or Q(0)
        if self._is_count(name):
            found = max(self._count(name), low or Q(0))
            return found if high is None else min(found, high)
        if name in STEPS and self.run:
            return self._of_the_clock(name, line, point)
        if name == "go":
            return Q(self._goes_on(point))
        if line.get("next") is not None:
            return self._iterated(line, point)
        least, most = self._bounds(name, point)
        found = max(least, default=None)
        if name in self.squares and found is None:
            found = max(map(square_root, self._bounds(self.squares[name], point)[0]), default=None)
        if found is None or high is not None:  # what does not fit into the range is left to the points
            own = min([self._within(line, low, high, point), *most])
            if found is None or not own <= found <= (own if high is None else high):
                found = own
        return self._of_a_square(name, found if low is None else max(low, found))

    def _within(self, line: Mapping[str, Any], low: Any, high: Any, point: Point) -> Fraction:
        """A number in a range: three quarters of the way, at different ones for different steps, or all of it."""
        if low is None or high is None:
            return Q(1) if low is None else low + self.attempt.room
        steps = [self.draws.kinds[a] == "steps" for a in line.get("varies", ())] == [True]
        share = Q(2 * point[line["varies"][0]] + 1, 4) if steps else Q(3, 4)
        return Q(low + (1 if self._at_the_end(line) else share) * (high - low))

    def value(self, name: str, point: Point) -> Fraction:
        """An infimum of functions, what the hypotheses say, or any number."""
        try:
            return self.quadratics.infimum(name, point)
        except LookupError:
            least, most = self._bounds(name, point)
            return max(least, default=min(most, default=some(name)))

    def _at_the_end(self, line: Mapping[str, Any]) -> bool:
        """Whether an equation has the distance of a number from its upper end as a factor."""
        factor = f"({line['high']} - {line['parameter']})*"
        return any(text.relation == "=" and text.form.startswith(factor) for text in self.unknowns)

    def _of_a_square(self, name: str, least: Fraction) -> Fraction:
        """At least so much, such that what a hypothesis calls a square of another number is one."""
        for text in self.unknowns:
            root, words = re.match(r"(\w+)\*\*2 - ", text.form), re.findall(r"\w+", text.form)
            if root and text.relation == "=" and next((n for n in ROOMY if n in words), "") == name:
                names = {root[1]: "trial 0"}
                zero, one = (-self.here.space.read(text.form, {**names, name: f"trial {i}"})({}) for i in range(2))
                if one > zero:
                    return Q(square_root(zero + least * (one - zero)) ** 2 - zero) / (one - zero)  # type: ignore[no-any-return]
        return least

    def _iterated(self, line: Mapping[str, Any], point: Point) -> Fraction:
        if point["t"] > FIRST:
            return self.read(line["next"], {**point, "t": point["t"] - 1})  # type: ignore[no-any-return]
        return self.read(line["low"] if line.get("first") is None else line["first"], point)  # type: ignore[no-any-return]

    def _is_known(self, name: str) -> bool:
        infima = {
            one for pack, names in self.draws.packs.values() if pack.startswith("infimum") for one in names.values()
        }
        return (
            name in (SPARE, *infima, *self.attempt.given)
            or self._is_count(name)
            or (name in self.named["choose"] and name not in self.squares.values())
            or (name in STEPS and self.run is not None)
        )

    def _is_count(self, name: str) -> bool:
        return name in COUNTS or (name == "N" and bool(self.draws.kinds)) or name in self.roots

    def _count(self, name: str) -> Fraction:
        """Of steps and places; of times; of clients, 1/sum p_k^2, which is their number for equal weights; roots of these."""
        if name in self.roots:
            return square_root(self._count(self.roots[name]))
        counts = {**COUNTS, "T": Q(self.attempt.times), "N": 1 / sum((w**2 for w in self.draws.weights.values()), Q(0))}
        return counts[name]

    def _of_the_clock(self, name: str, line: Mapping[str, Any], point: Point) -> Fraction:
        """Steps, and their sizes, in a run."""
        if name == "since":
            return Q(self._since(point))
        t = point.get("t", FIRST)
        begun = t - self._since(point)
        when = {"t_j": begun, "eta": t, "eta_j": begun, "eta_t0": begun, "eta_E": begun + 2}[name]
        if name == "t_j":
            return Q(when)
        if "eta" in self.named["choose"]:
            return self.read("eta", {"t": when})  # type: ignore[no-any-return]
        high = self.named["parameter"]["eta"].get("high")
        return (Q(1) if high is None else self.read(high, {})) / (1 + Q(when - FIRST, 4))

    def _bounds(self, name: str, point: Point) -> tuple[list[Fraction], list[Fraction]]:
        """The least and the largest that the hypotheses of which a number is the last unknown allow.

        Those about vectors do not count for a number with a range: the points are chosen for it.
        """
        ranged = self.named["parameter"].get(name, {}).get("high") is not None
        least: list[Fraction] = []
        most: list[Fraction] = []
        for text in self.unknowns:
            if ranged and re.search(r"\b(sq|dot|mean)\(", text.form):
                continue
            words = [dict(text.names).get(word, word) for word in re.findall(r"\w+", text.form)]
            unknown = [
                n for n in (*self.named["parameter"], *self.named["value"]) if n in words and not self._is_known(n)
            ]
            defined = re.match(r"(\w+) - ", text.form) if text.relation == "=" else None
            if defined and defined[1] in unknown:
                unknown = [defined[1]]
            if unknown[-1:] == [name] and not {*self.draws.independent.values()} & {*words}:
                for root, rising in self._roots(name, text, point):
                    (least if rising or text.relation == "=" else most).append(root)
                    most += [root] if text.relation == "=" and ranged else []
        return least, most

    def _instances(self, hypothesis: str, line: Mapping[str, Any]) -> list[tuple[tuple[str, str], ...]]:
        """What the letters of a hypothesis stand for, wherever it is assumed."""
        if not line.get("points"):
            return [()]
        if len(line["points"]) > 1:  # of the curvature of a function
            return []
        assumed = [one["assume"] for one in self.draws.of_rule("assume") if one["hypothesis"] == hypothesis]
        return [self.here.texts[one].names for one in assumed]

    def _roots(self, name: str, text: Text, point: Point) -> Iterator[tuple[Fraction, bool]]:
        """Where a text vanishes that is linear in a number, or in its square, and whether it rises with it.

        Of others the first power of two at which it is not negative.
        """
        space = self.here.space
        trials = [
            space.average(space.read(text.form, {**dict(text.names), name: f"trial {trial}"}), text.over)
            for trial in TRIALS
        ]
        for p in space.points(sorted({a for trial in trials for a in trial.axes} - {*point})):
            zero, one, two = (trial({**point, **p}) for trial in trials[:3])
            if one != zero and two - one in (one - zero, 3 * (one - zero)):
                root = -zero / (one - zero)
                yield root if two - one == one - zero else square_root(root), one > zero
            elif one != zero:
                yield next((Q(x) for x, at in zip(TRIALS, trials, strict=True) if at({**point, **p}) >= 0), Q(1)), True

    def _goes_on(self, point: Point) -> bool:
        """Whether a round may go on: the numbers that would count its next step are in their ranges; else every second time."""
        counts = [
            line for line in self.named["parameter"].values() if "go" in re.findall(r"\w+", str(line.get("next") or ""))
        ]
        following = [self.here.space.read(line["next"], {"go": "trial 1"})(point) for line in counts]
        if not counts:
            return bool(point["t"] % 2)
        return all(x <= self.read(line["high"], {}) for x, line in zip(following, counts, strict=True))

    def _since(self, point: Point) -> int:
        """Steps since the clients were last equal: 0, 1, 0, 1, ..., if the declarations do not say more."""
        line = self.named["parameter"]["since"]
        if line.get("next") is not None:
            return int(self._iterated(line, point))
        return (point.get("t", FIRST) - FIRST) % 2 if self.read(line["high"], {}) >= 1 else 0
