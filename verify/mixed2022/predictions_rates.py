"""Augenstein et al. (2022), Section C.4.3: which algorithm has the narrowest limit of its rates, and no rate in the orders."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, log

import sympy as sp

from fltheory.evidence.decide import Tried, decide, read
from fltheory.evidence.kinds import algebra_claim, qualitative_of_an_instance, run_script, table_claim
from fltheory.evidence.model import Claim, Control, Evidence, Rung
from fltheory.theory.mixed2022.orders import ORDERS, B, eta, eta_c, eta_m, eta_s
from fltheory.theory.steps import Instance, identity, sign
from verify.mixed2022.closed_forms import value
from verify.mixed2022.settled import settle

F, R = Fraction, sp.Rational
LIMITS = {
    "PT": 6 * (1 + B**2),
    "1-w GT": sp.Integer(8),
    "1-w GT, non-convex": sp.Integer(18),
    "2-w GT": sp.Integer(81),
    "2-w GT, non-convex": sp.Integer(24),
}


def narrower(first: str, second: str, least: str, at_most: str) -> Evidence:
    """1/(beta effective step) of the first at least that of the second, for least <= B^2 (<= at_most)."""
    low, b2 = R(least), sp.Symbol("b2")
    high = None if at_most == "" else R(at_most)
    gap = sp.sympify(LIMITS[first] - LIMITS[second]).subs(B**2, b2)
    ranges = ((b2, low, high),) if b2 in gap.free_symbols else ()
    instances = [
        Instance(
            f"B^2 = {x}: 1/limit of {second} against that of {first}",
            *(F(str(LIMITS[name].subs(B, sp.sqrt(x)))) for name in (second, first)),
        )
        for x in (low, low + 100 if high is None else high)
    ]
    proof = (sign("limits of Table 3", gap, ranges),)
    method = "reciprocals of the entries of Table 3"
    return settle(proof, instances, method=method, valid_for=f"B^2 >= {least}")


def ordered(
    row_id: str, first: str, second: str, control: Control, least: str = "1", at_most: str = "", **words: str
) -> Claim:
    """The row that the first algorithm has the narrower limit for B^2 in this range."""
    return algebra_claim(
        row_id,
        source="Section C.4.3, Table 3",
        depends=("MX-TAB3.1",),
        printed=dict(first=first, second=second, least=least, at_most=at_most),
        controls=[control],
        **words,
    )(narrower)


step_rows = [
    ordered(
        "MX-C43-STEP.1",
        "2-w GT",
        "1-w GT",
        Control("exchanged", dict(first="1-w GT", second="2-w GT")),
        statement=r"\tfrac1{81\beta}\le\tfrac1{8\beta}",
        summary="Convex: 2-way GT has the narrower limit.",
    ),
    ordered(
        "MX-C43-STEP.2",
        "2-w GT, non-convex",
        "1-w GT, non-convex",
        Control("exchanged", dict(first="1-w GT, non-convex", second="2-w GT, non-convex")),
        statement=r"\tfrac1{24\beta}\le\tfrac1{18\beta}",
        summary="Without convexity 2-way GT has the narrower limit as well.",
    ),
    ordered(
        "MX-C43-STEP-S1",
        "PT",
        "1-w GT",
        Control("B^2 from 1/4 on", dict(least="1/4")),
        statement=r"\tfrac1{6(1+B^2)\beta}\le\tfrac1{12\beta}<\tfrac1{8\beta}",
        headline="Parallel Training has a shorter step limit than convex 1-way Gradient Transfer",
        summary="Parallel Training's limit is below that of convex 1-way GT for every B >= 1.",
    ),
    ordered(
        "MX-C43-STEP-U1",
        "2-w GT",
        "PT",
        Control("up to 12.6", dict(at_most="63/5")),
        at_most="25/2",
        statement=r"B^2\le\tfrac{25}2\Rightarrow\tfrac1{81\beta}\le\tfrac1{6(1+B^2)\beta}",
        headline="Convex step limits: 2-way transfer is narrowest up to moderate dissimilarity",
        summary="Convex: 2-way GT has the narrowest limit up to B^2 = 25/2, Parallel Training beyond.",
    ),
    ordered(
        "MX-C43-STEP-U2",
        "PT",
        "2-w GT, non-convex",
        Control("from 2.9", dict(least="29/10")),
        least="3",
        statement=r"B^2\ge3\Rightarrow\tfrac1{6(1+B^2)\beta}\le\tfrac1{24\beta}",
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
    statement=r"T(3\eta)\le\tfrac12T(\eta)",
    headline="Within one algorithm three times the rate needs at most half of the rounds",
    summary="A limit of the observation: within one algorithm, without noise, three times the "
    "rate needs at most half of the rounds.",
    controls=[Control("1.01 times the rate", dict(ratio="101/100")), Control("1.99 times", dict(ratio="199/100"))],
)
def rounds_at_rates(ratio: str) -> Evidence:
    """1-way GT, f_f = f_c = x^2/2, K = 16, eta_s = 1, eta = 1/2000: rounds from 1 to 1/1000."""
    found = []
    for rate in (F(1, 2000), F(ratio) / 2000):
        factor = 1 - 2 * value(F(1), rate, 16)
        found.append(ceil(log(1000) / -log(float(factor))))
    return read(
        2 * found[1] <= found[0],
        rung=Rung.EXACT,
        method="contraction factor in closed form",
        examined=2,
        margin=1 - 2 * found[1] / found[0],
        numbers={"T(eta)": found[0], f"T({ratio} eta)": found[1]},
        valid_for="this instance",
        counterexample=f"f_f = f_c = x^2/2, 1-way GT, K = 16, eta = 1/2000 and {ratio}/2000: {found[0]} and {found[1]} "
        f"rounds from 1 to 1/1000",
    )


if __name__ == "__main__":
    run_script(__file__)
