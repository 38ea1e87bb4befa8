"""Chains of statements about one step."""

from __future__ import annotations

import pytest

from fltheory.evidence.model import Evidence, Outcome, Rung
from verify.li2020.one_step_checks import all_of


def part(outcome: Outcome, margin: float | None) -> Evidence:
    text = "x = 1" if outcome is Outcome.REFUTED else ""
    return Evidence(Rung.PROOF, outcome, f"method {margin}", 2, margin=margin, counterexample=text)


def test_a_chain_is_as_good_as_its_worst_part() -> None:
    holds, better = part(Outcome.HOLDS, 0.0), part(Outcome.HOLDS, 0.5)
    open_, refuted = part(Outcome.NOT_REFUTED, 0.1), part(Outcome.REFUTED, -0.2)
    assert all_of(better, open_, refuted, holds) is refuted
    assert all_of(better, open_, holds) is open_
    both = all_of(better, holds)
    assert (both.margin, both.examined, both.method) == (0.0, 4, "method 0.5; method 0.0")
    with pytest.raises(ValueError, match="margin=None"):
        all_of(holds, part(Outcome.HOLDS, None))
