"""Proposition 1 (4) and the ridge-regression form of the example in Li et al. (2020), Appendix C.3, for all N and p.

Printed statements that are true for mu = 0 only, or up to a constant only, are refuted at (27) as printed and repaired.
"""

from fltheory.evidence.algebra import by_matrices, statement_of_algebra
from fltheory.evidence.kinds import identity_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from verify.li2020.appendix_c.example import SMALLEST

of_equation_27 = identity_claim.sharing(source="Proposition 1 (4), eq. (27)")
of_proposition_1 = identity_claim.sharing(source="Proposition 1 (4)")
of_appendix_c3 = identity_claim.sharing(source="Appendix C.3")

_A, _B = str(SMALLEST.total.tolist()), str(list(SMALLEST.shift))
_SOLUTION = "(A + N*mu*I)**-1*b"

MINIMISER = Matrices(
    "(T(v)*A*v - 2*T(b)*v)/(2*N) + mu/2*sq(v) >= (T(w)*A*w - 2*T(b)*w)/(2*N) + mu/2*sq(w) "
    "for A in S(n); b in R(n); v in R(n); w in R(n); N >= 2; mu > 0; A >= 0; (A + N*mu*I)*w = b",
    uses={0: [("A >= 0", "1/(2*N)", "v - w"), ("(A + N*mu*I)*w = b", "T(v - w)/N", "1")]},
    squares={0: [("mu/2", "v - w")]},
    at=[
        {"N": "2", "mu": "1", "A": _A, "b": _B, "w": w, "v": "A**-1*b" if w == _SOLUTION else _SOLUTION}
        for w in (_SOLUTION, "A**-1*b", "(A + mu*I)**-1*b")
    ],
)
_WITHOUT_RIDGE = MINIMISER.changed("(A + N*mu*I)*w = b", "A*w = b")
_MINIMISES = r"\text{ minimises }F(w)=\tfrac1{2N}(w^\top Aw-2b^\top w)+\tfrac\mu2\|w\|^2,\ \mu>0:\quad "


@of_equation_27(
    "LI-PR1-4.1",
    fault="missing hypothesis",
    statement=(r"w=A^{-1}b" + _MINIMISES, _WITHOUT_RIDGE),
    headline="The named vector does not minimise the hard example with its ridge term",
    summary="A^{-1} b is the global minimiser of (27), with its mu > 0: false at mu = 1, N = p = 2.",
    printed=dict(text=_WITHOUT_RIDGE.text),
    repair="LI-PR1-4.1-R1",
    controls=[Control("w = (A + N mu I)^{-1} b", dict(text=MINIMISER.text), must="pass")],
)
def li_pr1_4_minimiser(text: str) -> Evidence:
    """The difference of the values is a sum of squares, or a point of the example has a smaller value."""
    return by_matrices(MINIMISER.with_text(text), setting="N=2, p=2")


li_pr1_4_minimiser_repaired = statement_of_algebra(
    "LI-PR1-4.1-R1",
    MINIMISER,
    says=r"w=(A+N\mu I)^{-1}b" + _MINIMISES,
    false={
        "N mu -> mu": ("(A + N*mu*I)*w", "(A + mu*I)*w"),
        "N mu -> (N-1) mu": ("(A + N*mu*I)*w", "(A + (N - 1)*mu*I)*w"),
    },
    group=of_equation_27,
    depends=("LI-EQ31",),
    headline="The minimiser of the hard example with its ridge term",
    summary="With a ridge mu the minimiser of (27) is (A + N mu I)^{-1} b.",
)


li_pr1_4_entries = statement_of_algebra(
    "LI-PR1-4.2",
    Relations(
        "2*w_1 - w_2 = 1; 2*w - v - x = 0; 2*w_n - w_m = 0; w - x = h; w_n = h for N >= 2; p >= 2; h = 1/(N*p + 2); n = N*p + 1; "
        "w_1 = 1 - h; w_2 = 1 - 2*h; i >= 2; v = 1 - (i - 1)*h; w = 1 - i*h; x = 1 - (i + 1)*h; w_m = 1 - (n - 1)*h; "
        "w_n = 1 - n*h",
        names={"v": "w_{i-1}", "w": "w_i", "x": "w_{i+1}", "w_m": "w_{n-1}"},
    ),
    says=r"w=A^{-1}b,\ A=\operatorname{tridiag}(-1,2,-1),\ b=e_1,\ w_i=1-\tfrac i{Np+2},\text{ by the rows }1,\ 1<i<n\text{ and }n"
    r"\text{ of }Aw=b:\quad ",
    false={"Np+2 -> Np+1": ("h = 1/(N*p + 2)", "h = 1/(N*p + 1)")},
    group=of_proposition_1,
    depends=("LI-EQ31",),
    prose="A is positive definite (LI-EQ31), so that the solution of A w = b is A^{-1} b, which minimises F without ridge",
    headline="The minimiser of the hard example without ridge falls linearly along the coordinates",
    summary="A^{-1} b has a closed form, which falls linearly along the coordinates: w_i = 1 - i/(Np+2) solves the rows of A w = "
    "b, 2w_1 - w_2 = 1, -w_(i-1) + 2w_i - w_(i+1) = 0 and -w_(n-1) + 2w_n = 0.",
)

li_pr1_4_local = statement_of_algebra(
    "LI-PR1-4.3",
    Relations(
        "2*u - u = 1; 2*u - u - u = 0; 2*u - u - z = 0; z - u = 0 for u = 1; z = 1", names={"u": "w_i", "z": "w_{p+1}"}
    ),
    says=r"\text{the rows } 1,\ 2\le i<p,\ p\text{ and }p+1\text{ of }A_1\tilde w = b_1=e_1\text{ at }"
    r"\tilde w=(1^{p+1},0^{(N-1)p}),\ i\le p:\quad ",
    false={"p+1 ones -> p ones": ("z = 1", "z = 0")},
    group=of_proposition_1,
    headline="A vector of ones satisfies the first client's equations of the hard example",
    summary="The vector with p+1 ones satisfies the rows 1 to p+1 of A_1 w = b_1: 2w_1 - w_2 = 1, "
    "-w_(i-1) + 2w_i - w_(i+1) = 0 and w_(p+1) - w_p = 0.",
)


def _at(client: int, **values: str) -> list[dict[str, str]]:
    """X_k, or all of them, of the smallest example and any point."""
    every = [SMALLEST.features(k).tolist() for k in (1, 2)]
    rows = every[client - 1] if client else every[0] + every[1]
    return [{"X": str(rows), "w": "[1, 2, 0, -1, 3]", "mu": "1", **values}]


_FIRST = Matrices(
    "T(w)*A*w/2 - T(b)*w + mu/2*sq(w) = sq(X*(w - v))/2 + mu/2*sq(w) + C for X in R(r,n); b in R(n); w in R(n); v in R(n); "
    "mu >= 0; A = T(X)*X; A*v = b; T(b)*v = 1; C = -1/2",
    uses={0: [("A*v = b", "T(w) - T(v)/2", "1"), ("T(b)*v = 1", "-1/2", "1")]},
    at=_at(1, v="[1, 1, 1, 0, 0]", b=_B),
    names={"v": r"\tilde w", "X": "X_1", "A": "A_1", "b": "b_1"},
)
li_ridge_first = statement_of_algebra(
    "LI-RIDGE.1",
    _FIRST,
    says=r"F_1(w)=\tfrac12\|X_1(w-\tilde w)\|^2+\tfrac\mu2\|w\|^2+C,\ \tilde w=(1^{p+1},0,\dots),\ b_1=e_1:\quad ",
    false={"constant -0.499": ("C = -1/2", "C = -499/1000"), "around 2w~": ("X*(w - v)", "X*(w - 2*v)")},
    group=of_appendix_c3,
    depends=("LI-PR1-3", "LI-PR1-4.3"),
    summary="Client 1's objective is a ridge regression up to a constant (which is -1/2).",
)

li_ridge_other = statement_of_algebra(
    "LI-RIDGE.2",
    Matrices(
        "T(w)*A*w/2 - T(b)*w + mu/2*sq(w) = sq(X*w)/2 + mu/2*sq(w) + C for X in R(r,n); b in R(n); w in R(n); mu >= 0; "
        "A = T(X)*X; b = 0*b; C = 0",
        uses={0: [("b = 0*b", "-T(w)", "1")]},
        at=_at(2, b="[0, 0, 0, 0, 0]"),
        names={"X": "X_k", "A": "A_k", "b": "b_k"},
    ),
    says=r"F_k(w)=\tfrac12\|X_kw\|^2+\tfrac\mu2\|w\|^2,\ k\ge2:\quad ",
    false={"constant 1/1000": ("C = 0", "C = 1/1000"), "twice the rows": ("sq(X*w)", "sq(2*X*w)")},
    group=of_appendix_c3,
    depends=("LI-PR1-3",),
    summary="The other clients' objectives are ridge regressions, constants included.",
)

GLOBAL = Matrices(
    "(T(w)*A*w - 2*T(b)*w)/(2*N) + mu/2*sq(w) = sq(X*(w - v))/(2*N) + mu/2*sq(w) + C for X in R(r,n); b in R(n); w in R(n); "
    "v in R(n); N >= 2; p >= 2; mu >= 0; A = T(X)*X; A*v = b; h = 1/(N*p + 2); T(b)*v = 1 - h; C = -(1 - h)/(2*N)",
    uses={0: [("A*v = b", "(T(w) - T(v)/2)/N", "1"), ("T(b)*v = 1 - h", "-1/(2*N)", "1")]},
    at=_at(0, v="[5/6, 2/3, 1/2, 1/3, 1/6]", b=_B, N="2", p="2"),
    names={"v": "w^*"},
)
_NO_CONSTANT = GLOBAL.changed("C = -(1 - h)/(2*N)", "C = 0")
_SQUARE = r"\text{ with }Aw^*=b,\ b^\top w^*=w^*_1=1-h:\quad "


@of_appendix_c3(
    "LI-RIDGE.3[as an equation]",
    fault="slip",
    statement=(r"F(w)=\tfrac1{2N}\|X(w-w^*)\|^2+\tfrac\mu2\|w\|^2," + _SQUARE, _NO_CONSTANT),
    headline="The objective equals the ridge regression only up to a constant that is not printed",
    summary="The global objective as a ridge regression, exactly as printed: a constant is missing.",
    printed=dict(text=_NO_CONSTANT.text),
    repair="LI-RIDGE.3-R1",
    controls=[Control("with the constant -w*_1/(2N)", dict(text=GLOBAL.text), must="pass")],
)
def li_ridge_global(text: str) -> Evidence:
    """The square around w* is multiplied out, with A = X'X and A w* = b."""
    return by_matrices(GLOBAL.with_text(text), setting="N=2, p=2")


of_the_objective = of_appendix_c3.sharing(depends=("LI-PR1-3", "LI-PR1-4.2"))

li_ridge_global_constant = statement_of_algebra(
    "LI-RIDGE.3[up to a constant, as for client 1]",
    GLOBAL,
    says=r"F(w)=\tfrac1{2N}\|X(w-w^*)\|^2+\tfrac\mu2\|w\|^2+C," + _SQUARE,
    false={"constant forced to zero": ("C = -(1 - h)/(2*N)", "C = 0")},
    group=of_the_objective,
    summary="The global objective is the printed ridge regression up to an additive constant.",
)

li_ridge_global_repaired = statement_of_algebra(
    "LI-RIDGE.3-R1",
    GLOBAL,
    says=r"F(w)=\tfrac1{2N}\|X(w-A^{-1}b)\|^2+\tfrac\mu2\|w\|^2-\tfrac1{2N}\Big(1-\tfrac1{Np+2}\Big)," + _SQUARE,
    false={
        "constant of client 1 divided by N": ("C = -(1 - h)/(2*N)", "C = -1/(2*N)"),
        "around 2w*": ("X*(w - v)", "X*(w - 2*v)"),
    },
    group=of_the_objective,
    summary="The global objective is the printed ridge regression with its missing constant added.",
)


if __name__ == "__main__":
    run_script(__file__)
