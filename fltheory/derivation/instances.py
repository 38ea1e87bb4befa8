"""Exact finite instances with real noise, made for what a derivation declares.

Nothing here is trusted: :class:`fltheory.derivation.witness.Evaluation` says whether an instance obeys what is declared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from fltheory.derivation.draws import FIRST, Attempt
from fltheory.derivation.finite import Point
from fltheory.derivation.quadratics import DIMENSION, Vector, some, some_vector
from fltheory.derivation.replay import unpacked
from fltheory.derivation.solved import SolvedNumbers
from fltheory.derivation.witness import Evaluation

Q = Fraction
#: Rules that declare nothing.
CONCLUDING = ("combine", "cases", "closure", "telescope", "end")
#: What is tried, one after the other; the number of times has to be a square where it is chosen as one.
ATTEMPTS = [Attempt(spread=spread) for spread in (Q(1), Q(1, 8), Q(1, 64), Q(8), Q(1, 1024))]
OF_SQUARES = [Attempt(times, room=room) for times in (4, 1) for room in (Q(1), Q(1, 16))] + [
    Attempt(25, (27, 364), noisy=1)
]
ZERO: Vector = (Q(0),) * DIMENSION


def declared(lines: Sequence[Any]) -> str:
    """What a derivation declares and assumes: those of which this is equal share an instance."""
    return json.dumps([line for line in map(unpacked, lines) if next(iter(line)) not in CONCLUDING])


class Witnesses:
    """Derivations evaluated on instances made for them; those that declare and assume the same share one."""

    def __init__(self) -> None:
        self.known: dict[str, Evaluation] = {}

    def __call__(self, lines: Sequence[Any], *attempts: Attempt) -> Evaluation:
        """The lines of a derivation on an instance for what they declare: of several the first that obeys them.

        Parameters
        ----------
        attempts : what is tried before that which is tried for every derivation.

        Raises
        ------
        LookupError : nothing says what a declared name may be.
        """
        key = declared(lines)
        if key not in self.known:
            for attempt in (*attempts, *(OF_SQUARES if '"choose": "T"' in key else ATTEMPTS)):
                self.known[key] = Evaluation(lines, Maker(lines, attempt).instance)
                if self.known[key].obeyed:
                    break
        return Evaluation(lines, self.known[key].instance, self.known[key].space)


class Maker(SolvedNumbers):
    """Vectors for the names that lines declare: noise, minimisers, what follows from draws, points near other points."""

    def __init__(self, lines: Sequence[Any], attempt: Attempt) -> None:
        self.minimisers: dict[str, bool] = {}
        super().__init__(lines, attempt)

    def vector(self, name: str, point: Point) -> Vector:
        if self._is_minimiser(name):
            return self.quadratics.minimiser([p["of"] for p in self.draws.of_rule("point") if p["point"] == name])
        for pack, names in self.draws.packs.values():
            if pack == "last less first" and names["change"] == name:
                return self._change(names, point)
            if pack == "one of the clients" and names["one"] == name:
                largest = max(self.draws.weights, key=lambda k: self.draws.weights[k])
                return self.read(names["gradient"], {**point, self.draws.client: largest})  # type: ignore[no-any-return]
        if self.run and name in self.run[:2]:
            return self._of_the_run(name, point)
        following = self.draws.following(name)
        if following:
            if point["t"] > FIRST:
                return self._at(following, point, point["t"] - 1)
            if name in self.attempt.starts:
                return self.attempt.starts[name]
            if "first" in self.named["vector"]:
                return self._at("first", point, 0)
            if f"{name}0" in self.named["vector"]:
                return self.here.made[f"{name}0"](point)  # type: ignore[no-any-return]
            if self._begins_at_zero(name):
                return ZERO
        line = self.named["vector"][name]
        if line.get("mean"):
            return self._noise(name, line["mean"], point)
        own, anchor = some_vector(name, self._seen(point)), self._anchor(line)
        if not anchor:
            return tuple(max(Q(1), self.attempt.spread) * x for x in own)
        return tuple(x + self.attempt.spread * y for x, y in zip(self.here.made[anchor](point), own, strict=True))

    def value(self, name: str, point: Point) -> Q:
        """What followed at the time before, if it moves on; at the first time, and of others, what the numbers need."""
        following = self.draws.following(name)
        if following and point["t"] > FIRST:
            return self.here.made[following](self.draws.before(point, point["t"] - 1))  # type: ignore[no-any-return]
        return super().value(name, point)

    def _noise(self, name: str, means: Sequence[Sequence[str]], point: Point) -> Vector:
        """Half of some vector times what is drawn, by each client for itself if there is a draw for each."""
        if point.get("t", FIRST) >= FIRST + self.draws.noisy or self._is_without_noise(name):
            return ZERO
        total = some_vector(name, {a: x for a, x in self._seen(point).items() if a not in [axis for axis, *_ in means]})
        if any(
            pack == "noise of known variance" and names["noise"] == name for pack, names in self.draws.packs.values()
        ):
            total = (Q(1),) * DIMENSION
        for axis, mean, _ in means:
            drawn = point[axis]
            factor = (*drawn, 0)[point.get(self.draws.client, 0)] if isinstance(drawn, tuple) else drawn
            if self.draws.kinds[axis] != "noise":  # the point's own number less the average of such numbers
                law = self.draws.axes[axis]
                factor = some(axis, drawn) - sum((weight * some(axis, x) for x, weight in law.items()), Q(0))
            centre = ZERO if mean == "0" else self.read(mean, point)
            total = tuple(c + factor * x / 2 for c, x in zip(centre, total, strict=True))
        return total

    def _seen(self, point: Point) -> dict[str, Any]:
        """What a vector may know: of the past what was drawn before its time; no draw and no client where noise has ended."""
        time, kinds = point.get("t", FIRST), self.draws.kinds
        if time >= FIRST + self.draws.noisy:
            point = {a: x for a, x in point.items() if kinds[a] not in ("clients", "noise", "cohort")}
        return {a: x[:time] if kinds[a] == "past" and isinstance(x, tuple) else x for a, x in point.items()}

    def _anchor(self, line: Mapping[str, Any]) -> str:
        """The first vector that differs along fewer axes."""
        for name, other in self.named["vector"].items():
            fewer = {*other.get("axes", ())} < {*line.get("axes", ())}
            if fewer and other.get("equals") is None and not other.get("mean") and not self._is_minimiser(name):
                return name
        return ""

    def _is_without_noise(self, name: str) -> bool:
        """Whether a bound of the variance is chosen as zero."""
        chosen = {one for one, line in self.named["choose"].items() if str(line["equals"]) == "0"}
        return any(name in {*names.values()} and chosen & {*names.values()} for _, names in self.draws.packs.values())

    def _is_minimiser(self, name: str) -> bool:
        """Whether the gradients at a point add up to nothing."""
        if name not in self.minimisers:
            self.minimisers[name] = self._is_stationary(name)
        return self.minimisers[name]

    def _is_stationary(self, name: str) -> bool:
        points = [line for line in self.draws.of_rule("point") if line["point"] == name]
        stationary = [line for line in points if line.get("mean") or str(line.get("equals")).startswith("-")]
        return bool(stationary or (points and name in ("wstar", "xs")))

    def _change(self, names: Mapping[str, str], point: Point) -> Vector:
        """What a vector changes by from the first time to the last, by its products with unit vectors."""
        told = next(line for line in self.draws.of_rule("define") if line.get("last") == names["last"])
        found = []
        for i in range(DIMENSION):
            form = self.here.space.average(self.here.space.read(told["form"], {"z": f"unit {i}"}), told["over"])
            first, last = ({**point, "t": t} for t in (FIRST, self.draws.times[-1] + 1))
            found.append(form(last) - form(first))
        return tuple(found)

    def _at(self, name: str, point: Point, time: int) -> Vector:
        return self.here.made[name](self.draws.before(point, time))  # type: ignore[no-any-return]

    def _begins_at_zero(self, name: str) -> bool:
        sums = [names["first"] for pack, names in self.draws.packs.values() if pack == "empty sum"]
        forms = [line["form"] for line in self.draws.of_rule("define") if line.get("first") in sums]
        return any(name in re.findall(r"\w+", form) for form in forms)

    def _of_the_run(self, name: str, point: Point) -> Vector:
        """The start of a round, or the stochastic gradients at the steps of the round before this one."""
        assert self.run is not None
        start, _, now, after = self.run
        since = self._since(point)
        begun = point["t"] - since
        if name != start:
            step = begun + point["j"] % since if since else None
            return ZERO if step is None else self.read(now, self.draws.before(point, step))
        return some_vector(name) if begun == FIRST else self._at(after, {self.draws.client: 0, **point}, begun - 1)
