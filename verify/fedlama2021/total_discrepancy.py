r"""Section 4 of the FedLAMA paper, last sentence: the total discrepancy after phi tau' iterations against that of FedAvg(phi tau').

Two clients, tau' = 1, phi = 2.  A layer of one parameter with losses h_i (x - c_i)^2/2, c_1 = 0, c_2 = c: a step takes x to
``c_i + r_i (x - c_i)``, ``r_i = 1 - eta h_i``.  A second layer of n parameters with losses s x and -s x, which differ by 2 eta s
after each step since they agreed, whoever synchronises the first.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence import certificates
from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import undecided
from fltheory.evidence.ends import by_proof, by_witness
from fltheory.evidence.kinds import inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness

of_the_total = inequality_claim.sharing(source="Section 4, impact of phi, last sentence")
STATED = (
    r"\sum_lD_l^{\text{FedLAMA}}(\phi\tau')<\sum_lD_l^{\text{FedAvg}(\phi\tau')}(\phi\tau'),\quad "
    r"D_l=\frac1m\sum_i\|\mathbf u_l-\mathbf x_l^i\|^2"
)

x, c, r_1, r_2, s, n, u = sp.symbols("x c r_1 r_2 s n u")


def after_a_step(at: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """Both clients after a step from one point."""
    return r_1 * at, c + r_2 * (at - c)


def two_steps(start: sp.Expr, *, averaged: bool) -> sp.Expr:
    """Discrepancy of the first layer after two steps, with or without a synchronisation between them."""
    one, two = after_a_step(start)
    if averaged:
        one = two = (one + two) / 2
    return ((r_1 * one - c - r_2 * (two - c)) / 2) ** 2


#: A layer alone, which every rule leaves at tau' in the first round: FedLAMA averages it after each step.
SMALLEST = {c: 1, r_1: 0, r_2: Fraction(1, 2), x: -3}


@of_the_total(
    "LA-TOTDISC[after the common synchronisation]",
    statement=STATED + r",\text{ after the synchronisation of iteration }\phi\tau'",
    headline="After the common synchronisation both total discrepancies are zero",
    summary="After phi tau' iterations both algorithms have synchronised the whole model, as the sentence before "
    "says; both total discrepancies are then zero, and neither is smaller.",
    fault="reading",
    repair="LA-TOTDISC-R1",
    printed=dict(synchronised=True),
    controls=[Control("before it, clients with one curvature", dict(synchronised=False), must="pass")],
)
def afterwards(synchronised: bool) -> Evidence:
    """The average of two models is at distance zero from both."""
    if not synchronised:
        return by_relations(GROWS)
    x_1, x_2, y_1, y_2 = sp.symbols("x_1 x_2 y_1 y_2")
    at = {x_1: 1, x_2: 1, y_1: 2, y_2: 2}
    sides = [Side(name, ((p - q) / 2) ** 2) for name, p, q in (("FedLAMA", x_1, x_2), ("FedAvg(phi tau')", y_1, y_2))]
    return by_witness(Witness(at, sides[0], "<", sides[1], given=[(x_1, "=", x_2), (y_1, "=", y_2)]))


@of_the_total(
    "LA-TOTDISC[before it, in the first round]",
    statement=STATED + r",\text{ just before it, all intervals }\tau'",
    headline="FedLAMA's total discrepancy can exceed FedAvg's with the long interval",
    summary="One layer, one parameter, losses x^2/2 and (x - 1)^2/4, start -3, step 1 = 1/L, tau' = 1, phi = 2: "
    "without a synchronisation both clients meet at 0 after two steps, and averaged after the first they end at 0 "
    "and 1/4. Each client moves on a line of its own towards its own minimiser, and averaging can take them off a "
    "meeting point.",
    fault="substance",
    repair="LA-TOTDISC-R1",
    printed=dict(curvatures="different"),
    controls=[Control("one curvature", dict(curvatures="one"), must="pass")],
)
def first_round(curvatures: str) -> Evidence:
    """Every layer has tau' = 1 in the first round, whatever the rule: averaged after each of the two steps."""
    if curvatures == "one":
        return by_relations(GROWS)
    left, right = two_steps(x, averaged=True), two_steps(x, averaged=False)
    steps = [(0, "<=", r_1), (r_1, "<", 1), (0, "<=", r_2), (r_2, "<", 1)]
    return by_witness(Witness(SMALLEST, Side("FedLAMA", left), "<", Side("FedAvg(2)", right), given=steps))


#: The rule's condition on two layers of 1 and n parameters, the second with the smaller d, to lengthen the second alone.
RULES = {"line 9": None, "before the crossing": "<", "up to the crossing": ">="}


@of_the_total(
    "LA-TOTDISC[before it, with the intervals that Algorithm 2 sets]",
    statement=STATED + r",\text{ just before it, from the same start, intervals by Algorithm 2 after a round at }\tau'",
    headline="It can do so with the intervals that its own rule sets, in each reading of the rule",
    summary="The layer of the first round beside one with losses s x and -s x: after a round at tau' = 1 the second "
    "layer has the smaller unit discrepancy and every reading of the rule (with sizes 1 and 1, or 1 and 2) "
    "lengthens its interval and no other; in the second round FedLAMA's total discrepancy is larger than that of "
    "FedAvg(2) from the same start. Step 1 = 1/L.",
    fault="substance",
    repair="LA-TOTDISC-R1",
    printed=dict(curvatures="different"),
    controls=[Control("one curvature", dict(curvatures="one"), must="pass")],
)
def by_the_rule(curvatures: str) -> Evidence:
    """u is the model of the first layer one step before the end of the first round; the reference run confirms each "
    "instance."""
    if curvatures == "one":
        return by_relations(GROWS)
    found = [rule_witness("up to the crossing", 2, 2), rule_witness("before the crossing", 1, 1)]
    if not all(one.refutes for one in found):
        return undecided("An instance for one of the readings does not break the statement.")
    return by_witness(found[0], numbers={"before the crossing": found[1].text})


def rule_witness(rule: str, size: int, slope: int) -> Witness:
    """The second round from its start, with what Algorithm 2 compares after the first."""
    one, two = after_a_step(u)
    start, d_1, d_2 = (one + two) / 2, ((one - two) / 2) ** 2, s**2
    second = n * (2 * s) ** 2
    left, right = two_steps(start, averaged=True) + second, two_steps(start, averaged=False) + second
    given = [(Side("d_2", d_2), "<", Side("d_1", d_1))]
    delta, rest = Side("delta", n * d_2 / (n * d_2 + d_1)), Side("1 - lambda", 1 / (1 + n))
    if RULES[rule]:
        given.append((delta, RULES[rule], rest))
    at = {c: 1, r_1: 0, r_2: Fraction(1, 2), u: -13, s: slope, n: size}
    return Witness(at, Side("FedLAMA", left), "<", Side("FedAvg(2)", right), given=given)


# ----------------------------------------------------------------------------- what is true

#: e: distance of a client from the average along an eigenvector of the common Hessian; c: eta times that of its gradient.
GROWS = Relations(
    "e >= 0; r*e + c >= e for r >= 0; c >= 0; first_e = 0; next_e = r*e + c",
    uses={1: {"r*e + c >= e": "r"}},
    names={"e": "e", "r": "r"},
)

repaired = statement_of_algebra(
    "LA-TOTDISC-R1",
    GROWS,
    prose="per eigenvector of the Hessian with eigenvalue h, r = 1 - eta h, the clients' distances from their "
    "average are e times the same constants after e's number of steps since they agreed: tau' for a layer that is "
    "synchronised every tau', phi tau' for FedAvg",
    false={"steps beyond 1/L": ("r >= 0", "r >= -1")},
    group=of_the_total,
    says=r"F_i-F_j\text{ affine},\ \nabla^2F\text{ constant, no coupling between layers},\ \eta\nabla^2F\preceq I:\ "
    r"D_l\text{ never falls between synchronisations; along an eigenvector }e_{j+1}=re_j+c:\quad ",
    headline="With one curvature for all clients and uncoupled layers the total is never larger",
    summary="If the clients' quadratic losses, convex or not, differ by affine functions only, their common Hessian "
    "does not couple the layers, and the step is at most 1/L with exact gradients, then a layer's discrepancy never "
    "falls while it waits, so that just before the common synchronisation FedLAMA's total is at most FedAvg's; it "
    "may be equal.",
)

smaller_under_noise = statement_of_algebra(
    "LA-TOTDISC-U3",
    Relations(
        "tau*a + phi*tau*b < phi*tau*a + phi*tau*b; tau**2*a + (phi*tau)**2*b < (phi*tau)**2*a + (phi*tau)**2*b for "
        "tau >= 1; phi > 1; a > 0; b >= 0",
        names={"tau": r"\tau'"},
    ),
    prose="after j steps from one point the discrepancy of a layer is j times that after one, in expectation, under "
    "noise (LA-EQ2-UNIT-S1), and j^2 times it under constant differences (LA-EQ2-UNIT-R1)",
    depends=["LA-EQ2-UNIT-S1", "LA-EQ2-UNIT-R1"],
    false={"no layer at the base interval differs": ("a > 0", "a >= 0")},
    group=of_the_total,
    says=r"a,b:\text{ discrepancy after one step of the layers at }\tau'\text{ and at }\phi\tau';\text{ noise; "
    r"constant differences}:\quad ",
    headline="Under noise alone, or constant gradient differences, the total is smaller as the text says",
    summary="If the clients differ only by independent noise (then in expectation), or only by constant gradient "
    "differences, the total just before the common synchronisation is smaller for FedLAMA wherever a layer on which "
    "the clients differ keeps the base interval.",
)

every_step = statement_of_algebra(
    "LA-TOTDISC-U1",
    Relations(
        "y_1 = y_2; (z_1 - z_2)**2 > 0 for 0 <= r_1 < 1; r_1 < r_2 < 1; c > 0; x = c*(1 - r_2**2)/(r_1**2 - r_2**2); "
        "y_1 = r_1**2*x; y_2 = c + r_2**2*(x - c); u = (r_1*x + c + r_2*(x - c))/2; z_1 = r_1*u; z_2 = c + r_2*(u - c)",
        uses={0: {}},
        names={"x": "x_0"},
    ),
    false={"a client without curvature": ("r_1 < r_2 < 1", "r_1 < r_2 <= 1")},
    group=of_the_total,
    says=r"F_i=\tfrac{h_i}2(x-c_i)^2\ (i=1,2),\ c_1=0,\ c_2=c,\ r_i=1-\eta h_i,\ \tau'=1,\ \phi=2:\text{ before the common "
    r"synchronisation FedAvg}(2)\text{ is at }y_1,y_2,\text{ FedLAMA at }z_1,z_2:\quad ",
    headline="For clients of different positive curvature and minimisers no step size is small enough",
    summary="For two clients of different positive curvatures and different minimisers, and every step size up to "
    "1/L, there is a start from which those of FedAvg(2) meet exactly, while those of FedLAMA with tau' = 1 end apart "
    "by c (1 - r_1)(1 - r_2)/2. The bound on the step size of Theorem 5.3 does not help.",
)


@of_the_total(
    "LA-TOTDISC-U2",
    statement=r"F_i\text{ with one Hessian }H=\begin{pmatrix}1&1\\1&1\end{pmatrix},\ \eta=\tfrac1L=\tfrac12,\ "
    r"\text{gradients }\pm(1,1):\quad D^{\text{FedLAMA}}(2)>D^{\text{FedAvg}(2)}(2)",
    headline="Coupling between layers alone can make FedLAMA's total the larger one",
    summary="Two clients whose losses have one Hessian, all of whose entries are 1, and gradients that differ from "
    "their mean by (1, 1) and (-1, -1), step 1/L = 1/2: with the first parameter averaged after the first step the "
    "total discrepancy after two is 5/8, without it is 1/2.",
    printed=dict(relation=">"),
    controls=[Control("the smaller one", dict(relation="<="))],
)
def coupled(relation: str) -> Evidence:
    """e: half-difference of the clients; a step takes it to (I - H/2) e - g/2, g = (1, 1)."""
    g, h, eta = sp.symbols("g h eta")

    def step(e: tuple[sp.Expr, sp.Expr]) -> tuple[sp.Expr, sp.Expr]:
        pull = h * (e[0] + e[1])
        return e[0] - eta * (pull + g), e[1] - eta * (pull + g)

    first = step((sp.Integer(0), sp.Integer(0)))
    without, averaged = step(first), step((sp.Integer(0), first[1]))
    at = {h: 1, g: 1, eta: Fraction(1, 2)}
    long, lama = (sum((one**2 for one in pair), sp.Integer(0)) for pair in (without, averaged))
    opposite = {">": "<=", "<=": ">"}[relation]
    denied = Witness(at, Side("FedLAMA", lama), opposite, Side("FedAvg(2)", long))
    if denied.refutes:
        kept = certificates.witness(denied)
        return by_proof(f"Evaluated exactly: {denied.text}.", certificate=kept)
    return by_witness(Witness(at, Side("FedLAMA", lama), relation, Side("FedAvg(2)", long)))


if __name__ == "__main__":
    run_script(__file__)
