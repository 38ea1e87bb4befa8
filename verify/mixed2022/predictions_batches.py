"""Augenstein et al. (2022) on the two variances in Table 1: Section 4.2, second implication, and batch sizes in C.4.1."""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.evidence.reports import Report, read, settle
from fltheory.theory.mixed2022 import orders as o
from fltheory.theory.steps import Instance, Proof, equality, identity

F, R = Fraction, sp.Rational
QUAL = dict(kind=Kind.QUALITATIVE, scope=Scope.GENERAL)


def sensitivity(power: str, what: str) -> Evidence:
    """Variance that one round adds: 1-way (eta_s q)^2 sigma_c^2, Parallel Training eta_c^2 sum (1 - eta_c

    lambda)^(2i) sigma_c^2.
    """
    many, lam, e, P = sp.symbols("many lam e P", positive=True)
    claimed = many ** R(power)
    # at lambda -> 0: q = K e and the sum K e^2, for every K; for lambda > 0 by Cauchy-Schwarz
    ratio = (many * e) ** 2 / (many * e**2)
    steps = [identity("ratio at curvature 0, for every K", ratio, claimed)]
    instances = []
    for value in (2, 4, 8):
        for x in (F(0), F(1, 10**6), F(1, 2)):
            q = sum(((1 - x) ** i for i in range(value)), F(0))
            squares = sum(((1 - x) ** (2 * i) for i in range(value)), F(0))
            exact = q * q / squares
            if what == "limit" and x <= F(1, 10**6):
                wanted = F(value) ** int(R(power)) if R(power).is_integer else F(str(sp.N(value ** R(power), 30)))
                instances.append(
                    Instance(
                        f"K = {value}, eta lambda = {x}: |ratio/claimed - 1| against 1e-4",
                        abs(exact / wanted - 1),
                        F(1, 10**4),
                    )
                )
            if what == "bound":
                instances.append(
                    Instance(
                        f"K = {value}, eta lambda = {x}: ratio against K^{power}",
                        exact,
                        F(str(sp.Rational(sp.N(value ** R(power), 30)))),
                    )
                )
    if what == "bound":
        a, b = sp.symbols("a b")
        steps = [
            identity(
                "Cauchy-Schwarz for two steps, and pairwise for K", 2 * (a**2 + b**2) - (a + b) ** 2, (a - b) ** 2
            ),
            identity("constant", claimed, many),
        ]
    return settle(
        Proof(tuple(steps)),
        lambda: instances,
        Report(
            "one round's noise in closed form: one draw used K times against K independent draws",
            "equal rates and curvatures on both sides; every K",
        ),
    )


rows_sigma = [
    claim(
        "MX-IMPL-SIGC.1",
        **QUAL,
        source="Section 4.2, second implication",
        printed=dict(power="1", what="limit"),
        statement=r"\lambda_f=\lambda_c,\ \eta\eta_s=\eta_c=\eta:\ "
        r"\lim_{\eta\to0}\frac{\mathrm{Var}_{1w}}{\mathrm{Var}_{PT}}=K",
        summary="For small steps the central noise that a round of 1-way GT adds is K times that of "
        "Parallel Training: |B_c| must be K times larger for the same effect.",
        controls=[Control("K^2", dict(power="2")), Control("K^(11/10)", dict(power="11/10"))],
    )(sensitivity),
    claim(
        "MX-IMPL-SIGC.2",
        **QUAL,
        source="Section 4.2, second implication",
        printed=dict(power="1", what="bound"),
        statement=r"\lambda_f=\lambda_c,\ \eta\eta_s=\eta_c=\eta:\ \mathrm{Var}_{1w}\le K\,\mathrm{Var}_{PT}",
        summary="At larger steps it is less than K times (Cauchy-Schwarz).",
        controls=[Control("K^(9/10)", dict(power="9/10"))],
    )(sensitivity),
]
PROP = dict(kind=Kind.ALGEBRA, scope=Scope.GENERAL, source="Section C.4.1")


def proportional(part: str, scales: str) -> Evidence:
    """Bound times t for sigma^2 and sigma_c^2 times t; quotient of the derivatives by sigma_c^2 and sigma^2."""
    t = sp.Symbol("t", positive=True)
    central = (
        {"PT": o.S, "1-w GT": o.K * o.S, "2-w GT": o.S} if scales == "printed" else dict.fromkeys(o.ALGORITHMS, o.S)
    )
    steps, instances = [], []
    at = {o.V: 1, o.C: 1, o.K: 2, o.S: 3, o.G: 1, o.B: 1, o.beta: 1, o.mu: 1, o.D2: 1, o.F: 1, o.eps: R(1, 4)}
    for algorithm in o.ALGORITHMS:
        for case in o.CASES[1:]:
            terms = o.terms(algorithm, case)
            bound = terms["noise"] if part == "leading term" else sum(terms.values())
            scaled = bound.subs({o.V: t * o.V, o.C: t * o.C}, simultaneous=True)
            steps.append(identity(f"{algorithm}, {case}: proportional", scaled, t * bound))
            quotient = sp.simplify(sp.diff(bound, o.C) / sp.diff(bound, o.V))
            steps.append(identity(f"{algorithm}, {case}: weight of sigma_c^2", quotient, central[algorithm]))
            squared = [sp.nsimplify((x.subs(t, 2).subs(at)) ** 2) for x in (scaled, t * bound)]
            name = f"{algorithm}, {case}, K = 2, S = 3, eps = 1/4, all else 1"
            instances.append(
                equality(
                    f"{name}: square of the bound at doubled variances against that of its double",
                    *(F(str(x)) for x in squared),
                )
            )
            instances.append(
                equality(f"{name}: weight of sigma_c^2", F(str(quotient.subs(at))), F(str(central[algorithm].subs(at))))
            )
    return settle(
        Proof(tuple(steps)),
        lambda: instances,
        Report("scaling of both variances; quotient of the partial derivatives", "all parameters"),
    )


rows_prop = [
    claim(
        "MX-C41-PROP",
        **PROP,
        printed=dict(part="leading term", scales="printed"),
        statement=r"\text{first term}\propto(\sigma^2,\sigma_c^2);\ \partial_{\sigma_c^2}/\partial_"
        r"{\sigma^2}=S\ (\text{PT, 2-w}),\ KS\ (\text{1-w})",
        summary="The leading terms are proportional to the variances, and sigma_c^2 counts S times (1-way "
        "GT: K S times) as much "
        "as sigma^2. (The other terms of the orders do not contain them.)",
        controls=[
            Control("S for 1-way GT too", dict(scales="S")),
            Control("the whole bound", dict(part="whole bound")),
        ],
    )(proportional),
]


def domination(batch: int, ratio: str) -> Evidence:
    """sigma^2 = v/5, sigma_c^2 = ratio v/|B_c|."""
    central, client = F(2 * 100) * F(ratio) / batch, F(1, 5)
    return read(
        central < client,
        method="K S sigma_c^2 against sigma^2 with variances inversely proportional to the batch",
        examined=1,
        margin=float((client - central) / max(central, client)),
        numbers={"K S sigma_c^2/sigma^2": str(central / client)},
        counterexample=f"|B_c| = {batch}, variance per example v on both sides: K S sigma_c^2 = {central} v >= "
        f"sigma^2 = {client} v",
        valid_for="the smile task",
    )


DOM = dict(**QUAL, source="Section C.4.1, smile task")
domination_rows = [
    claim(
        "MX-C41-DOM[equal variances per example]",
        **DOM,
        printed=dict(batch=25, ratio="1"),
        repair="MX-C41-DOM-R1",
        statement=r"|B_c|=25,\ S=100,\ |B_i|=5,\ K=2:\ KS\sigma_c^2<\sigma^2\ \text{(equal variances per example)}",
        summary="In the bound of 1-way GT the client variance dominates only beyond |B_c| = K S |B_i| "
        "= 1000 if an example has the same variance on both sides; at 25 the central term is 40 "
        "times larger. That AUC stops improving at 25 is then not explained by Table 1 (unless "
        "central examples vary 40 times less).",
        controls=[
            Control("|B_c| = 1001", dict(batch=1001), must="pass"),
            Control("central examples vary 41 times less", dict(ratio="1/41"), must="pass"),
        ],
    )(domination),
    claim(
        "MX-C41-DOM[central examples vary 41 times less]",
        **DOM,
        printed=dict(batch=25, ratio="1/41"),
        statement=r"|B_c|=25:\ KS\sigma_c^2<\sigma^2\text{ if }\sigma_c^2|B_c|\le\tfrac1{41}\sigma^2|B_i|",
        summary="The explanation needs central examples whose gradients vary more than "
        "40 times less than the clients'; the document gives no variances.",
        controls=[Control("40 times less", dict(ratio="1/40"))],
    )(domination),
    claim(
        "MX-C41-DOM-R1",
        **DOM,
        printed=dict(batch=1001, ratio="1"),
        statement=r"|B_c|>KS|B_i|=1000:\ KS\sigma_c^2<\sigma^2",
        summary="The bound's threshold is the rubric's |B_c| = K S |B_i|.",
        controls=[Control("|B_c| = 1000", dict(batch=1000)), Control("|B_c| = 500", dict(batch=500))],
    )(domination),
]

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
