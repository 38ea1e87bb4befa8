"""The last sentence of Appendix C.5 in Li et al. (2020): what ``V - A_1 A`` is, and how its image of ``w*`` compares.

The printed product formula and the printed equality of norms are false; the inequality that the lemma needs is true.
"""

from fltheory.evidence.algebra import broken_by, by_matrices, statement_of_algebra
from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import identity_claim, inequality_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.proofs import equal, nonnegative_on
from fltheory.theory.steps import Tests
from verify.li2020.appendix_c.closed_forms import N, corner, k, p, right_column, source_steps, unit
from verify.li2020.appendix_c.example import Example
from verify.li2020.lemma_6.matrices_of_example import GENERAL

product_claim = identity_claim.sharing(source="Appendix C.5, last sentence")

_EXAMPLE = dict(zip(("A1", "A2", "C"), (str(matrix.tolist()) for matrix in Example(3, 2).clients), strict=True))
PRODUCT = Matrices(
    "V - A1*A = Q - A1*B = Q - A1*A2 for A1 in R(n,n); A2 in R(n,n); C in R(n,n); Q in R(n,n); B = A2 + C; A = A1 + B; "
    "V = A1**2 + Q; A1*C = 0*C",
    uses={1: [("A1*C = 0*C", "-1", "I")]},
    at=[{**_EXAMPLE, "Q": "A2**2 + C**2"}],
    names={"Q": r"\sum_{i\ge2}A_i^2", "B": r"\sum_{i\ge2}A_i", "C": r"\sum_{i\ge3}A_i"},
)
_PRINTED = PRODUCT.with_text(f"V - A1*A = A1*B for {PRODUCT.where}")


@product_claim(
    "LI-L6-V.1",
    fault="substance",
    statement=_PRINTED,
    headline="A matrix product at the end of the proof has a wrong sign and lacks terms",
    summary="V - A_1 A as a product: the squares of the other clients' matrices and a sign are missing.",
    printed=dict(text=_PRINTED.text),
    repair="LI-L6-V.1-R1",
    controls=[Control("sum of the squares minus the product", dict(text=PRODUCT.text), must="pass")],
)
def li_l6_product(text: str) -> Evidence:
    """Expansion in matrices that do not commute, or the matrices of the example."""
    return by_matrices(PRODUCT.with_text(text), setting="N=3, p=2")


li_l6_product_repaired = statement_of_algebra(
    "LI-L6-V.1-R1",
    PRODUCT,
    headline="The matrix product at the end of the bias proof with its right sign and terms",
    false={"sign of the product turned": ("Q - A1*B =", "Q + A1*B =")},
    group=product_claim,
    depends=("LI-L6-V.2",),
    summary="V - A_1 A is the sum of the other clients' squares less A_1 A_2.",
)


#: x is zero at a coordinate t beyond block 1, and y before block i.
_ENDS, _BEGINS = "x*(t - end) <= 0", "y*(begin - t) <= 0"
li_l6_disjoint = statement_of_algebra(
    "LI-L6-V.2",
    Relations(
        "end < begin; x*y <= 0; 0 <= a*x*(b*y) <= 0 for p >= 2; i >= 3; end = p + 1; begin = (i - 1)*p + 1; a >= 0; b >= 0; "
        f"x >= 0; y >= 0; {_ENDS}; {_BEGINS}",
        uses={1: {_ENDS: "y/((i - 2)*p)", _BEGINS: "x/((i - 2)*p)"}, 3: {"x*y <= 0": "a*b"}},
        at={"p": "2", "i": "3", "x": "1", "y": "0", "t": "1", "a": "1", "b": "1"},
    ),
    says=r"A_1A_i=0\ (i\ge3),\text{ as }|(A_1)_{rt}(A_i)_{ts}|=(ax)(by)\text{ vanishes for all }r,s,t:\ x=0\text{ at }t\text{ after"
    r" the end of block 1, }y=0\text{ before the begin of block }i:\quad ",
    false={"i >= 2": ("i >= 3", "i >= 2")},
    group=product_claim,
    headline="The first client shares no coordinate with the third and later ones",
    summary="Client 1 and clients 3, 4, ... share no coordinate, so all terms of the entries of A_1 A_i are zero.",
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
    squares = {Example(2, 2): "A1**2 + A2**2", Example(3, 3): "A1**2 + A2**2 + A3**2"}
    claim = f"sq((V - A1*A)*w) {relation} sq(A1*A2*w)"
    return decide(
        steps,
        broken_by(Matrices(f"{claim} for {example.written}; V = {total}") for example, total in squares.items()),
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
    headline="The last equality of the bias proof is false for three clients with blocks of three",
    summary="The last equality of the proof does not hold: it is false at N = p = 3.",
    printed=dict(relation="="),
    repair="LI-L6-V.3-R1",
    controls=[Control("= -> >=", dict(relation=">="), must="pass")],
)(norms_check)

li_l6_norms_repaired = inequality_claim(
    "LI-L6-V.3-R1",
    source="Appendix C.5, last line",
    statement=r"\|(V-A_1A)w^*\|\ge\|A_1A_2w^*\|=\frac{\sqrt2}{Np+2}",
    headline="The inequality that the proof needs in place of its last equality",
    summary="The inequality that the proof needs, so that the lemma survives; it is strict for all N, p >= 3.",
    printed=dict(relation=">="),
    controls=[Control(">= -> =", dict(relation="="))],
)(norms_check)


if __name__ == "__main__":
    run_script(__file__)
