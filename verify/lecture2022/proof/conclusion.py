"""Proof of Theorem 1, the conclusion: the step-size condition, division by s/2, and the sum over the steps."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import algebra_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.lecture2022.bounds import G, K, L, N, after, before, lemma_1, s, sigma, square_a
from fltheory.theory.proofs import Open
from fltheory.theory.steps import Instance, Proof, inequality, sign
from fltheory.theory.values import exact_value
from verify.lecture2022.descent import STEP_RANGE, F, F_next, V, a, averaged_noise, b, expected_step, telescoping, v
from verify.lecture2022.proof.one_step import steps_of_runs

below_display_8 = algebra_claim.sharing(source="proof of Theorem 1, below (8)")
last_display = inequality_claim.sharing(source="proof of Theorem 1, last display")

NOISE = {"L s sigma^2/N": L * s * sigma**2 / N, "L s^2 sigma^2/(2N)": L * s**2 * sigma**2 / (2 * N)}
LIMITS = {"L/2": L / 2, "1/L": 1 / L}


def condition(limit: str) -> Evidence:
    """Whether the dropped term (s/2)(1 - sL) is nonnegative up to the limit on s."""
    end = LIMITS[limit]
    value = s / 2 * (1 - s * L)

    def instances() -> Iterator[Instance]:
        for smooth in (1, 2, 3):
            step = end.subs(L, smooth)
            text = f"L={smooth}, s={step}: 0 against (s/2)(1-sL)"
            yield Instance(text, Fraction(0), exact_value(value, {L: smooth, s: step}))

    return decide(
        Proof((sign("(s/2)(1-sL) >= 0", value, [(L, Open(0), None), (s, 0, end)]),)),
        instances,
        method="Sign of a polynomial on the range of s.",
        valid_for="all L > 0",
    )


condition_dumped = below_display_8(
    "LEC-PCOND[L/2, as dumped]",
    fault="transcription",
    statement=r"0<s\le\tfrac L2\ \Rightarrow\ \tfrac s2(1-sL)\ge0",
    printed=dict(limit="L/2"),
    repair="LEC-PCOND[1/L]",
    headline="As transcribed the step condition has the wrong unit and fails",
    summary="As transcribed from handwriting the condition has the wrong unit (a step size is 1/curvature) and fails "
    "for L > sqrt 2; L/2 may be a misread 1/L, and the original would tell.",
    controls=[Control("s <= 1/L", dict(limit="1/L"), must="pass")],
)(condition)

condition_of_the_theorem = below_display_8(
    "LEC-PCOND[1/L]",
    statement=r"0<s\le\tfrac1L\ \Rightarrow\ \tfrac s2(1-sL)\ge0",
    printed=dict(limit="1/L"),
    summary="With the theorem's own condition, which the handwriting may say, the step is right.",
    controls=[Control("s <= L/2", dict(limit="L/2"))],
)(condition)


def divided(noise: str) -> Evidence:
    """One step divided by s/2 bounds the squared gradient by the decrease of f, the drift and the noise."""
    vectors = 2 / s * (F - F_next) + 4 * s**2 * K**2 * G**2 * L**2 + NOISE[noise]
    step = inequality(
        "one step divided by s/2",
        a**2,
        vectors,
        premises={
            "descent": (2 / s, expected_step() - F_next),
            "noise": (L * s, averaged_noise() - v),
            "smooth": (1, L**2 * V - (a - b) ** 2),
            "Lemma 1": (L**2, lemma_1.expression - V),
        },
        squares=[(1 - s * L, b)],
        ranges=[*STEP_RANGE, (sigma, 0, None), (K, 1, None), (G, 0, None)],
    )
    right = vectors.subs({F: before, F_next: after})
    return decide(
        Proof((step,)),
        lambda: [x.instance(square_a, right) for x in steps_of_runs()],
        method="Certificate from the descent lemma, the noise, smoothness and Lemma 1.",
        valid_for="all N, K, d, 0 < s <= 1/L",
    )


divided_dumped = last_display(
    "LEC-PFIN[L s^2 sigma^2/(2N), as dumped]",
    fault="transcription",
    statement=r"\mathbb{E}\|\nabla f(\bar x^{t-1})\|^2\le\tfrac2s(\mathbb{E}f(\bar x^{t-1})-\mathbb{E}f(\bar "
    r"x^t))+4s^2K^2G^2L^2+\tfrac{Ls^2\sigma^2}{2N}",
    printed=dict(noise="L s^2 sigma^2/(2N)"),
    repair="LEC-PFIN[L s sigma^2/N]",
    headline="As transcribed the noise term of the last display is too small",
    summary="As transcribed from handwriting the noise term was not divided by s/2: false, and it would not lead to "
    "the theorem; the original would tell.",
    controls=[Control("L s sigma^2/N", dict(noise="L s sigma^2/N"), must="pass")],
)(divided)

divided_throughout = last_display(
    "LEC-PFIN[L s sigma^2/N]",
    statement=r"\mathbb{E}\|\nabla f(\bar x^{t-1})\|^2\le\tfrac2s(\mathbb{E}f(\bar x^{t-1})-\mathbb{E}f(\bar "
    r"x^t))+4s^2K^2G^2L^2+\tfrac{Ls\sigma^2}{N}",
    printed=dict(noise="L s sigma^2/N"),
    summary="The noise term of the theorem, which is what the division gives.",
    controls=[Control("L s^2 sigma^2/(2N)", dict(noise="L s^2 sigma^2/(2N)"))],
)(divided)


@inequality_claim(
    "LEC-PSUM",
    statement=r"\tfrac1T\textstyle\sum_{t=1}^T(\mathbb{E}f(\bar x^{t-1})-\mathbb{E}f(\bar x^t))\le\tfrac1T(f(\bar "
    r"x^0)-f^*)",
    printed=dict(extra=0),
    source="proof of Theorem 1, last lines",
    summary="The sum telescopes, and f(xbar^T) >= f*.",
    controls=[Control("divided by T + 1", dict(extra=1))],
)
def summed(extra: int) -> Evidence:
    first, left_over, total = sp.symbols("gap r T", nonnegative=True)
    last = inequality(
        "last value dropped",
        (first - left_over) / total,
        first / (total + extra),
        premises={"f(xbar^T) >= f*": (1 / total, left_over)},
        ranges=[(total, 1, None), (first, 0, None)],
    )
    return decide(
        Proof((*telescoping().steps, last)),
        lambda: [
            Instance("T=1, f: 1 -> 0 = f*", Fraction(1), Fraction(1, 1 + extra)),
            Instance("T=2, f: 3, 2, 1, f*=0", Fraction(1), Fraction(3, 2 + extra)),
        ],
        method="Induction over T; the last value is at least f*.",
        valid_for="all T, f bounded below",
    )


if __name__ == "__main__":
    run_script(__file__)
