"""Augenstein et al. (2022), Section C.4.2: more and smaller local steps, in the orders and in exact closed forms."""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import algebra_claim, qualitative_of_an_instance, run_script
from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022.orders import ALGORITHMS, NOISE_SCALE, K, terms
from verify.mixed2022.settled import false_algebra

of_instances = qualitative_of_an_instance.sharing(source="Section C.4.2")
never_hurts = of_instances.sharing(fault="reading", repair="MX-C42-TRADE.2[with client noise]")
orders_claim = algebra_claim.sharing(source="Section C.4.2")
NAMES = {"V": r"\sigma^2", "C": r"\sigma_c^2", "c": "c", "tau": r"\tau"}


def order(name: str, *, steps: str = "K") -> str:
    """The noise term of an order over what multiplies it, at this many steps; the other terms have no K."""
    noise = terms(name, "convex")["noise"] / NOISE_SCALE["convex"]
    return f"({noise.subs(K, sp.Symbol(steps))})"


def falls(name: str) -> str:
    return f"{order(name, steps='more')} <= {order(name)}"


FIRST = "first = 8; second = 2; D > 0; tau = 1/8"
FEWER = {"fewer and larger steps": ("first = 8; second = 2", "first = 2; second = 8")}
#: (1 - (1 - lambda eta)^steps)/lambda for f_f = x^2/2 + D x, f_c = x^2/4 - D x, and the two quantities that it gives.
MOVED = {1: "(1 - (1 - tau/{0})**{0})", 2: "(2*(1 - (1 - tau/(2*{0}))**{0}))"}
FACTOR = f"(1 - 3*{MOVED[1]}/2)*D"
BIAS = f"({MOVED[2]} - {MOVED[1]})/({MOVED[1]} + {MOVED[2]}/2)*D"

CLOSED_FORM = "the closed form of K local steps on a quadratic is typed"

trade_rows = [
    statement_of_algebra(
        "MX-C42-TRADE.1",
        Relations(
            f"{'; '.join(dict.fromkeys(map(falls, ALGORITHMS)))} for K >= 1; more >= K; S >= 1; V >= 0; C >= 0",
            names=NAMES,
        ),
        headline="In the bounds more and smaller local steps never hurt",
        false={
            "1-way GT: and fall like 1/K at fixed sigma_c": (
                falls("1-w GT"),
                f"more*{order('1-w GT', steps='more')} = K*{order('1-w GT')}",
            ),
            "fewer steps": ("more >= K", "more >= 1"),
        },
        group=orders_claim,
        summary="The orders do not contain the rates and do not increase with K: in the bounds more and "
        "smaller steps never hurt.",
    ),
    statement_of_algebra(
        "MX-C42-TRADE.2[with client noise]",
        Relations(
            "after < before; before = (1 - a)**2*before + a**2; after = (1 - b)**2*after + b**2 "
            "for tau > 0; K > tau; more > K; a = tau/K; b = tau/more; before = a/(2 - a); after = b/(2 - b)",
            names={"tau": r"\eta K", "before": r"\mathrm{Var}_K", "after": r"\mathrm{Var}_{more}"},
        ),
        headline="With client noise and a flat central loss more, smaller steps lower the final variance",
        false={"fewer steps": ("more > K", "tau < more < K"), "twice the noise": ("+ a**2;", "+ 2*a**2;")},
        group=of_instances,
        says=r"f_f=\tfrac{x^2}2,\ f_c=0,\ \sigma=1:\ ",
        prose="the equation of the stationary variance of a local step is typed",
        summary="With client noise (flat central loss) more and smaller steps lower the stationary variance "
        "(like 1/K), which is the one that a local step keeps.",
    ),
    false_algebra(
        "MX-C42-TRADE.2[without noise, contraction of 1-way GT]",
        Relations(f"{FACTOR.format('first')} <= {FACTOR.format('second')} for {FIRST}", names=NAMES),
        says=r"f_f=\tfrac{x^2}2,\ f_c=\tfrac{x^2}4,\ \eta K=\tau,\text{ a round from }D:\ ",
        prose=CLOSED_FORM,
        true=FEWER,
        group=never_hurts,
        headline="Without noise more and smaller steps make 1-way transfer slightly slower",
        summary="More and smaller steps do hurt a little where there is no noise: the contraction of 1-way GT per round is "
        "slightly slower at K = 8 than at K = 2.",
    ),
    false_algebra(
        "MX-C42-TRADE.2[without noise, bias of Parallel Training]",
        Relations(f"{BIAS.format('first')} <= {BIAS.format('second')} for {FIRST}", names=NAMES),
        says=r"f_f=\tfrac{x^2}2+Dx,\ f_c=\tfrac{x^2}4-Dx,\ \eta K=\tau,\ \eta_m=1,\ |x_{PT}|:\ ",
        prose=CLOSED_FORM,
        true=FEWER,
        group=never_hurts,
        headline="Without noise more and smaller steps raise the bias of Parallel Training",
        summary="More and smaller steps do hurt where there is no noise: the bias of Parallel Training at eta_m = 1 is larger "
        "at K = 8 than at K = 2.",
    ),
]
share_row = statement_of_algebra(
    "MX-C42-TRADE.3",
    Relations(
        "K*S*(c/K)/V = S*c/V; C = c/K for K >= 1; S >= 1; V > 0; c > 0; K*S*C/V = S*c/V",
        uses={1: {"K*S*C/V = S*c/V": "V/(K*S)"}},
        at={"K": "2", "S": "1", "V": "1", "c": "2", "C": "1"},
        names=NAMES,
    ),
    headline="In 1-way transfer central noise keeps its weight only if it falls as local steps grow",
    false={"like 1/K^2": ("(c/K)", "(c/K**2)"), "no reduction": ("(c/K)", "c")},
    group=orders_claim,
    summary="1-way GT: to keep the weight of sigma_c^2 against sigma^2, sigma_c^2 must fall like 1/K "
    "(at fixed sigma_c the order does not grow with K either, MX-C42-TRADE.1; it only stops falling).",
)

if __name__ == "__main__":
    run_script(__file__)
