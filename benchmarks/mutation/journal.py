"""What became of mutants, one line each, so that an interrupted run goes on where it stopped.

A line counts as long as the mutated file is the same; that a mutant survived counts as long as the tests are the same too,
and if there were any.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.mutation.mutants import Mutant
from benchmarks.mutation.places import ROOT, digest_of_files, test_files

KILLED, SURVIVED = "killed", "survived"


@dataclass(frozen=True)
class Result:
    """``outcome`` of the mutant ``name``; ``by`` is the test that failed, or how the run ended; ``tests`` were chosen."""

    name: str
    outcome: str
    by: str
    tests: int
    seconds: float
    source: str
    suite: str


class Journal:
    """Results in a file of lines; a line that an interruption cut off is left out."""

    def __init__(self, path: Path, root: Path = ROOT) -> None:
        self.path, self.root = path, root
        self.suite = digest_of_files(test_files(root))
        self._sources: dict[str, str] = {}

    def source(self, name: str) -> str:
        """The digest of a mutated file."""
        if name not in self._sources:
            self._sources[name] = digest_of_files([self.root / name])
        return self._sources[name]

    def add(self, mutant: Mutant, outcome: str, by: str, tests: int, seconds: float) -> Result:
        """Write a line."""
        result = Result(mutant.name, outcome, by, tests, round(seconds, 2), self.source(mutant.path), self.suite)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(result)) + "\n")
        return result

    def read(self, mutants: Iterable[Mutant], *, old: bool = False) -> dict[str, Result]:
        """The results that still count, of these mutants, by name; the last line of a mutant decides.

        ``old``: that a mutant survived earlier tests counts too, until it is tried with those of now.
        """
        wanted = {mutant.name: mutant for mutant in mutants}
        found: dict[str, Result] = {}
        for line in self.path.read_text("utf-8").splitlines() if self.path.exists() else []:
            try:
                result = Result(**json.loads(line))
            except (json.JSONDecodeError, TypeError):
                continue
            mutant = wanted.get(result.name)
            if mutant is not None and result.source == self.source(mutant.path):
                found[result.name] = result
        return {
            name: one
            for name, one in found.items()
            if one.outcome == KILLED or old or (one.suite == self.suite and one.tests)
        }
