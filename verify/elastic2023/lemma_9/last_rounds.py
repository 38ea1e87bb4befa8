"""The end of the proof of Lemma 9: the factor of the induction, half of what is left, and the last round with a large step size."""

from dataclasses import replace

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.elastic2023 import lower_bound as theory
from verify.elastic2023.derivations import lower_bound as derivations
from verify.elastic2023.lemma_9.induction import HALF, LEVEL, falling

of_the_end = inequality_claim.sharing(source="proof of Lemma 9, below (22)")
_NAMES = {"g": r"\gamma_r"}
_HALVED = theory.Bound(
    "x^R above half of the level", "proof of Lemma 9", "x^R", LEVEL / 2, relation=">=", ranges=theory.RANGES
)

bernoulli = statement_of_algebra(
    "EL-L9-HALFB.1",
    HALF,
    false={"1 - (r - r_0)/(3R)": ("c >= 1 - k/(2*R)", "c >= 1 - k/(3*R)")},
    group=inequality_claim,
    source="proof of Lemma 9, below (22)",
    headline="The factor of the induction is at least one half after as many rounds as there are",
    summary="c_r = (1 - 1/(2R))^(r - r_0) is at least 1 - (r - r_0)/(2R), so at least 1/2 for r - r_0 <= R.",
    prose="at r - r_0 <= R",
)


@of_the_end(
    "EL-L9-HALFB.2",
    statement=r"\gamma_s\le\tfrac R8\ (r_0<s\le R):\quad x^R\ge\min\left(\tfrac12x^{r_0},\tfrac{G}{256\mu R}\right)",
    headline="After the last large step size half of it remains, or a multiple of one over the rounds",
    summary="If gamma <= R/8 in all rounds after r_0, x^R is at least the smaller of x^(r_0)/2 and G/(256 mu R). The "
    "printed proof has a gap (EL-L9-IND.3), and the statement is true.",
    proof_steps=("EL-L9-IND.1", "EL-L9-IND.2", "EL-L9-IND.3", "EL-L9-HALFB.1"),
    printed=dict(level="128"),
    controls=[Control("G/(12 mu R)", dict(level="6"))],
)
def half_of_it(level: str) -> Evidence:
    """x^R >= min(x^(r_0)/2, G/(2 level mu R))."""
    least = sp.Min(theory.x_0, theory.G / (sp.Integer(level) * theory.mu * theory.R))
    bound = replace(_HALVED, expression=least / 2)
    return by_derivation(
        lambda: derivations.small_steps(bound, least, level, halved=True),
        falling(str(2 * int(level))),
        method="By induction x^r >= (1 - (r - r_0)/(2R)) min(x^(r_0), G/(128 mu R)).",
        valid_for="all R >= 1, r_0 >= 0, every sequence of step sizes with gamma <= R/8 after r_0, x^(r_0) > 0, from (22)",
    )


#: How large and small step sizes are told apart: of gamma_r, not large for all r > r_0 is small for all of them.
def split(large: str, small: str) -> Evidence:
    """Whether a gamma that is not large is small."""
    opposite = {">": "<=", ">=": "<"}[large]
    return by_relations(Relations(f"g {small} R/8 for R >= 1; 0 <= g {opposite} R/8", names=_NAMES))


of_split = algebra_claim.sharing(source="end of the proof of Lemma 9")
covered = of_split(
    "EL-L9-R0.1[large from R/8 on]",
    statement=r"\gamma_r\not\ge\tfrac R8\ \Rightarrow\ \gamma_r<\tfrac R8",
    headline="Large from the border on, small below it: every sequence of step sizes is covered",
    summary="Read with gamma >= R/8 for large step sizes, r_0 the last such round and r_0 = 0 if there is none, all later "
    "rounds are small.",
    printed=dict(large=">=", small="<"),
    controls=[Control("large only above R/8", dict(large=">"))],
)(split)
not_covered = of_split(
    "EL-L9-R0.1[large only above R/8]",
    fault="slip",
    statement=r"\gamma_r\not>\tfrac R8\ \Rightarrow\ \gamma_r<\tfrac R8",
    headline="A step size at the border is in neither case of the proof",
    summary="Read with gamma > R/8 for large and gamma < R/8 for small step sizes, a round with gamma = R/8 is in "
    "neither case; nothing suffers, since both cases hold at the border.",
    repair="EL-L9-R0.1[large from R/8 on]",
    printed=dict(large=">", small="<"),
    controls=[Control("large from R/8 on", dict(large=">="), must="pass")],
)(split)

together = statement_of_algebra(
    "EL-L9-R0.2",
    Relations(
        "(1 - exp(-1/8))/64 < 1/256; (1 - exp(-1/8))/64 > 0; a/2 >= (1 - exp(-1/8))/64/R for R >= 1; a >= (1 - exp(-1/8))/32",
        uses={
            0: {"1 - 1/8 <= exp(-1/8)": "1/64"},
            1: {"1 + 1/8 <= exp(1/8)": "exp(-1/8)/64"},
            2: {"1 + 1/8 <= exp(1/8)": "exp(-1/8)/64*(1 - 1/R)"},
        },
        names={"a": r"\tfrac\mu Gx^{r_0}"},
    ),
    false={"a constant of 1/32": ("a/2 >= (1 - exp(-1/8))/64/R", "a/2 >= 1/32/R")},
    group=inequality_claim,
    source="end of the proof of Lemma 9",
    headline="The proof of the lemma gives the constant 0.0018, the best one is a fifth",
    summary="From x^(r_0) >= c_1 G/mu after the last large step size, or x^0 where there is none, the proof gives the lemma with "
    "c = c_1/2 = (1 - exp(-1/8))/64 = 0.0018, for step sizes up to 1/(2 mu); the best constant for all K and R is 1/5.",
    depends=("EL-L9-BIG[step sizes up to 1/(2 mu)]", "EL-L9-HALFB.2"),
    prose="the smaller of x^(r_0)/2 and G/(256 mu R), with x^(r_0) one of the two",
)

if __name__ == "__main__":
    run_script(__file__)
