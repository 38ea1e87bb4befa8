"""Which changes of an algorithm's text give a user's models: none, conventions, one named deviation, one with a free number.

Models are compared from the first round on, so that most candidates are left after one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from fltheory.conformance.catalogue import FAMILIES
from fltheory.conformance.family import AlgorithmFamily, Convention
from fltheory.conformance.fitting import fitted, gaps_of, polished
from fltheory.conformance.probes import Probe
from fltheory.conformance.relations import fixed, relation
from fltheory.conformance.walk import LARGEST, path, walk
from fltheory.conformance.words import FIXED, Deviation
from fltheory.kinds import Floats

Choice = tuple[Convention, ...]
#: Changes of a text: keys, and keys with numbers.
Changes = frozenset[str]
#: The first rounds of a probe: its place, and how many.
Window = tuple[int, int]
#: Rounds to single precision are right to this share of a path's largest number; to double precision, to that.
SINGLE, DOUBLE = 1e-5, 1e-9


@dataclass(frozen=True)
class Seen:
    """A probe and the user's models on it, ``(rounds + 1, 4)``."""

    probe: Probe
    models: Floats

    @cached_property
    def scales(self) -> Floats:
        """The largest number of the path so far, round by round: a run that diverges is compared while it is small."""
        return _scales(self.models)


@dataclass(frozen=True)
class Match:
    """A candidate that gives the user's models on all probes."""

    family: AlgorithmFamily
    choice: Choice
    deviations: tuple[Deviation, ...]

    @property
    def changes(self) -> Changes:
        """What it changes in its family's text."""
        return keys(self.choice) | {one.token for one in self.deviations}


@dataclass
class DeviationSearch:
    """The candidates of a family against the models that a user's code returned.

    ``seconds`` bounds free numbers and pairs: what is tried first is what is quick.
    """

    family: AlgorithmFamily
    seen: Sequence[Seen]
    values: Mapping[str, Any]
    takes: frozenset[str]
    tolerance: float
    seconds: float = 8.0
    tried: int = 0
    stopped: bool = False
    _begun: float = field(default_factory=time.thread_time)
    #: Free numbers with which one deviation gives the first rounds, if not all.
    rights: dict[Choice, list[tuple[Deviation, float]]] = field(default_factory=dict)

    def again(self, tolerance: float, seconds: float) -> DeviationSearch:
        """The same search to another precision."""
        return DeviationSearch(self.family, self.seen, self.values, self.takes, tolerance, seconds)

    def agreed(self, family: AlgorithmFamily, changes: Changes) -> int:
        """Rounds on which a candidate agrees, probe after probe, up to the first that differs; all and one more if none does."""
        self.tried += 1
        total = 0
        for one in self.seen:
            rounds = 0
            for place, model in enumerate(walk(family, one.probe, self.values, changes)):
                if not _alike(model, one.models[place], self.tolerance * one.scales[place]):
                    return total + rounds
                rounds = place
            total += one.probe.rounds
        return total + 1

    @cached_property
    def whole(self) -> int:
        """All rounds of all probes."""
        return sum(one.probe.rounds for one in self.seen)

    def fits(self, family: AlgorithmFamily, changes: Changes) -> bool:
        """Whether a candidate gives all models."""
        return self.agreed(family, changes) > self.whole

    def conventions(self, family: AlgorithmFamily | None = None) -> list[Match]:
        """The published text under its conventions, the fewest unusual ones only."""
        family = family or self.family
        return fewest([Match(family, choice, ()) for choice in family.choices() if self.fits(family, keys(choice))])

    def applicable(self) -> list[Deviation]:
        """Deviations that the probes can show for what the run takes."""
        kinds = {one.probe.schedule for one in self.seen}
        named = {"decay": "decay" in kinds, "schedule": "steps" in kinds}
        return [
            one
            for one in self.family.deviations
            if not one.needs or any(named.get(need, need in self.takes) for need in one.needs)
        ]

    @cached_property
    def listed(self) -> list[Deviation]:
        """The applicable ones without a free number."""
        return [one for one in self.applicable() if one.number is None]

    @cached_property
    def free(self) -> list[Deviation]:
        """Those with one: parameters that are not what was given, then the algorithm's own, then what all have."""
        decays = any(one.probe.schedule == "decay" for one in self.seen)
        own = {one.key for one in self.family.own}
        given = sorted((one for one in self.applicable() if one.number), key=lambda one: one.key not in own)
        return [*fixed(self.values, self.takes, decays=decays), *given]

    def singles(self) -> list[Match]:
        """One listed deviation under the fewest unusual conventions."""
        found: list[Match] = []
        for choice in self.family.choices():
            base = keys(choice)
            if found and cost(choice) > cost(found[0].choice):
                break
            for one in self.listed:
                if self.fits(self.family, base | {one.key}):
                    found.append(Match(self.family, choice, (one,)))
        return fewest(found)

    def others(self) -> list[Match]:
        """Other algorithms that take no more than this one does."""
        found: list[Match] = []
        for family in FAMILIES.values():
            if family is not self.family and set(family.needs) <= set(self.values):
                found += self.conventions(family)
        return found

    def numbers(self) -> list[Match]:
        """One deviation with a free number, under the fewest unusual conventions; in a third of the time."""
        found: list[Match] = []
        for choice in self.family.choices():
            if (found and cost(choice) > cost(found[0].choice)) or self.late(0.3):
                break
            base = keys(choice)
            window = self.differs(base)
            rights = []
            for one in self.free:
                numbers = self.fit(base, (one,), [window])
                if numbers is None:
                    continue
                exact = self.exact(base, (one,), numbers)
                if exact is not None:
                    found.append(Match(self.family, choice, exact))
                rights.append((one, numbers[0]))
            self.rights[choice] = rights
        return fewest(found)

    def others_with_numbers(self) -> list[Match]:
        """Other algorithms with parameters that the run does not take, three at most."""
        found: list[Match] = []
        for family in FAMILIES.values():
            lacking = {name: family.values[name] for name in family.needs if name not in self.values}
            if family is self.family or not 1 <= len(lacking) <= 3 or not set(family.neutral) <= set(self.values):
                continue
            free = tuple(fixed(lacking, frozenset(), decays=False))
            if len(free) < len(lacking):
                continue
            for choice in family.choices():
                if self.late(0.4) or (found and cost(choice) > cost(found[0].choice)):
                    break
                window = self.differs(keys(choice), family, free)
                numbers = self.fit(keys(choice), free, [window], family=family)
                exact = None if numbers is None else self.exact(keys(choice), free, numbers, family)
                if exact is not None:
                    found.append(Match(family, choice, exact))
        return fewest(found)

    def fit(
        self,
        base: Changes,
        free: tuple[Deviation, ...],
        windows: Sequence[Window],
        *,
        family: AlgorithmFamily | None = None,
        starts: Sequence[tuple[float, ...]] | None = None,
        thorough: bool = True,
    ) -> tuple[float, ...] | None:
        """Numbers with which a text agrees on the first rounds of probes; ``starts`` as :func:`fitted`."""
        return fitted(
            free, lambda numbers: self.gaps(base, free, numbers, windows, family), starts=starts, thorough=thorough
        )

    def exact(
        self,
        base: Changes,
        free: tuple[Deviation, ...],
        numbers: tuple[float, ...],
        family: AlgorithmFamily | None = None,
    ) -> tuple[Deviation, ...] | None:
        """The deviations with numbers that give all models, each with the fewest digits that do; ``None``: none do."""
        family = family or self.family
        if not self.fits(family, base | tokens(free, numbers)):
            rounds = [(place, one.probe.rounds) for place, one in enumerate(self.seen)]
            better = polished(free, lambda here: self.gaps(base, free, here, rounds, family), numbers)
            if better is None or not self.fits(family, base | tokens(free, better)):
                return None
            numbers = better
        for place in range(len(numbers)):
            for digits in range(1, 13):
                short = float(f"{numbers[place]:.{digits}g}")
                trial = (*numbers[:place], short, *numbers[place + 1 :])
                if self.fits(family, base | tokens(free, trial)):
                    numbers = trial
                    break
        return tuple(one.at(value, self.shown(one, value)) for one, value in zip(free, numbers, strict=True))

    def shown(self, one: Deviation, value: float) -> str:
        """A number as it is written in a report, with what it may be made of unless it is a short one that stands for itself."""
        double = self.tolerance < 1e-7
        text = f"{value:.10g}" if double else f"{value:.5g}"
        if float(f"{value:.2g}") == value and not one.key.startswith(FIXED):
            return text
        values = {
            name: number for name, number in self.values.items() if f"{FIXED}{name}" != one.key or value != number
        }
        made = relation(value, values, [seen.probe for seen in self.seen], 1e-8 if double else 1e-4)
        return f"{text} (= {made})" if made else text

    def gaps(
        self,
        base: Changes,
        free: Sequence[Deviation],
        numbers: Sequence[float],
        windows: Sequence[Window],
        family: AlgorithmFamily | None = None,
    ) -> Floats:
        """Differences on the first rounds of probes, in units of what counts as equal."""
        self.tried += 1
        changes = base | tokens(free, numbers)
        found = []
        for place, rounds in windows:
            one = self.seen[place]
            models = list(islice(walk(family or self.family, one.probe, self.values, changes), rounds + 1))
            theirs, scales = one.models[: rounds + 1], one.scales[: rounds + 1]
            found.append(gaps_of(models, theirs, scales, self.tolerance, LARGEST))
        return np.concatenate(found)

    def differs(
        self, changes: Changes, family: AlgorithmFamily | None = None, free: tuple[Deviation, ...] = ()
    ) -> Window:
        """Where a text differs first: of all probes the one with fewest rounds before.  ``free``: at their most usual numbers."""
        usual = [one.number.usual[0] for one in free if one.number is not None]
        changes = changes | tokens(free, usual)
        best: Window | None = None
        for place, one in enumerate(self.seen):
            most = one.probe.rounds if best is None else best[1] - 1
            models = islice(walk(family or self.family, one.probe, self.values, changes), most + 1)
            for round, model in enumerate(models):
                if not _alike(model, one.models[round], self.tolerance * one.scales[round]):
                    best = (place, round)
                    break
        return (0, self.seen[0].probe.rounds) if best is None else best

    def early(self, changes: Changes, window: Window) -> Floats:
        """A text's models of the first rounds."""
        place, rounds = window
        models = islice(walk(self.family, self.seen[place].probe, self.values, changes), rounds + 1)
        return np.array(list(models))

    def late(self, share: float) -> bool:
        """Whether this share of the time has passed."""
        return time.thread_time() - self._begun > share * self.seconds

    def nearest(self) -> tuple[Deviation | None, int]:
        """The deviation that agrees for most rounds, and for how many; ``None`` where the published text does as well."""
        base = keys(self.family.choices()[0])
        best, most = None, max(self.agreed(self.family, keys(choice)) for choice in self.family.choices())
        rights = self.rights.get(self.family.choices()[0], [])
        for one in (*self.listed, *(right.at(value, self.shown(right, value)) for right, value in rights)):
            rounds = self.agreed(self.family, base | {one.token})
            if rounds > most:
                best, most = one, rounds
        return best, most


def keys(choice: Choice) -> Changes:
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


def tokens(free: Sequence[Deviation], numbers: Sequence[float]) -> Changes:
    """Deviations with their numbers, as changes."""
    return frozenset(one.at(number).token for one, number in zip(free, numbers, strict=True))


def cost(choice: Choice) -> int:
    """How many conventions are unusual."""
    return len(keys(choice))


def fewest(found: Iterable[Match]) -> list[Match]:
    """Matches under the fewest unusual conventions."""
    listed = list(found)
    least = min((len(unusual(one)) for one in listed), default=0)
    return [one for one in listed if len(unusual(one)) == least]


def _scales(models: Floats) -> Floats:
    sizes = np.where(np.isfinite(models), np.abs(models), 0.0).max(axis=1)
    return np.maximum.accumulate(np.maximum(np.where(sizes < LARGEST, sizes, 0.0), 1.0))


def _alike(model: Floats, theirs: Floats, room: float) -> bool:
    """Equal to rounding, or both beyond all bounds."""
    gone = ~np.isfinite(theirs) | (np.abs(theirs) > LARGEST)
    if bool(gone.any()):
        return not bool(np.all(np.abs(model) < LARGEST))
    return bool(np.all(np.abs(model - theirs) <= room))
