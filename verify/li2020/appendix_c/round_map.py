"""Appendix C.4 of Li et al. (2020): the affine round map, its fixed point (32) and the bias (33), for all N, p, E.

Statements in E are proved by induction, on eigenvectors of A_k or with any matrices.  That the bias is never zero for E >= 2
is argued in :mod:`verify.li2020.appendix_c.stationary_points`.
"""

from functools import partial

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.kinds import identity_claim, qualitative_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control
from fltheory.evidence.relations import Relations
from verify.li2020.appendix_c.example import SMALLEST
from verify.li2020.appendix_c.stationary_points import moved_by_every_step

li_loc1 = statement_of_algebra(
    "LI-LOC1.1",
    Relations(
        "1*w + eta*0*b = w; x*(X*w + eta*S*b) + eta*b = X*x*w + eta*(S + X)*b; (S + X)*(1 - x) = 1 - X*x for S*(1 - x) = 1 - X",
        uses={1: {"S*(1 - x) = 1 - X": "-eta*b"}, 2: {"S*(1 - x) = 1 - X": "1"}},
        names={"X": "x^E", "S": "S_E", "b": "b_k"},
    ),
    says=r"w^{(1)}=(I-\eta A_1)^Ew+\eta\sum_{l=0}^{E-1}(I-\eta A_1)^lb_1,\quad w^{(k)}=(I-\eta A_k)^Ew\ (k\ge2,\ "
    r"b_k=0),\text{ by "
    r"induction in }E\text{ on each eigenvector of }A_k,\ x=1-\eta\lambda,\ S_E=\sum_{l<E}x^l,\ S_{E+1}=S_E+x^E:\quad ",
    false={"the sum runs to l = E": ("eta*0*b", "eta*1*b"), "b not multiplied by eta": ("+ eta*b =", "+ b =")},
    group=identity_claim,
    source="Appendix C.4",
    prose="on each eigenvector of A_k, by induction in E from the base and the step that are kept",
    summary="E local gradient steps have a closed form.",
)


#: The smallest example with its ``b``; B is the sum of the other clients' matrices.
CLIENTS = {
    name: str(value.tolist()) for name, value in zip(("A1", "B", "b"), (*SMALLEST.clients, SMALLEST.shift), strict=True)
}

_SUMS = {"P": "(I - 1/5*A1)**2", "Q": "(I - 1/5*B)**2", "S": "2*I - 1/5*A1"}
li_round = statement_of_algebra(
    "LI-ROUND",
    Matrices(
        "(u + z)/N = M*w + eta/N*S*b; u - eta*(A1*u - b) = (I - eta*A1)*P*w + eta*(S + P)*b; I - eta*A1*(S + P) = (I - eta*A1)*P "
        "for A1 in S(n); P in R(n,n); Q in R(n,n); S in R(n,n); b in R(n); w in R(n); N >= 2; eta > 0; u = P*w + eta*S*b; z "
        "= Q*w; M = (P + Q)/N; I - eta*A1*S = P",
        uses={1: [("I - eta*A1*S = P", "eta", "b")], 2: [("I - eta*A1*S = P", "1", "I")]},
        at=[CLIENTS | _SUMS | {"w": "[1, 2, 0, -1, 3]", "eta": "1/5", "N": "2"}],
        names={
            "A1": "A_1",
            "b": "b_1",
            "w": "w_t",
            "P": r"(I-\eta A_1)^E",
            "Q": r"\sum_{i\ge2}(I-\eta A_i)^E",
            "S": "S_E",
        },
    ),
    says=r"w_{t+1}=\Big(\tfrac1N\sum_i(I-\eta A_i)^E\Big)w_t+\tfrac\eta N\sum_{l=0}^{E-1}(I-\eta A_1)^lb_1,\text{ the mean of "
    r"client 1 at }u\text{ and the others, with sum }z;\ S_E=\sum_{l<E}(I-\eta A_1)^l,\text{ by one more step in the "
    r"induction}:\quad ",
    false={"the shift is not divided by N": ("eta/N*S*b", "eta*S*b")},
    group=identity_claim,
    source="Appendix C.4",
    depends=("LI-LOC1.1",),
    prose="by induction in E from S_0 = 0; the other clients' runs are (I - eta A_i)^E w (LI-LOC1.1)",
    summary="With full local gradients one round is an affine map of the model, with nothing random.",
)

_MAP = {"M": "((I - 1/5*A1)**2 + (I - 1/5*B)**2)/2", "S": "1/10*(2*I - 1/5*A1)", "K": "(I - M)**-1"}
_TWO_STEPS = CLIENTS | _MAP

li_eq32 = statement_of_algebra(
    "LI-EQ32",
    Matrices(
        "M*f + S*b = f; sq(M*w + S*b - f) <= q*sq(w - f) for M in R(n,n); K in R(n,n); S in R(n,n); b in R(n); w in R(n); "
        "0 <= q < 1; f = K*S*b; (I - M)*K = I; T(M)*M <= q*I",
        uses={
            0: [("(I - M)*K = I", "-1", "S*b")],
            1: [("T(M)*M <= q*I", "1", "w - f"), ("(I - M)*K = I", "T(M*(w - f) + M*w + S*b - f)", "S*b")],
        },
        at=[_TWO_STEPS | {"q": "49/50", "w": "[1, 2, 0, -1, 3]"}],
        names={"f": r"\tilde w^*", "K": "(I-M)^{-1}", "w": "w_t", "q": r"\rho^2"},
    ),
    says=r"w_{t+1}=Mw_t+Sb,\ \|M\|\le\rho<1,\text{ such as }M=\tfrac1N\sum_i(I-\eta A_i)^E,\ "
    r"S=\tfrac\eta N\sum_{l=0}^{E-1}(I-\eta A_1)^l:\ \tilde w^*=(I-M)^{-1}Sb\text{ is the fixed point, nearer by the factor }\rho"
    r"\text{ in every round}:\quad ",
    false={"the shift taken twice in the sum": ("f = K*S*b", "f = 2*K*S*b")},
    headline="Round by round the hard example approaches the fixed point of an affine map",
    group=identity_claim,
    source="eq. (32)",
    depends=("LI-ROUND", "LI-RHO.1"),
    summary="The rounds approach the fixed point (I - M)^{-1} S b of the affine map w -> M w + S b by the factor rho in every "
    "round, for any M with |M| <= rho < 1.",
)


_SPACES = "K in R(n,n); A1 in S(n); B in S(n); b in R(n); w in R(n)"
_NAMES = {"B": r"\sum_{i\ge2}A_i", "K": "(I-M)^{-1}"}


def one_local_step(ridge: bool) -> Matrices:
    """(32) at E = 1 is the minimiser of (27), with a ridge or without: ``K c`` is the fixed point, ``K = (I - M)^{-1}``."""
    first, other, whole, square = "A1", "B", "A", ""
    if ridge:
        first, other, whole, square = "(A1 + mu*I)", "(B + (N - 1)*mu*I)", "(A + N*mu*I)", " + mu/2*sq({0})"
    step, solved = f"I - eta*{first}", f"{whole}*w = b"
    total = whole.replace("A ", "A1 + B ") if ridge else "(A1 + B)"
    values = {**CLIENTS, "N": "2", "eta": "1/5", "mu": "1", "v": "[1, 2, 0, -1, 3]"}
    values |= {"w": f"{total}**-1*b", "K": f"(eta/N*{total})**-1"}
    values = {name: value for name, value in values.items() if ridge or name != "mu"}
    half = "(T({0})*A*{0} - 2*T(b)*{0})/(2*N)" + square
    return Matrices(
        f"K*c = w; {half.format('v')} >= {half.format('w')} for {_SPACES}; v in R(n); N >= 2; eta > 0; "
        + ("mu > 0; " if ridge else "")
        + f"A = A1 + B; M = ({step} + (N - 1)*I - eta*{other})/N; c = eta/N*b; K*(I - M) = I; {solved}; A >= 0",
        uses={
            0: [("K*(I - M) = I", "I", "w"), (solved, "-eta/N*K", "I")],
            1: [("A >= 0", "1/(2*N)", "v - w"), (solved, "T(v - w)/N", "1")],
        },
        squares={1: [("mu/2", "v - w")]} if ridge else {},
        at=[
            values,
            values | {"K": f"(I - (({step})**2 + (N - 1)*I - eta*{other})/N)**-1"},
            values | {"w": f"2*{values['w']}"},
        ],
        names=_NAMES,
    )


ONE_STEP = one_local_step(ridge=False)
li_e1 = statement_of_algebra(
    "LI-E1",
    ONE_STEP,
    says=r"E=1,\ \mu=0:\ \tilde w^*=(I-M)^{-1}c=A^{-1}b=w\text{ minimises }F:\quad ",
    false={
        "client 1 takes two steps": ("(I - eta*A1 +", "((I - eta*A1)**2 +"),
        "another point": ("A*w = b", "A*w = 2*b"),
    },
    group=identity_claim,
    source="Appendix C.4 (1)",
    depends=("LI-EQ32", "LI-EQ31"),
    summary="With one local step the limit is the minimiser.",
)

BIAS = Matrices(
    f"K*S*b - w = K*(S*(A1 + B) - (I - M))*w for {_SPACES}; S in R(n,n); M in R(n,n); K*(I - M) = I; (A1 + B)*w = b",
    uses={0: [("K*(I - M) = I", "I", "w"), ("(A1 + B)*w = b", "-K*S", "I")]},
    at=[_TWO_STEPS | {"w": "(A1 + B)**-1*b"}],
    names={**_NAMES, "w": "w^*"},
)
li_eq33_identity = statement_of_algebra(
    "LI-EQ33.1",
    BIAS,
    says=r"S=\tfrac\eta N\sum_{l=0}^{E-1}(I-\eta A_1)^l,\ \tilde w^*=(I-M)^{-1}Sb,\ \tilde "
    r"w^*-w^*=(I-M)^{-1}[SA-(I-M)]w^*:\quad ",
    false={"A_1 + A_2/2 in place of A in the bracket": ("S*(A1 + B)", "S*(A1 + B/2)")},
    group=identity_claim,
    source="eq. (33)",
    depends=("LI-EQ32", "LI-PR1-4.2"),
    summary="The bias of the fixed point is given by a formula.",
)


li_eq33_nonzero = qualitative_claim(
    "LI-EQ33.2",
    headline="With two or more local steps the fixed point is never the hard example's minimiser",
    source="after eq. (33)",
    statement=r"2\le E<\infty:\quad \tilde w^*-w^*\ne0 \quad\text{for every } \eta>0",
    summary="On the hard example, with at least two local steps, the fixed point is never the minimiser, whatever the fixed "
    "step size.",
    printed=dict(least_block=2, least_steps=2),
    controls=[Control("p = 1 allowed", dict(least_block=1)), Control("E = 1 allowed", dict(least_steps=1))],
)(partial(moved_by_every_step, ridges=(0,), valid_for="all N >= 2, p >= 2, E >= 2 and every eta > 0, mu = 0"))


if __name__ == "__main__":
    run_script(__file__)
