"""Augenstein et al. (2022), Section C.4.3: which algorithm has the narrowest limit of its rates, and no rate in the orders."""

from dataclasses import replace
from fractions import Fraction
from itertools import count

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import Tried, decide, read
from fltheory.evidence.kinds import algebra_claim, qualitative_of_an_instance, run_script, table_claim
from fltheory.evidence.model import Claim, Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.theory.mixed2022.orders import ORDERS, eta, eta_c, eta_m, eta_s
from fltheory.theory.steps import identity
from verify.mixed2022.closed_forms import value

F, R = Fraction, sp.Rational
limits_claim = algebra_claim.sharing(source="Section C.4.3, Table 3", depends=("MX-TAB3.1",))
NAMES = {"beta": r"\beta", "slope": "B^2"}


def ordered(id: str, text: str, false: dict[str, tuple[str, str]], **words: str) -> Claim:
    """The row of a comparison of entries of Table 3; ``slope`` is B^2."""
    return statement_of_algebra(id, Relations(text, names=NAMES), false=false, group=limits_claim, **words)


step_rows = [
    ordered(
        "MX-C43-STEP.1",
        "1/(81*beta) <= 1/(8*beta) for beta > 0",
        {"exchanged": ("1/(81*beta) <= 1/(8*beta)", "1/(8*beta) <= 1/(81*beta)")},
        summary="Convex: 2-way GT has the narrower limit.",
    ),
    ordered(
        "MX-C43-STEP.2",
        "1/(24*beta) <= 1/(18*beta) for beta > 0",
        {"exchanged": ("1/(24*beta) <= 1/(18*beta)", "1/(18*beta) <= 1/(24*beta)")},
        summary="Without convexity 2-way GT has the narrower limit as well.",
    ),
    ordered(
        "MX-C43-STEP-S1",
        "1/(6*(1 + slope)*beta) <= 1/(12*beta) < 1/(8*beta) for beta > 0; slope >= 1",
        {
            "B^2 from 1/4 on": ("slope >= 1", "slope >= 1/4"),
            "1-way GT at 12": ("1/(8*beta)", "1/(12*beta)"),
            "Parallel Training at 5": ("1/(6*(1", "1/(5*(1"),
        },
        headline="Parallel Training has a shorter step limit than convex 1-way Gradient Transfer",
        summary="Parallel Training's limit is below that of convex 1-way GT for every B >= 1.",
    ),
    ordered(
        "MX-C43-STEP-U1",
        "1/(81*beta) <= 1/(6*(1 + slope)*beta) for beta > 0; 0 <= slope <= 25/2",
        {"up to 12.6": ("25/2", "63/5"), "2-way GT at 80": ("81", "80")},
        headline="Convex step limits: 2-way transfer is narrowest up to moderate dissimilarity",
        summary="Convex: 2-way GT has the narrowest limit up to B^2 = 25/2, Parallel Training beyond.",
    ),
    ordered(
        "MX-C43-STEP-U2",
        "1/(6*(1 + slope)*beta) <= 1/(24*beta) for beta > 0; slope >= 3",
        {"from 2.9": ("slope >= 3", "slope >= 29/10"), "2-way GT at 25": ("24", "25")},
        headline="Non-convex step limits: Parallel Training is narrowest from a modest slope on",
        summary="Non-convex: Parallel Training has the narrowest limit from B^2 = 3 on.",
    ),
]


@table_claim(
    "MX-C43-NOLR",
    source="Section C.4.3, Table 1",
    printed=dict(entry="", power="0"),
    statement=r"\partial\,\text{order}/\partial(\eta,\eta_c,\eta_s,\eta_m)=0",
    summary="No order of Table 1 contains a learning rate (the theorems choose it for eps).",
    controls=[
        Control("Parallel Training, strongly convex, times eta_m^(1/100)", dict(entry="MX-T1-PT-SC", power="1/100")),
        Control("2-way GT, non-convex, times eta_m", dict(entry="MX-T1-2W-NC", power="1")),
    ],
)
def no_rates(entry: str, power: str) -> Evidence:
    """Each of the nine entries of Table 1 doubles every rate: the order must stay the same number."""
    rates = (eta, eta_s, eta_c, eta_m)
    steps, wrong = [], []
    for order in ORDERS:
        expression = order.expression * (eta_m ** R(power) if entry in order.ids else 1)
        steps += [identity(f"{order.name}: derivative in {rate}", sp.diff(expression, rate), 0) for rate in rates]
        at = {symbol: 2 for symbol in order.expression.free_symbols - set(rates)} | dict.fromkeys(rates, 1)
        once, twice = (sp.simplify(expression.subs({**at, **dict.fromkeys(rates, value)})) for value in (1, 2))
        if once != twice:
            wrong.append(f"{order.name}: all other quantities 2, {once} at rates 1 and {twice} at rates 2")
    tried = Tried(2 * len(ORDERS), "; ".join(wrong))
    method = "derivatives of the nine entries in the four rates, and their values at doubled rates"
    return replace(decide(steps, tried, method=method, valid_for="all nine orders"), rung=Rung.READING)


@qualitative_of_an_instance(
    "MX-C43-NOLR-U1",
    source="Section C.4.3",
    printed=dict(ratio="3"),
    statement=r"f_f=f_c=\tfrac{x^2}2,\ \text{1-w GT},\ K=16,\ \eta_s=1,\ \eta=\tfrac1{2000},\ T\text{ rounds from }1"
    r"\text{ to }\tfrac1{1000}:\ "
    r"T(3\eta)\le\tfrac12T(\eta)",
    headline="Within one algorithm three times the rate needs at most half of the rounds",
    summary="A limit of the observation: within one algorithm, without noise, three times the "
    "rate needs at most half of the rounds.",
    controls=[Control("1.01 times the rate", dict(ratio="101/100")), Control("1.99 times", dict(ratio="199/100"))],
)
def rounds_at_rates(ratio: str) -> Evidence:
    """1-way GT, f_f = f_c = x^2/2, K = 16, eta_s = 1, eta = 1/2000: rounds from 1 to 1/1000."""
    factors = [1 - 2 * value(F(1), rate, 16) for rate in (F(1, 2000), F(ratio) / 2000)]
    slow, quick = (next(n for n in count() if factor**n <= F(1, 1000)) for factor in factors)
    return read(
        2 * quick <= slow,
        rung=Rung.EXACT,
        method="contraction factor in closed form",
        examined=2,
        margin=1 - 2 * quick / slow,
        numbers={"T(eta)": slow, f"T({ratio} eta)": quick},
        valid_for="f_f = f_c = x^2/2, 1-way GT, K = 16, eta_s = 1, eta = 1/2000, from 1 to 1/1000",
        counterexample=f"f_f = f_c = x^2/2, 1-way GT, K = 16, eta = 1/2000 and {ratio}/2000: {slow} and {quick} "
        f"rounds from 1 to 1/1000",
    )


if __name__ == "__main__":
    run_script(__file__)
