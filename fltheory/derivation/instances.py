"""Exact finite instances with real noise, made for what a derivation declares.

Nothing here is trusted: :class:`fltheory.derivation.witness.Evaluation` says whether an instance obeys what is declared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import isqrt
from typing import Any

from fltheory.derivation.draws import FIRST, PLACES, Attempt, Declared
from fltheory.derivation.finite import FiniteInstance, Point, Text
from fltheory.derivation.quadratics import DIMENSION, CurvedFunctions, Vector, some_vector
from fltheory.derivation.replay import unpacked
from fltheory.derivation.witness import Evaluation

Q = Fraction
#: Numbers that the axes settle, if they are declared; an instance has rounds of two steps.
COUNTS = {"K": Q(PLACES), "size": Q(PLACES), "E": Q(2), "tau": Q(2)}
#: Minimisers of the average objective.
MINIMISERS = ("wstar", "xs")
#: Local points of runs: the start of their round, the gradients since then, the present one, the points that follow.
RUNS = {"w": ("w0", "g_j", "g_w + noise", "w1"), "x": ("x0", "G_j", "g_x + noise", "u1")}
#: Numbers that a run settles: steps since the start of a round, an earlier one of the round, sizes of steps.
STEPS = ("since", "t_j", "eta", "eta_j", "eta_t0", "eta_E")
#: Hypotheses on functions, which quadratics of the right curvature obey.
CURVED = ("smooth", "strongly convex", "convex", "Lipschitz gradients")
#: Rules that declare nothing.
CONCLUDING = ("combine", "cases", "closure", "telescope", "end")
#: What is tried, one after the other; the number of times has to be a square where it is chosen as one.
ATTEMPTS = [Attempt(spread=spread) for spread in (Q(1), Q(1, 8), Q(1, 64))]
OF_SQUARES = [Attempt(times, room=room) for times in (4, 1) for room in (Q(1), Q(1, 16))] + [
    Attempt(25, (27, 364), noisy=1)
]
ZERO: Vector = (Q(0),) * DIMENSION


def square_root(x: Fraction) -> Fraction:
    """A rational number whose square is at least x, and not much more."""
    n = max(0, x.numerator) * x.denominator
    root = isqrt(n)
    return Q(root + (root * root < n), x.denominator)


class Witnesses:
    """Derivations evaluated on instances made for them; those that declare and assume the same share one."""

    def __init__(self) -> None:
        self.known: dict[str, Evaluation] = {}

    def __call__(self, lines: Sequence[Any]) -> Evaluation:
        """The lines of a derivation on an instance for what they declare: of several the first that obeys them.

        Raises
        ------
        LookupError : nothing says what a declared name may be.
        """
        key = json.dumps([line for line in map(unpacked, lines) if next(iter(line)) not in CONCLUDING])
        if key not in self.known:
            for attempt in OF_SQUARES if '"choose": "T"' in key else ATTEMPTS:
                self.known[key] = Evaluation(lines, Maker(lines, attempt).instance)
                if not self.known[key].broken:
                    break
        return Evaluation(lines, self.known[key].instance, self.known[key].space)


class Maker:
    """Values for the names that lines declare, each found when it is asked for."""

    def __init__(self, lines: Sequence[Any], attempt: Attempt) -> None:
        self.draws, self.attempt = Declared(lines, attempt), attempt
        self.named = self.draws.named
        self.quadratics = CurvedFunctions(self.draws, lambda name: self.read(name, {}))
        squares = {
            name: re.fullmatch(r"(\w+)\*\*2", str(line["equals"])) for name, line in self.named["choose"].items()
        }
        # numbers whose squares are chosen for others
        self.roots = {found[1]: name for name, found in squares.items() if found}
        self.run = next((run for local, run in RUNS.items() if {local, *run[:2]} <= {*self.named["vector"]}), None)
        given: dict[str, Callable[[Point], Any]] = {}
        for rule, method in (
            ("parameter", self.parameter),
            ("vector", self.vector),
            ("value", self.quadratics.infimum),
        ):
            for name, line in self.named[rule].items():
                if name not in self.named["choose"] and line.get("equals") is None:
                    given[name] = partial(method, name)
        self.instance = FiniteInstance(self.draws.axes, given, self.quadratics.functions(), self.draws.cases)
        self.here = Evaluation(lines, self.instance)
        for trial in range(3):
            self.here.make(f"trial {trial}", (), lambda p, trial=trial: Q(trial))  # type: ignore[misc]

    def read(self, text: str, point: Point) -> Any:
        return self.here.space.read(text)(point)

    # Vectors

    def vector(self, name: str, point: Point) -> Vector:
        if name in MINIMISERS:
            return self.quadratics.minimiser([p["of"] for p in self.draws.of_rule("point") if p["point"] == name])
        if self.run and name in self.run[:2]:
            return self._of_the_run(name, point)
        following = self.draws.following(name)
        if following:
            if point["t"] > FIRST:
                return self._at(following, point, point["t"] - 1)
            if "first" in self.named["vector"]:
                return self._at("first", point, 0)
            if self._begins_at_zero(name):
                return ZERO
        line = self.named["vector"][name]
        if line.get("mean"):
            return self._noise(name, line["mean"], point)
        own, anchor = some_vector(name, self._seen(point)), self._anchor()
        if not line.get("axes") or not anchor:
            return own
        return tuple(x + self.attempt.spread * y for x, y in zip(self.vector(anchor, {}), own, strict=True))

    def _noise(self, name: str, means: Sequence[Sequence[str]], point: Point) -> Vector:
        """Half of some vector times what is drawn, by each client for itself if there is a draw for each."""
        if point.get("t", FIRST) >= FIRST + self.attempt.noisy:
            return ZERO
        total = some_vector(name, {a: x for a, x in self._seen(point).items() if a not in [axis for axis, *_ in means]})
        for axis, mean, _ in means:
            drawn = point[axis]
            factor = (*drawn, 0)[point.get("k", 0)] if isinstance(drawn, tuple) else drawn
            centre = ZERO if mean == "0" else self.read(mean, point)
            total = tuple(c + factor * x / 2 for c, x in zip(centre, total, strict=True))
        return total

    def _seen(self, point: Point) -> dict[str, Any]:
        """What a vector may know: of the past what was drawn before its time."""
        time = point.get("t", FIRST)
        return {a: x[:time] if self.draws.kinds[a] == "past" and isinstance(x, tuple) else x for a, x in point.items()}

    def _anchor(self) -> str:
        """The first vector that is the same everywhere."""
        free = [name for name, line in self.named["vector"].items() if not {"equals", "axes"} & {*filled(line)}]
        return next((name for name in free if name not in MINIMISERS), "")

    def _at(self, name: str, point: Point, time: int) -> Vector:
        return self.here.made[name](self.draws.before(point, time))  # type: ignore[no-any-return]

    def _begins_at_zero(self, name: str) -> bool:
        sums = [names["first"] for pack, names in self.draws.packs.values() if pack == "empty sum"]
        forms = [line["form"] for line in self.draws.of_rule("define") if line.get("first") in sums]
        return any(name in re.findall(r"\w+", form) for form in forms)

    def _goes_on(self, point: Point) -> bool:
        """Whether a round may go on: the numbers that would count its next step are in their ranges."""
        for line in self.named["parameter"].values():
            if "go" in re.findall(r"\w+", str(line.get("next") or "")):
                following = self.here.space.read(line["next"], {"go": "trial 1"})(point)
                if following > self.read(line["high"], {}):
                    return False
        return True

    def _since(self, point: Point) -> int:
        """Steps since the clients were last equal: 0, 1, 0, 1, ..., if the declarations do not say more."""
        line = self.named["parameter"]["since"]
        if line.get("next") is not None:
            return int(self._iterated(line, point))
        return (point.get("t", FIRST) - FIRST) % 2 if self.read(line["high"], {}) >= 1 else 0

    def _of_the_run(self, name: str, point: Point) -> Vector:
        """The start of a round, or the stochastic gradients at the steps of the round before this one."""
        assert self.run is not None
        start, _, now, after = self.run
        since = self._since(point)
        begun = point["t"] - since
        if name != start:
            step = begun + point["j"] % since if since else None
            return ZERO if step is None else self.read(now, self.draws.before(point, step))
        return some_vector(name) if begun == FIRST else self._at(after, {"k": 0, **point}, begun - 1)

    # Numbers

    def parameter(self, name: str, point: Point) -> Fraction:
        """What the axes or the run say, what follows by the next value, what the hypotheses need, or a number in the range."""
        line = self.named["parameter"][name]
        low, high = (None if line.get(end) is None else self.read(line[end], point) for end in ("low", "high"))
        if self._is_count(name):
            found = self._count(name)
            return found if high is None else min(found, high)
        if name in STEPS and self.run:
            return self._of_the_clock(name, line, point)
        if name == "go":
            return Q(self._goes_on(point))
        if line.get("next") is not None:
            return self._iterated(line, point)
        needed = [*self._needed(name, point)]
        if needed:
            return max(needed if low is None else [low, *needed])
        if low is None or high is None:
            return Q(1) if low is None else low + self.attempt.room
        return Q(low + Q(3, 4) * (high - low))

    def _iterated(self, line: Mapping[str, Any], point: Point) -> Fraction:
        if point["t"] > FIRST:
            return self.read(line["next"], {**point, "t": point["t"] - 1})  # type: ignore[no-any-return]
        return self.read(line["low"] if line.get("first") is None else line["first"], point)  # type: ignore[no-any-return]

    def _is_count(self, name: str) -> bool:
        return name in COUNTS or (name in ("N", "T") and bool(self.draws.kinds)) or name in self.roots

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

    def _needed(self, name: str, point: Point) -> Iterator[Fraction]:
        """What the hypotheses of which a number is the last unknown ask of it, at all points that agree with this one."""
        for hypothesis, line in self.named["hypothesis"].items():
            words = re.findall(r"\w+", str(line["form"]))
            unknown = [n for n in self.named["parameter"] if n in words and not self._is_count(n)]
            if unknown[-1:] != [name] or {*self.draws.independent.values()} & {*words}:
                continue
            for names in self._instances(hypothesis, line):
                yield from self._roots(name, Text(line["form"], tuple(line.get("over", ())), names=names), point)

    def _instances(self, hypothesis: str, line: Mapping[str, Any]) -> list[tuple[tuple[str, str], ...]]:
        if not line.get("points"):
            return [()]
        if self.draws.packs[hypothesis][0] in CURVED:
            return []
        assumed = [one["assume"] for one in self.draws.of_rule("assume") if one["hypothesis"] == hypothesis]
        return [self.here.texts[one].names for one in assumed]

    def _roots(self, name: str, text: Text, point: Point) -> Iterator[Fraction]:
        """Where a text that is linear in a number, or in its square, vanishes."""
        space, trials = self.here.space, []
        for trial in range(3):
            whole = space.read(text.form, {**dict(text.names), name: f"trial {trial}"})
            trials.append(space.average(whole, text.over))
        for p in space.points(sorted({a for trial in trials for a in trial.axes} - {*point})):
            zero, one, two = (trial({**point, **p}) for trial in trials)
            if one != zero:
                yield -zero / (one - zero) if two - one == one - zero else square_root(-zero / (one - zero))


def filled(line: Mapping[str, Any]) -> list[str]:
    return [key for key, item in line.items() if item]
