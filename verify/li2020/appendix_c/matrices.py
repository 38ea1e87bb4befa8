"""Appendix C.1 and Proposition 1 (1)-(3) of Li et al. (2020): the matrices of the tridiagonal example, for all N and p.

With the shift ``(U w)_i = w_{i+1}``, ``w_{n+1} = 0``, and ``e = e_1``, ``A = 2 I - U - U'`` and ``U'U = I - e e'``.  A client
whose edges are the coordinates on which D projects has the matrix ``(I - U)'D(I - U)``, the first one ``e e'`` besides; D of the
last one holds coordinate n as well, whose row of ``I - U`` is its ground.  What is stated is stated of any such matrices.
"""

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Rung, Tightness
from fltheory.evidence.relations import Relations


def _diagonal(entries: str) -> str:
    """A diagonal matrix with these entries, 0 or 1."""
    return str([[int(entry) * (i == j) for j in range(len(entries))] for i, entry in enumerate(entries)])


_SHIFTED = "T(U)*U = I - e*T(e)"
_SPACES = "U in R(n,n); e in R(n); w in R(n)"
#: The shift of the example with N = p = 2 and any point.
_AT = {
    "U": "[[0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]",
    "e": "[1, 0, 0, 0, 0]",
    "w": "[1, 2, 0, -1, 3]",
    "N": "2",
    "p": "2",
}
_N = 17
#: N = p = 4, where 4 is nearly reached.
_LONG = {
    "U": str([[int(j == i + 1) for j in range(_N)] for i in range(_N)]),
    "e": str([int(i == 0) for i in range(_N)]),
    "w": str([(-1) ** i * (i + 1) * (_N - i) for i in range(_N)]),
    "v": str([(-1) ** i for i in range(_N)]),
    "r": str([int(i == _N - 1) for i in range(_N)]),
}
_TRIDIAGONAL = r"A=\operatorname{tridiag}(-1,2,-1)=2I-U-U^\top,\ (Uw)_i=w_{i+1},\ w_{n+1}=0,\ e=e_1"
_PROJECTION = r"D_k\text{ projects on the edges of block }k\text{ (and, for }k=N,\text{ on coordinate }n):\quad "

li_c1_sum = statement_of_algebra(
    "LI-C1-SUM",
    Matrices(
        "A1 + B = A; b_1 + d = b; (F_1 + G)/N = (T(w)*A*w - 2*T(b)*w)/(2*N) + mu/2*sq(w) "
        f"for {_SPACES}; D in R(n,n); R in R(n,n); b in R(n); d in R(n); N >= 2; mu >= 0; b_1 = b; A = 2*I - U - T(U); "
        "A1 = e*T(e) + T(I - U)*D*(I - U); B = T(I - U)*R*(I - U); F_1 = (T(w)*A1*w - 2*T(b_1)*w + mu*sq(w))/2; "
        "G = (T(w)*B*w - 2*T(d)*w + (N - 1)*mu*sq(w))/2; "
        f"D + R = I; d = 0*b; {_SHIFTED}",
        uses={
            0: [("D + R = I", "T(I - U)", "I - U"), (_SHIFTED, "1", "I")],
            1: [("d = 0*b", "1", "1")],
            2: [
                ("D + R = I", "T(w - U*w)/(2*N)", "w - U*w"),
                (_SHIFTED, "T(w)/(2*N)", "w"),
                ("d = 0*b", "-T(w)/N", "1"),
            ],
        },
        at=[
            _AT | {"mu": "1/5", "b": _AT["e"], "d": "[0, 0, 0, 0, 0]", "D": _diagonal("11000"), "R": _diagonal(others)}
            for others in ("00111", "00110", "00011")
        ],
        names={
            "A1": "A_1",
            "B": r"\textstyle\sum_{k\ge2}A_k",
            "D": "D_1",
            "R": r"\textstyle\sum_{k\ge2}D_k",
            "d": r"\textstyle\sum_{k\ge2}b_k",
            "G": r"\textstyle\sum_{k\ge2}F_k",
        },
    ),
    says=rf"{_TRIDIAGONAL},\ A_k=(I-U)^\top D_k(I-U)\ (k\ge2),\ {_PROJECTION}",
    false={
        "the last client is not grounded": ("D + R = I", "D + R = U*T(U)"),
        "blocks that do not share a coordinate": ("D + R = I", "D + R = I - T(U)**2*e*T(e)*U**2"),
    },
    group=identity_claim,
    source="Appendix C.1",
    prose="the edges 1..Np and coordinate n belong to one client each, so that the projections add up to I",
    headline="The clients of the hard example add up to its global problem",
    summary="The clients' matrices and vectors add up to the global ones, so F is the plain mean of the F_k.",
)


li_eq31 = statement_of_algebra(
    "LI-EQ31",
    Matrices(
        "T(w)*A*w = 2*sq(w) - 2*T(w)*U*w = sq(T(e)*w) + sq(w - U*w); T(w)*A*w <= c*sq(w); T(v)*A*v = 4*sq(v) - 2*T(v)*r "
        f"for {_SPACES}; v in R(n); r in R(n); A = 2*I - U - T(U); c = 4; {_SHIFTED}; U*v = r - v",
        uses={
            1: [(_SHIFTED, "-T(w)", "w")],
            2: [(_SHIFTED, "-T(w)", "w")],
            3: [("U*v = r - v", "-2*T(v)", "1")],
        },
        squares={2: [("1", "w + U*w"), ("1", "T(e)*w")]},
        at=[_AT | {"v": "[1, -1, 1, -1, 1]", "r": "[0, 0, 0, 0, 1]"}, _LONG],
    ),
    says=rf"{_TRIDIAGONAL}:\ 0\prec A\preceq4I,\text{{ as }}w^\top Aw=2\sum_iw_i^2-2\sum_iw_iw_{{i+1}}="
    r"w_1^2+w_n^2+\sum_{i<n}(w_i-w_{i+1})^2\le4\|w\|^2,\text{ nearly equal at }v=(1,-1,1,\dots),\ r=v_ne_n:\quad ",
    false={"upper bound 4 -> 4 * 0.99": ("c = 4", "c = 99/25")},
    group=inequality_claim,
    source="eq. (31)",
    prose="w'Aw = 0 forces w_1 = 0 and equal neighbours, so w = 0 and A is positive definite",
    summary="A is positive definite and at most 4 I.",
    tightness=Tightness(1.0, Rung.PROOF, "the quotient at (1, -1, 1, ...) is 4 - 2/n, so the supremum over n is 4"),
)


li_pr1_1 = statement_of_algebra(
    "LI-PR1-1",
    Matrices(
        "0 <= T(x)*A*x <= c*sq(x) for X in R(r,n); Z in R(m,n); x in R(n); A = T(X)*X; A + T(Z)*Z <= 4*I; c = 4",
        squares={0: [("1", "X*x")], 1: [("1", "Z*x")]},
        uses={1: [("A + T(Z)*Z <= 4*I", "1", "x")]},
        at=[
            {"X": "2", "Z": "0", "x": "1"}
        ],  # the norm of A_1 tends to 4: its quotient at (1, -1, 1, ...) is (4p+1)/(p+1)
        names={"A": "A_k", "X": "X_k"},
    ),
    says=r"A_k\succeq0,\ \|A_k\|_2\le c,\text{ as }Z^\top Z=A-A_k\text{ is the sum of the others, and }A\preceq4I:\quad ",
    false={"bound 4 -> 4 * 0.99": ("c = 4", "c = 99/25")},
    group=inequality_claim,
    source="Proposition 1 (1)",
    depends=("LI-EQ31", "LI-C1-SUM", "LI-PR1-3"),
    headline="Every client matrix of the hard example is positive semidefinite with norm at most 4",
    summary="Every client's matrix is positive semidefinite with norm at most 4.",
    tightness=Tightness(1.0, Rung.PROOF, "sup over p of the norm is 4, by the Rayleigh quotient (4p+1)/(p+1)"),
)


#: Determinants of tridiag(-1, 2, -1) of the sizes m and m - 1, by their recurrence.
_DETERMINANTS = "first_m = 1; next_m = m + 1; first_d = 2; next_d = 2*d - f; first_f = 1; next_f = d"
li_pr1_2 = statement_of_algebra(
    "LI-PR1-2",
    Relations(
        "d = m + 1; f = m; d - f = 1; k*p - (k - 1)*p = inner; k*p - (k - 1)*p + 1 = outer for p >= 2; k >= 1; inner = p; "
        f"outer = p + 1; {_DETERMINANTS}",
        uses={0: {"d = m + 1": "2", "f = m": "-1"}, 1: {"d = m + 1": "1"}, 2: {"d - f = 1": "1"}},
        names={"d": "d_m", "f": "d_{m-1}", "inner": "r", "outer": "r_{1,N}"},
    ),
    says=r"\operatorname{rank}A_k=p\ (1<k<N),\ \operatorname{rank}A_1=\operatorname{rank}A_N=p+1,\text{ as it is "
    r"}\operatorname{rank}X_kX_k^\top,\ X_kX_k^\top\text{ of size }r=p,\ r_{1,N}=p+1,\text{ is "
    r"tridiagonal with }\det=d_r\text{ inside and }d_{r-1}-d_{r-2}\text{ with one grounded end, not }0:\quad ",
    false={
        "outer rank p+1 -> p": ("outer = p + 1", "outer = p"),
        "inner rank p -> p+1": ("inner = p", "inner = p + 1"),
    },
    group=identity_claim,
    source="Proposition 1 (2)",
    prose="X_k has a row per edge, (k-1)p+1 to kp, and one more for a grounded end; determinants by the three-term recurrence",
    headline="The ranks of the client matrices of the hard example",
    summary="The ranks are p for the inner clients and p+1 for the two at the ends.",
)


li_pr1_3 = statement_of_algebra(
    "LI-PR1-3",
    Matrices(
        "D + T(U)*D*U - D*U - T(U)*D = T(X)*X; 2*I - U - T(U) = e*T(e) + T(I - U)*(I - U); (p + 1) + (N - 2)*p + (p + 1) = rows "
        f"for {_SPACES}; D in R(n,n); N >= 2; p >= 2; X = D*(I - U); rows = N*p + 2; T(D)*D = D; {_SHIFTED}",
        uses={0: [("T(D)*D = D", "-T(I - U)", "I - U")], 1: [(_SHIFTED, "-1", "I")]},
        at=[_AT | {"D": _diagonal("00111")}],
        names={"D": "D_k", "X": "X_k", "rows": "r"},
    ),
    says=rf"A_k=\sum_{{i\in\text{{block }}k}}(e_i-e_{{i+1}})(e_i-e_{{i+1}})^\top,\ {_PROJECTION}A_k=X_k^\top X_k,\text{{ for }}k=1"
    r"\text{ with }ee^\top,\text{ whose row is }e^\top;\ \text{all rows give }A=2I-U-U^\top\text{ and are }r:\quad ",
    false={"Np+2 rows -> Np+1": ("rows = N*p + 2", "rows = N*p + 1")},
    group=identity_claim,
    source="Proposition 1 (3)",
    depends=("LI-PR1-2",),
    prose="the rows e_i - e_(i+1) of X_k touch the coordinates of block k only",
    headline="Every client of the hard example is a least-squares problem on its own block",
    summary="A_k = X_k'X_k with rank(A_k) rows supported on block k; stacked, X has Np+2 rows.",
)


if __name__ == "__main__":
    run_script(__file__)
