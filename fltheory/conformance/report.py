"""What was found, as an object, a paragraph and a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fltheory.conformance.probes import LAYERS
from fltheory.tables import WIDEST, Framed, Shown, cut

#: Exit codes of the command by verdict.
EXIT = {"equal": 0, "convention": 0, "deviation": 1, "other algorithm": 1, "unknown": 1}


@dataclass(frozen=True)
class Difference:
    """The first place at which models differ from the published algorithm's, rounds counted from 1."""

    probe: str
    round: int
    quantity: str
    theirs: float
    published: float
    cohort: tuple[int, ...]

    def __str__(self) -> str:
        return (
            f'probe "{self.probe}", round {self.round} (clients {", ".join(map(str, self.cohort))}): {self.quantity} is '
            f"{self.theirs:.10g}, published {self.published:.10g}"
        )


@dataclass(frozen=True)
class Conformance(Shown, Framed):
    """The answer of :func:`fltheory.conform`.

    =============== =========================================================================================================
    field           meaning
    =============== =========================================================================================================
    ``algorithm``   what the code was held against, with its paper
    ``verdict``     "equal"; "convention": equal under a choice that is left open; "deviation": not it, and the
                    named deviations give the same numbers; "other algorithm"; "unknown": not it, and nothing in the list is
    ``conventions`` the choices, in words, that are not the first one
    ``deviations``  the named deviations (or the name of the other algorithm), in words
    ``keys``        their short names
    ``numbers``     those of their numbers that were found from the models, by short name
    ``alike``       other explanations that give the same numbers on all probes
    ``difference``  where models first differ from the published algorithm's
    ``notes``       what was noticed beside, and what was not tested
    ``largest``     the largest difference to what the verdict says, relative to the path's largest number
    ``apart``       of a deviation, the largest difference to the published algorithm, relative to the same
    ``precision``   "double" or "single": to what the numbers agree
    ``probes``      what was run, with their numbers of rounds
    ``tried``       how many candidates were run; ``seconds``, in what time
    =============== =========================================================================================================
    """

    algorithm: str
    verdict: str
    conventions: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    difference: Difference | None = None
    notes: tuple[str, ...] = ()
    largest: float = 0.0
    precision: str = "double"
    probes: tuple[tuple[str, int], ...] = ()
    tried: int = 0
    seconds: float = 0.0
    numbers: Mapping[str, float] = field(default_factory=dict)
    apart: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the code is the algorithm, conventions apart."""
        return EXIT[self.verdict] == 0

    @property
    def exit_code(self) -> int:
        """0 if it is, else 1."""
        return EXIT[self.verdict]

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        under = f" under the convention: {'; '.join(self.conventions)}" if self.conventions else ""
        what = " and ".join(self.deviations)
        return {
            "equal": f"equals {self.algorithm}",
            "convention": f"equals {self.algorithm}{under}",
            "deviation": f"is not {self.algorithm}: {what}" + (f" (otherwise{under})" if under else ""),
            "other algorithm": f"is not {self.algorithm}: equals {what}{under}",
            "unknown": f"is not {self.algorithm}, and its deviation is not in the list",
        }[self.verdict]

    def facts(self) -> list[tuple[str, str]]:
        """What was found, a row each."""
        rows = [("verdict", self.sentence)]
        if self.difference is not None:
            rows.append(("differs first", str(self.difference)))
        if self.alike:
            rows.append(("the same numbers", "\n".join(self.alike)))
        if self.verdict != "unknown":
            rows.append(("agreement", f"{self.largest:.1e} of the largest number ({self.precision} precision)"))
        probes = ", ".join(f"{name} ({rounds} rounds)" for name, rounds in self.probes)
        rows.append(("probes", probes))
        rows.append(("candidates", f"{self.tried} in {self.seconds:.1f} s"))
        return [*rows, *(("note", note) for note in self.notes)]

    def records(self) -> list[dict[str, Any]]:
        """One dict: algorithm, verdict, conventions, deviations, largest difference, candidates tried."""
        return [
            {
                "algorithm": self.algorithm,
                "verdict": self.verdict,
                "conventions": "; ".join(self.conventions),
                "deviations": "; ".join(self.deviations),
                "largest": self.largest,
                "tried": self.tried,
            }
        ]

    def __str__(self) -> str:
        rows = self.facts()
        width = max(len(name) for name, _ in rows) + 2
        lines = []
        for name, text in rows:
            first, *rest = text.split("\n")
            lines += [f"{name:<{width}}{first}", *(" " * width + line for line in rest)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Conformance({cut(self.sentence, WIDEST)})"


def quantity(place: int) -> str:
    """A coordinate of the model by its layer."""
    cut = LAYERS.sizes[0]
    return f"{LAYERS.names[0]}[{place}]" if place < cut else LAYERS.names[1]


def difference_of(found: Any) -> Difference | None:
    """From what :func:`fltheory.conformance.search.difference` returns."""
    if found is None:
        return None
    probe, round, place, theirs, published = found
    cohort = probe.cohorts[round - 1] if round else ()
    return Difference(probe.name, round, quantity(place), float(theirs[place]), float(published[place]), cohort)
