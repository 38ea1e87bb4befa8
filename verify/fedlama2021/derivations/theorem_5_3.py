"""Theorem 5.3 of FedLAMA: rounds with the fall and the drift of :mod:`one_round` and :mod:`lemma_5_2`, and their sum.

A is 2 eta^2 L^2 tau (tau - 1), at most 1/(2 beta^2 + 1).  The drift takes at most a quarter of the fall, so that 4/3 of what is
left is enough: the constants are 8/3, 2, 12/5 and 8/5, and no term grows with T.
"""

from collections.abc import Mapping
from functools import cache

import sympy as sp

from fltheory.derivation.packs import suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from verify.fedlama2021.derivations import lemma_5_2, one_round
from verify.fedlama2021.derivations.lemma_5_2 import DRIFT
from verify.fedlama2021.derivations.one_round import LEFT, NOISE, ROUND
from verify.fedlama2021.lemma_5_2_displays import F_0, F_i, L, T, eta, kappa_sq, m, sigma, tau

STEP = "1/(L*tau)"
_SMALL = "(1 - A/2)"
#: All over which a round is averaged, and what its drift takes of its fall.
OVER = "k xi past j"
SPENT = f"3/8*eta*A/{_SMALL}*(sigma**2 + (2*tau - 1)/3*(beta_sq*sq(mean(g_u, k)) + kappa_sq))"


@cache
def _round(independent: bool) -> Mapping[str, JSON]:
    d = lemma_5_2.local_steps("FedLAMA, a round", top=STEP)
    lemma_5_2.drift(d)
    one_round.server(d, independent=independent)
    one_round.sums(d)
    one_round.fall(d)
    return d.concluding(DRIFT, ROUND)


def rounds(title: str, *, rate: bool = False) -> Derivation:
    """T rounds from u to u', each made of the clients' steps from u; ``rate``: steps p/q, the roots of m and T."""
    d = Derivation(title)
    declare(d, "axes k xi past j t; m, tau >= 1")
    d.parameter("T", 0 if rate else 1, low_open=rate)
    declare(d, "L > 0; sigma, kappa_sq >= 0; beta_sq >= 1; 0 <= A <= 1/(2*beta_sq + 1)")
    d.parameter("eta", 0, STEP, low_open=True)
    if rate:
        declare(d, "p >= 1; q >= L*tau*p")
        for name, chosen in (("m", "p**2"), ("T", "q**2"), ("eta", "p/q")):
            d.choose(name, chosen)
    declare(d, "function F over k; u over past t; u1 over xi past t; x over k xi past t j; F at u, u1, x")
    declare(d, "next u = u1; next f_u = f_u1")
    suppose(d, "Lipschitz gradients", of="F", L="L")
    suppose(d, "smooth", of="F", L="L")
    suppose(d, "bounded dissimilarity", of="F", G2="kappa_sq", B2="beta_sq")
    granted(d, "square of the step", name="A", A="A", eta="eta", L="L", tau="tau")
    return d


def one(d: Derivation, *, independent: bool = True) -> None:
    """The fall in a round with its drift bounded: no drift is left."""
    d.lemma("a round", _round(independent))
    names = {"k": "k", "past": "xi", "t": "j", "L": "L", "tau": "tau", "eta": "eta", "sigma": "sigma", "F": "F"}
    names |= {"u": "u", "x": "x"}
    known = {"Lipschitz gradients": "Lipschitz gradients"}
    d.apply("drift", "a round", DRIFT, names=names, hypotheses=known)
    d.apply("fall", "a round", ROUND, names=names | {"m": "m", "u1": "u1"}, hypotheses=known | {"smooth": "smooth"})
    d.scaled("A times drift", "A", "x - u")
    d.assume("dissimilarity", "bounded dissimilarity", ["u"])
    d.scaled("A times gradient", "A", "mean(g_u, k)")
    share = f"(3/8*eta/{_SMALL})"
    facts = {"fall": "1", "drift": f"2*{share}*L**2", "A times drift": f"{share}*L**2*tau"}
    facts |= {"dissimilarity": f"2*{share}*eta**2*L**2*tau*(tau - 1)*(2*tau - 1)/3"}
    facts |= {"A": f"{share}*(sigma**2 + (2*tau - 1)/3*kappa_sq)", "A times gradient": f"{share}*(2*tau - 1)/3*beta_sq"}
    d.combine("a round", f"{LEFT} + {NOISE} + {SPENT}", over="k xi past j", facts=facts)


def summed(d: Derivation) -> None:
    """The average over the rounds, with the values of F at its ends."""
    d.define("Phi", "f_u", over="k past", time="t", next="Phi_next", over_next=OVER, first="Phi_1", last="Phi_last")
    facts = {"a round": "1", "Phi": "1", "Phi_next": "-1"}
    d.combine(
        "in numbers", f"{LEFT} + {NOISE} + {SPENT}".replace("f_u - f_u1", "Phi - Phi_next"), over=OVER, facts=facts
    )
    d.telescope("all rounds", "in numbers", ["Phi"], "T")
    declare(d, "value f_star; gap >= 0")
    granted(d, "infimum of the average", "u1", fact="lower bound", of="F", f_star="f_star")
    d.combine("Phi_next >= f*", "Phi_next - f_star", over=OVER, facts={"lower bound": "1", "Phi_next": "1"})
    d.end("last value", "Phi_next >= f*", ["Phi"], last=True)
    granted(d, "gap at the start", fact="gap", gap="gap", Phi_1="Phi_1", f_star="f_star")


def theorem_5_3(bound: Bound, *, independent: bool = True) -> Mapping[str, JSON]:
    """The bound's own expression, where its constants are no smaller than 8/3, 2, 12/5 and 8/5 (and 3 T for T >= 1)."""
    d = rounds(f"FedLAMA, {bound.source}")
    one(d, independent=independent)
    summed(d)
    given = bound.expression.subs(F_0, F_i + sp.Symbol("gap"))
    whole, each = sp.expand(given), L**2 * (tau - 1)
    third = sp.cancel(whole.coeff(sigma, 2).coeff(eta, 2) / each)
    fourth = sp.cancel(whole.coeff(kappa_sq).coeff(eta, 2) / (tau * each))
    conclude(d, text_of(given), text_of(third), text_of(fourth))
    return d.concluding("Theorem 5.3")


def conclude(d: Derivation, right: str, third: str, fourth: str) -> None:
    """The average squared gradient is at most ``right``, in which these factors stand before the two squares of eta."""
    # eta (tau - 1) L is at most 1/2: its square is at most A/2, hence 1/6.
    d.combine("short steps", "1/2 - L*eta*(tau - 1)", facts={"A": "1/(1 + 2*L*eta*(tau - 1))"})
    facts = {"all rounds": "8/(3*eta*tau)", "gap": "8/(3*eta*tau*T)", "last value": "8/(3*eta*tau*T)"}
    facts["short steps"] = "4/3*L*eta*sigma**2/m"
    facts["A"] = f"-(({third})/(2*tau)*sigma**2 + ({fourth})/2*kappa_sq)"
    squares = [[f"(1 - A*(2 - 1/tau)*beta_sq/{_SMALL})/3", "mean(g_u, k)"]]
    d.combine("Theorem 5.3", f"{right} - sq(mean(g_u, k))", over=f"{OVER} t", facts=facts, squares=squares)


def remark_1(bound: Bound, *, independent: bool = True) -> Mapping[str, JSON]:
    """The rate at eta = sqrt(m/T) as far as the step size allows it: p and q are the roots of m and T."""
    d = rounds(f"FedLAMA, {bound.source}", rate=True)
    one(d, independent=independent)
    summed(d)
    given = sp.expand(bound.expression.subs(F_0, F_i + sp.Symbol("gap")))
    right = text_of(given, {sp.sqrt(m): "p", sp.sqrt(T): "q", m: "p**2", T: "q**2"})
    conclude(d, right, "12/5", "8/5")
    return d.concluding("Theorem 5.3")
