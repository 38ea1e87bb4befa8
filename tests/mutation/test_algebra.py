"""Statements of algebra changed on purpose: which changes their text notices."""

from __future__ import annotations

import time

import pytest

from fltheory.evidence.in_mean import InMean
from fltheory.evidence.relations import Relations
from fltheory.mutation import algebra
from fltheory.mutation.algebra import algebra_fates, changed_texts, follows, holds_nowhere
from fltheory.mutation.runs import STRONGER, UNDECIDED, WEAKER
from fltheory.mutation.targets import Target

STATED = Relations("a*x <= 2*a for 0 <= x <= 2; a >= 0")


def fates_of(stated: Relations, loose: float = 1.0) -> dict[str, str]:
    target = Target("own", "OWN-1", stated, {"OWN-1": ""}, tuple(changed_texts(stated)), loose)
    return {fate.mutant.words: fate.word for fate in algebra_fates(target, target.mutants)}


def test_numbers_are_changed_and_conditions_dropped() -> None:
    texts = {mutant.value for mutant in changed_texts(STATED)}
    assert "a * x <= (1) * a for 0 <= x <= 2; a >= 0" in texts and "a*x <= 2*a for 0 <= x <= 2" in texts
    assert len(texts) == len(list(changed_texts(STATED)))


def test_what_is_false_is_noticed_and_what_is_implied_is_weaker() -> None:
    found = fates_of(STATED)
    said = {words: word for words, word in found.items() if words.startswith("2 -> ")}
    assert said == {
        "2 -> 1 in a*x <= 2*a (-1)": "noticed",
        "2 -> 3 in a*x <= 2*a (+1)": "weaker, true",
        "2 -> 1 in 0 <= x <= 2 (-1)": "weaker, true",
        "2 -> 3 in 0 <= x <= 2 (+1)": "noticed",
    }
    assert found["without a >= 0"] == found["without 0 <= x <= 2"] == "noticed"


def test_what_is_proved_although_it_is_sharper_is_told_by_name() -> None:
    slack = Relations("x <= 9 for 0 <= x <= 2")
    assert fates_of(slack)["9 -> 8 in x <= 9 (-1)"] == "proved as well"
    assert fates_of(slack, 4.5)["9 -> 8 in x <= 9 (-1)"] == "true, row says loose"
    assert not follows(slack, slack.with_text("x <= 8 for 0 <= x <= 2"))
    assert follows(slack, slack.with_text("x <= 9 for 0 <= x <= 1"))


def test_statements_about_vectors_are_changed_too() -> None:
    young = InMean("2*dot(x, y) <= c*sq(x) + sq(y)/c for c > 0", things="x; y", squares=[("c", "x - y/c")])
    target = Target("own", "OWN-2", young, {"OWN-2": ""}, tuple(changed_texts(young)), 1.0)
    found = {fate.mutant.words: fate.word for fate in algebra_fates(target, target.mutants)}
    assert found["2 -> 3 in 2*dot(x, y) <= c*sq(x) + sq(y)/c (+1)"] == "noticed" and found["without c > 0"] == "noticed"
    assert found["0 -> 1 in c > 0 (+1)"] == "weaker, true" and found["0 -> -1 in c > 0 (-1)"] == "noticed"


def own_target(stated: Relations) -> Target:
    return Target("own", "OWN-1", stated, {"OWN-1": ""}, tuple(changed_texts(stated)), 1.0)


def asleep(*_: object) -> tuple[bool, str]:
    time.sleep(60)
    return False, ""


def test_a_proof_without_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    target = own_target(STATED)
    monkeypatch.setattr(algebra, "_proof_of", asleep)
    begin = time.monotonic()
    assert {fate.word for fate in algebra_fates(target, target.mutants[:2], 0.5)} == {UNDECIDED}
    assert time.monotonic() - begin < 30


def test_a_slow_mutant_leaves_time_for_those_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    target, proof = own_target(STATED), algebra._proof_of
    first = target.mutants[0]
    monkeypatch.setattr(algebra, "_proof_of", lambda text, one: (asleep if one == first else proof)(text, one))
    words = [fate.word for fate in algebra_fates(target, target.mutants[:4], 8)]
    assert words[0] == UNDECIDED and UNDECIDED not in words[1:]


def test_what_is_proved_counts_although_nobody_saw_in_time_what_implies_it(monkeypatch: pytest.MonkeyPatch) -> None:
    target = own_target(Relations("x <= 9 for 0 <= x <= 2"))
    monkeypatch.setattr(algebra, "follows", asleep)
    raised = [one for one in target.mutants if one.words == "9 -> 10 in x <= 9 (+1)"]
    assert [fate.word for fate in algebra_fates(target, raised, 4)] == [STRONGER]


def test_an_empty_range_is_seen_without_a_proof() -> None:
    assert holds_nowhere("a <= b for (1) < w <= 1; b > 0") and holds_nowhere("a <= b for 0 < w < x <= (-1/2)")
    assert not holds_nowhere("a <= b for (1) <= w <= 1") and not holds_nowhere("2 <= a <= 1 for a >= 0")
    found = {fate.mutant.words: fate.word for fate in algebra_fates(own_target(STATED), own_target(STATED).mutants)}
    assert found["0 -> 1 in 0 <= x <= 2 (+1)"] == WEAKER
