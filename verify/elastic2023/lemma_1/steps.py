"""Lemma 1 of the elastic aggregation supplement, from the sum of the weights to the bound before tuning, with sharp constants.

With q = mu eta and P = (1-q)^R everything is rational: the weights add up to (1 - (1-q)P)/(qP) (induction over R), and P <=
exp(-1/2) when R q >= 1/2 (tangent of exp).  The worst sequence is (d_0, 0, 0, ...), the worst q is 1/(2R), R to infinity.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import algebra_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.tight import against_the_best
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.steps import Instance, Proof, at_least, equality, sign
from verify.elastic2023 import tuning
from verify.elastic2023.derivations import recursions
from verify.elastic2023.enclosures import exp_between
from verify.elastic2023.tuning import BEFORE_TUNING_SHARP, rational_above, tangent_of_exp

third_display = algebra_claim.sharing(source="proof of Lemma 1, third display")

ONE, HALF = Fraction(1), Fraction(1, 2)


@algebra_claim(
    "EL-L1-23",
    source="proof of Lemma 1",
    statement=tuning.TWO_THIRDS,
    summary="After R >= 1/(2 mu eta) rounds the contraction factor is at most 2/3.",
    printed=dict(bound="2/3", least="1/2", largest="1"),
    controls=[
        Control("2/3 -> 3/5 (exp(-1/2) = 0.6065 is sharp)", dict(bound="3/5")),
        Control("R >= 1/(4 mu eta)", dict(least="1/4")),
        Control("mu eta up to 3", dict(largest="3")),
    ],
)
def two_thirds(bound: str, least: str, largest: str) -> Evidence:
    value, start, top = Fraction(bound), Fraction(least), Fraction(largest)
    e_low, e_high = exp_between(-start)
    steps = (
        tangent_of_exp(),
        sign("1 - q >= 0, so that the R-th power keeps the order", 1 - tuning.q, [(tuning.q, 0, sp.Rational(largest))]),
        at_least("exp(-least) <= bound: a rational number above exp(-least)", value, e_high),
    )

    def instances() -> Iterator[Instance]:
        for rounds in (1, 2, 10):
            for q in {start / rounds, ONE, top}:
                if start / rounds <= q <= top:
                    low, high = exp_between(-q * rounds)
                    text = f"mu eta = {q}, R = {rounds}"
                    yield Instance(f"{text}, first inequality", (1 - q) ** rounds, high)
                    yield Instance(f"{text}, second inequality", low, value)

    return decide(
        Proof(steps),
        instances,
        method="1 - q <= exp(-q) to the power R, and exp(1/2) >= 3/2.",
        valid_for="all R and 0 <= mu eta <= 1 with R mu eta >= 1/2",
        numbers={"exp(-1/2)": float(e_low)},
        tightness=against_the_best(value / e_low, "exp(-1/2), at R mu eta = 1/2"),
    )


def geometric(constant: str, exponent: str, relation: str) -> Evidence:
    """``eta W_R = (1-q)^(-R)(1 - (1-q)^exponent)/mu >= constant (1-q)^(-R)/mu``; ``relation`` stands for the first =."""
    if exponent == "R" and relation == "=":
        q, setting = sp.Symbol("q"), "R = 1, q = mu eta, W_1 = 1 + 1/(1-q)"
        closed_form = Side("closed form", 1 / (1 - q) * (1 - (1 - q)))
        claim = Side("q W_1", q * (1 + 1 / (1 - q))), "=", closed_form
        return by_witness(Witness({q: HALF}, *claim, [(q, ">=", HALF)], setting), rung=Rung.PROOF)
    value = sp.sympify(constant, locals={"h": tuning.HALF})

    def instances() -> Iterator[Instance]:
        low = 1 / rational_above(1 / value)
        for rounds in (1, 2, 200):
            for q in (Fraction(1, 2 * rounds), Fraction(3, 4)):
                total = q * tuning.weight_total(q, rounds)  # mu eta W_R
                form = ((1 - q) ** (-rounds)) * (1 - (1 - q) ** (rounds + (exponent == "R+1")))
                text = f"mu eta = {q}, R = {rounds}"
                if relation == "=":
                    yield equality(f"{text}, mu eta W_R", total, form)
                else:
                    yield Instance(f"{text}, closed form against mu eta W_R", form, total)
                yield Instance(f"{text}, last inequality times mu (1-q)^R", low, form * (1 - q) ** rounds)

    return by_derivation(
        lambda: recursions.sum_of_weights(constant, "1" if exponent == "R" else "1 - q"),
        instances,
        method="Closed form of the geometric sum, summed over the rounds, for P = (1-q)^R <= h = exp(-1/2) <= 2/3.",
        beside=tuning.OF_EXP,
        prose="that P = (1-q)^R <= exp(-q)^R <= h = exp(-1/2), ranges of the derivation, are the kept 1 + x <= exp(x)",
        valid_for="all R >= 1, 0 < q < 1, R q >= 1/2",
        numbers={"1 - exp(-1/2)": float(1 - tuning.HALF)},
        tightness=against_the_best((1 - tuning.HALF) / value, "1 - exp(-1/2), the limit for q = 1/(2R) as R grows"),
    )


CHAIN = (
    r"\eta W_R=\eta(1-\mu\eta)^{-R}\sum_{r=0}^{R}(1-\mu\eta)^r=\frac{(1-\mu\eta)^{-R}}{\mu}\left(1-(1-\mu\eta)^{%s}"
    r"\right)\ge\frac{(1-\mu\eta)^{-R}}{3\mu}"
)

second_display = algebra_claim.sharing(source="proof of Lemma 1, second display", depends=("EL-L1-23",))


sum_of_weights = second_display(
    "EL-L1-GEO[exponent R+1]",
    statement=CHAIN % "R+1",
    summary="The weights add up to a geometric sum, which is at least a third of its limit.",
    printed=dict(constant="1/3", exponent="R+1", relation="="),
    controls=[
        Control("1/3 -> 2/5 (1 - exp(-1/2) = 0.3935 is sharp)", dict(constant="2/5")),
        Control("exponent R", dict(exponent="R")),
    ],
)(geometric)

sum_of_weights_r = second_display(
    "EL-L1-GEO[exponent R]",
    fault="slip",
    statement=CHAIN % "R",
    repair="EL-L1-GEO[exponent R+1]",
    headline="With exponent R the closed form of the geometric sum is too small",
    summary="With exponent R the closed form of the sum is too small; as a lower bound it is right.",
    printed=dict(constant="1/3", exponent="R", relation="="),
    controls=[
        Control("exponent R+1", dict(exponent="R+1"), must="pass"),
        Control("exponent R with >= in place of =", dict(relation=">="), must="pass"),
        Control("exponent R and 2/5", dict(constant="2/5")),
    ],
)(geometric)


@second_display(
    "EL-L1-GEO-S1",
    statement=tuning.WEIGHTS_SHARP,
    headline="The geometric sum with the best constant in place of one third",
    summary="The best constant in place of 1/3 is 1 - exp(-1/2).",
    printed=dict(factor="1"),
    controls=[Control("constant times 1.01", dict(factor="101/100"))],
)
def sum_of_weights_sharp(factor: str) -> Evidence:
    return geometric(f"{factor}*(1 - h)", "R+1", "=")


def before_tuning(constant: str, least: str) -> Evidence:
    """``Psi_R <= constant mu d_0 (1-q)^R + c eta <= constant mu d_0 exp(-q R) + c eta`` for ``R q >= least``."""
    start, number = Fraction(least), sp.sympify(constant, locals={"h": tuning.HALF})

    def instances() -> list[Instance]:
        value, found = rational_above(number), []
        for rounds in (1, 5, 200):
            for q in (start / rounds, Fraction(1, 10**6), Fraction(4, 5)):
                if start <= q * rounds and q > 0:
                    text = f"mu = 1, c = 0, d = (1, 0, 0, ...), eta = {q}, R = {rounds}"
                    left, power = tuning.largest_sum(q, rounds), (1 - q) ** rounds
                    found.append(Instance(f"{text}, Psi_R against the power", left, value * power))
                    found.append(Instance(f"{text}, power against exp", power, exp_between(-q * rounds)[1]))
        return found

    sharp = 1 / (1 - tuning.HALF)
    return by_derivation(
        lambda: recursions.before_tuning(constant, enough=start >= HALF),
        instances,
        method="Telescoping and the geometric sum: (Psi_R - c eta)/(mu d_0 P) <= (1-q)/(1-(1-q)P) <= 1/(1-exp(-1/2)) for "
        "P = (1-q)^R <= exp(-1/2).",
        beside=tuning.OF_EXP,
        prose="that P = (1-q)^R <= X = exp(-q)^R and P <= h = exp(-1/2), ranges of the derivation, are the kept 1 + x <= exp(x)",
        valid_for="all sequences, all R >= 1, 0 < q < 1, R q >= 1/2, c >= 0",
        numbers={"1/(1-exp(-1/2))": float(sharp)},
        tightness=against_the_best(
            number / sharp, "1/(1-exp(-1/2)), the limit for q = 1/(2R) as R grows, in both forms"
        ),
    )


@third_display(
    "EL-L1-3",
    statement=r"\Psi_R\le3\mu d_0(1-\mu\eta)^R+c\eta\le3\mu d_0e^{-\mu\eta R}+c\eta",
    summary="The bound before the step size is tuned.",
    depends=("EL-L1-23",),
    printed=dict(constant="3", least="1/2"),
    controls=[
        Control("3 -> 5/2 (2.5415 is sharp)", dict(constant="5/2")),
        Control("R >= 1/(2 mu eta) dropped", dict(least="0")),
    ],
)
def untuned(constant: str, least: str) -> Evidence:
    return before_tuning(constant, least)


@third_display(
    "EL-L1-3-S1",
    statement=BEFORE_TUNING_SHARP,
    depends=("EL-L1-23",),
    headline="The bound before tuning with the best constant in place of three",
    summary="The best constant in place of 3 is 1/(1 - exp(-1/2)).",
    printed=dict(factor="1"),
    controls=[Control("constant times 0.99", dict(factor="99/100"))],
)
def untuned_sharp(factor: str) -> Evidence:
    return before_tuning(f"{factor}/(1 - h)", "1/2")


if __name__ == "__main__":
    run_script(__file__)
