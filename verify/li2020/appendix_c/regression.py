"""Proposition 1 (4) and the ridge-regression form of the example in Li et al. (2020), Appendix C.3, for all N and p.

Printed statements that are true for mu = 0 only, or up to a constant only, are refuted at (27) as printed and repaired.
"""

from __future__ import annotations

from functools import partial
from itertools import product

import sympy as sp

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.ends import first_failure, tried
from fltheory.evidence.kinds import identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.proofs import equal
from fltheory.theory.steps import Tests
from verify.li2020.appendix_c.closed_forms import ROWS, N, mu, one, optimum_entry, optimum_steps, p
from verify.li2020.appendix_c.example import Example, block_start, instances, norm_squared

of_equation_27 = identity_claim.sharing(source="Proposition 1 (4), eq. (27)")
of_proposition_1 = identity_claim.sharing(source="Proposition 1 (4)")
of_appendix_c3 = identity_claim.sharing(source="Appendix C.3")

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
        tried(map(witness, instances(3, 3, (sp.Integer(1),)))),
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

li_pr1_4_minimiser_repaired = of_equation_27(
    "LI-PR1-4.1-R1",
    statement=r"w^* = (A+N\mu I)^{-1}b \text{ minimises (27)}",
    headline="The minimiser of the hard example with its ridge term",
    summary="With a ridge mu the minimiser of (27) is (A + N mu I)^{-1} b.",
    printed=dict(factor=N),
    controls=[Control("N mu -> mu", dict(factor=sp.Integer(1))), Control("N mu -> (N-1) mu", dict(factor=N - 1))],
)(minimiser_check)


@of_proposition_1(
    "LI-PR1-4.2",
    statement=r"(A^{-1}b)_i = 1-\tfrac{i}{Np+2}",
    headline="The minimiser of the hard example without ridge falls linearly along the coordinates",
    summary="A^{-1} b has a closed form, which falls linearly along the coordinates.",
    printed=dict(offset=2),
    controls=[Control("Np+2 -> Np+1", dict(offset=1))],
)
def li_pr1_4_entries(offset: int) -> Evidence:
    def failure(example: Example) -> str:
        n = example.dimension
        claimed = [1 - sp.Rational(i, n - 1 + offset) for i in range(1, n + 1)]
        right = list(example.optimum) == claimed
        return "" if right else f"{example.name}: A^{{-1}}b begins with {example.optimum[0]}, not {claimed[0]}"

    return decide(
        optimum_steps(lambda at: 1 - at / (N * p + offset)),
        first_failure(instances(3, 3), failure),
        method="The rows of A times the sequence, at a generic index and at both ends.",
        valid_for="all N, p >= 1",
    )


@of_proposition_1(
    "LI-PR1-4.3",
    statement=r"A_1\tilde w = b_1,\qquad \tilde w=(1^{p+1},0^{(N-1)p})",
    headline="A vector of ones solves the first client's problem of the hard example",
    summary="The vector with p+1 ones solves client 1's problem.",
    printed=dict(ones=1),
    controls=[Control("p+1 ones -> p ones", dict(ones=0))],
)
def li_pr1_4_local(ones: int) -> Evidence:
    end = ROWS["right end"](one, p + 1)
    steps = {
        "first row: 2 - 1 = 1": lambda: equal(ROWS["left end"](one, sp.Integer(1)) + 1, 1),
        "inner rows: 0": lambda: equal(ROWS["interior"](one, p), 0),
        "row p+1, the right end: 0 when coordinates p and p+1 are both one": lambda: equal(end, 0) and equal(ones, 1),
    }

    def failure(example: Example) -> str:
        filled = example.block + ones
        image = example.clients[0] * example.begin(filled)
        return "" if image == example.shift else f"{example.name}: with {filled} ones A_1 w = {list(image)}, not e_1"

    return decide(
        steps,
        first_failure(instances(3, 3), failure),
        method="Rows of A_1 applied to the constant sequence on block 1.",
        valid_for=GENERAL + "; the printed vector is the solution of least norm",
    )


#: The constant by which the global objective and the printed ridge regression differ.
CONSTANT = -(1 - 1 / (N * p + 2)) / (2 * N)


def printed_form(example: Example, client: int) -> sp.Matrix:
    """``A_k`` entry by entry from eq. (29), with the grounded ends of ``A_1`` and ``A_N``."""
    low, high = block_start(client, example.block), block_start(client + 1, example.block)

    def entry(i: int, j: int) -> int:
        inside = low <= min(i, j) and max(i, j) <= high
        if i == j:
            ends = int(client == 1 and i == 1) + int(client == example.n_clients and i == example.dimension)
            return ends + (0 if not inside else 1 if i in (low, high) else 2)
        return -1 if inside and abs(i - j) == 1 else 0

    return sp.Matrix(example.dimension, example.dimension, lambda i, j: entry(i + 1, j + 1))


def square_steps(second: sp.Expr) -> Tests:
    """``|X_k w|^2 = w'A_k w`` for blocks of every length: rows ``(1, second)`` against the entries of eq. (29)."""
    u, v, end = sp.symbols("u v end", real=True)

    def row(left: sp.Expr, right: sp.Expr) -> sp.Expr:
        return (left + second * right) ** 2

    return {
        "one edge is the block [[1, -1], [-1, 1]]": lambda: equal(row(u, v), u**2 + v**2 - 2 * u * v),
        "one more edge turns the last 1 into 2 and adds -1, -1, 1": lambda: equal(
            row(v, end), v**2 + end**2 - 2 * v * end
        ),
    }


def linear_steps(client: str) -> Tests:
    """``X'X v = b``: for client 1 the vector of p + 1 ones, for ``F`` the solution of ``A v = b``, else ``v = b_k = 0``."""
    if client == "F":
        return optimum_steps()
    if client == "F_k":
        return {}
    return {
        "first row of A_1 w~: grounded left end, 1": lambda: equal(ROWS["left end"](one, sp.Integer(1)) + 1, 1),
        "inner rows of A_1 w~: 0": lambda: equal(ROWS["interior"](one, p), 0),
        "last row of A_1 w~: 0": lambda: equal(ROWS["right end"](one, p + 1), 0),
    }


def form_check(client: str, constant: sp.Expr | None, second: str = "-1") -> Evidence:
    """Compare matrix, vector and constant of ``|X(w - v)|^2/2 + mu|w|^2/2 (+ constant)`` with those of the objective.

    ``constant=None``: some constant that may depend on the problem, as printed for ``F_1``; an edge has the row
    ``(1, second)`` in ``X``.
    """
    # |X(w-v)|^2/2 = w'X'Xw/2 - (X'Xv)'w + v'X'Xv/2 with v'X'Xv = b'v, the first entry of v for F_1 and F.
    own = {"F_1": sp.Rational(1, 2), "F_k": sp.Integer(0), "F": optimum_entry(sp.Integer(1)) / (2 * N)}[client]
    edge_end = sp.Rational(second)
    steps = {**square_steps(edge_end), **linear_steps(client)}
    if constant is not None:
        steps |= {"the constants agree": lambda: equal(constant, -own)}
    quotient, count, added = sp.symbols("q n C")

    def failure(example: Example) -> str | Witness:
        everyone = range(1, example.n_clients + 1)
        nothing = sp.zeros(example.dimension, 1)
        groups, point, vector = {
            "F": ([everyone], example.optimum, example.shift),
            "F_1": ([[1]], example.begin(example.block + 1), example.shift),
            "F_k": ([[k] for k in everyone if k >= 2], nothing, nothing),
        }[client]
        for group in groups:
            x = sp.Matrix.vstack(*(example.features(k) for k in group)).applyfunc(lambda a: edge_end if a == -1 else a)
            wanted = sum((printed_form(example, k) for k in group), sp.zeros(example.dimension, example.dimension))
            where = f"{example.name}, k={','.join(map(str, group))}"
            for i, j in product(range(example.dimension), repeat=2):
                if (x.T * x)[i, j] != wanted[i, j]:
                    return (
                        f"{where}: entry {i + 1},{j + 1} of X'X is {(x.T * x)[i, j]}, of the objective {wanted[i, j]}"
                    )
            if x.T * x * point != vector:
                return f"{where}: X'X v differs from b"
            if constant is not None:
                more = sp.sympify(constant).subs({N: example.n_clients, p: example.block})
                values = {quotient: norm_squared(x * point), count: len(group), added: more}
                right = Side("|Xv|^2/(2n) + C", quotient / (2 * count) + added)
                at_zero = Witness(values, right, "=", Side("objective", 0), setting=f"{where}, w = 0")
                if at_zero.refutes:
                    return at_zero
        return ""

    said = [failure(example) for example in instances(3, 3)]
    first = next(filter(None, said), "")
    return decide(
        steps,
        tried(first) if isinstance(first, Witness) else Tried(len(said), first),
        method="Two quadratics agree if and only if matrix, vector and constant agree. X'X against the entries of (29) "
        "by induction over the edges of a block, X'Xv row by row; all clients of small instances entry by entry.",
        valid_for=GENERAL + ", mu >= 0; v solves X'Xv = b (so for F it is A^{-1} b)",
    )


EDGE = Control("an edge has the row (1, -99/100)", dict(second="-99/100"))

li_ridge_first = of_appendix_c3(
    "LI-RIDGE.1",
    depends=("LI-PR1-3", "LI-PR1-4.3"),
    statement=r"F_1(w)=\tfrac12\|X_1(w-\tilde w)\|^2+\tfrac\mu2\|w\|^2+C,\qquad C=-\tfrac12",
    summary="Client 1's objective is a ridge regression up to a constant (which is -1/2).",
    printed=dict(constant=-sp.Rational(1, 2)),
    controls=[Control("constant -0.499", dict(constant=-sp.Rational(499, 1000))), EDGE],
)(partial(form_check, "F_1"))

li_ridge_other = of_appendix_c3(
    "LI-RIDGE.2",
    depends=("LI-PR1-3",),
    statement=r"F_k(w)=\tfrac12\|X_kw\|^2+\tfrac\mu2\|w\|^2,\quad k\ge2",
    summary="The other clients' objectives are ridge regressions, constants included.",
    printed=dict(constant=sp.Integer(0)),
    controls=[Control("constant 1/1000", dict(constant=sp.Rational(1, 1000))), EDGE],
)(partial(form_check, "F_k"))

li_ridge_global = of_appendix_c3(
    "LI-RIDGE.3[as an equation]",
    fault="slip",
    statement=r"F(w)=\tfrac1{2N}\|X(w-w^*)\|^2+\tfrac\mu2\|w\|^2",
    headline="The objective equals the ridge regression only up to a constant that is not printed",
    summary="The global objective as a ridge regression, exactly as printed: a constant is missing.",
    printed=dict(constant=sp.Integer(0)),
    repair="LI-RIDGE.3-R1",
    controls=[Control("with the constant -w*_1/(2N)", dict(constant=CONSTANT), must="pass")],
)(partial(form_check, "F"))

li_ridge_global_constant = of_appendix_c3(
    "LI-RIDGE.3[up to a constant, as for client 1]",
    statement=r"F(w)=\tfrac1{2N}\|X(w-w^*)\|^2+\tfrac\mu2\|w\|^2+C,\quad w^*=A^{-1}b",
    summary="The global objective is the printed ridge regression up to an additive constant.",
    printed=dict(constant=None),
    controls=[Control("constant forced to zero", dict(constant=sp.Integer(0)))],
)(partial(form_check, "F"))

li_ridge_global_repaired = of_appendix_c3(
    "LI-RIDGE.3-R1",
    statement=r"F(w)=\tfrac1{2N}\|X(w-A^{-1}b)\|^2+\tfrac\mu2\|w\|^2-\tfrac1{2N}\Big(1-\tfrac1{Np+2}\Big)",
    summary="The global objective is the printed ridge regression with its missing constant added.",
    printed=dict(constant=CONSTANT),
    controls=[Control("constant of client 1 divided by N", dict(constant=-1 / (2 * N))), EDGE],
)(partial(form_check, "F"))


if __name__ == "__main__":
    run_script(__file__)
