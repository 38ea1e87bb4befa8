"""The last sentence of Appendix C.5 in Li et al. (2020): what ``V - A_1 A`` is, and how its image of ``w*`` compares.

The printed product formula and the printed equality of norms are false; the inequality that the lemma needs is true.
"""

from __future__ import annotations

from itertools import product

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.proofs import equal, nonnegative_on
from fltheory.theory.steps import Tests
from verify.li2020.appendix_c.closed_forms import N, corner, k, p, right_column, source_steps, unit
from verify.li2020.appendix_c.example import instances, norm_squared
from verify.li2020.lemma_6.matrices_of_example import COMPUTED, GENERAL, product_norm, source_matrix, total


def product_check(squares: int, sign: int) -> Evidence:
    """``V - A_1 A = squares * sum_{i>=2} A_i^2 + sign * A_1 sum_{i>=2} A_i`` as polynomials."""
    first, other, rest = sp.symbols("A_1 Q B")  # A_1 stands on the left, Q = sum_{i>=2} A_i^2, B = sum_{i>=2} A_i
    left, right = first**2 + other - first * (first + rest), squares * other + sign * first * rest
    steps = {"every product has A_1 on its left, so the symbols may commute": lambda: equal(left, right)}
    cases, exact, formula = [], *sp.symbols("exact formula")
    for example in instances(3, 3):
        a, truth = example.clients, source_matrix(example)
        claimed = squares * total(m * m for m in a[1:]) + sign * a[0] * total(a[1:])
        places = product(range(truth.rows), repeat=2)
        i, j = next((at for at in places if truth[at] != claimed[at]), (0, 0))
        values = {exact: truth[i, j], formula: claimed[i, j]}
        where = f"{example.name}, entry {i + 1},{j + 1}"
        cases.append(Witness(values, Side("V - A_1 A", exact), "=", Side("the formula", formula), setting=where))
    return decide(
        steps,
        tried(cases, prose=COMPUTED),
        method="Expand V - A_1 A in A_1, sum_{i>=2} A_i and sum_{i>=2} A_i^2.",
        valid_for="all matrices with A = sum A_i",
    )


product_claim = identity_claim.sharing(source="Appendix C.5, last sentence")

li_l6_product = product_claim(
    "LI-L6-V.1",
    fault="substance",
    statement=r"V-A_1A=A_1\sum_{i\ge2}A_i",
    headline="A matrix product at the end of the proof has a wrong sign and lacks terms",
    summary="V - A_1 A as a product: the squares of the other clients' matrices and a sign are missing.",
    printed=dict(squares=0, sign=1),
    repair="LI-L6-V.1-R1",
    controls=[Control("sum of the squares minus the product", dict(squares=1, sign=-1), must="pass")],
)(product_check)

li_l6_product_repaired = product_claim(
    "LI-L6-V.1-R1",
    statement=r"V-A_1A=\sum_{i\ge2}A_i^2-A_1\sum_{i\ge2}A_i=\sum_{i\ge2}A_i^2-A_1A_2",
    summary="V - A_1 A is the sum of the other clients' squares less A_1 A_2.",
    printed=dict(squares=1, sign=-1),
    controls=[Control("sign of the product turned", dict(sign=1))],
)(product_check)


li_l6_disjoint = statement_of_algebra(
    "LI-L6-V.2",
    Relations("(i - 1)*p + 1 - (p + 1) >= 1 for p >= 2; i >= 3"),
    says=r"A_1A_i=0\quad(i\ge3),\text{ as block } i\text{ begins at the coordinate }(i-1)p+1\text{ and block 1 ends at }p+1:\quad ",
    false={"i >= 2": ("i >= 3", "i >= 2")},
    group=product_claim,
    prose="matrices on disjoint sets of coordinates have the product zero",
    summary="Client 1 and clients 3, 4, ... share no coordinate.",
)


def norms_check(relation: str) -> Evidence:
    """Compare ``|(V - A_1 A) w*|`` with ``|A_1 A_2 w*|``: ``relation`` is "=" or ">="."""
    # (V - A_1 A)w* has 2(N-1) entries of size h; for p = 2 neighbours cancel in pairs and two of them remain.
    image = right_column(p + 1)
    steps: Tests = source_steps() | {
        "A_1 A_2 w* = h A_1 e_{p+1} = h (e_{p+1} - e_p)": lambda: equal(image, unit(p + 1) - unit(p)),
        "p >= 3: the 2(N-1) coordinates differ": lambda: nonnegative_on(
            corner(k + 1) - 1 - (corner(k) + 1) - 1, [(p, 3, None)]
        ),
        "p = 2: neighbours cancel": lambda: equal((corner(k) + 1).subs(p, 2), (corner(k + 1) - 1).subs(p, 2)),
        "p >= 3: 2(N-1) >= 2": lambda: nonnegative_on(2 * (N - 1) - 2, [(N, 2, None)]),
    }
    if relation == "=":
        steps |= {"p >= 3: 2(N-1) = 2": lambda: equal(2 * (N - 1), 2)}
    cases, left, right = [], *sp.symbols("left right")
    for example in instances(3, 3):
        values = {left: norm_squared(source_matrix(example) * example.optimum), right: product_norm(example)}
        sides = Side("|(V-A_1A)w*|^2", left), relation, Side("|A_1A_2w*|^2", right)
        cases.append(Witness(values, *sides, setting=example.name))
    return decide(
        steps,
        tried(cases, prose=COMPUTED),
        method="Both vectors in closed form by formal sums and induction in the number of clients: 2(N-1) entries +-h "
        "(two entries when p = 2, where neighbouring corners cancel) against two entries +-h.",
        valid_for=GENERAL + " (equality for N = 2 or p = 2)",
    )


li_l6_norms = identity_claim(
    "LI-L6-V.3",
    fault="slip",
    source="Appendix C.5, last line",
    depends=("LI-L6-V.1", "LI-L6-V.2"),
    statement=r"\|(V-A_1A)w^*\|=\|A_1A_2w^*\|",
    headline="The last equality of the bias proof is false from three clients on",
    summary="The last equality of the proof: false from N = 3, p = 3 on; the lemma survives because >= holds.",
    printed=dict(relation="="),
    repair="LI-L6-V.3-R1",
    controls=[Control("= -> >=", dict(relation=">="), must="pass")],
)(norms_check)

li_l6_norms_repaired = inequality_claim(
    "LI-L6-V.3-R1",
    source="Appendix C.5, last line",
    statement=r"\|(V-A_1A)w^*\|\ge\|A_1A_2w^*\|=\frac{\sqrt2}{Np+2}",
    summary="The inequality that the proof needs.",
    printed=dict(relation=">="),
    controls=[Control(">= -> =", dict(relation="="))],
)(norms_check)


if __name__ == "__main__":
    run_script(__file__)
