"""Elastic aggregation without convexity, where the average loss has a PL inequality."""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.statement import text_of
from fltheory.evidence.things import granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from verify.elastic2023 import rates
from verify.elastic2023.derivations.theorem_1 import COHORTS, SMOOTH_DECREASE, a_round, all_of, smooth_round

__all__ = ["COHORTS", "pl_recursion"]


def pl_recursion(bound: Bound, cohort: str) -> Mapping[str, JSON]:
    """E f(x') - f* as a bound's own expression: the round without convexity, and the PL inequality for its squared gradient."""
    d = a_round("one round under a PL inequality", cohort)
    smooth_round(d, cohort)
    d.parameter("mu", 0, low_open=True)
    d.value("f_star")
    granted(d, "PL inequality", form="sq(mean(g_x, k)) - 2*mu*(f_x - f_star)", over="k")
    names = {rates.gap: "(f_x - f_star)", rates.M**2: "M2", rates.S: "size"}
    target = f"{text_of(sp.expand(bound.expression), names)} - (f_x1 - f_star)"
    facts = {"recursion": "1", "PL inequality": f"{SMOOTH_DECREASE}*e"}
    d.combine("the recursion", target, over=all_of(d, "k S j xi"), facts=facts)
    return d.concluding("the recursion")
