"""Augenstein et al. (2022), Section C.4.3: which algorithm has the narrowest limit of its rates, and no rate in the orders."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log

import sympy as sp

from fltheory.evidence.decide import read
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.theory.mixed2022.orders import ORDERS, B, eta, eta_c, eta_m, eta_s
from fltheory.theory.steps import Instance, sign
from verify.mixed2022.closed_forms import value
from verify.mixed2022.declared import algebra_claim, qualitative_of_an_instance
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
    gap = (
        (LIMITS[first] - LIMITS[second]).subs(B**2, b2)
        if B in (LIMITS[first] - LIMITS[second]).free_symbols
        else LIMITS[first] - LIMITS[second]
    )
    ranges = ((b2, low, high),) if b2 in gap.free_symbols else ()
    ends = [low] + ([high] if high is not None else [low + 100])
    instances = [
        Instance(
            f"B^2 = {x}: 1/limit of {second} against that of {first}",
            F(str(LIMITS[second].subs(B, sp.sqrt(x)))),
            F(str(LIMITS[first].subs(B, sp.sqrt(x)))),
        )
        for x in ends
    ]
    return settle(
        (sign("limits of Table 3", gap, ranges),),
        instances,
        method="reciprocals of the entries of Table 3",
        valid_for=f"B^2 >= {least}",
    )


#: What depends on the limits of Table 3: id, first (narrower) and second algorithm, range of B^2, statement, summary, control.
ORDERED = (
    (
        "MX-C43-STEP.1",
        "2-w GT",
        "1-w GT",
        "1",
        "",
        r"\tfrac1{81\beta}\le\tfrac1{8\beta}",
        "Convex: 2-way GT has the narrower limit.",
        Control("exchanged", dict(first="1-w GT", second="2-w GT")),
    ),
    (
        "MX-C43-STEP.2",
        "2-w GT, non-convex",
        "1-w GT, non-convex",
        "1",
        "",
        r"\tfrac1{24\beta}\le\tfrac1{18\beta}",
        "Without convexity 2-way GT has the narrower limit as well.",
        Control("exchanged", dict(first="1-w GT, non-convex", second="2-w GT, non-convex")),
    ),
    (
        "MX-C43-STEP-S1",
        "PT",
        "1-w GT",
        "1",
        "",
        r"\tfrac1{6(1+B^2)\beta}\le\tfrac1{12\beta}<\tfrac1{8\beta}",
        "Parallel Training's limit is below that of convex 1-way GT for every B >= 1.",
        Control("B^2 from 1/4 on", dict(least="1/4")),
    ),
    (
        "MX-C43-STEP-S2",
        "2-w GT",
        "PT",
        "1",
        "25/2",
        r"B^2\le\tfrac{25}2\Rightarrow\tfrac1{81\beta}\le\tfrac1{6(1+B^2)\beta}",
        "Convex: 2-way GT has the narrowest limit up to B^2 = 25/2, Parallel Training beyond.",
        Control("up to 12.6", dict(at_most="63/5")),
    ),
    (
        "MX-C43-STEP-S3",
        "PT",
        "2-w GT, non-convex",
        "3",
        "",
        r"B^2\ge3\Rightarrow\tfrac1{6(1+B^2)\beta}\le\tfrac1{24\beta}",
        "Non-convex: Parallel Training has the narrowest limit from B^2 = 3 on.",
        Control("from 2.9", dict(least="29/10")),
    ),
)
step_rows = [
    algebra_claim(
        row_id,
        source="Section C.4.3, Table 3",
        depends=("MX-TAB3.1",),
        printed=dict(first=first, second=second, least=least, at_most=at_most),
        statement=statement,
        summary=summary,
        controls=[control],
    )(narrower)
    for row_id, first, second, least, at_most, statement, summary, control in ORDERED
]


@algebra_claim(
    "MX-C43-NOLR",
    source="Section C.4.3",
    printed=dict(plant="1"),
    statement=r"\partial\,\text{order}/\partial(\eta,\eta_c,\eta_s,\eta_m)=0",
    summary="No order of Table 1 contains a learning rate (the theorems choose it for eps).",
    controls=[Control("an order with eta", dict(plant="1 + eta"))],
)
def no_rates(plant: str) -> Evidence:
    extra = sp.sympify(plant, locals={"eta": eta})
    rates = {eta, eta_s, eta_c, eta_m}
    found = [b.name for b in ORDERS if (b.expression * extra).free_symbols & rates]
    return read(
        not found,
        method="symbols of the nine expressions",
        examined=9,
        counterexample=f"{', '.join(found)} contain a rate",
        valid_for="all nine orders",
    )


@qualitative_of_an_instance(
    "MX-C43-NOLR-S1",
    source="Section C.4.3",
    printed=dict(ratio="3"),
    statement=r"T(3\eta)\le\tfrac12T(\eta)",
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
    good = 2 * found[1] <= found[0]
    return read(
        good,
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
    from fltheory.evidence.runner import run_script

    run_script(__file__)
