"""A family: one algorithm's text with all that is changed in it on purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fltheory.conformance.words import Deviation, ProbeRound, State

Start = Callable[[ProbeRound, Any], State]
Step = Callable[[ProbeRound, State], State]


@dataclass(frozen=True)
class Convention:
    """A choice that the paper or the field leaves open; of one ``place`` one is taken.  ``key=""`` is the first choice."""

    key: str
    place: str
    words: str


@dataclass(frozen=True, eq=False)
class AlgorithmFamily:
    """An algorithm as it is published, its conventions and its deviations.

    ============== ==========================================================================================================
    field          meaning
    ============== ==========================================================================================================
    ``name``       as users write it; ``title`` with its paper
    ``values``     its parameters with the numbers of the probes
    ``needs``      those that a run must take, since there is no neutral value
    ``neutral``    values of the others for a run that does not take them
    ``start``      the state before the first round: a dictionary with the model "w"
    ``round``      the next state
    ``published``  the algorithm of the package that this text is, from values (for tests and reports)
    ``unequal``    whether the numbers of local steps differ in one of its probes
    ``centre``     whether it uses the server's own loss
    ``own``        the deviations that are its own; ``aliases``: names of its parameters in users' code
    ============== ==========================================================================================================
    """

    name: str
    title: str
    values: Mapping[str, Any]
    needs: tuple[str, ...]
    neutral: Mapping[str, Any]
    start: Start
    round: Step
    conventions: tuple[Convention, ...]
    deviations: tuple[Deviation, ...]
    published: Callable[[Any], Any]
    own: tuple[Deviation, ...] = ()
    unequal: bool = False
    centre: bool = False
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def choices(self) -> list[tuple[Convention, ...]]:
        """All combinations of conventions, the first of each place first."""
        places: dict[str, list[Convention]] = {}
        for convention in self.conventions:
            places.setdefault(convention.place, []).append(convention)
        found: list[tuple[Convention, ...]] = [()]
        for options in places.values():
            found = [(*chosen, option) for option in options for chosen in found]
        return sorted(found, key=lambda chosen: sum(option != places[option.place][0] for option in chosen))


WEIGHTS_BY_COUNTS = (
    Convention("", "average", "clients of a cohort are weighted by their counts"),
    Convention("uniform", "average", "clients of a cohort are weighted equally"),
)
WEIGHTS_EQUAL = (WEIGHTS_BY_COUNTS[1], WEIGHTS_BY_COUNTS[0])
