"""Which mutants are run, in several processes, and in which order."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from random import Random

from fltheory.evidence import ids
from fltheory.mutation import runs
from fltheory.mutation.mutants import Mutant
from fltheory.mutation.targets import Target

#: Mutants of one statement that a process takes at a time.
_LOT = 40


@dataclass(frozen=True)
class MutationPlan:
    """Bounds with those of their mutants that are run."""

    parts: Sequence[tuple[Target, Sequence[Mutant]]]

    @classmethod
    def of(
        cls,
        wanted: str,
        *,
        displays: bool = False,
        sample: int | None = None,
        seed: int = 0,
        progress: Callable[[str], None] = lambda words: None,
    ) -> MutationPlan:
        """The mutants of all bounds, of a document, of one bound (``assembly.C_FINAL``) or of those that a row speaks of.

        Parameters
        ----------
        displays : the displays of the wings as well; a bound or row that is named is looked for among them in any case.
        sample, seed : only so many mutants, drawn from all.
        progress : called with words before each document.

        Raises
        ------
        LookupError : no such bound, row or document.
        """
        whole = wanted == "all" or wanted in ids.documents()
        documents = [wanted] if wanted in ids.documents() else list(ids.documents())
        found: list[Target] = []
        for document in documents:
            progress(f"looking for bounds in {document}")
            found += runs.planned(document, package=whole and not displays, wanted="" if whole else wanted)
        if not found:
            raise LookupError(f"no bound {wanted!r}, and no row that speaks of one")
        pairs = [(place, mutant) for place, one in enumerate(found) for mutant in one.mutants]
        if sample is not None and sample < len(pairs):
            drawn = sorted(Random(seed).sample(range(len(pairs)), sample))
            pairs = [pairs[number] for number in drawn]
        by_target = [(one, [mutant for at, mutant in pairs if at == place]) for place, one in enumerate(found)]
        return cls([(one, mutants) for one, mutants in by_target if mutants])

    def without(self, known: Callable[[Target], bool]) -> MutationPlan:
        """The plan without the statements of which something is known."""
        return MutationPlan([(target, mutants) for target, mutants in self.parts if not known(target)])

    def run(
        self, *, seconds: float | None = None, processes: int | None = None
    ) -> Iterator[tuple[Target, list[runs.Fate]]]:
        """What becomes of each mutant, statement by statement.

        Parameters
        ----------
        seconds : limit of time for the rows of one mutant.
        processes : how many share the work; ``None`` one per core.
        """
        from fltheory.processes import in_order

        lots = [
            (place, first) for place, (_, mutants) in enumerate(self.parts) for first in range(0, len(mutants), _LOT)
        ]

        def answer(lot: tuple[int, int]) -> list[tuple[str, str]]:
            multiprocessing.current_process().daemon = False  # it starts processes of its own
            place, first = lot
            target, mutants = self.parts[place]
            return [
                (fate.word, fate.reason) for fate in runs.fates(target, mutants[first : first + _LOT], seconds=seconds)
            ]

        fates: list[runs.Fate] = []
        with closing(in_order(answer, lots, processes=processes)) as answers:
            for (place, first), told in zip(lots, answers, strict=True):
                target, mutants = self.parts[place]
                fates += [runs.Fate(target, mutants[first + at], *words) for at, words in enumerate(told)]
                if first + _LOT >= len(mutants):
                    yield target, fates
                    fates = []
