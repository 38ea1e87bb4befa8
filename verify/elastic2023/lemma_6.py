"""Lemma 6 of the elastic aggregation supplement: gradient steps contract; exact factor and exact range of steps.

A4 and A2 at a further point give interpolation inequalities, both ways (mu = beta by continuity).  The exact factor is
max{(1 - mu eta)^2, (1 - beta eta)^2}, attained by quadratics, so that (13) holds exactly up to eta = (2 beta - mu)/beta^2,
which is between 1/beta and 2/beta.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.derivation.statement import text_of, with_coefficients
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import against_the_best, attained
from fltheory.theory.bound import Bound
from fltheory.theory.notation import Inner, NormSq
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance
from verify.elastic2023 import elsewhere, smooth
from verify.elastic2023.derivations import functions
from verify.elastic2023.smooth import KinkedLine, beta, eta, g_x, g_y, mu, x, y

of_lemma_6 = inequality_claim.sharing(source="Lemma 6")
step_of_the_proof = inequality_claim.sharing(source="proof of Lemma 6")

ONE = Fraction(1)
GENERAL = "all beta-smooth mu-strongly convex h, 0 <= mu <= beta, all x, y, any dimension"
APART = NormSq(x - y)


def changed(bound: Bound, term: sp.Expr, new: sp.Expr) -> Bound:
    """The bound with another coefficient of a term."""
    return replace(bound, expression=with_coefficients(bound.expression, {term: new}))


def quadratics(bound: Bound, top: sp.Expr, *shares: Fraction, convex: bool = True) -> Iterator[Instance]:
    """``h(t) = c t^2/2`` with c = mu, beta (and a concave one), for steps that are these shares of ``top``."""
    for pair in smooth.PAIRS:
        for share in shares:
            step = smooth.at_pair(top, pair) * share
            for curvature in dict.fromkeys((*pair, *(() if convex else (-pair[1],)))):
                known = {mu: pair[0], beta: pair[1], eta: step}
                yield smooth.on_the_line(bound, KinkedLine(curvature, curvature), {x: Fraction(0), y: ONE}, known)


@inequality_claim(
    "EL-LEM6.1",
    source="Lemma 6, (13)",
    statement=smooth.LEMMA_6,
    headline="A gradient step of length at most one over smoothness never increases distances",
    summary="A gradient step of length at most 1/beta contracts squared distances by 1 - mu eta.",
    proof_steps=("EL-LEM6.2", "EL-LEM6.3", "EL-LEM6.4"),
    proves=proves(smooth.LEMMA_6, lambda rate: (1 - rate * mu * eta) * APART, under=(eta >= 0, beta * eta <= 1)),
    printed=dict(rate="1", largest="1/beta", convex=True),
    controls=[
        Control("1 - mu eta -> 1 - 1.01 mu eta (sharp at mu = beta, eta = 1/beta)", dict(rate="101/100")),
        Control("h not convex", dict(convex=False)),
        Control("eta up to 1.01/beta (mu = beta)", dict(largest="101/(100*beta)")),
    ],
)
def lemma_6(rate: str, largest: str, convex: bool) -> Evidence:
    bound = changed(smooth.LEMMA_6, APART, 1 - sp.Rational(rate) * mu * eta)
    top = sp.sympify(largest, locals={"beta": beta, "mu": mu})
    best = "(1 - mu eta)^2 instead of 1 - mu eta (EL-LEM6-S1, where eta <= 2/(mu + beta)): the exponent doubles"
    return by_derivation(
        lambda: functions.lemma_6(bound, top=largest, convex=convex),
        lambda: quadratics(bound, top, ONE, Fraction(1, 2), convex=convex),
        method="The premises of the printed proof (interpolation with modulus 0 and A2, both ways, times eta) and a square.",
        valid_for=GENERAL + ", 0 <= eta <= 1/beta",
        tightness=against_the_best(2, best),
    )


@of_lemma_6(
    "EL-LEM6-S1",
    statement=smooth.LEMMA_6_SHARP,
    headline="A contraction factor of a gradient step, for every nonnegative step size",
    summary="For every step size eta >= 0 squared distances change by at most the factor max((1 - mu eta)^2, (1 - beta eta)^2); "
    "steps along mu x and beta x have these factors.",
    elsewhere=elsewhere.CONTRACTION,
    printed=dict(factor="1", convex=True),
    controls=[Control("factor times 0.99", dict(factor="99/100")), Control("h not convex", dict(convex=False))],
)
def exact_factor(factor: str, convex: bool) -> Evidence:
    """Interpolation both ways, A2 and A4 both ways with the weights of the side of 2/(mu + beta) on which the step is."""
    exact = smooth.LEMMA_6_SHARP.expression.coeff(APART)
    members = next(iter(exact.atoms(sp.Max))).args
    of_mu = next(one for one in members if mu in one.free_symbols)
    of_beta = next(one for one in members if one != of_mu)
    largest = sp.Rational(factor) * exact
    bound = changed(smooth.LEMMA_6_SHARP, APART, largest)
    return by_derivation(
        lambda: functions.exact_factor(bound, text_of(of_mu), text_of(of_beta), factor, convex=convex),
        lambda: quadratics(bound, 1 / beta, *(Fraction(k, 10) for k in (1, 5, 10, 15, 30)), convex=convex),
        method="Interpolation both ways and A2 and A4 both ways, with weights for each side of eta = 2/(mu + beta).",
        valid_for=GENERAL + ", all eta >= 0",
        tightness=attained("attained by (mu/2)|x|^2 or (beta/2)|x|^2"),
    )


@of_lemma_6(
    "EL-LEM6-S2",
    statement=(smooth.LEMMA_6, r"\ \forall h,x,y\iff 0\le\eta\le\frac{2\beta-\mu}{\beta^2}"),
    headline="The exact range of steps for the printed contraction",
    summary="(13) holds for steps from 0 to (2 beta - mu)/beta^2, which is 1/beta + (beta - mu)/beta^2; for longer steps and for "
    "negative ones (beta/2)|x|^2 breaks it.",
    elsewhere=elsewhere.CONTRACTION,
    depends=("EL-LEM6-S1",),
    printed=dict(factor="1"),
    controls=[Control("steps up to 1.01 (2 beta - mu)/beta^2", dict(factor="101/100"))],
)
def exact_range(factor: str) -> Evidence:
    """As EL-LEM6-S1 up to the largest step; beyond it, and below 0, (beta/2)|x|^2 breaks the bound."""
    top = f"{factor}*(2*beta - mu)/beta**2"
    return by_derivation(
        lambda: functions.exact_range(smooth.LEMMA_6, text_of(smooth.LEMMA_6.expression.coeff(APART)), top),
        lambda: quadratics(smooth.LEMMA_6, sp.sympify(top, locals={"beta": beta, "mu": mu}), ONE, Fraction(1, 2)),
        method="As EL-LEM6-S1; for (beta/2)|x|^2 the difference is eta (2 beta - mu - beta^2 eta), negative beyond the range.",
        valid_for=GENERAL + ", beta > 0",
    )


@step_of_the_proof(
    "EL-LEM6.2",
    headline="The contraction proof bounds squared gradient differences by their inner product",
    statement=smooth.BY_COCOERCIVITY,
    summary="The first step uses |g|^2 <= beta <g, s>.",
    printed=dict(factor="1", convex=True),
    controls=[Control("eta^2 beta times 0.99", dict(factor="99/100")), Control("h not convex", dict(convex=False))],
)
def by_cocoercivity(factor: str, convex: bool) -> Evidence:
    coefficient = sp.Rational(factor) * eta**2 * beta - 2 * eta
    bound = changed(smooth.BY_COCOERCIVITY, Inner(g_x - g_y, x - y), coefficient)
    return by_derivation(
        lambda: functions.step_of_lemma_6(bound, convex=convex),
        lambda: quadratics(bound, 1 / beta, Fraction(1, 2), ONE, Fraction(3), convex=convex),
        method="Interpolation with modulus 0 both ways, times eta^2 beta.",
        valid_for="all convex beta-smooth h, all eta >= 0",
        tightness=attained("equality for (beta/2)|x|^2"),
    )


by_step_size = statement_of_algebra(
    "EL-LEM6.3",
    Relations("eta**2*beta - 2*eta <= -eta for beta > 0; 0 <= eta <= 1/beta"),
    false={"eta up to 1.01/beta": ("1/beta", "101/(100*beta)")},
    group=algebra_claim,
    source="proof of Lemma 6",
    summary="The second step uses the bound on the step size.",
    tightness=attained("equality at eta = 1/beta"),
)


@step_of_the_proof(
    "EL-LEM6.4",
    statement=smooth.BY_MONOTONICITY,
    summary="The last step uses that the gradient is strongly monotone.",
    printed=dict(factor="1", convex=True),
    controls=[Control("mu times 1.01", dict(factor="101/100")), Control("h not convex", dict(convex=False))],
)
def by_strong_convexity(factor: str, convex: bool) -> Evidence:
    bound = changed(smooth.BY_MONOTONICITY, APART, -eta * mu * sp.Rational(factor))
    return by_derivation(
        lambda: functions.step_of_lemma_6(bound, convex=convex),
        lambda: quadratics(bound, 1 / beta, ONE, convex=convex),
        method="Sum of two definitions.",
        valid_for=GENERAL + ", eta >= 0",
        tightness=attained("equality for (mu/2)|x|^2"),
    )


if __name__ == "__main__":
    run_script(__file__)
