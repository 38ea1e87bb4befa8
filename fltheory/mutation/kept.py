"""The score that is kept, statement by statement: what has not changed since is not run again, and nothing is lost on the way.

A statement's score stands as long as the statement, its mutants and what its rows keep (verdict, rung, certificate) are the same;
``fltheory mutate all --write --anew`` runs every mutant whatever is kept.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fltheory.evidence.rows import Row
from fltheory.mutation import runs
from fltheory.mutation.planting import Key
from fltheory.mutation.targets import Target

WORDS = (runs.NOTICED, runs.WEAKER, runs.LOOSE, runs.STRONGER, runs.SURVIVOR, runs.UNDECIDED)
#: Where the score is kept, below the folder of results.
KEPT = Path("mutation", "statements.json")
_FACTS = ("verdict", "rung", "outcome", "certificate")


def name_of(target: Target) -> str:
    """A statement's name among those of all documents."""
    kind = "" if isinstance(target.key, Key) else "text of "
    return f"{target.document}:{kind}{target.name}"


def digest_of(target: Target, rows: Mapping[str, Row]) -> str:
    """What a statement's score depends on, in few signs; ``rows``: the kept evidence by id."""
    stated = [
        str(getattr(target.key, name))
        for name in ("left", "relation", "expression", "text")
        if hasattr(target.key, name)
    ]
    facts = {row: [rows.get(row, {}).get(name) for name in _FACTS] for row in target.rows}
    whole = json.dumps([stated, [mutant.words for mutant in target.mutants], facts], sort_keys=True, default=str)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


class Scores:
    """Counts of words and survivors by statement, in one file.

    Parameters
    ----------
    path : the file; ``None`` keeps nothing.
    document : the one document whose statements are run, the others keep their score; empty for all of them.
    """

    def __init__(self, path: Path | None = None, document: str = "") -> None:
        self.path = path
        self.found: dict[str, dict[str, Any]] = {}
        self.before: dict[str, dict[str, Any]] = {}
        if path is not None and path.is_file():
            self.before = json.loads(path.read_text(encoding="utf-8"))["statements"]
        if document:
            self.found = {name: kept for name, kept in self.before.items() if name.split(":")[0] != document}

    def known(self, target: Target, digest: str) -> bool:
        """Take over what is kept of a statement, if it still stands."""
        kept = self.before.get(name_of(target))
        if kept is None or kept["digest"] != digest:
            return False
        self.found[name_of(target)] = kept
        return True

    def add(self, target: Target, digest: str, fates: Iterable[runs.Fate]) -> None:
        """All mutants of a statement, or more of them."""
        kept = self.found.setdefault(name_of(target), {"digest": digest, "counts": {}, "survivors": []})
        for fate in fates:
            kept["counts"][fate.word] = kept["counts"].get(fate.word, 0) + 1
            if fate.word == runs.SURVIVOR:
                kept["survivors"].append(fate.mutant.words)

    @property
    def survivors(self) -> list[str]:
        """Statement and change, where no row noticed."""
        return [f"{name}: {words}" for name, kept in sorted(self.found.items()) for words in kept["survivors"]]

    @property
    def by_document(self) -> dict[str, dict[str, int]]:
        """Counts by document and word, with the number of mutants."""
        counts: dict[str, Counter[str]] = {}
        for name, kept in sorted(self.found.items()):
            counts.setdefault(name.split(":")[0], Counter()).update(kept["counts"])
        return {
            document: {"mutants": sum(found.values())} | {word: found[word] for word in WORDS}
            for document, found in counts.items()
        }

    @property
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
        return 3 if any(row[runs.UNDECIDED] for row in self.by_document.values()) else 0

    def write(self, *, finished: bool = True) -> None:
        """Keep what is found; before the end, what was kept of other statements as well."""
        from fltheory.files import written_whole

        if self.path is None:
            return
        statements = self.found if finished else {**self.before, **self.found}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(self.path) as file:
            told = {"score": self.by_document, "survivors": self.survivors}
            json.dump(told | {"statements": dict(sorted(statements.items()))}, file, indent=1)
            file.write("\n")
