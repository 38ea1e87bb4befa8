"""Proof of Theorem 1, displays (7), (8) and the last ones: assembling the step and summing up."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import definition_in_words, identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.lecture2022 import bounds
from fltheory.theory.lecture2022.bounds import G, K, L, N, after, before, lemma_1, one_step, s, sigma, square_ab
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance, Proof, equality, identity, inequality
from fltheory.theory.values import exact_value
from verify.lecture2022.averages import MEAN_SQUARE, z, z_dev, z_mean
from verify.lecture2022.descent import STEP_RANGE, F, F_next, V, a, averaged_noise, b, expected_step, v
from verify.lecture2022.proof.one_step import steps_of_runs

of_display_7 = inequality_claim.sharing(source="proof of Theorem 1, (7)")
underbrace = definition_in_words.sharing(source="underbrace in (7)")
of_display_8 = inequality_claim.sharing(source="proof of Theorem 1, (8)")

ONE = Fraction(1)
NOISE = {"L s^2 sigma^2/(2N)": L * s**2 * sigma**2 / (2 * N), "L^2 s^2/(2N)": L**2 * s**2 / (2 * N)}
RANGES = [*STEP_RANGE, (sigma, 0, None), (K, 1, None), (G, 0, None)]


def in_vectors(expression: sp.Expr) -> sp.Expr:
    """The bounds' symbols A, B, D as Gram entries of a and b."""
    return expression.subs({before: F, bounds.square_a: a**2, bounds.square_b: b**2, square_ab: (a - b) ** 2})


def seventh(noise: str) -> Evidence:
    """(7) from the descent lemma, the split of the variance and polarisation, with the printed or the right noise term."""
    right = one_step.expression - NOISE["L s^2 sigma^2/(2N)"] + NOISE[noise]
    step = inequality(
        "(3) and (4) into (1)",
        F_next,
        in_vectors(right),
        ranges=RANGES,
        premises={"descent": (1, expected_step() - F_next), "noise": (L * s**2 / 2, averaged_noise() - v)},
    )
    return decide(
        Proof((step,)),
        lambda: [x.instance(after, right) for x in steps_of_runs()],
        method="Descent lemma, variance split, polarisation; the rest vanishes identically.",
        valid_for="all N, d, 0 < s <= 1/L",
    )


seventh_dumped = of_display_7(
    "LEC-P7[as dumped]",
    statement=(one_step, r"\text{ with last term }\tfrac{L^2s^2}{2N}"),
    fault="transcription",
    printed=dict(noise="L^2 s^2/(2N)"),
    repair="LEC-P7[with sigma squared]",
    headline="As transcribed the noise term has lost its variance",
    summary="The last term as transcribed has no sigma; (8) prints L s^2 sigma^2/(2N), and the original handwriting "
    "would tell.",
    controls=[Control("L s^2 sigma^2/(2N)", dict(noise="L s^2 sigma^2/(2N)"), must="pass")],
)(seventh)

seventh_intended = of_display_7(
    "LEC-P7[with sigma squared]",
    proves=proves(one_step, under=(s * L <= 1,)),
    statement=one_step,
    printed=dict(noise="L s^2 sigma^2/(2N)"),
    summary="One step changes f by at most what is displayed, with the deviation term kept.",
    controls=[Control("L^2 s^2/(2N)", dict(noise="L^2 s^2/(2N)"))],
)(seventh)


@inequality_claim(
    "LEC-P7a",
    statement=r"\|\tfrac1N\textstyle\sum_iz_i\|^2\le\tfrac1N\sum_i\|z_i\|^2\le\tfrac{L^2}N\sum_i\|\bar x-x_i\|^2,\ "
    r"z_i=\nabla f_i(\bar x)-\nabla f_i(x_i)",
    printed=dict(jensen=1, smooth="1"),
    source="proof of Theorem 1, below (7)",
    summary="The deviation is bounded by Jensen over the clients and then by smoothness.",
    controls=[
        Control("1/N -> 1/N^2, as for independent terms", dict(jensen=2)),
        Control("L^2 -> 0.99 L^2", dict(smooth="99/100")),
    ],
)
def deviation_term(jensen: int, smooth: str) -> Evidence:
    weight = N ** (1 - jensen)
    distance = sp.Symbol("e", real=True)
    steps = (
        inequality("Jensen", z_mean**2, weight * MEAN_SQUARE, squares=[(weight, z_dev)], ranges=[(N, 1, None)]),
        inequality(
            "smoothness",
            z**2,
            sp.Rational(smooth) * L**2 * distance**2,
            premises={"L-smooth": (1, L**2 * distance**2 - z**2)},
            ranges=[(L, Open(0), None)],
        ),
    )
    return decide(
        Proof(steps),
        lambda: [
            Instance("N=2, z_1=z_2=1", ONE, Fraction(2, 2**jensen)),
            Instance("f=x^2/2, points 1 apart", ONE, Fraction(smooth)),
        ],
        method="Mean/deviation splitting over clients, and the definition of smoothness.",
        valid_for="all N, d",
    )


@identity_claim(
    "LEC-P7b.1",
    statement=r"\|\nabla f(\bar x)-\tfrac1N\textstyle\sum_i\nabla f_i(x_i)\|^2=\tfrac1{N^2}\|\sum_i(\nabla f_i(\bar "
    r"x)-\nabla f_i(x_i))\|^2",
    printed=dict(power=2),
    source="proof of Theorem 1, below (7)",
    summary="By the definition of f the two gradients are one average, and 1/N is drawn out of the norm.",
    controls=[Control("1/N^2 -> 1/N", dict(power=1))],
)
def drawn_out(power: int) -> Evidence:
    p, r = sp.symbols("p_mean r_mean", real=True)
    return decide(
        Proof((identity("the sum is N times the mean", (p - r) ** 2, (N * (p - r)) ** 2 / N**power),)),
        lambda: [equality("N=2, differences 1 and 1", ONE, Fraction(4, 2**power))],
        method="Averages are linear, and the sum over clients is N times the average.",
        valid_for="all N, d",
    )


def label(factor: str) -> Evidence:
    """Whether the term braced under (7) is the one that (a) bounds."""
    covered = {"s/2": s / 2, "1": sp.Integer(1)}[factor] * square_ab
    return decide(
        Proof((identity("what is braced equals what is bounded", covered, square_ab),)),
        lambda: [equality("s=1, squared distance 1", {"s/2": ONE / 2, "1": ONE}[factor], ONE)],
        method="Compare the braced expression under (7) with the first line of the bound of (a).",
        valid_for="all s",
    )


label_with = underbrace(
    "LEC-P7b.2[(a) with the factor s/2, as dumped]",
    fault="transcription",
    statement=r"\tfrac s2\mathbb{E}\|a-b\|^2=(a)=\mathbb{E}\|a-b\|^2",
    printed=dict(factor="s/2"),
    repair="LEC-P7b.2[(a) without the factor]",
    headline="As transcribed a brace covers a factor that the next line leaves out",
    summary="As transcribed from handwriting the brace covers s/2 and the next line does not; how far the brace "
    "reaches the original would tell. Taken literally the chain for (a) is off by s/2.",
    controls=[Control("brace without the factor", dict(factor="1"), must="pass")],
)(label)

label_without = underbrace(
    "LEC-P7b.2[(a) without the factor]",
    statement=r"(a)=\mathbb{E}\|a-b\|^2",
    printed=dict(factor="1"),
    summary="The label without s/2; display (8) then has s/2 times the bound of (a), as it should.",
    controls=[Control("brace with the factor", dict(factor="s/2"))],
)(label)


@identity_claim(
    "LEC-P8.1",
    statement=r"\tfrac s2L^2\cdot4s^2K^2G^2=2s^3K^2G^2L^2",
    printed=dict(coefficient="2"),
    source="proof of Theorem 1, (8)",
    summary="The drift term of (8) is what Lemma 1 gives in the deviation term of (7).",
    controls=[Control("2 -> 1.98", dict(coefficient="99/50"))],
)
def drift_inserted(coefficient: str) -> Evidence:
    inserted = s / 2 * L**2 * lemma_1.expression
    stated = drift_term(coefficient)
    at = {s: 1, K: 1, G: 1, L: 1}
    return decide(
        Proof((identity("Lemma 1 inserted", inserted, stated),)),
        lambda: [equality("drift term at s=K=G=L=1", exact_value(inserted, at), exact_value(stated, at))],
        method="Lemma 1 multiplied by (s/2) L^2.",
        valid_for="all s, K, G, L",
    )


def drift_term(coefficient: str) -> sp.Expr:
    return sp.Rational(coefficient) * s**3 * K**2 * G**2 * L**2


def eighth(coefficient: str, where: str) -> Evidence:
    """Display (8) with the given coefficient of the drift term and the middle term at the given points."""
    right = bounds.one_step_with_drift.expression - drift_term("2") + drift_term(coefficient)
    if where == "average":
        right = right.subs(bounds.square_b, bounds.square_a)
    step = inequality(
        "one step with drift",
        F_next,
        in_vectors(right),
        ranges=RANGES,
        premises={
            "descent": (1, expected_step() - F_next),
            "noise": (L * s**2 / 2, averaged_noise() - v),
            "smooth": (s / 2, L**2 * V - (a - b) ** 2),
            "Lemma 1": (s * L**2 / 2, lemma_1.expression - V),
        },
    )
    return decide(
        Proof((step,)),
        lambda: [x.instance(after, right) for x in steps_of_runs()],
        method="Descent lemma, variance split, polarisation, smoothness and Lemma 1 as premises.",
        valid_for="all N, K, d, 0 < s <= 1/L",
    )


one_step_with_drift = of_display_8(
    "LEC-P8.2",
    proves=proves(bounds.one_step_with_drift, under=(s * L <= 1,)),
    statement=bounds.one_step_with_drift,
    printed=dict(coefficient="2", where="own"),
    depends=("LEC-LEM1",),
    summary="Display (8): (7) with Lemma 1. The coefficient 2 is Lemma 1's and not sharp; 1/20 is too small.",
    controls=[Control("2 -> 1/20", dict(coefficient="1/20"))],
)(eighth)

middle_at_average = of_display_8(
    "LEC-P8-ARG[at the average, as dumped]",
    statement=(bounds.one_step_with_drift, r",\ \text{middle term }\|\nabla f(\bar x^{t-1})\|^2"),
    fault="transcription",
    printed=dict(coefficient="2", where="average"),
    repair="LEC-P8-ARG[at the clients' own points]",
    headline="As transcribed a gradient is taken at the wrong point, harmlessly",
    summary="As transcribed from handwriting the middle term is taken at the average: then (8) is false, harmlessly, "
    "since the term is dropped afterwards; the original would tell.",
    controls=[Control("at the clients' own points", dict(where="own"), must="pass")],
)(eighth)

middle_at_own = of_display_8(
    "LEC-P8-ARG[at the clients' own points]",
    statement=bounds.one_step_with_drift,
    printed=dict(coefficient="2", where="own"),
    summary="With the middle term taken at the clients' own points, as in (7), the line follows.",
    controls=[Control("at the average", dict(where="average"))],
)(eighth)


if __name__ == "__main__":
    run_script(__file__)
