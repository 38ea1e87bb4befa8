"""Who holds what in the example of Li et al. (2020), Appendix C: blocks, sample counts, strong convexity."""

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import algebra_claim, identity_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.relations import Relations
from verify.li2020.appendix_c.example import SMALLEST

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
    headline="Neighbouring clients of the hard example share one coordinate and can have equal size",
    says=r"I_k=\{l_k,\dots,m_k\}:\ m_k\in I_k\cap I_{k+1},\text{ and any }i\text{ in both is }m_k;\ I_k\cap I_{k+2}=\emptyset;"
    r"\text{ zero rows pad every }X_k,\text{ of }p\text{ or }p+1\text{ rows, to }r:\quad ",
    false={
        "blocks that end at kp + 2": ("; end = k*p + 1", "; end = k*p + 2"),
        "padding to p rows": ("rows = p + 1", "rows = p"),
    },
    group=identity_claim,
    source="Appendix C.3",
    summary="Neighbouring blocks share one coordinate, those two apart none; clients of p or p+1 data points can be filled up to "
    "p+1 with zero points.",
)


li_c4_asm_weights = statement_of_algebra(
    "LI-C4-ASM.1",
    Relations(
        "n_1/total = 1/N; n/total = 1/N; n_1/total*F_1 + n_N/total*F_N + n/total*rest = (F_1 + F_N + rest)/N "
        "for N >= 2; p >= 2; n_1 = p + 1; n_N = p + 1; n = p + 1; total = n_1 + n_N + (N - 2)*n",
        names={"total": r"\textstyle\sum_kn_k", "rest": r"\textstyle\sum_{k=2}^{N-1}F_k"},
    ),
    headline="Equal sizes give the hard example's clients the weights of its objective",
    says=r"p_k=\tfrac{n_k}{\sum_jn_j},\ n=n_2=\dots=n_{N-1},\ \text{so }F=\sum_kp_kF_k=\tfrac1N\sum_kF_k:\quad ",
    false={"without zero data points": ("; n = p + 1", "; n = p")},
    group=algebra_claim,
    source="Appendix C.4, assumptions (i)-(iv)",
    summary="Equal sample counts, p + 1 at every client, give the weights 1/N of (27).",
)


_POINTS = "A in S(n); b in R(n); v in R(n); w in R(n)"
_ABOVE_TANGENT = "f - h - T(g)*(v - w)"
li_c4_asm_global = statement_of_algebra(
    "LI-C4-ASM.2",
    Matrices(
        f"a/(2*N)*sq(v - w) <= {_ABOVE_TANGENT} <= 4/(2*N)*sq(v - w); p + 1 < n_0 for {_POINTS}; a > 0; N >= 2; p >= 2; "
        "n_0 = N*p + 1; f = (T(v)*A*v - 2*T(b)*v)/(2*N); h = (T(w)*A*w - 2*T(b)*w)/(2*N); g = (A*w - b)/N; A >= a*I; A <= 4*I",
        uses={0: [("A >= a*I", "1/(2*N)", "v - w")], 1: [("A <= 4*I", "1/(2*N)", "v - w")]},
        at=[
            {"A": str(matrix.tolist()), "b": str(list(SMALLEST.shift)), "v": "[0, 0, 0, 1, 1]", "w": "[0, 0, 0, 0, 0]"}
            | {"a": "1/10", "N": "2", "p": "2"}
            for matrix in (SMALLEST.total, SMALLEST.clients[0])
        ],
        names={"n_0": "n", "f": "F(v)", "h": "F(w)", "g": r"\nabla F(w)"},
    ),
    says=r"\mu=0:\ F\text{ is smooth and strongly convex, with any }a>0\text{ up to the least eigenvalue of }A;\ "
    r"\operatorname{rank}A_k\le p+1<n:\quad ",
    false={"every F_k instead of F": ("A >= a*I", "A >= 0")},
    group=algebra_claim,
    headline="Without ridge the hard example is strongly convex as a whole, not client by client",
    source="Appendix C.4, case mu = 0",
    depends=("LI-EQ31", "LI-PR1-2"),
    prose="A is positive definite and at most 4 I (LI-EQ31)",
    summary="The case mu = 0 that is proved first keeps F strongly convex (not the single F_k: rank A_k <= p+1 < n).",
)


li_c4_asm_clients = statement_of_algebra(
    "LI-C4-ASM.3",
    Matrices(
        f"mu/2*sq(v - w) <= {_ABOVE_TANGENT} <= (4 + mu)/2*sq(v - w) for {_POINTS}; mu > 0; "
        "f = T(v)*A*v/2 - T(b)*v + mu/2*sq(v); h = T(w)*A*w/2 - T(b)*w + mu/2*sq(w); "
        "g = A*w - b + mu*w; A >= 0; A <= 4*I",
        uses={0: [("A >= 0", "1/2", "v - w")], 1: [("A <= 4*I", "1/2", "v - w")]},
        at=[{"A": value, "b": "1", "v": "1", "w": "0", "mu": "1"} for value in ("4", "0", "-1")],
        names={"A": "A_k", "b": "b_k", "f": "F_k(v)", "h": "F_k(w)", "g": r"\nabla F_k(w)"},
    ),
    headline="With any ridge every client of the hard example is smooth and strongly convex",
    false={
        "strong convexity 1.01 mu": ("mu/2*sq(v - w) <=", "101/200*mu*sq(v - w) <="),
        "smoothness 3.99 + mu": ("<= (4 + mu)", "<= (399/100 + mu)"),
        "A_k not semidefinite": ("A >= 0", "A >= -I"),
    },
    group=algebra_claim,
    source="Section 1, eq. (27), eq. (30)",
    depends=("LI-PR1-1", "LI-EQ31"),
    summary="The ridge model satisfies Assumptions 1 and 2 for every mu > 0: each F_k, with 0 <= A_k <= 4I (LI-PR1-1), is "
    "(4+mu)-smooth and mu-strongly convex.",
)


if __name__ == "__main__":
    run_script(__file__)
