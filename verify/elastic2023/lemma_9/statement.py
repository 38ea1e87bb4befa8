"""Lemma 9 of the elastic aggregation supplement: true for steps up to 1/(2 mu), and up to 1/mu if K is even, with
its best constant.

With q = 1 - 2 mu eta in [0, 1] a round leaves at least z/(1 + K z/(2 (K - 1))) of z = 4 mu x/G, whatever the step
size.  For steps
between 1/(2 mu) and 1/mu, q is negative, and an odd power of it turns x around: one round can end at the optimum.
"""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import lower_bound_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import attained
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.elastic2023 import lower_bound as theory
from fltheory.theory.elastic2023.lower_bound import K
from verify.elastic2023.derivations import lower_bound as derivations
from verify.elastic2023.lemma_9 import powers
from verify.elastic2023.lemma_9.rounds import DISPLAY_21, SETTING, broken_by_a_round, eta, of_each, round_of_21, x_0

of_lemma_9 = lower_bound_claim.sharing(source="Lemma 9, (21)", quick=False)

_STEPS = (
    "EL-L9-POS",
    "EL-L9-GAM",
    "EL-L9-HALF",
    "EL-L9-BIG",
    "EL-L9-SMALL",
    "EL-L9-22",
    "EL-L9-IND",
    "EL-L9-HALFB",
    "EL-L9-R0",
)
_PRINT = r"\exists\,c>0:\quad " + DISPLAY_21
METHOD = (
    "Induction over the rounds, in which the step sizes are free; what a power of 1 - 2 mu eta leaves is "
    "proved by induction over K."
)


def lemma_9(factor: str, largest: str, parity: str) -> Evidence:
    """x^R >= factor (K-1)/(3K-1) min(x^0, G/(mu R)) for step sizes up to ``largest``/mu and all K, or even ones."""
    bound = theory.LEMMA_9_EVEN if parity == "even" else theory.LEMMA_9
    changed = replace(bound, expression=sp.Rational(factor) * bound.expression)
    least = of_each(sp.Rational(factor) * (K - 1) / (3 * K - 1), K)
    positive = Fraction(largest) <= Fraction(1, 2)
    found = broken_by_a_round(least, Fraction(largest), odd=parity != "even")
    return by_derivation(
        lambda: derivations.lemma_9(changed, f"{largest}/mu", "0" if positive or parity == "even" else "-1"),
        found,
        beside=powers.POSITIVE if positive else powers.FOR_EVEN,
        method=METHOD,
        valid_for=f"all R >= 1, {'even' if parity == 'even' else 'whole'} K >= 2, x^0, mu, G > 0, every sequence of "
        f"step sizes in "
        f"[0, {largest}/mu]; the bound holds at every round up to R",
        numbers={"c for K = 2": 0.2, "c for large K": 1 / 3} if factor == "1" else None,
        tightness=attained(
            "K = 2, from x^0 = G/(mu R): x^R is a fifth of it for every R; other K: in the limit of many rounds"
        ),
        prose=powers.CHOICE,
    )


half = of_lemma_9(
    "EL-LEM9[step sizes up to 1/(2 mu)]",
    statement=(
        _PRINT + r"\tfrac1{2\mu}\ \Rightarrow\ x^R\ge c\min\left(x^0,\tfrac{G}{\mu R}\right);\quad ",
        theory.LEMMA_9,
    ),
    headline="No step sizes up to half the printed size beat one over the number of rounds",
    summary="Read with step sizes up to 1/(2 mu), x^R is at least (K-1)/(3K-1), so at least 1/5, of the smaller of x^0 "
    "and G/(mu R), for every K >= 2, every R and every sequence of step sizes. The constant cannot be raised for all R.",
    proof_steps=_STEPS,
    printed=dict(factor="1", largest="1/2", parity="any"),
    controls=[
        Control("the constant times 1.01", dict(factor="101/100")),
        Control("step sizes up to 1/mu", dict(largest="1")),
    ],
)(lemma_9)

_ZERO = (3, 1, 1)


def at_the_optimum(largest: str, parity: str) -> Evidence:
    """With some c > 0: refuted where a round ends at the optimum, proved by the bound with a constant."""
    found = tried(
        Witness(
            {x_0: start, eta: step},
            Side("x^1", round_of_21(steps)),
            ">",
            0,
            given=[(x_0, ">", 0), (eta, "<=", Fraction(largest))],
            setting=f"{SETTING.format(steps)}: for every c > 0",
        )
        for steps, start, step in (_ZERO, (2, 1, 1))
        if parity != "even" or steps % 2 == 0
    )
    evidence = lemma_9("1", largest, parity)
    if not found.counterexample:
        return evidence
    return decide(
        (False, "an odd power of a negative number"),
        found,
        method="A round that ends at the optimum, evaluated exactly.",
    )


printed = of_lemma_9(
    "EL-LEM9[step sizes up to 1/mu]",
    statement=_PRINT + r"\tfrac1\mu\ \Rightarrow\ x^R\ge c\min\left(x^0,\tfrac{G}{\mu R}\right)",
    fault="missing hypothesis",
    headline="With odd numbers of local steps one large step can end exactly at the optimum",
    summary="With step sizes up to 1/mu the lemma is false for every constant if K is odd: for K = 3, from x^0 = G/mu "
    "with eta = 1/mu, (21) allows x^1 = 0, since the cube of 1 - 2 mu eta = -1 is negative. Theorem II itself does not "
    "suffer: see EL-THM2.",
    repair="EL-LEM9-R1",
    proof_steps=_STEPS,
    printed=dict(largest="1", parity="any"),
    controls=[
        Control("step sizes up to 1/(2 mu)", dict(largest="1/2"), must="pass"),
        Control("K even", dict(parity="even"), must="pass"),
    ],
)(at_the_optimum)

repaired = of_lemma_9(
    "EL-LEM9-R1",
    statement=(DISPLAY_21 + r"\tfrac1\mu,\ K\text{ even}\ \Rightarrow\ ", theory.LEMMA_9_EVEN),
    headline="With even numbers of local steps the lemma holds up to the largest step size",
    summary="For even K the lemma holds for all step sizes up to 1/mu, with the same constant (K-1)/(3K-1); for odd K "
    "step sizes have to stay below 1/(2 mu) (EL-LEM9[step sizes up to 1/(2 mu)]), as beyond it a round may end at the "
    "optimum.",
    printed=dict(factor="1", largest="1", parity="even"),
    controls=[Control("the constant times 1.01", dict(factor="101/100")), Control("odd K too", dict(parity="any"))],
)(lemma_9)

if __name__ == "__main__":
    run_script(__file__)
