"""Ids that one script names and another defines: written out, computed, or nowhere; and the parts of a bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from fltheory.evidence.catalogue import find_scripts, load, load_for
from fltheory.evidence.references import defined_elsewhere

HEAD = """
from fltheory.evidence.bundles import bundle
from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim

COMMON = dict(kind=Kind.ALGEBRA, scope=Scope.GENERAL, statement="", controls=[Control("x", dict(x=1))])


def check(x: int = 0) -> Evidence:
    return Evidence(Rung.PROOF, Outcome.REFUTED if x else Outcome.HOLDS, "m", 1, counterexample="c" if x else "")

"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "li2020"
    home.mkdir()
    needs = '("LI-LEM2[written]", "LI-LEM3[computed 1]", "LI-LEM3[computed 2]", "LI-LEM4[nowhere]")'
    (home / "a.py").write_text(HEAD + f'a = claim("LI-LEM1", depends={needs}, **COMMON)(check)\n')
    (home / "b.py").write_text(HEAD + 'b = claim("LI-LEM2[written]", **COMMON)(check)\n')
    (home / "c.py").write_text(HEAD + 'c = claim(f"LI-LEM3[computed {1}]", **COMMON)(check)\n')
    pieces = 'pieces=["one"], parts={"one": "LI-LEM1", "two": "LI-LEM2"}'
    rest = 'kind=Kind.ALGEBRA, statement="", summary="", source="here"'
    (home / "d.py").write_text(HEAD + f'd = bundle("LI-THM1", {pieces}, {rest})\n')
    return tmp_path


def test_written_and_computed_ids_are_found(folder: Path) -> None:
    own = [script for script in find_scripts(folder) if script.name.endswith("a.py")]
    assert defined_elsewhere(load(own), folder) == ["LI-LEM2[written]", "LI-LEM3[computed 1]"]
    assert defined_elsewhere(load(find_scripts(folder)), folder) == []


def test_the_parts_of_a_bundle_are_loaded_with_it(folder: Path) -> None:
    catalogue = load_for(["LI-THM1"], folder)
    assert {"LI-THM1", "LI-LEM1", "LI-LEM2[written]"} <= set(catalogue.claims)
    assert set(load_for(["LI-LEM2[written]"], folder).claims) >= {"LI-LEM2[written]"}
