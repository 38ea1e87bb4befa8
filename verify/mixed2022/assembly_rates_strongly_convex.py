"""Appendix D.2.1 of Augenstein et al. (2022): the strongly convex rate of 1-way Gradient Transfer with constants, its weights.

The quoted lemma gives the weighted average of x^(0)..x^(T) when D belongs to x^(0); the printed average of x^(1)..x^(T+1) has
the same order.
"""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly, one_round
from fltheory.theory.mixed2022.assembly import SC_FINAL
from fltheory.theory.mixed2022.one_round import S, beta, mu
from fltheory.theory.states import proves
from fltheory.theory.values import exact_value
from verify.mixed2022 import assembly_steps, derivations
from verify.mixed2022.assembly_steps import ChainOfRounds, for_every_noise
from verify.mixed2022.settled import false_algebra

R, ONE, ZERO = sp.Rational, Fraction(1), Fraction(0)
VALID = "every N, S <= N, K >= 1, dimension, all noise laws; eta with K eta eta_s equal to the step named"


WEIGHTS = Relations(
    "q**(1 - r) < q**(-r) for r >= 1; beta > 0; 0 < mu <= beta; 0 < e <= 1/(8*beta); q = 1 - 3*(mu*e)/2",
    names={"e": r"\tilde\eta"},
)
of_weights = algebra_claim.sharing(source="Appendix D.2.1, weights of the average")
decreasing = false_algebra(
    "MX-SC-FINAL.2",
    WEIGHTS.changed(") < ", ") > "),
    true={"increasing": (") > ", ") < ")},
    group=of_weights,
    fault="slip",
    repair="MX-SC-FINAL.2-R1",
    headline="The weights of the average are called decreasing, and they increase",
    summary="The weights are called geometrically decreasing; they increase: later models weigh more (as they should).",
)
increasing = statement_of_algebra(
    "MX-SC-FINAL.2-R1",
    WEIGHTS,
    false={"decreasing": (") < ", ") > ")},
    group=of_weights,
    summary="For mu > 0 the weights increase geometrically.",
)


def exp_above(x: Fraction) -> Fraction:
    """A rational number above exp(-x), x >= 0."""
    n = max(1, int(x)) * 8
    part = x / n
    return 1 / (1 + part + part**2 / 2) ** n


LEVEL = one_round.noise(sp.Integer(1), sp.Integer(1))


def rate_of(start: sp.Expr, noise: sp.Expr) -> sp.Expr:
    """The rate with its start times ``start`` and its noise times ``noise``."""
    begin = R(9, 2) * mu * assembly.D2 * sp.exp(-3 * mu * assembly.T / (16 * beta))
    logarithm = sp.log(R(45, 46) * mu**2 * assembly.T * assembly.D2 / LEVEL)
    rest = R(23, 15) * LEVEL / (mu * assembly.T) * (3 + sp.Max(R(1, 2), logarithm))
    return R(20, 17) * (start * begin + noise * rest)


def sides(first: int, bound: Bound, case: tuple[int, Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """E f - f* at the mean of x^(first)..x^(first+T), and a number above (1 + first) times the bound."""
    T, begin, centre = case
    lam = Fraction(1, 2) if centre else ZERO  # log(45/46 T D^2/noise) is below 1/2 in these cases
    e = min(ONE / 8, lam / (Fraction(3, 2) * T)) if centre else ONE / 8
    own = 1 - Fraction(3, 2) * e
    chain = ChainOfRounds(begin, e, centre)
    (power,), (largest,) = bound.expression.atoms(sp.exp), bound.expression.atoms(sp.Max)
    values = {beta: 1, mu: 1, one_round.K: 1, S: 2, one_round.V: 0, assembly.D2: begin**2, assembly.T: T}
    plain = bound.expression.subs({power: R(exp_above(Fraction(3 * T, 16))), largest: R(lam)})
    right = (1 + first) * exact_value(plain, {**values, one_round.C: centre})
    return chain.average_gap([own ** (-r) for r in range(T + 1)], first), right


def strongly_convex(first: int, start: str, noise: str) -> Evidence:
    """(1 + first) times the rate, its start times ``start`` and its noise times ``noise``, at the mean."""
    bound = SC_FINAL
    if (start, noise) != ("1", "1"):
        bound = replace(SC_FINAL, expression=rate_of(R(start), R(noise)))
    found = search(
        [(T, d0, c) for T in (3, 10) for d0, c in ((ONE, ZERO), (Fraction(1, 100), ONE))],
        lambda case: sides(first, bound, case),
        describe=lambda c: (
            f"f_f = f_c = x^2/2, mu = beta = 1, K = 1, S = 2, T = {c[0]}, D^2 = {c[1] ** 2}, sigma_c^2 = {c[2]}, "
            f"average from x^({first}) against an upper estimate of the bound"
        ),
    )
    options = dict(first=first, scale=str(1 + first))
    recursion = (assembly.CVX_REC_SHARP, *derivations.SHARP_CONVEX)
    return by_derivation(
        for_every_noise(derivations.one_way_rate, bound, *recursion, **options),
        found,
        valid_for=VALID + ", D^2 > 0, T >= 8 beta/(3 mu)",
        method="The recursion from the round's hypotheses, summed with growing weights; Jensen's inequality in every round; the "
        "weights grow at least like the exponentials at the step's limit and at its tuned value, of which it is the smaller one.",
    )


SC_CONDITIONS = (
    *assembly_steps.HYPOTHESES,
    "f_f, f_c mu-convex, mu > 0",
    "eta_s > sqrt(5S/8)",
    "T >= 8 beta/(3 mu)",
    "effective step min(1/(8 beta), 2 Lambda/(3 mu T)), Lambda = max(1/2, log(45 mu^2 T D^2/(46 nu)))",
    "nu = sigma_c^2 + sigma^2/(KS)",
)
of_the_rate = asymptotic_claim.sharing(
    source="Appendix D.2.1, strongly convex case",
    assumptions=SC_CONDITIONS,
    proves=proves(
        SC_FINAL,
        rate_of,
        under=(8 * one_round.eta_s**2 > 5 * S, 8 * beta * one_round.e <= 1, mu > 0, 3 * mu * assembly.T >= 8 * beta),
    ),
)
sc_rate = of_the_rate(
    "MX-SC-FINAL.1",
    headline="Strongly convex rate of 1-way transfer, with constants and for every cohort size",
    statement=SC_FINAL,
    depends=("MX-CVX-REC-S1", "MX-LEMD3-2.1"),
    summary="The O~ statement with constants, for every cohort size (the printed recursion gives none at S = 1). The exponent "
    "3 mu T/(16 beta) and the threshold 8 beta/(3 mu) are those of the quoted lemma; average of x^(0)..x^(T), weights "
    "(1 - 3 mu e/2)^(-t). Without noise the second term is 0.",
    printed=dict(first=0, start="1", noise="1"),
    controls=[Control("start divided by 8", dict(start="1/8")), Control("noise times 0.004", dict(noise="4/1000"))],
)(strongly_convex)
sc_shifted = of_the_rate(
    "MX-SC-FINAL.3",
    headline="The average printed, one round later, has the same strongly convex rate up to constants",
    statement=(SC_FINAL, r"\quad\text{(twice the right side), average of}\ x^{(1)},\ldots,x^{(T+1)}"),
    summary="The printed average x^(1)..x^(T+1) with D at x^(0) has the same order: twice the constants are enough. Without "
    "noise the second term is 0.",
    depends=("MX-SC-FINAL.1", "MX-LEMD3-2.1"),
    printed=dict(first=1, start="1", noise="1"),
    controls=[Control("start times 0.03", dict(start="3/100")), Control("noise times 0.0015", dict(noise="3/2000"))],
)(strongly_convex)


if __name__ == "__main__":
    run_script(__file__)
