"""Proposition 1 (4) and the ridge-regression form of the example in Li et al. (2020), Appendix C.3, for all N and p.

Printed statements that are true for mu = 0 only, or up to a constant only, are refuted at (27) as printed and repaired.
"""

from __future__ import annotations

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.proofs import equal
from verify.li2020.appendix_c.closed_forms import N, mu
from verify.li2020.appendix_c.example import Example, instances

of_equation_27 = identity_claim.sharing(source="Proposition 1 (4), eq. (27)")
of_proposition_1 = identity_claim.sharing(source="Proposition 1 (4)")
of_appendix_c3 = identity_claim.sharing(source="Appendix C.3")

_SOLVED = "w_1 and w_2 are those of the solution A^{-1} b, which the script computes"
GENERAL = "all N >= 2, p >= 2"


def minimiser_check(factor: sp.Expr) -> Evidence:
    """Is ``(A + factor mu I)^{-1} b`` a stationary point of eq. (27) for every ``mu > 0``?"""
    # With (A + factor mu) w = b the gradient (A w - b)/N + mu w of (27) equals mu (1 - factor/N) w, and w is not 0.
    steps = {"the gradient of (27) vanishes": lambda: equal(mu * sp.sympify(factor) / N, mu)}

    def witness(example: Example) -> Witness:
        shift = sp.sympify(factor).subs(N, example.n_clients) * example.ridge
        w = (Example(example.n_clients, example.block).total + shift * sp.eye(example.dimension)).LUsolve(example.shift)
        w_1, w_2 = sp.symbols("w_1 w_2")
        gradient = Side("first entry of the gradient", (2 * w_1 - w_2 - 1) / N + mu * w_1)
        return Witness(
            {N: example.n_clients, mu: example.ridge, w_1: w[0], w_2: w[1]}, gradient, "=", 0, setting=example.name
        )

    return decide(
        steps,
        tried(map(witness, instances(3, 3, (sp.Integer(1),))), prose=_SOLVED),
        method="(27) is strictly convex, so its minimiser is its stationary point; "
        "substitute the claimed one in the gradient.",
        valid_for=GENERAL + ", mu > 0",
    )


li_pr1_4_minimiser = of_equation_27(
    "LI-PR1-4.1",
    fault="missing hypothesis",
    statement=r"w^* = A^{-1}b \text{ minimises } F(w)=\tfrac1{2N}(w^\top Aw-2b^\top w)+\tfrac\mu2\|w\|^2,\ \mu>0",
    headline="The named vector minimises the hard example only without its ridge term",
    summary="A^{-1} b is the global minimiser of (27); true for mu = 0 only, while (27) has mu > 0.",
    printed=dict(factor=sp.Integer(0)),
    repair="LI-PR1-4.1-R1",
    controls=[Control("w = (A + N mu I)^{-1} b", dict(factor=N), must="pass")],
)(minimiser_check)

li_pr1_4_minimiser_repaired = statement_of_algebra(
    "LI-PR1-4.1-R1",
    Relations(
        "(a - b)/N + mu*w = 0 for N >= 2; mu > 0; a + N*mu*w = b",
        uses={0: {"a + N*mu*w = b": "1/N"}},
        names={"a": "(Aw)_i", "b": "b_i", "w": "w_i"},
    ),
    says=r"w = (A+N\mu I)^{-1}b \text{ minimises the strictly convex (27): its gradient vanishes there, in each}\ i:\quad ",
    false={"N mu -> mu": ("a + N*mu*w", "a + mu*w"), "N mu -> (N-1) mu": ("a + N*mu*w", "a + (N - 1)*mu*w")},
    group=of_equation_27,
    headline="The minimiser of the hard example with its ridge term",
    prose="the gradient of (27) is (Aw - b)/N + mu w, and where that of a strictly convex function vanishes is its minimum",
    summary="With a ridge mu the minimiser of (27) is (A + N mu I)^{-1} b.",
)


li_pr1_4_entries = statement_of_algebra(
    "LI-PR1-4.2",
    Relations(
        "2*first - second = 1; 2*here - before - after = 0; 2*last - last_but_one = 0 for N >= 1; p >= 1; h = 1/(N*p + 2); "
        "first = 1 - h; second = 1 - 2*h; before = 1 - (i - 1)*h; here = 1 - i*h; after = 1 - (i + 1)*h; "
        "last = 1 - (N*p + 1)*h; last_but_one = 1 - N*p*h",
        names={"first": "w_1", "second": "w_2", "before": "w_{i-1}", "here": "w_i", "after": "w_{i+1}"}
        | {"last": "w_{Np+1}", "last_but_one": "w_{Np}"},
    ),
    says=r"(A^{-1}b)_i=w_i=1-\tfrac i{Np+2},\text{ by the rows of } Aw=b=e_1:\quad ",
    false={"Np+2 -> Np+1": ("h = 1/(N*p + 2)", "h = 1/(N*p + 1)")},
    group=of_proposition_1,
    depends=("LI-EQ31",),
    headline="The minimiser of the hard example without ridge falls linearly along the coordinates",
    prose="the rows are those of the invertible A = tridiag(-1, 2, -1), for 1 < i < Np + 1",
    summary="A^{-1} b has a closed form, which falls linearly along the coordinates.",
)

li_pr1_4_local = statement_of_algebra(
    "LI-PR1-4.3",
    Relations(
        "2*u - u = 1; 2*u - u - u = 0; 2*u - u - z = 0; z - u = 0 for u = 1; z = 1", names={"u": "w_i", "z": "w_{p+1}"}
    ),
    says=r"A_1\tilde w = b_1=e_1,\ \tilde w=(1^{p+1},0^{(N-1)p}),\text{ by the rows } 1,\ 2\le i<p,\ p\text{ and }p+1"
    r"\text{ of }A_1,\ i\le p:\quad ",
    false={"p+1 ones -> p ones": ("z = 1", "z = 0")},
    group=of_proposition_1,
    headline="A vector of ones solves the first client's problem of the hard example",
    prose="the rows are those of A_1, a grounded path; the least norm, as the vector lies in the range of A_1",
    summary="The vector with p+1 ones solves client 1's problem; it is the solution of least norm.",
)


#: What all say of the sums: S and D are sums of (w_i - w_{i+1})^2 over the edges of block 1 and over all, R = mu |w|^2/2.
_EDGES = r"S=\sum_{i\le p}(w_i-w_{i+1})^2,\ D=\sum_{i\le Np}(w_i-w_{i+1})^2,\ R=\tfrac\mu2\|w\|^2,\ w_n=w_{Np+1}:\quad "
_NAMES = {"u": "w_1", "v": "w_n", "z": "w_{i+1}", "y": "w_i"}

li_ridge_first = statement_of_algebra(
    "LI-RIDGE.1",
    Relations("(u**2 + S)/2 - u + R = ((u - 1)**2 + S)/2 + R + C for C = -1/2", names=_NAMES),
    says=r"F_1(w)=\tfrac12\|X_1(w-\tilde w)\|^2+\tfrac\mu2\|w\|^2+C,\text{ where }\tilde w=(1^{p+1},0,\dots)"
    r"\text{ is constant along the edges};\ " + _EDGES,
    false={"constant -0.499": ("-1/2", "-499/1000"), "an end that is not grounded": ("(u - 1)**2 + S", "S")},
    group=of_appendix_c3,
    depends=("LI-PR1-3", "LI-PR1-4.3"),
    prose="the matrices as sums over edges: S, R and the grounded end stand for them",
    summary="Client 1's objective is a ridge regression up to a constant (which is -1/2).",
)

li_ridge_other = statement_of_algebra(
    "LI-RIDGE.2",
    Relations(
        "y**2 - 2*y*z + z**2 + R = 2*((y - z)**2/2) + R + C; q + y**2 - 2*y*z + z**2 = s + (y - z)**2; "
        "q + v**2 = s + v**2 for q = s; C = 0",
        names={**_NAMES, "q": "w^\\top A_kw", "s": "\\|X_kw\\|^2", "R": r"\mu\|w\|^2", "C": "2C"},
    ),
    says=r"2F_k(w)=\|X_kw\|^2+\mu\|w\|^2+2C,\ C=0,\ k\ge2,\text{ by induction over the edges of the block, then its grounded "
    r"end (}k=N\text{)}:\quad ",
    false={
        "constant 1/1000": ("C = 0", "C = 1/1000"),
        "an edge has the row (1, -99/100)": ("s + (y - z)**2", "s + (y - 99/100*z)**2"),
    },
    group=of_appendix_c3,
    depends=("LI-PR1-3",),
    prose="one edge and the grounded end; all of them by induction over the edges of the block",
    summary="The other clients' objectives are ridge regressions, constants included.",
)

_SUMS = "the matrices as sums over edges: D, R and the grounded ends stand for them"
_LEFT, _RIGHT = (
    "(u**2 + D + v**2)/(2*N) - u/N + R",
    "((u - 1 + h)**2 + D - 2*h*(u - v) + N*p*h**2 + (v - h)**2)/(2*N) + R + C",
)
GLOBAL = Relations(f"{_LEFT} = {_RIGHT} for N >= 2; p >= 2; h = 1/(N*p + 2); C = -(1 - h)/(2*N)", names=_NAMES)
_NO_CONSTANT = GLOBAL.changed("C = -(1 - h)/(2*N)", "C = 0")
_SQUARE = r"\text{ with }w^*=A^{-1}b,\ w^*_i-w^*_{i+1}=h;\ " + _EDGES


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
    """Squares along the edges, from which the constant slope h of w* is taken away, and at both grounded ends."""
    return by_relations(GLOBAL.with_text(text), prose=_SUMS)


of_the_objective = of_appendix_c3.sharing(depends=("LI-PR1-3", "LI-PR1-4.2"))

li_ridge_global_constant = statement_of_algebra(
    "LI-RIDGE.3[up to a constant, as for client 1]",
    GLOBAL,
    says=r"F(w)=\tfrac1{2N}\|X(w-w^*)\|^2+\tfrac\mu2\|w\|^2+C," + _SQUARE,
    false={"constant forced to zero": ("C = -(1 - h)/(2*N)", "C = 0")},
    group=of_the_objective,
    prose=_SUMS,
    summary="The global objective is the printed ridge regression up to an additive constant.",
)

li_ridge_global_repaired = statement_of_algebra(
    "LI-RIDGE.3-R1",
    GLOBAL,
    says=r"F(w)=\tfrac1{2N}\|X(w-A^{-1}b)\|^2+\tfrac\mu2\|w\|^2-\tfrac1{2N}\Big(1-\tfrac1{Np+2}\Big)," + _SQUARE,
    false={
        "constant of client 1 divided by N": ("C = -(1 - h)/(2*N)", "C = -1/(2*N)"),
        "an end that is not grounded": ("(v - h)**2", "0"),
    },
    group=of_the_objective,
    prose=_SUMS,
    summary="The global objective is the printed ridge regression with its missing constant added.",
)


if __name__ == "__main__":
    run_script(__file__)
