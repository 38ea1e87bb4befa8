"""Who holds what in the example of Li et al. (2020), Appendix C: blocks, sample counts, strong convexity."""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import first_failure
from fltheory.evidence.kinds import algebra_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.proofs import equal
from verify.li2020.appendix_c.closed_forms import N, p, path_determinant_steps
from verify.li2020.appendix_c.example import Example

GENERAL = "all N >= 2, p >= 2"


#: end is in blocks k and k + 1, what is before it, j, is not in block k + 1; a zero row adds 0*0 to entries x*y
li_overlap = statement_of_algebra(
    "LI-OVERLAP",
    Relations(
        "low_1 <= end <= end_1; low <= end; end <= i <= end; low_2 > end; p <= rows; p + 1 <= rows for p >= 2; k >= 1; "
        "low = (k - 1)*p + 1; end = k*p + 1; low_1 = k*p + 1; end_1 = (k + 1)*p + 1; low_2 = (k + 1)*p + 1; rows = p + 1; "
        "low_1 <= i; i <= end",
        uses={3: {"low_1 <= i": "1"}, 4: {"i <= end": "1"}},
        at={"p": "2", "k": "1", "i": "3"},
        names={"rows": "r", "low": "l_k", "low_1": "l_{k+1}", "low_2": "l_{k+2}", "end": "m_k", "end_1": "m_{k+1}"},
    ),
    prose="zero rows leave X_k'X_k as it is, and X_k has p or p+1 rows by LI-PR1-3",
    headline="Neighbouring clients of the hard example share one coordinate and have equal size",
    says=r"I_k=\{l_k,\dots,m_k\}:\ m_k\in I_k\cap I_{k+1},\text{ and any }i\text{ in both is }m_k;\ I_k\cap I_{k+2}=\emptyset;"
    r"\text{ zero rows pad every }X_k,\text{ of }p\text{ or }p+1\text{ rows, to }r:\quad ",
    false={
        "blocks that end at kp + 2": ("; end = k*p + 1", "; end = k*p + 2"),
        "padding to p rows": ("rows = p + 1", "rows = p"),
    },
    group=identity_claim,
    source="Appendix C.3",
    summary="Neighbouring blocks share one coordinate, and zero data points make all clients equally large.",
)


li_c4_asm_weights = statement_of_algebra(
    "LI-C4-ASM.1",
    Relations("n_1/(2*n_1 + (N - 2)*n) = 1/N; n/(2*n_1 + (N - 2)*n) = 1/N for N >= 2; p >= 2; n_1 = p + 1; n = p + 1"),
    headline="Equal sizes and full gradients make a round of the hard example deterministic",
    says=r"p_k=\tfrac{n_k}{\sum_jn_j},\ n_1=n_N,\ n=n_2=\dots=n_{N-1},\ \text{so }F=\sum_kp_kF_k=\tfrac1N\sum_kF_k:\quad ",
    false={"without zero data points": ("n = p + 1", "n = p")},
    group=algebra_claim,
    source="Appendix C.4, assumptions (i)-(iv)",
    prose="the counts add up to 2 n_1 + (N-2) n; a round of full local gradients has nothing random",
    summary="Equal sample counts give the weights 1/N of (27), and full local gradients make the round deterministic.",
)


@algebra_claim(
    "LI-C4-ASM.2",
    headline="Without ridge the hard example is strongly convex as a whole, not client by client",
    source="Appendix C.4, case mu = 0",
    statement=r"\mu=0:\ F \text{ is smooth and strongly convex}",
    depends=("LI-EQ31", "LI-PR1-2"),
    summary="The case mu = 0 that is proved first keeps F strongly convex (not the single F_k: rank A_k <= p+1 < n).",
    printed=dict(every_client=False),
    controls=[Control("every F_k instead of F", dict(every_client=True))],
)
def li_c4_asm_global(every_client: bool) -> Evidence:
    minors = "det of tridiag(-1,2,-1) of size p is p + 1"
    rank = p + 1 if every_client else N * p + 1
    steps = {
        f"{minors}, so A is positive definite": path_determinant_steps()[minors],
        "the Hessian in question has full rank n = Np + 1": lambda: equal(rank, N * p + 1),
    }

    def failure(case: tuple[str, int, sp.Matrix]) -> str:
        name, client, matrix = case
        if matrix.det() != 0:
            return ""
        null = list(matrix.nullspace()[0])
        return f"{name}: A_{client} has the null vector {null}, so F_{client} is not strongly convex"

    examples = (Example(2, 2), Example(3, 2))
    hessians = [(e.name, *case) for e in examples for case in enumerate(e.clients if every_client else [e.total], 1)]
    return decide(
        steps,
        first_failure(hessians, failure),
        method="A is a sum of squares (eq. (31)) with a determinant that is not zero, and A <= 4 I.",
        valid_for=f"{GENERAL}, mu = 0",
    )


li_c4_asm_clients = statement_of_algebra(
    "LI-C4-ASM.3",
    # q is a quotient x'A_k x/|x|^2; that of (1, -1, 1, ...) on block 1 is (4p+1)/(p+1), 1605/402 at p = 401
    Relations(
        "0 < mu <= q + mu <= 4 + mu for 0 <= q < 4; mu > 0", at={"q": "1605/402", "mu": "1"}, names={"mu": r"\mu"}
    ),
    headline="With any ridge every client of the hard example is smooth and strongly convex",
    says=r"\mu I\preceq\nabla^2F_k=A_k+\mu I\preceq(4+\mu)I:\quad 0\le q=\frac{x^\top A_kx}{\|x\|^2}<4,\ ",
    false={
        "mu = 0": ("mu > 0", "mu >= 0"),
        "strong convexity 1.01 mu": ("mu <= q + mu", "101/100*mu <= q + mu"),
        "smoothness 3.99 + mu": ("4 + mu", "399/100 + mu"),
    },
    group=algebra_claim,
    source="Section 1, eq. (27), eq. (30)",
    depends=("LI-PR1-1", "LI-EQ31"),
    prose="the quotients of the Hessian are q + mu, and 0 <= q < 4 is that of LI-PR1-1 and LI-EQ31",
    summary="The ridge model satisfies Assumptions 1 and 2 for every mu > 0: each F_k is (4+mu)-smooth and "
    "mu-strongly convex.",
)


if __name__ == "__main__":
    run_script(__file__)
