"""Handwritten remarks at Corollary 4 of the lecture note: intervals in rounds, and the interval of a cited paper."""

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import algebra_claim, run_script, table_claim
from fltheory.evidence.limits import unbounded
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.evidence.relations import Relations
from fltheory.theory.lecture2022.bounds import N, T
from verify.lecture2022.orders import refuted_algebra

handwritten = algebra_claim.sharing(source="handwritten at Corollary 4")


#: K <= (KR)^(1/4)/N^(3/4) and K <= R^(1/3)/N in fourth and third powers: both differences have one sign.
CONVERSION = Relations("K*R - K**4*N**3 = K*(R - (K*N)**3) for K >= 1; N >= 1; R >= 1")
_THEN = Relations("R >= (K*N)**3 for K >= 1; N >= 1; R >= 1; K*R >= K**4*N**3", uses={0: {"K*R >= K**4*N**3": "1/K"}})
conversion = refuted_algebra(
    "LEC-COR4-RND[as the conversion to rounds]",
    _THEN.changed("R >= (K*N)**3", "R >= (K*N)**4"),
    ("exponent 1/3", _THEN),
    group=handwritten,
    says=r"K\le(KR)^{1/4}/N^{3/4}\iff K\le R^{1/4}/N",
    fault="transcription",
    repair="LEC-COR4-RND-R1",
    headline="As transcribed the number of rounds has exponent 1/4 where it should be 1/3",
    summary="The exponent should be 1/3; 1/4 may be a misread 1/3, and the original handwriting would tell.",
)

sufficient = statement_of_algebra(
    "LEC-COR4-RND[as a sufficient condition]",
    Relations("K**4*N**3 <= K*R for K >= 1; N >= 1; R >= (K*N)**4"),
    headline="Counted in rounds the transcribed condition is enough for the rate, but too strict",
    false={"exponent 1/2": ("(K*N)**4", "(K*N)**2")},
    group=handwritten,
    summary="K <= R^(1/4)/N is enough for the rate, only stronger than needed.",
)

conversion_repaired = statement_of_algebra(
    "LEC-COR4-RND-R1",
    CONVERSION,
    headline="Counted in rounds, local steps may grow with the cube root of their number",
    false={"exponent 1/4": ("(K*N)**3", "(K*N)**4")},
    group=handwritten,
    summary="In R rounds of K steps the condition on K is K <= R^(1/3)/N.",
)


@table_claim(
    "LEC-COR4-YFL",
    headline="A statement about another paper that this check does not have",
    statement=r"K=O(T/N)\text{ for the two-sided algorithm, in the cited paper}",
    printed=dict(power=1),
    source="handwritten at Corollary 4",
    summary="A statement about another paper. It fits a rate 1/sqrt(NKT) + 1/T in T rounds, whose last term is "
    "dominated iff K <= T/N.",
    controls=[Control("K = T^2/N, which such a rate does not allow", dict(power=2))],
)
def cited_paper(power: int) -> Evidence:
    local = T**power / N
    quotient = sp.simplify((1 / T) * sp.sqrt(N * local * T))
    limit = sp.limit(quotient, T, sp.oo)
    if limit.has(sp.oo):
        witness = unbounded("(1/T) sqrt(NKT)", quotient, T, setting=f"K = T^{power}/N")
        return by_witness(witness, method="Order of 1/T against 1/sqrt(NKT).")
    return Evidence(
        Rung.READING,
        Outcome.NOT_CHECKABLE,
        "Consistency with a rate 1/sqrt(NKT) + 1/T only.",
        1,
        numbers={"quotient of the two terms": quotient},
        would_settle="the convergence theorem of the cited paper (Yang, Fang, Liu)",
    )


if __name__ == "__main__":
    run_script(__file__)
