"""Which mutants are run, how many were noticed, and the score that is kept."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from fltheory.evidence import ids
from fltheory.mutation import runs
from fltheory.mutation.mutants import Mutant
from fltheory.mutation.targets import Target

WORDS = (runs.NOTICED, runs.WEAKER, runs.LOOSE, runs.STRONGER, runs.SURVIVOR, runs.UNDECIDED)
#: Where the score is kept, below the folder of results.
KEPT = Path("mutation", "statements.json")


@dataclass(frozen=True)
class MutationPlan:
    """Bounds with those of their mutants that are run."""

    parts: Sequence[tuple[Target, Sequence[Mutant]]]

    @classmethod
    def of(cls, wanted: str, *, displays: bool = False, sample: int | None = None, seed: int = 0) -> MutationPlan:
        """The mutants of all bounds, of a document, of one bound (``assembly.C_FINAL``) or of those that a row speaks of.

        Parameters
        ----------
        displays : the displays of the wings as well; a bound or row that is named is looked for among them in any case.
        sample, seed : only so many mutants, drawn from all.

        Raises
        ------
        LookupError : no such bound, row or document.
        """
        whole = wanted == "all" or wanted in ids.documents()
        documents = [wanted] if wanted in ids.documents() else list(ids.documents())
        found: list[Target] = []
        for document in documents:
            found += runs.planned(document, package=whole and not displays, wanted="" if whole else wanted)
        if not found:
            raise LookupError(f"no bound {wanted!r}, and no row that speaks of one")
        pairs = [(place, mutant) for place, one in enumerate(found) for mutant in one.mutants]
        if sample is not None and sample < len(pairs):
            drawn = sorted(Random(seed).sample(range(len(pairs)), sample))
            pairs = [pairs[number] for number in drawn]
        by_target = [(one, [mutant for at, mutant in pairs if at == place]) for place, one in enumerate(found)]
        return cls([(one, mutants) for one, mutants in by_target if mutants])

    def run(self, *, seconds: float | None = None) -> Iterator[runs.Fate]:
        """What becomes of each."""
        for target, mutants in self.parts:
            yield from runs.fates(target, mutants, seconds=seconds)


@dataclass
class Tally:
    """How many mutants of each document came to which end, and the survivors by name."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    survivors: list[str] = field(default_factory=list)

    def add(self, fate: runs.Fate) -> None:
        """Count one more."""
        self.counts[fate.target.document, fate.word] += 1
        if fate.word == runs.SURVIVOR:
            self.survivors.append(f"{fate.target.document}:{fate.target.name}: {fate.mutant.words}")

    @property
    def by_document(self) -> dict[str, dict[str, int]]:
        """Counts by document and word, with the number of mutants."""
        documents = dict.fromkeys(document for document, _ in self.counts)
        return {
            document: {"mutants": sum(self.counts[document, word] for word in WORDS)}
            | {word: self.counts[document, word] for word in WORDS}
            for document in documents
        }

    def lines(self) -> list[str]:
        """The score, a line per document."""
        return [
            f"{document}: " + ", ".join(f"{number} {word}" for word, number in row.items())
            for document, row in self.by_document.items()
        ]

    @property
    def exit_code(self) -> int:
        """0 no survivor, 1 survivors, 3 undecided ones."""
        if self.survivors:
            return 1
        return 3 if any(word == runs.UNDECIDED for _, word in self.counts) else 0

    def write(self, results: Path) -> Path:
        """Keep the score and the survivors; returns the file."""
        from fltheory.files import written_whole

        path = results / KEPT
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as file:
            json.dump({"score": self.by_document, "survivors": self.survivors}, file, indent=1)
            file.write("\n")
        return path
