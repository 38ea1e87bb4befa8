"""What the forms about a cohort stand for: the averaging rules of the schemes, enumerated by other code."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fltheory.derivation.finite import Text
from fltheory.evidence.model import Outcome
from fltheory.theory import sampling
from verify.li2020.cohort_checks import SYSTEMS, judged, part, space, together

#: The new model of a rule: how it is drawn, the vector that the cohort averages, and the model in its terms.
RULES = {
    "I": ("v", "drawn", sampling.plain_average),
    "II": ("pv", "drawn", sampling.scaled_weights),
    "original": ("change", "w + K/N*drawn", sampling.absent_keep_old),
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("system", range(len(SYSTEMS)))
def test_forms_say_the_rules_of_the_schemes(rule: str, system: int) -> None:
    """Mean and spread of the new model around the weighted mean are those of the enumerated rule."""
    of, model, average = RULES[rule]
    weights, models = SYSTEMS[system]
    vbar = "mean(v, k)" if rule == "I" else "mean(pv, k)"
    for k in range(1, len(weights) + 1):
        here = space("I" if rule == "I" else "II", of, weights, models, k)
        cohorts = sampling.weighted_draws(weights, k) if rule == "I" else sampling.uniform_subsets(len(weights), k)
        old = Fraction(7)
        centre = sampling.weighted_mean(weights, models)
        mean = sampling.aggregate_mean(cohorts, average, weights, models, old)
        spread = sampling.aggregate_spread(cohorts, average, weights, models, old)
        assert here.averages(Text(f"sq(mean({model}, S) - {vbar})", ("k", "S"))) == [(mean - centre) ** 2]
        assert here.averages(Text(f"sq({model} - {vbar})", ("k", "S"))) == [spread]


def test_what_is_false_is_refuted_and_the_worst_part_decides() -> None:
    false, true = "sq(mean(drawn, S)) - sq(w)", "sq(mean(drawn, S) - mean(v, k))"
    assert judged("I", true, valid_for="all").outcome is Outcome.HOLDS
    assert judged("I", true, false, valid_for="all").outcome is Outcome.REFUTED
    both = together(part("II", true), part("I", false), valid_for="all")
    assert both.outcome is Outcome.REFUTED and false in both.counterexample
    assert judged("uniform draws", "sq(w - w)", valid_for="all").outcome is Outcome.NOT_REFUTED
