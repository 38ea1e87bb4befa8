"""Rows computed anew against kept ones: every fact, numbers to the precision of their rung."""

from __future__ import annotations

from typing import Any

import pytest

from fltheory.evidence.compare import FOUND, PRECISE, ROUGH, differences, same


def row(**more: Any) -> dict[str, Any]:
    facts: dict[str, Any] = dict(
        status="done",
        rung="proof",
        verdict="holds, loose by a factor",
        outcome="holds",
        method="Expanded in 3 steps.",
        examined=3,
        margin=0.25,
        numbers={"ratio": 1.5, "exact": "1/3"},
        counterexample="",
        valid_for="all N >= 2",
        tightness={"ratio": 4.0, "rung": "proof", "sharp": "1/4"},
        would_settle="",
        seeds=[],
        controls=[
            {"name": "twice", "must": "fail", "outcome": "refuted", "margin": -1.0, "satisfied": True, "detail": "N=2"}
        ],
        certificate={"type": "identity", "expressions": ["x - x"]},
    )
    return {**facts, **more}


def test_a_row_is_like_itself_and_like_one_with_other_last_digits() -> None:
    assert not differences(row(), row())
    assert not differences(row(), row(margin=0.25 * (1 + 1e-9), numbers={"ratio": 1.5 + 1e-9, "exact": "1/3"}))
    assert not differences(None, row()) and not differences(row(), row(status="timeout"))


CHANGES: dict[str, Any] = dict(
    rung="exact",
    verdict="holds",
    outcome="refuted",
    method="Expanded in 4 steps.",
    examined=4,
    margin=0.2501,
    numbers={"ratio": 1.5, "exact": "1/4"},
    counterexample="trust me",
    valid_for="all N >= 3",
    tightness={"ratio": 77.0, "rung": "proof", "sharp": "1/4"},
    would_settle="a proof",
    seeds=[1],
    controls=[],
    certificate={"type": "identity", "expressions": ["y - y"]},
    remark="nothing is kept",
    states=["0123456789 another bound"],
    derived={"hypotheses": ["every F_k is L-smooth"]},
)


@pytest.mark.parametrize("name", FOUND)
def test_each_fact_is_compared(name: str) -> None:
    found = differences(row(), row(**{name: CHANGES[name]}))
    assert len(found) == 1 and found[0].startswith(name) and "differs from the kept" in found[0]


@pytest.mark.parametrize("part", [{"margin": -2.0}, {"detail": "N=3"}, {"must": "pass"}, {"satisfied": False}])
def test_controls_are_compared_in_all_parts(part: dict[str, Any]) -> None:
    assert len(differences(row(), row(controls=[{**row()["controls"][0], **part}]))) == 1


def test_what_a_solver_found_may_differ_and_what_it_is_asked_may_not() -> None:
    solved = {"format": "fltheory worst case 1", "program": [1], "upper": {"y": ["1/3"]}}
    kept = row(rung="worst case", certificate={"E=2": solved}, numbers={"at most": 0.5})
    other = {**solved, "upper": {"y": ["1/4"]}}
    assert not differences(kept, row(rung="worst case", certificate={"E=2": other}, numbers={"at most": 0.50001}))
    assert differences(kept, {**kept, "certificate": {"E=2": {**solved, "program": [2]}}})
    assert differences(kept, {**kept, "certificate": {"E=3": solved}})
    assert differences(kept, {**kept, "numbers": {"at most": 0.51}})


def test_of_a_theorem_for_all_rounds_the_function_may_differ_and_the_method_may_not() -> None:
    step = {"program": [["given"], ["gradient", 0]], "method_length": 1, "classes": {"clients": ["1", "2"]}, "upper": 1}
    solved = {"format": "fltheory lyapunov 1", "model": 0, "step": step, "floor": {**step, "upper": 2}}
    kept = row(rung="worst case", certificate={"E=2": solved})

    def changed(**parts: Any) -> list[str]:
        return differences(kept, {**kept, "certificate": {"E=2": {**solved, **parts}}})

    assert not changed(step={**step, "program": [["given"], ["average", 0]], "upper": 3})  # beyond the method's length
    assert changed(step={**step, "program": [["average"]]}) and changed(model=1)
    assert changed(step={**step, "classes": {"clients": ["1", "3"]}})


@pytest.mark.parametrize(
    ("before", "now", "equal"),
    [
        ("gap 1.000000001 at N=2", "gap 1.000000002 at N=2", True),
        ("gap 1.01 at N=2", "gap 1.02 at N=2", False),
        ("E=2", "E=3", False),
        ("x1 = 2", "x2 = 2", False),
        ("1e-300", "2e-300", True),  # nothing beside one
        (True, 1, False),
        (None, 0, False),
        (None, None, True),
        ("inf", "1", False),
        (10**400, 10**400, True),
        (10**400, 10**400 + 1, False),
        (10**400, 1.5, False),
        ("1" * 400, "1" * 399 + "2", False),
    ],
)
def test_numbers_within_texts(before: Any, now: Any, equal: bool) -> None:
    assert same(before, now, PRECISE) is equal
    assert same(before, before, ROUGH)


def test_what_is_of_two_kinds_is_different() -> None:
    assert same([1], [2], PRECISE) is False
    assert same("1", 1, PRECISE) is False


def test_a_difference_shows_both_values_and_cuts_long_ones() -> None:
    before, now = row(), row(method="x" * 200)
    (text,) = differences(before, now)
    assert text == f"method {('x' * 200)!r}"[:125].removesuffix("x") + f"... differs from the kept {before['method']!r}"
