"""Section 4.2 of Augenstein et al. (2022), heterogeneous clients: 1-way GT's bounds with sigma^2 + K sigma_f^2, proved.

The proofs of Appendix D use little of the client noise: that it is orthogonal to the mean gradient and to the central noise,
and its mean square.  The choice of the cohort has the same two properties, and the clients' first directions have sigma_f^2
more mean square; so every constant stays as it is.  The condition eta_s >= sqrt(S) (nearly, in the convex cases) is needed.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt

import sympy as sp

from fltheory.evidence.exact_search import Search
from fltheory.evidence.mixed_heterogeneous import ClientsRound, Population, leaning, shifted
from fltheory.evidence.mixed_one_round import AFTER, evaluated, settle
from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.theory.mixed2022 import assembly as a
from fltheory.theory.mixed2022 import drift as f
from fltheory.theory.mixed2022 import heterogeneous as h
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022.convex import Kinked
from fltheory.theory.steps import Step, sign

R, ONE, ZERO, HALF = sp.Rational, Fraction(1), Fraction(0), Fraction(1, 2)
FLAT, FULL = Kinked(ZERO, ZERO), Kinked(ONE, ONE)
#: So many copies of two clients that their choice has hardly any variance.
MANY = 2**17
REDUCTION = (
    "n + q has the properties that the proofs use of n, with sigma^2 + K sigma_f^2; power-sum reduction for the cohort (any N, "
    "S, without replacement, or with it where repeated clients run again), tower property (noise given the cohort), mean and "
    "deviation over clients for the first directions; "
    "D.5, D.7, D.8 are used for each client's own loss and averaged; Gram identity in commuting scalars (removes d)"
)
VALID = "every N, S <= N, K >= 1, dimension, all noise laws; steps and eta_s as in Theorem B.2"
HYPOTHESES = (
    "E g_i = grad f_i with variance at most sigma^2",
    "(1/N) sum_i |grad f_i - grad f_f|^2 <= sigma_f^2 everywhere",
    "E g_c = grad f_c, variance at most sigma_c^2",
    "uniform cohort, independent of the noise of g_c",
    "fresh independent batches",
    "every f_i, and f_c, beta-smooth (and mu-convex, mu >= 0, in the convex cases)",
)


def roots(cohort: int, server: str, convex: bool) -> Fraction:
    """A rational eta_s just above sqrt(5S/8) or sqrt(S), or 1."""
    if server == "1":
        return ONE
    size = Fraction(5 * cohort, 8) if convex else Fraction(cohort)
    return Fraction(isqrt(int(size * 4096)) + 1, 64)


def populations(convex: bool) -> list[Population]:
    found = [shifted(ONE, ONE, ONE, -ONE), shifted(ZERO, ZERO, ONE, -ONE), shifted(HALF, ONE, ONE, -HALF, -HALF)]
    return (
        [*found, leaning(HALF)] if convex else [*found, shifted(-ONE, ONE, ONE, -ONE), shifted(-ONE, -ONE, ONE, -ONE)]
    )


def instances(top: Fraction, *, convex: bool, server: str, local: bool = False) -> list[ClientsRound]:
    """Cohorts of 1 and 2 among 2 or 3 clients, one and two steps; and many clients without noise."""
    found = []
    for population, centre, x, (S, K), (client, central) in product(
        populations(convex), (FLAT, FULL), (ZERO, ONE), ((1, 1), (1, 2), (2, 1), (2, 2)), ((ZERO, ZERO), (ONE, HALF))
    ):
        eta_s = roots(S, server, convex)
        step = top if local else top / (K * eta_s)
        found.append(ClientsRound(population, centre, x, step, eta_s, K, S, client, central))
    eta_s = roots(2 * MANY, server, convex)
    crowd = leaning(HALF)
    found.append(
        ClientsRound(crowd, FULL, ZERO, top if local else top / (2 * eta_s), eta_s, 2, 2 * MANY, repeated=MANY)
    )
    return found


def worst(*searches: Search) -> Search:
    """The least slack, and all instances counted."""
    found = min(searches, key=lambda s: s.worst)
    return Search(sum(s.examined for s in searches), found.worst, found.counterexample)


def recursions(factor: sp.Expr, server: str) -> list[Step]:
    """MX-CVX-REC-S1 and MX-NC-REC-S2 once more, for every variance sigma^2 >= 0; then for the larger one."""
    two, eight = sp.Integer(2), sp.Integer(8)
    found = []
    for lemma, inside, target, top, largest in (
        (o.LEMMA_D10_SHARP, a.cvx_drift(eight, two, two), a.CVX_REC_SHARP, R(1, 8), 8 / (5 * o.S)),
        (o.LEMMA_D12_SHARP, a.nc_drift(two, two, two), a.NC_REC_SHARP, R(1, 18), 1 / o.S),
    ):
        reach = largest if server != "1" else sp.Integer(1)
        general = a.recursion(lemma.expression, inside, target.expression, top, reach)
        found.append(general)
    return [
        *found,
        sign(
            "sigma^2 + factor sigma_f^2 is a variance",
            h.enlarged(o.V, factor),
            ((o.V, 0, None), (o.K, 1, None), (h.SPREAD, 0, None)),
        ),
    ]


def bounds(factor: str, server: str) -> Evidence:
    """Update, drift, both recursions with the factor in front of sigma_f^2."""
    size = sp.sympify(factor, locals={"K": o.K})
    steps = [*h.facts(size), *recursions(size, server)]
    small = R(1, 1000)
    update = h.enlarged(o.LEMMA_D9_SHARP.expression.subs(o.b, small), size)
    eighth, eighteenth = Fraction(1, 8), Fraction(1, 18)
    found = worst(
        evaluated(o.move, update, instances(eighth, convex=True, server=server)),
        evaluated(
            AFTER,
            h.enlarged(f.LEMMA_D11_SHARP.expression, size),
            instances(ONE, convex=True, server=server, local=True),
        ),
        evaluated(o.near, h.enlarged(a.CVX_REC_SHARP.expression, size), instances(eighth, convex=True, server=server)),
        evaluated(
            AFTER, h.enlarged(f.LEMMA_D13_SHARP.expression, size), instances(eighteenth, convex=False, server="sqrt(S)")
        ),
        evaluated(
            o.gain, h.enlarged(a.NC_REC_SHARP.expression, size), instances(eighteenth, convex=False, server=server)
        ),
    )
    return settle(steps, found, method=REDUCTION, valid_for=VALID)


one_way = claim(
    "MX-HET.1W",
    kind=Kind.EXPECTATION,
    scope=Scope.GENERAL,
    source="Section 4.2, and Theorem B.2",
    statement=r"\frac{\sigma^2}{KS}\to\frac{\sigma^2+K\sigma_f^2}{KS}:\quad "
    + a.CVX_REC_SHARP.latex()
    + r",\quad "
    + a.NC_REC_SHARP.latex(),
    summary="1-way Gradient Transfer: update, drift and both recursions, with the constants of the homogeneous case, hold for "
    "clients that differ when sigma^2 becomes sigma^2 + K sigma_f^2, hence also every bound and order that follows from "
    "them (in the variance of the update the factor K is exact). Without a condition like eta_s >= sqrt(S), which Theorem B.2 "
    "has, they fail for many clients.",
    assumptions=HYPOTHESES,
    depends=(
        "MX-LEMD9-S6",
        "MX-LEMD10-S7",
        "MX-LEMD11-S10",
        "MX-LEMD12-S9",
        "MX-LEMD13-S7",
        "MX-CVX-REC-S1",
        "MX-NC-REC-S2",
        "MX-T1-1W-SC",
        "MX-T1-1W-C",
        "MX-T1-1W-NC",
    ),
    printed=dict(factor="K", server="sqrt(S)"),
    controls=[
        Control("no sigma_f^2", dict(factor="0")),
        Control("sigma_f^2 without K", dict(factor="1")),
        Control("99/100 K", dict(factor="99*K/100")),
        Control("eta_s = 1, many clients", dict(server="1")),
    ],
)(bounds)

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
