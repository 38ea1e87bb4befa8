"""Which changes of an algorithm's text give a user's models: none, conventions, one named deviation, two.

Models are compared from the first round on, so that most candidates are left after one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from fltheory.conformance.catalogue import FAMILIES
from fltheory.conformance.family import AlgorithmFamily, Convention
from fltheory.conformance.probes import Probe
from fltheory.conformance.walk import LARGEST, path, walk
from fltheory.conformance.words import Deviation
from fltheory.kinds import Floats

Choice = tuple[Convention, ...]
#: Rounds to single precision are right to this share of a path's largest number; to double precision, to that.
SINGLE, DOUBLE = 1e-5, 1e-9


@dataclass(frozen=True)
class Seen:
    """A probe and the user's models on it, ``(rounds + 1, 4)``."""

    probe: Probe
    models: Floats


@dataclass(frozen=True)
class Match:
    """A candidate that gives the user's models on all probes."""

    family: AlgorithmFamily
    choice: Choice
    deviations: tuple[Deviation, ...]


@dataclass
class DeviationSearch:
    """The candidates of a family against the models that a user's code returned."""

    family: AlgorithmFamily
    seen: Sequence[Seen]
    values: Mapping[str, Any]
    takes: frozenset[str]
    tolerance: float
    seconds: float = 8.0
    tried: int = 0
    stopped: bool = False
    _begun: float = field(default_factory=time.monotonic)
    _first: dict[tuple[str, frozenset[str]], Floats | None] = field(default_factory=dict)

    def agreed(self, family: AlgorithmFamily, changes: frozenset[str]) -> int:
        """Rounds on which a candidate agrees, probe after probe, up to the first that differs; all and one more if none does."""
        self.tried += 1
        total = 0
        for one in self.seen:
            scale = _scales(one.models)
            rounds = 0
            for place, model in enumerate(walk(family, one.probe, self.values, changes)):
                if not _alike(model, one.models[place], self.tolerance * scale[place]):
                    return total + rounds
                rounds = place
            total += one.probe.rounds
        return total + 1

    def fits(self, family: AlgorithmFamily, changes: frozenset[str]) -> bool:
        """Whether a candidate gives all models."""
        return self.agreed(family, changes) > sum(one.probe.rounds for one in self.seen)

    def conventions(self, family: AlgorithmFamily | None = None) -> list[Match]:
        """The published text under its conventions, the fewest unusual ones only."""
        family = family or self.family
        return _fewest([Match(family, choice, ()) for choice in family.choices() if self.fits(family, keys(choice))])

    def applicable(self) -> list[Deviation]:
        """Deviations that the probes can show for what the run takes."""
        kinds = {one.probe.schedule for one in self.seen}
        named = {"decay": "decay" in kinds, "schedule": "steps" in kinds}
        return [
            one
            for one in self.family.deviations
            if not one.needs or any(named.get(need, need in self.takes) for need in one.needs)
        ]

    def singles(self) -> list[Match]:
        """One deviation under the fewest unusual conventions."""
        found: list[Match] = []
        for choice in self.family.choices():
            base = keys(choice)
            if found and _cost(choice) > _cost(found[0].choice):
                break
            for one in self.applicable():
                if self.fits(self.family, base | {one.key}):
                    found.append(Match(self.family, choice, (one,)))
        return _fewest(found)

    def others(self) -> list[Match]:
        """Other algorithms that take no more than this one does."""
        found: list[Match] = []
        for family in FAMILIES.values():
            if family is not self.family and set(family.needs) <= set(self.values):
                found += self.conventions(family)
        return found

    def pairs(self) -> list[Match]:
        """Two deviations of different places, as long as time lasts.

        Of a pair that differs from the published text in the first round one member does; if the other does not, the first
        alone gives the models after round one.
        """
        usual = self.family.choices()
        one = self.seen[0]
        singles = self.applicable()
        own = {deviation.key for deviation in self.family.own}
        singles.sort(key=lambda deviation: deviation.key not in own)
        found: list[Match] = []
        for choice in usual:
            if found and _cost(choice) > _cost(found[0].choice):
                break
            base = keys(choice)
            published = self._after_one(base)
            early = {d.key for d in singles if not _same(self._after_one(base | {d.key}), published)}
            right = {d.key for d in singles if self._right(self._after_one(base | {d.key}), one)}
            late = self._right(published, one)
            for left, other in _pairs_of(singles, own):
                if time.monotonic() - self._begun > self.seconds:
                    self.stopped = True
                    return _fewest(found)
                a, b = left.key in early, other.key in early
                if late and (a or b) and not (a and b):
                    continue
                if not late and not a and not b:
                    continue
                if a != b and (left.key if a else other.key) not in right:
                    continue
                if self.fits(self.family, base | {left.key, other.key}):
                    found.append(Match(self.family, choice, (left, other)))
        return _fewest(found)

    def _after_one(self, changes: frozenset[str]) -> Floats | None:
        """The model after the first round of the first probe."""
        name = (self.family.name, changes)
        if name not in self._first:
            models = walk(self.family, self.seen[0].probe, self.values, changes)
            next(models)
            self._first[name] = next(models, None)
        return self._first[name]

    def _right(self, model: Floats | None, one: Seen) -> bool:
        return model is not None and _alike(model, one.models[1], self.tolerance * _scales(one.models)[1])

    def nearest(self) -> tuple[Deviation | None, int]:
        """The deviation that agrees for most rounds, and for how many; ``None`` where the published text does as well."""
        base = keys(self.family.choices()[0])
        best, most = None, max(self.agreed(self.family, keys(choice)) for choice in self.family.choices())
        for one in self.applicable():
            rounds = self.agreed(self.family, base | {one.key})
            if rounds > most:
                best, most = one, rounds
        return best, most


def keys(choice: Choice) -> frozenset[str]:
    """What a choice of conventions changes."""
    return frozenset(convention.key for convention in choice if convention.key)


def unusual(match: Match) -> tuple[Convention, ...]:
    """The conventions that are not the first of their place."""
    first = {convention.place: convention for convention in reversed(match.family.conventions)}
    return tuple(one for one in match.choice if first[one.place] is not one)


def difference(
    family: AlgorithmFamily, choice: Choice, values: Mapping[str, Any], seen: Sequence[Seen], tolerance: float
) -> Any:
    """The first probe, round and coordinate at which models differ from a text's: ``(probe, round, place, theirs, published)``."""
    for one in seen:
        wanted = path(family, one.probe, values, keys(choice))
        scale = _scales(wanted)
        for round, (theirs, model) in enumerate(zip(one.models, wanted, strict=True)):
            if not _alike(model, theirs, tolerance * scale[round]):
                gap = np.where(np.isfinite(theirs), np.abs(theirs - model), np.inf)
                return one.probe, round, int(np.argmax(gap)), theirs, model
    return None


def _pairs_of(singles: list[Deviation], own: set[str]) -> Iterator[tuple[Deviation, Deviation]]:
    """Pairs of different places: two of the algorithm's own first, then one, then none."""
    for wanted in (2, 1, 0):
        for left, other in combinations(singles, 2):
            if left.place != other.place and (left.key in own) + (other.key in own) == wanted:
                yield left, other


def _cost(choice: Choice) -> int:
    return len(keys(choice))


def _fewest(found: Iterable[Match]) -> list[Match]:
    """Matches under the fewest unusual conventions."""
    listed = list(found)
    least = min((len(unusual(one)) for one in listed), default=0)
    return [one for one in listed if len(unusual(one)) == least]


def _scales(models: Floats) -> Floats:
    """The largest number of a path so far, round by round: a run that diverges is compared while it is small."""
    sizes = np.where(np.isfinite(models), np.abs(models), 0.0).max(axis=1)
    return np.maximum.accumulate(np.maximum(np.where(sizes < LARGEST, sizes, 0.0), 1.0))


def _same(left: Floats | None, right: Floats | None) -> bool:
    return left is not None and right is not None and bool(np.allclose(left, right, rtol=1e-10, atol=1e-10))


def _alike(model: Floats, theirs: Floats, room: float) -> bool:
    """Equal to rounding, or both beyond all bounds."""
    gone = ~np.isfinite(theirs) | (np.abs(theirs) > LARGEST)
    if bool(gone.any()):
        return not bool(np.all(np.abs(model) < LARGEST))
    return bool(np.all(np.abs(model - theirs) <= room))
