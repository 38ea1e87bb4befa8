"""The note's "equivalent code" (Parallel Restarted SGD) against FedAvg, and the names FedAvg is said to go by.

As printed, an averaging step subtracts a gradient that was drawn at the client's own point *before* averaging.  That is
not FedAvg, not even for K = 1; with the average taken first, and K dividing t - 1, the codes agree step by step.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_relations
from fltheory.evidence.decide import decide
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Witness
from fltheory.theory.lecture2022.bounds import G, L, s, theorem_1
from fltheory.theory.states import proves
from fltheory.theory.steps import Proof, identity
from verify.lecture2022.averages import client_average
from verify.lecture2022.codes import CLIENTS, compare, proof_of_equality
from verify.lecture2022.instances import scaled
from verify.lecture2022.theorem_1 import CODES, derived_for

of_equivalent_code = identity_claim.sharing(source="slide on the equivalent code")

#: How far apart the averages of two codes are after a step.
DISTANCE = sp.Symbol("distance")
_RUN = "that the averages are so far apart on this instance was computed by the loops of both codes"
EVERY = "all N, K, d, clients and noises"


def fixed_point_with_one_step(code: str) -> sp.Expr:
    """K = 1, f_1 = x^2/2, f_2 = -x: the average at which the code stays (the minimiser of f is 1)."""
    step, centre, own = sp.symbols("s y x", positive=True)
    point = own if code == "printed" else centre
    moved = sp.solve([sp.Eq(own, centre - step * point), sp.Eq(point - 1, 0)], [own, centre], dict=True)[0]
    return moved[centre]


#: The averages after two steps, K = 1, of f_1' = x and f_2' = -1 from x_0: p after the first step, u printed and v FedAvg.
SECOND_STEP = Relations(
    "(u_1 + u_2)/2 = (v_1 + v_2)/2 for s > 0; p_1 = x_0 - s*x_0; p_2 = x_0 + s; y = (p_1 + p_2)/2; "
    "u_1 = y - s*p_1; u_2 = y + s; v_1 = y - s*y; v_2 = y + s"
)


def equivalent(code: str, reference: str, clients: str) -> Evidence:
    """Whether two codes give the same models: induction over formal steps, and their own loops on instances."""
    limits = {
        f"K=1, f_1=x^2/2, f_2=-x: limit of the average ({c})": fixed_point_with_one_step(c)
        for c in ("printed", "FedAvg")
    }
    if (code, reference) == ("printed", "FedAvg"):
        return by_relations(SECOND_STEP, method="The second step of both codes, K = 1, two clients.", numbers=limits)
    return decide(
        proof_of_equality(code, reference),
        tried(
            (
                Witness({"distance": x.left}, DISTANCE, "=", 0, (), x.text)
                for x in compare(code, reference, clients=clients)
            ),
            prose=_RUN,
        ),
        method="Induction over the steps on the formal step of a generic client; the codes' own loops run on small instances.",
        valid_for=EVERY,
        numbers=limits,
    )


as_printed = of_equivalent_code(
    "LEC-PRSGD[as printed]",
    prose="p, u and v are the steps of the printed code and of FedAvg for K = 1, f_1' = x, f_2' = -1; "
    "where they end is solved from their fixed points",
    fault="substance",
    statement=r"x_i^t=\bar y-sG_i(x_i^{t-1})\ \text{if } K|t\quad\Longleftrightarrow\quad\text{FedAvg}",
    printed=dict(code="printed", reference="FedAvg", clients="different clients"),
    repair="LEC-PRSGD[average first, K divides t-1]",
    headline="The two codes called equivalent give different iterates, even for one local step",
    summary="Not equivalent: the averaging step uses a gradient from before averaging. Even for K=1 it ends elsewhere "
    "(1+s, not 1).",
    controls=[Control("average first, K divides t-1", dict(code="average first, K divides t-1"), must="pass")],
)(equivalent)

average_first = of_equivalent_code(
    "LEC-PRSGD[average first, K divides t-1]",
    statement=r"x_i^t=\bar y-sG_i(\bar y)\ \text{if } K|(t-1)\quad\Longleftrightarrow\quad\text{FedAvg}",
    printed=dict(code="average first, K divides t-1", reference="FedAvg", clients="different clients"),
    summary="This flat code is FedAvg with M = N, iterate by iterate (run against the loop over rounds).",
    controls=[
        Control("gradient before averaging", dict(code="printed")),
        Control("K divides t: the first round has K-1 steps", dict(code="average first, K divides t")),
    ],
)(equivalent)


@of_equivalent_code(
    "LEC-PRSGD-S1",
    statement=r"\nabla f_i(x)=Ax-b_i,\ G_i^t=\nabla f_i+n_i^t\ \Rightarrow\ "
    r"\bar x^t_{\text{printed}}=\bar x^t_{\text{FedAvg}}",
    printed=dict(clients="one curvature", draws="additive"),
    depends=("LEC-MEAN",),
    headline="The two codes agree if clients share the linear part of an affine gradient",
    summary="When all clients share the linear part of an affine gradient, and gradients are exact or have the same "
    "additive noise in both codes, the averaged iterates agree for every K.",
    assumptions=("equal Hessians", "exact gradients, or the same additive noise in both codes", "M = N"),
    controls=[
        Control("clients of different curvature", dict(clients="different clients")),
        Control("noise proportional to x", dict(draws="proportional")),
    ],
)
def common_curvature(clients: str, draws: str) -> Evidence:
    hessian, point, vector, noise, one = sp.symbols("A_i x_i b_i n_i one")
    matrix, centre, shift, heard, d_a, d, d_b, d_n = sp.symbols("A xbar b nbar dA d db dn")
    means = {hessian: (matrix, d_a), point: (centre, d), vector: (shift, d_b), noise: (heard, d_n)}
    # G_i = A_i x_i - b_i + n_i, or A_i x_i - b_i + n_i x_i when the noise is proportional to the point.
    gradient = hessian * point - one * vector + noise * (point if draws == "proportional" else one)
    slopes = [c.gradient(Fraction(1)) - c.gradient(Fraction(0)) for c in CLIENTS[clients]]
    equal = {d_a: 0} if len(set(slopes)) == 1 else {}
    average = client_average(gradient, means, common=[one]).subs({one: 1, **equal})
    claimed = matrix * centre - shift + heard * (centre if draws == "proportional" else 1)
    steps = (
        identity("the mean gradient depends on the average of the points alone", average, claimed),
        identity("equal averages move equally", (centre - s * average) - s * (claimed - average), centre - s * claimed),
    )
    exact = [] if draws == "exact" else compare("printed", "FedAvg", clients=clients)
    return decide(
        Proof(steps),
        lambda: [*exact, *compare("printed", "FedAvg", clients=clients, draws=draws)],
        method="Mean/deviation splitting of A_i x_i - b_i + n_i over the clients: only the products dA_i d_i depend on where "
        "the clients are, and dA_i = 0. Induction over the steps with the recursion of the average.",
        valid_for="all N, K, d, common A, every sequence of additive noises",
    )


@expectation_claim(
    "LEC-PRSGD[equivalent for Theorem 1]",
    statement=theorem_1,
    proves=proves(theorem_1, under=(s * L <= 1,)),
    printed=dict(drift="1"),
    source="slide on the equivalent code",
    summary="Weakest reading: the same guarantee. Theorem 1 is proved for the printed code and for FedAvg.",
    controls=[Control("drift constant 4 -> 1/100", dict(drift="1/400"))],
)
def same_guarantee(drift: str) -> Evidence:
    return derived_for(CODES, scaled(theorem_1, {G: drift}), valid_for="as Theorem 1")


local_sgd = identity_claim(
    "LEC-LOCALSGD[Local SGD]",
    statement=r"\text{FedAvg}(M=N)=\text{Local SGD, averaging after every }K\text{ steps}",
    printed=dict(code="Local SGD", reference="FedAvg", clients="different clients"),
    source="FedAvg slide",
    summary="Local SGD has the same iterates under full participation.",
    controls=[Control("averaging after every step", dict(code="Parallel SGD"))],
)(equivalent)

restarted = identity_claim(
    "LEC-LOCALSGD[Parallel Restarted SGD as printed]",
    prose="p, u and v are the steps of the printed code and of FedAvg for K = 1, f_1' = x, f_2' = -1",
    fault="substance",
    statement=r"\text{FedAvg}(M=N)=\text{the printed code}",
    printed=dict(code="printed", reference="FedAvg", clients="different clients"),
    source="FedAvg slide and equivalent code",
    repair="LEC-LOCALSGD[Local SGD]",
    headline="Parallel restarted SGD as printed is not local SGD",
    summary="See the rows on the equivalent code: different iterates from the second step on.",
    controls=[Control("Local SGD", dict(code="Local SGD"), must="pass")],
)(equivalent)


if __name__ == "__main__":
    run_script(__file__)
