"""The table of verdicts and the rules of evidence, controls and claims."""

from __future__ import annotations

import pytest

from fltheory.evidence.model import (
    Control,
    Evidence,
    Outcome,
    Rung,
    Scope,
    Tightness,
    Verdict,
    claim,
    verdict_of,
)


def evidence(rung: Rung, outcome: Outcome, **more: object) -> Evidence:
    return Evidence(rung, outcome, "m", 1, counterexample="c", would_settle="w", **more)  # type: ignore[arg-type]


#: Written from the design's two tables: the weakest rung on which each scope earns "holds".
EARNS = {
    Scope.GENERAL: {Rung.PROOF, Rung.WORST_CASE},
    Scope.INSTANCE: {Rung.PROOF, Rung.WORST_CASE, Rung.EXACT},
    Scope.TEXT: set(Rung),
    Scope.EXPERIMENT: {Rung.PROOF, Rung.WORST_CASE, Rung.EXACT, Rung.RERUN},
}


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("rung", Rung)
def test_holds_is_earned_by_scope_and_rung(scope: Scope, rung: Rung) -> None:
    verdict = verdict_of(scope, evidence(rung, Outcome.HOLDS))
    assert verdict is (Verdict.HOLDS if rung in EARNS[scope] else Verdict.NOT_REFUTED)


@pytest.mark.parametrize("scope", Scope)
@pytest.mark.parametrize("rung", Rung)
def test_only_checkable_counterexamples_make_wrong(scope: Scope, rung: Rung) -> None:
    verdict = verdict_of(scope, evidence(rung, Outcome.REFUTED))
    exact = rung in (Rung.PROOF, Rung.WORST_CASE, Rung.EXACT, Rung.READING)
    assert verdict is (Verdict.WRONG if exact else Verdict.NOT_REPRODUCED)


@pytest.mark.parametrize("rung", Rung)
def test_other_outcomes_keep_their_name(rung: Rung) -> None:
    for outcome in (Outcome.NOT_REFUTED, Outcome.NOT_REPRODUCED, Outcome.NOT_CHECKABLE):
        assert verdict_of(Scope.GENERAL, evidence(rung, outcome)).value == outcome.value


@pytest.mark.parametrize(
    ("sharp", "verdict"),
    [(Rung.PROOF, Verdict.LOOSE), (Rung.EXACT, Verdict.LOOSE), (Rung.SEARCH, Verdict.LOOSE_SEARCHED)],
)
def test_looseness_is_worth_what_the_sharp_constant_is(sharp: Rung, verdict: Verdict) -> None:
    assert verdict_of(Scope.GENERAL, evidence(Rung.PROOF, Outcome.HOLDS, tightness=Tightness(2.0, sharp))) is verdict
    tight = evidence(Rung.PROOF, Outcome.HOLDS, tightness=Tightness(1.0, sharp))
    assert verdict_of(Scope.GENERAL, tight) is Verdict.HOLDS


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (dict(examined=0), "examined"),
        (dict(method=" "), "method"),
        (dict(outcome=Outcome.REFUTED), "counterexample"),
        (dict(outcome=Outcome.NOT_CHECKABLE), "would_settle"),
        (dict(margin=float("nan")), "margin"),
    ],
)
def test_evidence_that_is_none_is_refused(arguments: dict[str, object], word: str) -> None:
    good: dict[str, object] = dict(rung=Rung.PROOF, outcome=Outcome.HOLDS, method="m", examined=1)
    Evidence(**good)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=word):
        Evidence(**{**good, **arguments})  # type: ignore[arg-type]


def test_controls_and_claims_that_cannot_fail_are_refused() -> None:
    with pytest.raises(ValueError, match="changes nothing"):
        Control("same", {})
    with pytest.raises(ValueError, match="must"):
        Control("odd", {"a": 1}, must="maybe")
    with pytest.raises(ValueError, match="without a control"):
        claim("X", kind=None, scope=Scope.TEXT, statement="", controls=[])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="below 1"):
        Tightness(0.9, Rung.PROOF)


@pytest.mark.parametrize("outcome", Outcome)
def test_what_satisfies_a_control(outcome: Outcome) -> None:
    found = evidence(Rung.EXACT, outcome)
    assert Control("c", {"a": 1}).satisfied_by(found) == (outcome in (Outcome.REFUTED, Outcome.NOT_REPRODUCED))
    repaired = Control("c", {"a": 1}, must="pass")
    assert repaired.satisfied_by(found) == (outcome in (Outcome.HOLDS, Outcome.NOT_REFUTED))
