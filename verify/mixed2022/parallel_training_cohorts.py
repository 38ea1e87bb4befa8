"""Theorem B.1 of Augenstein et al. (2022): large cohorts in Parallel Training with eta_m = eta_s = 1.

The conditions of the theorem leave eta_s free; the experiments have eta_s = 1.  The noise moves the local points of every client,
and averaging over the cohort does not bring the mean of their gradients back, as for 2-way GT (two_way_cohorts).
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.evidence.proved import decide
from fltheory.theory.mixed2022 import orders as o
from fltheory.theory.mixed2022 import parallel_rates as r
from fltheory.theory.mixed2022 import parallel_scatter as scatter
from fltheory.theory.mixed2022 import two_way_bounds as b
from fltheory.theory.mixed2022.two_way_scatter import ACCURACY

CASE = "strongly convex"
HYPOTHESES = (
    "Assumption 4.1",
    "E g_c = grad f_c, variance at most sigma_c^2",
    "f_f, f_c beta-smooth and mu-convex, mu > 0",
    "Definition 4.2 with w_f = w_c = 1/2",
    "eta_m = eta_s = 1, eta_c = eta, step size chosen for eps",
)


def large_cohort(constant: int = 10**4) -> str:
    """A noise at which 2 sigma/5 rounds are more than ``constant`` times the order, which does not grow with it."""
    accuracy = Fraction(int(ACCURACY.p), int(ACCURACY.q))
    at = {
        o.K: 2,
        o.mu: 0.1,
        o.beta: 1,
        o.D2: 2,
        o.eps: float(accuracy),
        o.G: float(scatter.G),
        o.B: float(scatter.B),
        o.C: 0,
    }
    order = sp.lambdify((o.V, o.S), o.order("PT", CASE).expression.subs(at), "math")
    for exponent in range(1, 60):
        sigma = 2**exponent
        rounds, cohort = Fraction(2, 5) * sigma, 2 * sigma**2 / accuracy
        limit = constant * order(float(sigma) ** 2, float(cohort))
        if rounds > limit:
            return (
                f"f_f = x^2/20 + (9/20) max(0, x)^2, f_c = x^2/20 - 11x/25, x0 = -1, K = 2, eta_m = eta_s = 1, eta_c = eta, "
                f"client noise +-{sigma}, S = {cohort}, T = {int(rounds)}, eps = {accuracy}, G = 1, B = 2: E f(x_t) - f* "
                f">= eps for t <= T and every admissible step; {constant} times the order (mu = 1/10, beta = 1, log(1/eps) = "
                f"{float(-sp.log(float(accuracy))):.3g}) is at most {limit:.6g}"
            )
    return ""


@claim(
    "MX-T1-PT-SC[eta_m = eta_s = 1, eta_c = eta]",
    kind=Kind.ASYMPTOTIC,
    scope=Scope.GENERAL,
    source="Theorem B.1, Table 1",
    statement=o.order("PT", CASE).latex(),
    assumptions=HYPOTHESES,
    repair="MX-T1-PT-SC[eta_m = 1, other rates chosen]",
    printed=dict(widths="1"),
    summary="With eta_m = eta_s = 1 and large cohorts no step size makes the order true: the noise moves the local points of every "
    "client, and averaging does not remove what a gradient that is not linear makes of that. With eta_s = sqrt(S) it holds.",
    controls=[Control("eta_m eta_s >= sqrt(S)", dict(widths="sqrt(S)"), must="pass")],
)
def order(widths: str) -> Evidence:
    """The explicit number of rounds, which needs eta_m eta_s >= sqrt(S); else a run that needs more, whatever the step."""

    def counterexample() -> str:
        steps = [*scatter.scatter_steps(), *scatter.dissimilarity_steps()]
        return large_cohort() if all(step.verified for step in steps) else ""

    own = r.against_order(CASE, o.DISSIMILARITY[CASE])
    return decide(
        [*r.steps(CASE, r.PARTS[CASE]), *r.one_round_more(CASE), *own, *b.cohorts(widths, sp.Rational(1, 12))],
        counterexample,
        method="the explicit number of rounds MX-THMB1-S3, part by part against the terms of the order",
        valid_for="eta_m = 1, eta_s = sqrt(S), as MX-T1-PT-SC[eta_m = 1, other rates chosen]",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
