"""Handwritten remarks at Corollary 4 of the lecture note: intervals in rounds, and the interval of a cited paper."""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import algebra_claim, run_script, table_claim
from fltheory.evidence.limits import unbounded
from fltheory.evidence.model import Control, Evidence, Outcome, Rung
from fltheory.theory.lecture2022.bounds import K, N, T
from fltheory.theory.steps import Instance, Proof, equality, identity, sign
from fltheory.theory.values import exact_value

handwritten = algebra_claim.sharing(source="handwritten at Corollary 4")


def in_rounds(root: int, sense: str) -> Evidence:
    """K^4 N^3 <= T_iterations = K R, against K <= R^(1/root)/N, that is (KN)^root <= R."""
    rounds = K**3 * N**3
    stated = (K * N) ** root
    needed, said = (exact_value(side, {K: 2, N: 1}) for side in (rounds, stated))
    if sense == "conversion":
        step = identity("the same condition", rounds, stated)
        found = equality("K=2, N=1: smallest R by conversion against the stated one", needed, said)
    else:
        step = sign("the stated condition implies it", stated - rounds, [(K, 1, None), (N, 1, None)])
        found = Instance("K=2, N=1: smallest R needed against the stated one", needed, said)
    return decide(
        Proof((identity("T_iterations = K R", rounds * K, K**4 * N**3), step)),
        lambda: [found],
        method="K^4 N^3 <= K R divided by K.",
        valid_for="all K, N, R >= 1",
    )


conversion = handwritten(
    "LEC-COR4-RND[as the conversion to rounds]",
    fault="transcription",
    statement=r"K\le(KR)^{1/4}/N^{3/4}\iff K\le R^{1/4}/N",
    printed=dict(root=4, sense="conversion"),
    repair="LEC-COR4-RND-R1",
    headline="As transcribed the number of rounds has exponent 1/4 where it should be 1/3",
    summary="The exponent should be 1/3; 1/4 may be a misread 1/3, and the original handwriting would tell.",
    controls=[Control("exponent 1/3", dict(root=3), must="pass")],
)(in_rounds)

sufficient = handwritten(
    "LEC-COR4-RND[as a sufficient condition]",
    statement=r"K\le R^{1/4}/N\Rightarrow K\le(KR)^{1/4}/N^{3/4}",
    printed=dict(root=4, sense="sufficient"),
    summary="K <= R^(1/4)/N is enough for the rate, only stronger than needed.",
    controls=[Control("exponent 1/2", dict(root=2))],
)(in_rounds)

conversion_repaired = handwritten(
    "LEC-COR4-RND-R1",
    statement=r"K\le(KR)^{1/4}/N^{3/4}\iff K\le R^{1/3}/N",
    printed=dict(root=3, sense="conversion"),
    summary="In R rounds of K steps the condition on K is K <= R^(1/3)/N.",
    controls=[Control("exponent 1/4", dict(root=4))],
)(in_rounds)


@table_claim(
    "LEC-COR4-YFL",
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
