"""The report's structure, without a browser: every statement set, every link with an end, no outside address, and small."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("latex2mathml")

from fltheory.evidence import ids  # noqa: E402
from fltheory.evidence.ledger import read_ledger  # noqa: E402
from fltheory.report import build_report, write_report  # noqa: E402
from fltheory.report.maths import mathml  # noqa: E402
from fltheory.report.trees import derivation_tree  # noqa: E402


@pytest.fixture(scope="module")
def text() -> str:
    return build_report()


@pytest.fixture(scope="module")
def claims(text: str) -> dict[str, dict[str, Any]]:
    packed = re.search(r'<script id="data"[^>]*>([^<]*)</script>', text)
    assert packed
    data = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return {claim["id"]: claim for claim in data["claims"]}


def test_every_row_is_there_and_every_statement_is_set(claims: dict[str, dict[str, Any]]) -> None:
    ledger = read_ledger()
    assert set(claims) == set(ledger)
    for name, claim in claims.items():
        assert claim["verdict"] == ledger[name]["verdict"]
        assert bool(claim["math"]) == bool(ledger[name]["statement"])
        assert claim["math"].count("<msqrt") == len(re.findall(r"\\sqrt(?!\s*\[)", claim["statement"]))


def test_every_link_has_an_end(text: str, claims: dict[str, dict[str, Any]]) -> None:
    page = text.partition('<script id="data"')[0]
    linked = {html.unescape(name) for name in re.findall(r'data-claim="([^"]*)"', page)}
    assert len(linked) > 100
    assert linked <= set(claims)
    for document in re.findall(r'data-sheet="([^"]*)"', page):
        assert f'id="errata-{document}"' in page
    for claim in claims.values():
        assert {*claim["rests"], *claim["carries"], *filter(None, [claim["repair"]])} <= set(claims)
        assert {html.unescape(name) for name in re.findall(r'data-claim="([^"]*)"', claim["graph"])} <= set(claims)


def test_it_is_small_and_names_no_outside_address(text: str) -> None:
    assert len(text.encode()) < 5_000_000
    assert not re.findall(r'(?:src|href)="(?!#|data:,)[^"]*"', text)
    assert not re.findall(r"@import|url\((?!data:)|fetch\(|XMLHttpRequest", text)
    assert "@@" not in re.sub(r'<script id="data".*?</script>', "", text, flags=re.S)


def test_every_premise_of_a_tree_is_a_fact_of_it(claims: dict[str, dict[str, Any]]) -> None:
    trees = [claim["tree"] for claim in claims.values() if claim["tree"]]
    assert len(trees) > 300
    for tree in trees:
        premises = {name for _, _, below in tree["facts"].values() for name, _ in below}
        assert tree["ends"] and {*premises, *tree["ends"]} <= set(tree["facts"])


def test_a_tree_ends_in_what_is_assumed() -> None:
    lines = [
        ["hypothesis", "smooth", {"form": "L - a"}],
        ["assume", "at w", {"hypothesis": "smooth", "points": ["w"]}],
        ["combine", "end", {"facts": {"at w": "2"}, "form": "2*L - 2*a"}],
    ]
    tree = derivation_tree({"format": "fltheory derivation 1", "conclusions": ["end"], "lines": lines})
    assert tree == {
        "ends": ["end"],
        "facts": {"at w": ["assume", "L - a >= 0, at w", []], "end": ["combine", "2*L - 2*a >= 0", [["at w", "2"]]]},
    }


@pytest.mark.parametrize(("latex", "left"), [(r"\nosuchcommand x", ValueError), (r"x^{a}^{b}", ValueError)])
def test_a_formula_that_cannot_be_set_is_refused(latex: str, left: type[Exception]) -> None:
    with pytest.raises(left, match="no MathML"):
        mathml(latex)


def test_one_document_and_an_unknown_one(tmp_path: Path) -> None:
    document = ids.documents()[0]
    size = write_report(tmp_path / "one.html", [document])
    assert size == (tmp_path / "one.html").stat().st_size
    with pytest.raises(ValueError, match="no document 'nosuch'"):
        build_report(["nosuch"])


def test_the_same_bytes_twice(text: str) -> None:
    assert build_report() == text
