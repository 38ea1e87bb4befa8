"""Proof of Theorem I of the elastic aggregation supplement: Lemmas 7 and 8 added up, divided, and handed to Lemmas 1 and 2.

In the relations d and d1 stand for E|x^{r-1} - x*|^2 and E|x^r - x*|^2, g for f(x^{r-1}) - f*, E for what Lemma 8
bounds, V for sigma^2, G2
for G^2, w for 1/(phi eta_g)^2.
"""

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import algebra_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from verify.elastic2023 import rates
from verify.elastic2023.rates import CONVEX_RECURSION
from verify.elastic2023.theorem_1.nonconvex import one_round
from verify.elastic2023.theorem_1.one_noise import INDEPENDENT

NAMES = {
    "e": r"\tilde\eta",
    "d": r"\mathbb{E}\|x^{r-1}-x^\star\|^2",
    "d1": r"\mathbb{E}\|x^r-x^\star\|^2",
    "g": r"\left(\mathbb{E}f(x^{r-1})-f^\star\right)",
    "E": r"3\beta\tilde\eta\mathcal{E}_r",
    "V": r"\sigma^2",
    "G2": "G^2",
    "w": r"(\phi\eta_g)^{-2}",
    "mu": r"\mu",
    "beta": r"\beta",
}
_RANGES = "mu >= 0; beta > 0; e > 0; K >= 1; N >= 1; 1 <= S <= N; V >= 0; G2 >= 0; 0 < w <= 1; d >= 0; g >= 0"
_ADDED = "(1 - mu*e/2)*d + e**2*V/(K*S) + (1 - S/N)*4*e**2*G2/S - e*g + E"
_SUM = "(1 - mu*e/2)*d + e**2*V/(K*S)*(1 + S*w) + (1 - S/N)*4*e**2*G2/S + 18*beta*e**3*G2 - e/3*g"

added = statement_of_algebra(
    "EL-T1-SUM.1",
    Relations(f"{_ADDED} <= {_SUM} for {_RANGES}; E = 2/3*e*g + e**2*V*w/(2*K) + 18*beta*e**3*G2", names=NAMES),
    false={
        "gap e/2": ("- e/3*g", "- e/2*g"),
        "drift term 17": ("+ 18*beta*e**3*G2 - e/3", "+ 17*beta*e**3*G2 - e/3"),
        "two fifths of the drift's noise": ("(1 + S*w)", "(1 + 2/5*S*w)"),
    },
    group=algebra_claim,
    headline="Lemmas 7 and 8 add up to the recursion of the proof",
    source="proof of Theorem I, first display",
    summary="With the bound of Lemma 8 for 3 beta e times the drift, the bound of Lemma 7 is at most that of the "
    "proof, as they are read; half of the noise that the drift adds would do. Whether the lemmas hold is judged at "
    "EL-LEM7 and EL-LEM8.",
)
_BOUND = "3/e*(1 - mu*e/2)*d - 3/e*d1 + 3*e*(V/(K*S)*(1 + S*w) + 4*G2/S*(1 - S/N) + 18*beta*e*G2)"
divided = statement_of_algebra(
    "EL-T1-DIV",
    Relations(f"g <= {_BOUND} for {_RANGES}; d1 <= {_SUM}", uses={0: {f"d1 <= {_SUM}": "3/e"}}, names=NAMES),
    false={
        "2 e in front of the noise": ("+ 3*e*(V", "+ 2*e*(V"),
        "2/e in front of d": ("3/e*(1 - mu*e/2)*d", "2/e*(1 - mu*e/2)*d"),
    },
    group=algebra_claim,
    source="proof of Theorem I, second display",
    summary="The recursion solved for the gap: every term is multiplied by 3/e.",
    tightness=attained("it is the same inequality"),
)
general_convex = statement_of_algebra(
    "EL-T1-GCSTEP",
    Relations(
        f"{_BOUND} = D/e - D1/e + c_1*e + c_2*e**2; c_1 >= 0; c_2 >= 0; D >= 0; D1 >= 0 "
        f"for mu = 0; beta > 0; e > 0; K >= 1; N >= 1; 1 <= S <= N; V >= 0; G2 >= 0; 0 < w <= 1; d >= 0; d1 >= 0; "
        "D = 3*d; D1 = 3*d1; c_1 = 3*(V/(K*S)*(1 + S*w) + 4*G2/S*(1 - S/N)); c_2 = 54*beta*G2",
        names=NAMES,
    ),
    false={
        "c_2 = 18 beta G^2": ("c_2 = 54*", "c_2 = 18*"),
        "D = |x - x*|^2": ("D = 3*d;", "D = d;"),
        "mu = 1": ("mu = 0", "mu = 1"),
    },
    group=algebra_claim,
    headline="Without strong convexity the divided recursion is the summand of Lemma 2",
    source="proof of Theorem I, general convex case",
    summary="For mu = 0 the divided recursion is the summand of Lemma 2 with d_r = 3|x^r - x*|^2, c_2 = 54 beta G^2 "
    "and c_1 three times the noise, so that Lemma 2 applies where x^0 is not x*.",
)
_START = "3/e*(1 - mu*e/2)*d - 3/e*d1 + 3*e*c"
range_of_steps = statement_of_algebra(
    "EL-T1-RANGE",
    Relations(
        "R >= 1/(2*m*e); 0 < m*e <= 1/32; 3/e*(1 - mu*e/2)*d - 3/e*d1 + 3*e*c = 3*((1 - m*e)*d/e - d1/e + c*e) "
        "for m = mu/2; mu > 0; beta >= mu; B >= 1; R >= 1; e >= 1/(mu*R); 8*(1 + B**2)*beta*e <= 1; c >= 0; d >= 0; d1 >= 0",
        uses={2: {"8*(1 + B**2)*beta*e <= 1": "1/32"}},
        at={"mu": "1", "beta": "1", "B": "1", "R": "16", "e": "1/16", "c": "1", "d": "1", "d1": "1"},
        names={**NAMES, "m": r"\mu'"},
    ),
    false={
        "from 1/(2 mu R) on": ("e >= 1/(mu*R)", "e >= 1/(2*mu*R)"),
        "up to 4/beta": ("8*(1 + B**2)*beta*e <= 1", "beta*e <= 4"),
    },
    group=algebra_claim,
    headline="From 1/(mu R) on the steps are large enough for Lemma 1",
    source="proof of Theorem I, range of the steps",
    summary="The divided recursion is three times the summand of Lemma 1 with mu/2 for mu; Lemma 1 needs R >= 1/(mu "
    "e), which is the lower end of the range as it is read, 1/(mu R), and its steps below 2/mu are no restriction.",
)


@inequality_claim(
    "EL-T1-SUM.2",
    source="proof of Theorem I, first display",
    statement=(CONVEX_RECURSION, rf"\quad {rates.LEVEL_OF_NOISE}"),
    headline="A recursion of this form follows from the assumptions, with more of the gap and less drift",
    summary="Derived from A1 to A4 and independent clients without the printed lemmas: 7/5 e of the gap instead of "
    "e/3, 9/2 instead of 18 for the drift, and at most twice the variance of the gradients, since local points depend "
    "on the noise.",
    assumptions=("A1 to A4, mu >= 0", INDEPENDENT, "phi eta_g >= 1", "effective step at most 1/(8 (1 + B^2) beta)"),
    quick=False,
    printed=dict(decrease="1", noise="1"),
    controls=[
        Control("three times the decrease", dict(decrease="3")),
        Control("noise divided by 9", dict(noise="1/9")),
    ],
)
def derived_recursion(decrease: str, noise: str) -> Evidence:
    return one_round(CONVEX_RECURSION, (decrease, noise), False)


if __name__ == "__main__":
    run_script(__file__)
