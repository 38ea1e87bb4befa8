"""Appendix A.3 and B.3 of Li et al. (2020): the distance under eta_t = beta/(t + gamma), for any beta > 1/mu."""

from functools import cache

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, ending, text_of
from fltheory.evidence.things import granted
from verify.li2020 import symbols as s
from verify.li2020.derivations.fedavg import ALL, SAMPLED, any_steps, fedavg
from verify.li2020.derivations.theorems import numbers, one_step

_LETTERS: dict[sp.Basic, str] = {s.B: "R", s.Delta_1: "D1", s.t: "t_"}


@cache
def _begun(scheme: str, small_first_step: bool) -> Derivation:
    d = fedavg("Li et al. (2020), Appendices A.3 and B.3", scheme)
    any_steps(d)
    d.parameter("beta", "1/mu", low_open=True)
    d.parameter("gamma", "4*L*beta - 1" if small_first_step else 0)
    one_step(d, scheme)
    numbers(d, scheme)
    d.choose("eta", "beta/(t_ + gamma)")
    d.parameter("v", 0)
    return d


def distance(expression: sp.Expr, scheme: str = "full", small_first_step: bool = True) -> Derived:
    """Delta_t <= expression, in which a maximum of two numbers stands for v, for all t >= 1."""
    (largest,) = expression.atoms(sp.Max)
    over = ALL if scheme == "full" else SAMPLED

    def last(d: Derivation) -> None:
        noise, start = sorted(largest.args, key=lambda entry: not entry.has(s.beta))
        for name, entry in (("v covers the noise", noise), ("v covers the start", start)):
            granted(d, "not increasing", name=name, earlier="v", later=f"({text_of(entry, _LETTERS)})")
        facts = {"recursion": "1", "v covers the noise": "(beta*mu - 1)/(gamma + t_)**2"}
        base = {"start": "1", "v covers the start": "1/(gamma + 1)"}
        step = {"index": "t_", "keep": "1 - eta*mu", "facts": facts, "base": base, "over": over}
        d.induction("distance", of="Delta", bound="v/(gamma + t_)", **step)
        right = text_of(expression, {**_LETTERS, largest: "v"})
        d.combine("the statement", f"{right} - Delta", over=over, facts={"distance": "1"})

    return ending(lambda: _begun(scheme, small_first_step), last, "the statement")
