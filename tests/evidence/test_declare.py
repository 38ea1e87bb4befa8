"""Groups of claims that share parts of their declarations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fltheory.evidence import kinds
from fltheory.evidence.declare import ClaimGroup, sharing
from fltheory.evidence.model import Control, Evidence, Kind, Outcome, Rung, Scope, claim

CONTROLS = [Control("three", dict(sum=3))]


def check(sum: int) -> Evidence:
    outcome = Outcome.HOLDS if sum == 2 else Outcome.REFUTED
    return Evidence(Rung.READING, outcome, "added up", 1, counterexample="" if sum == 2 else "1 + 1 = 2")


def test_a_group_says_what_its_claims_share_once() -> None:
    group = sharing(kind=Kind.IDENTITY, scope=Scope.GENERAL, source="Section 1")
    smaller = group.sharing(source="Section 1.1", printed=dict(sum=2))
    whole = claim(
        "XX-1",
        kind=Kind.IDENTITY,
        scope=Scope.GENERAL,
        source="Section 1.1",
        statement="1+1=2",
        controls=CONTROLS,
        printed=dict(sum=2),
        quick=False,
    )(check)
    made = smaller("XX-1", statement="1+1=2", controls=CONTROLS, quick=False)(check)
    assert replace(made, check=check) == replace(whole, check=check)
    assert group("XX-2", statement="1+1=2", controls=CONTROLS, source="eq. (2)")(check).source == "eq. (2)"
    assert group("XX-3", statement="1+1=2", controls=CONTROLS)(check).source == "Section 1"


def test_what_claim_refuses_is_refused() -> None:
    with pytest.raises(ValueError, match="control"):
        sharing(kind=Kind.IDENTITY, scope=Scope.GENERAL)("XX-1", statement="1+1=2", controls=[])
    with pytest.raises(TypeError, match="colour"):
        sharing(kind=Kind.IDENTITY, colour="red")("XX-1")  # type: ignore[call-arg]


def test_kinds_say_kind_and_scope() -> None:
    groups = {name: group for name, group in vars(kinds).items() if isinstance(group, ClaimGroup)}
    rows = {name: group("XX-1", statement="1+1=2", controls=CONTROLS)(check) for name, group in groups.items()}
    assert rows["identity_claim"].kind is Kind.IDENTITY and rows["identity_claim"].scope is Scope.GENERAL
    assert rows["table_claim"].scope is Scope.TEXT and rows["qualitative_of_an_instance"].scope is Scope.INSTANCE
    assert len({(row.kind, row.scope) for row in rows.values()}) == len(rows)
