"""Theorem B.1 of Augenstein et al. (2022): what the orders and the condition of the quoted theorem on FedAvg become.

The quoted theorem: clients h_1, h_2 with objective their mean h = f/2, local rate eta_l, server rate eta_g >= 1, mean|grad h_i|^2
<= G'^2 + B'^2 |grad h|^2 and eta_l <= 1/(6 (1 + B'^2) beta K eta_g).  That it applies is the matter of theorems_b_maps.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import orders
from fltheory.theory.mixed2022.orders import CASES, D2, DISSIMILARITY, NOISE_SCALE, B, C, G, K, S, V, beta, eps, eta_m
from fltheory.theory.steps import Step, equality, identity
from verify.mixed2022.declared import algebra_claim
from verify.mixed2022.settled import settle

F, R = Fraction, sp.Rational


@algebra_claim(
    "MX-THMB1-MAP.2",
    source="proof of Theorem B.1",
    printed=dict(dissimilarity="G/2", variance="(V/S + C)/2"),
    statement=r"h=\tfrac f2:\ (G',B')=(\tfrac G2,B),\ \epsilon'=\tfrac\epsilon2,\ F'=\tfrac F2,\ \sigma'^2="
    r"\tfrac12(\tfrac{\sigma^2}S+\sigma_c^2)",
    summary="With h = (f_f + f_c)/2 and the constants of Definition 4.2 at w_f = w_c = 1/2 every "
    "term of the quoted orders becomes a printed term times a number "
    "(the convex dissimilarity term without its D^2 and the non-convex one are carried over as quoted).",
    controls=[
        Control("client variance not divided by S", dict(variance="(V + C)/2")),
        Control("G' = G^2", dict(dissimilarity="G**2")),
    ],
)
def orders_carry_over(dissimilarity: str, variance: str) -> Evidence:
    """Quoted terms: sigma'^2/(2 K mu eps'), G' sqrt(beta)/(mu sqrt(eps')), B'^2 beta/mu, and so on; eps' = eps/4 for |grad h|^2."""
    names = {s.name: s for s in (V, C, K, S, G, B)}
    g, v = sp.sympify(dissimilarity, locals=names), sp.sympify(variance, locals=names)
    steps, instances = [], []
    at = {V: 2, C: 3, K: 2, S: 7, G: 5, B: 2, beta: 1, orders.mu: 1, D2: 1, orders.F: 1, eps: 1}
    other = {**at, V: 11, C: 1, S: 3, G: 13}
    for case in CASES:
        accuracy = eps / (4 if case == "non-convex" else 2)
        half = {eps: accuracy, orders.F: orders.F / 2}
        quoted = {
            "noise": v / (2 * K) * NOISE_SCALE[case].subs(half, simultaneous=True),
            "dissimilarity": (DISSIMILARITY[case] / G).subs(half, simultaneous=True) * g,
            "optimisation": B**2 * orders.OPTIMISATION[case].subs(sp.log(1 / eps), 1).subs(half, simultaneous=True),
        }
        printed = {k: t.subs(sp.log(1 / eps), 1) for k, t in orders.terms("PT", case).items()}
        for name, term in quoted.items():
            ratio = sp.simplify(term / printed[name])
            steps.append(Step(f"{case}, {name}: quotient is a number", ratio.is_number, f"{ratio}"))
            first, second = (sp.nsimplify(ratio.subs(values)) ** 2 for values in (at, other))
            instances.append(
                equality(f"{case}, {name}: (quoted/printed)^2 at two points", F(str(first)), F(str(second)))
            )
    a, b = sp.symbols("a b")
    steps.append(
        identity(
            "(|a|^2 + |b|^2)/2 from Definition 4.2 with weights 1/2, divided by 4",
            (2 * a**2 + 2 * b**2) / 4,
            (a**2 + b**2) / 2,
        )
    )
    steps.append(identity("|grad f|^2/4 = |grad h|^2", (a + b) ** 2 / 4, ((a + b) / 2) ** 2))
    return settle(
        steps,
        instances,
        method="quoted terms with the mapped constants divided by the printed terms",
        valid_for="all constants",
    )


def condition(merge: str, constant: str) -> Evidence:
    """eta_l <= 1/(6 (1 + B^2) beta K eta_g) with eta_g of the merging rule against the printed condition."""
    outer = {"sum": 2 * eta_m, "average": eta_m}[merge]
    carried = 1 / (6 * (1 + B**2) * beta * K * outer)
    printed = orders.limits("PT", "convex")[0] / R(constant)
    at = {B: 1, beta: 1, K: 1, eta_m: 1}
    sides = [F(str(x.subs(at))) for x in (printed, carried)]
    return settle(
        (identity("largest rates", printed, carried),),
        [equality("B = beta = K = eta_m = 1: stated largest rate, carried over", *sides)],
        method=f"eta_g = {outer} ({merge} of the updates)",
        valid_for="all B, beta, K, eta_m",
    )


COND = dict(source="Theorem B.1, conditions", depends=("MX-THMB1-MAP.1[eta_s = 1]",))
conditions = [
    algebra_claim(
        "MX-THMB1-COND[sum of the updates, Algorithm 1]",
        **COND,
        printed=dict(merge="sum", constant="1"),
        repair="MX-THMB1-COND-R1",
        statement=r"\eta_l\le\tfrac1{6(1+B^2)\beta K\eta_g},\ \eta_g=2\eta_m\ \Rightarrow\ \eta_c\le\tfrac1{6(1+B^2)\beta "
        r"K\eta_m}",
        summary="The printed condition is twice what the quoted theorem gives for Algorithm 1, which adds the updates. (In "
        "the reading of MX-T1-PT where eta_m is chosen too, the printed condition suffices.)",
        controls=[Control("half of it", dict(constant="2"), must="pass")],
    )(condition),
    algebra_claim(
        "MX-THMB1-COND[average of the updates]",
        **COND,
        printed=dict(merge="average", constant="1"),
        statement=r"\eta_g=\eta_m\ \Rightarrow\ \eta_c\le\tfrac1{6(1+B^2)\beta K\eta_m}",
        summary="With averaged updates (the example in the text) it is the quoted condition.",
        controls=[Control("half of it", dict(constant="2")), Control("1.01 of it", dict(constant="100/101"))],
    )(condition),
    algebra_claim(
        "MX-THMB1-COND-R1",
        **COND,
        printed=dict(merge="sum", constant="2"),
        statement=r"\eta_c,\eta\eta_s\le\tfrac1{12(1+B^2)\beta K\eta_m},\ \eta_s=1,\ \eta_m\ge\tfrac12",
        summary="Carried over exactly for the sum of the updates.",
        controls=[Control("as printed", dict(constant="1")), Control("0.99 of it", dict(constant="200/99"))],
    )(condition),
]

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
