"""Rate theorems: every condition of a bound is matched by a hypothesis, every symbol by a number, every claim by a row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

import fltheory as fl
from fltheory.evidence.ledger import read_ledger
from fltheory.theory.hypotheses import CohortLaw, HarmonicStep, MethodIs, ServerLoss, SmoothLosses
from fltheory.theory.li2020 import theorems
from fltheory.theory.rates import CHECKED, PAPERS, RateTheorem, rates
from fltheory.theory.settings import RateSetting
from verify.li2020.derivations.theorems import gap

THEOREMS = rates()


def test_every_theorem_is_whole() -> None:
    ledger = read_ledger()
    keys = {theorem.key for theorem in THEOREMS}
    assert len(keys) == len(THEOREMS) >= 40
    for theorem in THEOREMS:
        assert set(theorem.bound.arguments) <= set(theorem.values), theorem.key
        assert theorem.bound.relation == "<="
        first = theorem.hypotheses[:2]
        assert first == (MethodIs(theorem.method), ServerLoss(theorem.server_loss))
        assert any(isinstance(one, CohortLaw) for one in theorem.hypotheses), theorem.key
        assert SmoothLosses() in theorem.hypotheses
        if theorem.document in PAPERS:
            assert theorem.row == "" and theorem.constants != CHECKED
        else:
            assert ledger[theorem.row]["verdict"].startswith("holds"), theorem.key
        assert theorem.of == "" or theorem.of in keys
        assert not any(theorem.row and theorem.row in (one.bound.repaired_by,) for one in THEOREMS)


def test_a_condition_without_a_hypothesis_is_refused() -> None:
    whole = next(theorem for theorem in THEOREMS if theorem.key == "li2020.theorem_1")
    premises = dict(whole.premises)
    forgotten = premises.popitem()[0]
    with pytest.raises(ValueError, match="no hypothesis stands for"):
        _ = replace(whole, premises=premises).hypotheses
    with pytest.raises(ValueError, match="is no condition of the bound"):
        _ = replace(whole, premises={**whole.premises, "the moon is full": ()}).hypotheses
    with pytest.raises(ValueError, match="no value for T"):
        _ = replace(whole, values={k: v for k, v in whole.values.items() if k != "T"}).hypotheses
    assert forgotten in whole.bound.premises
    with pytest.raises(ValueError, match="measure"):
        RateTheorem("a.b", "", theorems.theorem_1, "error", "FedAvg", {})


def test_hypotheses_can_be_compared() -> None:
    """Theorems 1 and 2 differ in the cohort and in nothing else; a longer schedule implies a harmonic one."""
    one, two = (set(t.hypotheses) for t in THEOREMS if t.key in ("li2020.theorem_1", "li2020.theorem_2"))
    assert {h.kind for h in one ^ two} == {"cohort", "relation"}
    assert HarmonicStep().implies(HarmonicStep("gamma")) and not HarmonicStep("gamma").implies(HarmonicStep())


@pytest.mark.parametrize(
    ("bound", "scheme"), [(theorems.theorem_1, "full"), (theorems.theorem_2, "I"), (theorems.theorem_3, "II")]
)
def test_the_steps_of_the_appendix_are_derived_for_every_scheme(bound: fl.theory.li2020, scheme: str) -> None:
    assert gap(bound.expression, scheme, "-1").certificate
    assert not gap(sp.Rational(9, 10) * bound.expression, scheme, "-1").certificate


def test_harmonic_steps_of_other_valid_constants_are_the_theorem_with_those() -> None:
    problem = fl.QuadraticProblem(np.array([[[1.0]], [[2.0]]]), np.array([[1.0], [-1.0]]))
    theorem = next(t for t in THEOREMS if t.key == "li2020.theorem_1")
    cautious = fl.FedAvg(3, fl.Harmonic(2 / 0.5, 8 * 4 / 0.5, first=1))
    found = theorem.assess(RateSetting(problem, cautious, 10))
    assert found.status == "holds"
    best = theorem.assess(RateSetting(problem, cautious, 10, given={"mu": 0.5, "L": 4.0}))
    assert found.value == best.value
    for steep in (fl.Harmonic(2 / 1.1, 16, first=1), fl.Harmonic(2, 15.9, first=1)):
        assert theorem.assess(RateSetting(problem, fl.FedAvg(3, steep), 10)).status == "fails"


def test_a_rate_that_compare_knows_is_a_rate_theorem() -> None:
    """Both verbs read the same bounds, and say the same of their constants."""
    from fltheory.comparison.rates import RATES

    mine = {(theorem.bound.name, theorem.bound.expression): theorem for theorem in THEOREMS}
    for rate in RATES:
        assert mine[rate.bound().name, rate.bound().expression].constants == rate.constants, rate.name
