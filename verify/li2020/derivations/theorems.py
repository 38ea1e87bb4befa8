"""(13), (25) and Theorems 1 to 3 of Li et al. (2020): from one step to the bound's own expression."""

from functools import cache

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import Derived, ending, stands_for_the_largest, text_of
from fltheory.evidence.things import granted
from fltheory.theory.li2020 import theorems
from verify.li2020 import symbols as appendix
from verify.li2020.derivations.fedavg import ALL, SAMPLED, fedavg, printed_steps
from verify.li2020.derivations.one_step import lemma_1, lemma_2, lemma_3, lemma_5

#: B of (5) and C of the schemes, as texts of derivations.
B = "(V + 6*L*Gamma + 8*(E - 1)**2*G2)"
SHARE = {"I": "1/K", "II": "(N - K)/(K*(N - 1))"}
CONSTANT = {"full": B} | {name: f"({B} + {share}*4*E**2*G2)" for name, share in SHARE.items()}
_STEP = "(1 - eta*mu)*Delta_t + eta**2*"
_AFTER = "sq(mean(w1, k) - wstar)"


def one_step(d: Derivation, scheme: str, independent: bool = True) -> None:
    """(13), (25): Delta_(t+1) <= (1 - eta mu) Delta_t + eta^2 (B + C), at a synchronisation and between two."""
    lemma_3(d)
    lemma_1(d)
    if independent:
        lemma_2(d)
    right, over = _STEP + CONSTANT[scheme], ALL if scheme == "full" else SAMPLED
    facts = {"(20)": "1", "Lemma 2": "eta**2", "Lemma 3": "2"}
    d.combine("a step of the average", f"{_STEP}{B} - sq(mean(v1, k) - wstar)", over=ALL, facts=facts, unfold="v1")
    facts = {"a step of the average": "1"}
    d.combine("local", f"{right} - {_AFTER}", over=over, facts=facts, unfold="w1", case="local")
    if scheme != "full":
        lemma_5(d, SHARE[scheme])
        facts = {**facts, "Lemma 5": "1"}
    d.combine("synchronised", f"{right} - {_AFTER}", over=over, facts=facts, unfold="w1", case="synchronised")
    d.cases("(13)", "synchronisation", ["synchronised", "local"])


def numbers(d: Derivation, scheme: str) -> None:
    """One step as a fact about the numbers Delta = Delta_t and Delta_next, R = B + C."""
    over = ALL if scheme == "full" else SAMPLED
    d.let("R", CONSTANT[scheme])
    d.define("Delta", "Delta_t", over="k past", time="t", next="Delta_next", over_next=over, first="Delta_1")
    facts = {"(13)": "1", "Delta": "1 - eta*mu", "Delta_next": "-1"}
    d.combine("recursion", "(1 - eta*mu)*Delta + eta**2*R - Delta_next", over=over, facts=facts)
    d.combine("constant", "R")
    d.parameter("D1", 0)
    granted(d, "start", D1="D1", Delta_1="Delta_1")


@cache
def distance(scheme: str, shift: str, solved: bool, independent: bool = True) -> Derivation:
    """Delta_t <= (4 (B + C)/mu^2 + gamma Delta_1)/(gamma + t - 1) for all t; ``solved``: the solution of the recursion."""
    d = fedavg("Li et al. (2020), Theorems 1 to 3", scheme, rounds="gamma")
    printed_steps(d, shift)
    one_step(d, scheme, independent)
    numbers(d, scheme)
    x, noise = f"(gamma + t_ + {shift})", "4*R/mu**2"
    bound = f"({noise} + gamma*D1)/(gamma + t_ - 1)"
    surplus = f"4/mu**2*(1/(gamma + t_) - (1 - 2/{x})/(gamma + t_ - 1) - 1/{x}**2)"
    if solved:
        bound = f"(gamma*(gamma - 1)*D1 + {noise}*(t_ - 1))/((gamma + t_ - 1)*(gamma + t_ - 2))"
        surplus = "4/mu**2/((gamma + t_)**2*(gamma + t_ - 1))"
    base = {"start": "1"} if solved else {"start": "1", "constant": "4/(mu**2*gamma)"}
    facts, over = {"recursion": "1", "constant": surplus}, ALL if scheme == "full" else SAMPLED
    step = {"index": "t_", "keep": "1 - eta*mu", "facts": facts, "base": base, "over": over}
    d.induction("distance", of="Delta", bound=bound, **step)
    d.assume("smooth at w*", "smooth", ["wstar", "u"])
    return d


def last_line(d: Derivation, expression: sp.Expr, over: str) -> None:
    """From the distance to the gap: E F(w_T) - F* <= expression, with T for t."""
    names: dict[sp.Basic, str] = {theorems.gamma: "gamma", theorems.T: "t_", appendix.t: "t_"}
    names |= {appendix.B: "R", appendix.Delta_1: "D1"}
    stands_for_the_largest(d, "gamma", theorems.gamma, names)
    facts = {"smooth at w*": "1", "distance": "L/2", "Delta": "L/2"}
    d.combine("gap", f"{text_of(expression, names)} - mean(f_u - f_wstar, k)", over=over, facts=facts, unfold="u")


def gap(expression: sp.Expr, scheme: str, shift: str = "0", solved: bool = False, independent: bool = True) -> Derived:
    """E F(w_T) - F* <= expression."""
    over = ALL if scheme == "full" else SAMPLED
    return ending(lambda: distance(scheme, shift, solved, independent), lambda d: last_line(d, expression, over), "gap")
