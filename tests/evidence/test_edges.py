"""Edges that nobody types: bounds that a check reads, statements that a derivation passes through; the graph of the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import sympy as sp

from fltheory.evidence.catalogue import find_scripts, load
from fltheory.evidence.edges import computed_edges, self_contained
from fltheory.evidence.ledger import build_ledger, read_ledger
from fltheory.evidence.reads import digests, reading
from fltheory.evidence.sentences import headline_of
from fltheory.theory.bound import Bound

x = sp.Symbol("x", positive=True)
FIRST, SECOND = (Bound(name, "here", "y", factor * x) for name, factor in (("first", 2), ("second", 3)))
#: Edges that scripts type, and rows that do, by wing: what no record can see, such as a premise of a proof in prose.  They only
#: fall, but where a row names a premise that it had argued for a second time.
TYPED = {
    "li2020": (182, 91),
    "lecture2022": (38, 20),
    "mixed2022": (189, 115),
    "fedlama2021": (10, 9),
    "elastic2023": (34, 26),
}


def test_who_asks_for_an_expression_reads_the_bound_and_values_are_no_reading() -> None:
    with reading() as read:
        assert FIRST.expression == 2 * x
        with reading() as inner:
            copy = replace(SECOND, conditions=())
        assert SECOND.exact(x=2) == 6 and SECOND.curve(x=1.0) == 3.0 and SECOND.latex()
    assert digests(read.values()) == digests([FIRST])
    assert digests(inner.values()) == digests([SECOND]) == digests([copy])
    assert FIRST.expression == 2 * x and digests(read.values()) == digests([FIRST])  # nothing is noted afterwards
    assert digests([FIRST])[0].endswith(" first") and not {*digests([FIRST])} & {*digests([SECOND])}
    with pytest.raises(AttributeError):
        FIRST.expression = x  # type: ignore[misc]


def derived(concludes: str, *displays: str, foreign: tuple[str, ...] = ()) -> dict[str, Any]:
    said = {"hypotheses": ["F is convex"], "valid_for": "0 < L", "foreign": [*foreign], "displays": [*displays]}
    return {**said, "concludes": concludes.split(", ")}


def rows(**more: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {
        "LI-LEM1": dict(states=["1 one"], derived=derived("a end")),
        "LI-LEM2": dict(states=["2 two"], derived=derived("b end, c end", "x line")),
        "LI-THM1": dict(states=["3 three"], derived=derived("d end", "a line", "b line")),
        "LI-THM2": dict(states=["4 four"], derived=derived("e end", "a line", "b line", "c line")),
        "LI-LEM3[some]": dict(states=["5 five"]),
        "LI-LEM3[other]": dict(states=["5 five"]),
        "LI-LEM3-R1": dict(states=["6 six"]),
    }
    return {
        **found,
        **{name.replace("_", "-"): {**found.get(name.replace("_", "-"), {}), **row} for name, row in more.items()},
    }


def test_a_derivation_passes_through_rows_all_of_whose_conclusions_stand_in_it() -> None:
    edges = computed_edges(rows())
    assert edges["LI-THM1"].rests_on == ["LI-LEM1"] and edges["LI-THM2"].rests_on == ["LI-LEM1", "LI-LEM2"]
    assert edges["LI-LEM1"].rests_on == edges["LI-LEM3-R1"].rests_on == []
    # Two rows that say the same do not rest on each other.
    same = rows(LI_LEM2=dict(derived=derived("a end")))
    assert computed_edges(same)["LI-LEM2"].rests_on == computed_edges(same)["LI-LEM1"].rests_on == []


def test_rows_that_are_read_are_named_once_and_never_within_a_claim() -> None:
    read = ["1 one", "3 three", "5 five", "7 of no row"]
    edges = computed_edges(rows(LI_THM1=dict(reads=read), **{"LI_LEM3_R1": dict(reads=["1 one", "5 five"])}))
    assert edges["LI-THM1"].reads == [
        "LI-LEM3"
    ]  # of two readings the claim; itself, and what it passes through, not again
    assert edges["LI-LEM3-R1"].reads == ["LI-LEM1"]
    typed = computed_edges(rows(LI_THM1=dict(reads=read, depends=["LI-LEM3[some]"])))
    assert typed["LI-THM1"].reads == []


def test_a_bound_that_is_a_hypothesis_is_taken_as_given() -> None:
    taken = rows(LI_THM1=dict(derived=derived("d end", foreign=("five",)), reads=["5 five"]))
    assert computed_edges(taken)["LI-THM1"].rests_on == ["LI-LEM3"]
    assert not self_contained(taken["LI-THM1"]) and self_contained(taken["LI-THM2"])
    assert not self_contained(taken["LI-LEM3-R1"])


def kept(row_id: str, **more: Any) -> dict[str, Any]:
    facts = dict(
        schema=1, id=row_id, document="li2020", status="done", statement="s", summary="S.", source="", depends=[],
        proof_steps=[], repair="", assumptions=["typed"], valid_for="all of it", verdict="holds", outcome="holds", rung="proof",
        kind="inequality", scope="general", method="m", examined=1, controls=[], would_settle="", quick=True, tightness=None,
    )  # fmt: skip
    return {**facts, "headline": headline_of(facts), **more}


def test_the_ledger_tells_a_derived_row_by_its_derivation() -> None:
    wrong = kept("LI-LEM2", verdict="wrong as printed", outcome="refuted", states=["2 two"])
    whole = kept("LI-THM1", derived=derived("d end"), depends=["LI-LEM2"])
    taking = kept("LI-THM2", derived=derived("e end", foreign=("two",)), reads=["2 two"])
    reader = kept("LI-THM3", reads=["2 two"])
    ledger = build_ledger({row["id"]: row for row in (wrong, whole, taking, reader)})
    assert ledger["LI-THM1"]["verdict"] == "holds" and ledger["LI-THM1"]["depends"] == ["LI-LEM2"]
    assert ledger["LI-THM1"]["assumptions"] == ["F is convex"] and ledger["LI-THM1"]["valid_for"] == "0 < L"
    assert ledger["LI-THM1"]["beside"] == "typed; all of it" and "beside" not in ledger["LI-THM3"]
    assert ledger["LI-THM2"]["depends"] == ["LI-LEM2"] and ledger["LI-THM2"]["verdict"] == "not refuted"
    assert ledger["LI-THM3"]["reads"] == ["LI-LEM2"] and ledger["LI-THM3"]["verdict"] == "holds"


def circle(ledger: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Rows that rest on themselves, at whatever depth, and those that rest on these; empty if there are none.

    What a check reads besides, to compare with it, is no premise.
    """
    left = {
        row_id: {goal for name in ("depends", "derived_from", "bundles") for goal in row.get(name, ())} & {*ledger}
        for row_id, row in ledger.items()
    }
    while ends := {row_id for row_id, goals in left.items() if not goals}:
        left = {row_id: goals - ends for row_id, goals in left.items() if row_id not in ends}
    return sorted(left)


def test_no_proof_rests_on_itself() -> None:
    ledger = read_ledger()
    assert circle(ledger) == []
    turned = {**ledger, "LI-LEM1": {**ledger["LI-LEM1"], "depends": ["LI-THM1"]}}
    turned["LI-EQ13"] = {**ledger["LI-EQ13"], "depends": ["LI-LEM1"]}
    turned["LI-THM1"] = {**ledger["LI-THM1"], "depends": ["LI-EQ13"]}
    assert {"LI-LEM1", "LI-EQ13", "LI-THM1"} <= {*circle(turned)}


def test_typed_edges_only_become_fewer() -> None:
    catalogue = load(find_scripts())
    for document, (edges, rows) in TYPED.items():
        typing = {
            row_id: claim.depends
            for row_id, claim in catalogue.claims.items()
            if claim.depends and catalogue.scripts[row_id].document == document
        }
        assert sum(map(len, typing.values())) <= edges and len(typing) <= rows, sorted(typing)
