"""The kept score: one document's statements can be run while the others keep theirs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fltheory.evidence.relations import Relations
from fltheory.mutation.kept import Scores
from fltheory.mutation.mutants import Mutant
from fltheory.mutation.runs import NOTICED, SURVIVOR, Fate, _proved_or_not
from fltheory.mutation.targets import Target

STATED = Relations("x <= 2 for x <= 1")
MUTANT = Mutant("text", "x <= 3 for x <= 1", "2 -> 3")


def target(document: str) -> Target:
    return Target(document, "OWN-1", STATED, {"OWN-1": ""}, (MUTANT,), 1.0)


def test_a_document_is_counted_anew_and_the_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "statements.json"
    first = Scores(path)
    for document in ("one", "two"):
        first.add(target(document), "old", [Fate(target(document), MUTANT, SURVIVOR)])
    first.write()
    again = Scores(path, "two")
    assert not again.known(target("two"), "new") and again.known(target("two"), "old")
    again = Scores(path, "two")
    again.add(target("two"), "new", [Fate(target("two"), MUTANT, NOTICED)])
    again.write()
    kept = json.loads(path.read_text())
    assert kept["survivors"] == ["one:text of OWN-1: 2 -> 3"]
    assert kept["score"]["two"]["noticed"] == 1 and kept["statements"]["two:text of OWN-1"]["digest"] == "new"


@pytest.mark.parametrize(("certificate", "word"), [("another", NOTICED), ("the same", SURVIVOR), (None, SURVIVOR)])
def test_a_row_that_refutes_the_changed_statement_too_has_noticed_it(certificate: str | None, word: str) -> None:
    def found(kept: str | None, more: str) -> dict[str, tuple[str, float, str, str]]:
        return {"OWN-1": ("wrong as printed, proof", 1.0, "x = 3", json.dumps({"certificate": kept, "more": more}))}

    fate = _proved_or_not(target("one"), MUTANT, found(certificate, "now"), found("the same", "before"))
    assert fate.word == word
