"""Drills: a new document of three claims is one folder, and a claim of one's own is one file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fltheory.cli import main
from fltheory.evidence import keys
from fltheory.evidence.catalogue import find_scripts, load, load_module

SYMBOLS = """
import sympy as sp

a, b = sp.symbols("a b")
SUM = a + b


def square(x):
    return x**2
"""
IDENTITIES = """
import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim

from .symbols import SUM, a, b, square


@claim("DOC-SQUARE", kind=Kind.IDENTITY, scope=Scope.GENERAL, statement="(a+b)^2 = a^2 + c ab + b^2",
       printed=dict(c=2), controls=[Control("no middle term", dict(c=0))])
def expanded(c):
    rest = sp.expand(square(SUM) - a**2 - c * a * b - b**2)
    if rest != 0:
        return Evidence(Rung.PROOF, Outcome.REFUTED, "expansion", 1, counterexample="a = b = 1")
    return Evidence(Rung.PROOF, Outcome.HOLDS, "expansion", 1, certificate=certificates.identity(rest))


@claim("DOC-MEAN", kind=Kind.INEQUALITY, scope=Scope.GENERAL, statement="4ab <= (a+b)^2",
       printed=dict(factor=4), controls=[Control("5 for 4", dict(factor=5))])
def means(factor):
    rest = sp.expand(square(SUM) - factor * a * b - square(a - b))
    if rest != 0:
        return Evidence(Rung.PROOF, Outcome.REFUTED, "a square", 1, counterexample="a = b = 1")
    return Evidence(Rung.PROOF, Outcome.HOLDS, "a square", 1, certificate=certificates.identity(rest))
"""
TABLE = """
from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim


@claim("DOC-TABLE", kind=Kind.TABLE, scope=Scope.TEXT, statement="3^2 = 9", summary="The table's square.",
       printed=dict(entry=9), controls=[Control("a wrong entry", dict(entry=8))])
def entry(entry):
    from . import symbols

    holds = symbols.square(3) == entry
    outcome = Outcome.HOLDS if holds else Outcome.REFUTED
    return Evidence(Rung.READING, outcome, "added up", 1, counterexample="" if holds else f"9 is not {entry}")
"""


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """A folder of documents with one document in it: three claims in two scripts, which share their symbols."""
    folder = tmp_path / "documents" / "paper2026"
    folder.mkdir(parents=True)
    for name, text in {"symbols": SYMBOLS, "identities": IDENTITIES, "table": TABLE}.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(arguments))
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    return done.exit_code, done.output


def rows(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    output = tmp_path / "out.json"
    code, text = run("verify", *arguments, "--jobs", "1", "--output", str(output))
    assert code == 0, text
    return {row["id"]: row for row in json.loads(output.read_text())["rows"]}


@pytest.mark.parametrize("alone", [False, True])
def test_a_new_document_is_one_folder(document: Path, tmp_path: Path, alone: bool) -> None:
    path = str(document if alone else document.parent)
    found = rows(tmp_path, "--path", path)
    assert {row: (item["verdict"], item["rung"]) for row, item in found.items()} == {
        "DOC-SQUARE": ("holds", "proof"),
        "DOC-MEAN": ("holds", "proof"),
        "DOC-TABLE": ("holds", "reading"),
    }
    assert {item["document"] for item in found.values()} == {"paper2026"}
    assert list(rows(tmp_path, "--path", path, "paper2026")) == list(found)
    assert list(rows(tmp_path, "--path", path, "DOC-MEAN")) == ["DOC-MEAN"]


def test_list_and_show_know_it(document: Path) -> None:
    path = str(document)
    code, listed = run("list", "--path", path, "--document", "paper2026")
    assert code == 0 and [line.split()[0] for line in listed.splitlines()] == ["DOC-SQUARE", "DOC-MEAN", "DOC-TABLE"]
    assert "The table's square." in run("list", "--path", path, "--kind", "table")[1]
    code, shown = run("show", "DOC-MEAN", "--path", path)
    assert code == 0 and "(paper2026)" in shown and "4ab <= (a+b)^2" in shown and "holds (proof)" in shown
    assert json.loads(run("show", "DOC-TABLE", "--json", "--path", path)[1])[0]["statement"] == "3^2 = 9"
    code, refused = run("show", "DOC-MEEN", "--path", path)
    assert code == 2 and "did you mean DOC-MEAN" in refused
    code, refused = run("list", "--path", path, "--document", "li2020")
    assert code == 2 and "one of: paper2026" in refused


def test_a_change_of_what_is_shared_is_seen(document: Path, tmp_path: Path) -> None:
    scripts = {script.path.stem: script for script in find_scripts(document)}
    before = {name: keys.key_of(script.path) for name, script in scripts.items()}
    assert load(scripts.values()).claims["DOC-TABLE"].run().outcome.value == "holds"
    (document / "symbols.py").write_text(SYMBOLS.replace("x**2", "x**3 "))
    keys.forget()
    assert all(keys.key_of(script.path) != before[name] for name, script in scripts.items())
    assert load(scripts.values()).claims["DOC-TABLE"].run().outcome.value == "refuted"


def test_documents_with_modules_of_one_name_do_not_meet(document: Path, tmp_path: Path) -> None:
    other = document.parent / "other2026"
    other.mkdir()
    (other / "symbols.py").write_text("word = 'other'\n")
    (other / "reads.py").write_text("from .symbols import word\nfrom ..paper2026.symbols import square\n")
    assert not load(find_scripts(document.parent)).broken
    module = load_module(other / "reads.py", document.parent)
    assert module.word == "other" and module.square(2) == 4


def test_a_shared_module_that_is_missing_names_itself(document: Path) -> None:
    (document / "symbols.py").unlink()
    found = load(find_scripts(document))
    assert list(found.broken) == ["identities.py"] and "symbols" in found.broken["identities.py"]
    code, refused = run("list", "--path", str(document))
    assert code == 2 and "identities.py cannot be loaded" in refused


def test_a_claim_of_ones_own_is_one_file(own_claims: Callable[..., Path], tmp_path: Path) -> None:
    text = """
@claim("MINE-1", kind=Kind.DEFINITION, scope=Scope.TEXT, statement="1 + 1 = 2", printed=dict(two=2),
       controls=[Control("three", dict(two=3))])
def mine(two):
    return found(1 + 1 == two)
"""
    folder = own_claims(**{"a.strange-name": text})
    found = rows(tmp_path, "--path", str(folder))
    assert found["MINE-1"]["verdict"] == "holds" and found["MINE-1"]["document"] == "own"
    assert "MINE-1" in run("list", "--path", str(folder))[1]
