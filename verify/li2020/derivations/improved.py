"""Theorem 1 of Li et al. (2020) from the sharp form of Lemma 1: no Gamma, and the drift is of third order in the step size."""

from functools import cache

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, ending
from fltheory.evidence.things import granted
from verify.li2020.derivations.fedavg import ALL, fedavg, printed_steps
from verify.li2020.derivations.one_step import SHARP_DRIFT, lemma_1_sharp, lemma_2, lemma_3, step_of_the_average
from verify.li2020.derivations.theorems import last_line

_RIGHT = "eta**2*V + 2*L*eta**3*(E - 1)**2*G2"
_BOUND = """(gamma*(gamma - 1)/((gamma + t_ - 1)*(gamma + t_ - 2)))**2*D1
    + 4*V*(gamma + t_ - 1)/(3*mu**2*(gamma + t_ - 2)**2) + 8*L*(E - 1)**2*G2/(mu**3*(gamma + t_ - 2)**2)"""


@cache
def _distance() -> Derivation:
    d = fedavg("Li et al. (2020), Theorem 1 improved", top="2/(L + mu)", apart=True)
    lemma_1_sharp(d)
    lemma_2(d)
    d.parameter("gamma", "8*L/mu")
    granted(d, "not increasing", name="gamma >= E", earlier="gamma", later="E")
    printed_steps(d, also=("gamma >= E",))
    lemma_3(d)
    facts = {"without noise": "1", "Lemma 2": "eta**2", "Lemma 3": SHARP_DRIFT}
    step_of_the_average(d, f"(1 - eta*mu)**2*Delta_t + {_RIGHT}", facts)
    d.cases("one step", "synchronisation", ["synchronised", "local"])
    d.define("Delta", "Delta_t", over="k past", time="t", next="Delta_next", over_next=ALL, first="Delta_1")
    facts = {"one step": "1", "Delta": "(1 - eta*mu)**2", "Delta_next": "-1"}
    d.combine("recursion", f"(1 - eta*mu)**2*Delta + {_RIGHT} - Delta_next", over=ALL, facts=facts)
    d.parameter("D1", 0)
    granted(d, "start", D1="D1", Delta_1="Delta_1")
    step = {"index": "t_", "keep": "(1 - eta*mu)**2", "facts": {"recursion": "1"}, "base": {"start": "1"}, "over": ALL}
    d.induction("distance", of="Delta", bound=" ".join(_BOUND.split()), **step)
    d.assume("smooth at w*", "smooth", ["wstar", "u"])
    return d


def improved_gap(expression: sp.Expr) -> Derived:
    """E F(w_T) - F* <= expression."""
    return ending(_distance, lambda d: last_line(d, expression, ALL), "gap")
