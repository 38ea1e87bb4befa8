"""Proof of Theorem 1, the conclusion: the step-size condition, division by s/2, and the sum over the steps."""

from dataclasses import replace

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import algebra_claim, inequality_claim, run_script
from fltheory.evidence.relations import Relations
from fltheory.theory.lecture2022.bounds import T
from verify.lecture2022.displays import proof
from verify.lecture2022.orders import refuted_algebra
from verify.lecture2022.proof.displayed import displayed

below_display_8 = algebra_claim.sharing(source="proof of Theorem 1, below (8)")
last_display = inequality_claim.sharing(source="proof of Theorem 1, last display")

CONDITION = Relations("s/2*(1 - s*L) >= 0 for L > 0; 0 < s <= 1/L")
condition_dumped = refuted_algebra(
    "LEC-PCOND[L/2, as dumped]",
    CONDITION.changed("1/L", "L/2"),
    ("s <= 1/L", CONDITION),
    group=below_display_8,
    fault="transcription",
    repair="LEC-PCOND[1/L]",
    headline="As transcribed the step condition has the wrong unit and fails",
    summary="As transcribed from handwriting the condition has the wrong unit (a step size is 1/curvature) and fails "
    "for L > sqrt 2; L/2 may be a misread 1/L, and the original would tell.",
)

condition_of_the_theorem = statement_of_algebra(
    "LEC-PCOND[1/L]",
    CONDITION,
    false={"s <= L/2": ("1/L", "L/2")},
    group=below_display_8,
    summary="With the theorem's own condition, which the handwriting may say, the step is right.",
)

divided_dumped = displayed(
    "LEC-PFIN[L s^2 sigma^2/(2N), as dumped]",
    "divided",
    proof.p_final_printed,
    {"L s sigma^2/N": proof.p_final},
    broken=Relations(
        "a**2 > 2/s*(x**2/2 - (up**2/2 + down**2/2)/2) + 4*s**2*K**2*G2*L**2 + L*s**2*sigma**2/(2*N); -1/8 <= up <= "
        "1/8; -1/8 <= down <= 1/8; ((a + sigma)**2 + (a - sigma)**2)/2 <= G2 for L = 1; N = 1; K = 1; s = 1/8; sigma = "
        "1; x = 0; a = x; G2 = (1/8)**2 + sigma**2; up = x - s*(a + sigma); down = x - s*(a - sigma)"
    ),
    must="pass",
    group=last_display,
    fault="transcription",
    repair="LEC-PFIN[L s sigma^2/N]",
    headline="As transcribed the noise term of the last display is too small",
    summary="As transcribed from handwriting the noise term was not divided by s/2, and one client with the gradient x, clipped at "
    "1/8, and noises 1 and -1 breaks the display; the original would tell.",
)

divided_throughout = displayed(
    "LEC-PFIN[L s sigma^2/N]",
    "divided",
    proof.p_final,
    {"L s^2 sigma^2/(2N)": proof.p_final_printed},
    group=last_display,
    summary="The noise term of the theorem, which is what the division gives.",
)

summed = displayed(
    "LEC-PSUM",
    "sum",
    proof.p_telescoped,
    {"divided by T + 1": replace(proof.p_telescoped, expression=proof.gap / (T + 1))},
    headline="The one-step decreases add up, and the last value is at least the infimum",
    group=inequality_claim,
    source="proof of Theorem 1, last lines",
    summary="The sum telescopes, and f(xbar^T) >= f*.",
)


if __name__ == "__main__":
    run_script(__file__)
