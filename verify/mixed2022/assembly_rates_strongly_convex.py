"""Appendix D.2.1 of Augenstein et al. (2022): the strongly convex rate of 1-way Gradient Transfer with constants, its weights.

The quoted lemma gives the weighted average of x^(0)..x^(T) when D belongs to x^(0); the printed average of x^(1)..x^(T+1) has
the same order.
"""

from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import algebra_claim, asymptotic_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly, one_round
from fltheory.theory.mixed2022.assembly import SC_FINAL
from fltheory.theory.mixed2022.one_round import S, beta, mu
from fltheory.theory.states import proves
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


LEVEL = one_round.noise(sp.Integer(1), sp.Integer(1))


def rate_of(start: sp.Expr, noise: sp.Expr) -> sp.Expr:
    """The rate with its start times ``start`` and its noise times ``noise``."""
    begin = R(9, 2) * mu * assembly.D2 * sp.exp(-3 * mu * assembly.T / (16 * beta))
    logarithm = sp.log(R(45, 46) * mu**2 * assembly.T * assembly.D2 / LEVEL)
    rest = R(23, 15) * LEVEL / (mu * assembly.T) * (3 + sp.Max(R(1, 2), logarithm))
    return R(20, 17) * (start * begin + noise * rest)


def run(first: int, bound: Bound, T: int, begin: Fraction, centre: int) -> Witness:
    """f_f = f_c = x^2/2, K = 1, S = 2, central noise only: the gap at the mean of x^(first)..x^(first+T), weights as printed."""
    (largest,), step = bound.expression.atoms(sp.Max), min(ONE / 8, ONE / (3 * T)) if centre else ONE / 8
    at = {
        beta: 1,
        mu: 1,
        one_round.K: 1,
        S: 2,
        one_round.V: 0,
        one_round.C: centre,
        assembly.D2: begin**2,
        assembly.T: T,
    }
    kept = 1 - Fraction(3, 2) * step
    left = ChainOfRounds(begin, step, centre).average_gap([kept ** (-r) for r in range(T + 1)], first)
    # without noise its term is zero, and the step is the largest one
    smaller = sp.Min(1 / (8 * beta), 2 * largest / (3 * mu * assembly.T)) if centre else 1 / (8 * beta)
    right = (1 + first) * (bound.expression if centre else bound.expression.subs(largest, 0))
    gap, given = Side(f"E f - f* at the mean from x^({first})", left), [(one_round.e, "=", smaller)]
    return Witness(
        {**at, one_round.e: step}, gap, "<=", Side("the bound", right), given, "f_f = f_c = x^2/2, central noise only"
    )


def strongly_convex(first: int, start: str, noise: str) -> Evidence:
    """(1 + first) times the rate, its start times ``start`` and its noise times ``noise``, at the mean."""
    bound = SC_FINAL
    if (start, noise) != ("1", "1"):
        bound = replace(SC_FINAL, expression=rate_of(R(start), R(noise)))
    runs = [run(first, bound, T, *case) for T in (3, 10) for case in ((ONE, 0), (Fraction(1, 100), 1))]
    options = dict(first=first, scale=str(1 + first))
    recursion = (assembly.CVX_REC_SHARP, *derivations.SHARP_CONVEX)
    return by_derivation(
        for_every_noise(derivations.one_way_rate, bound, *recursion, **options),
        tried(runs),
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
