"""Lemma 6 of the elastic aggregation supplement: gradient steps contract; exact factor and exact range of steps.

Certificates on the class: cocoercivity <g - mu s, beta s - g> >= 0 of the differences g of gradients and s of points (the
sum of two interpolation inequalities, which follow from A2 and A4 at a further point; mu = beta by continuity).
The exact factor is max{(1 - mu eta)^2, (1 - beta eta)^2}, attained by quadratics, so that (13) holds exactly up to
eta = (2 beta - mu)/beta^2, which is between 1/beta and 2/beta.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import algebra_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import against_the_best, attained
from fltheory.theory.proofs import Certificate, Open
from fltheory.theory.steps import Instance, Proof, Step, hypothesis, identity, inequality, shown, sign
from verify.elastic2023 import elsewhere, smooth
from verify.elastic2023.smooth import CONSTANTS, beta, convexity, eta, g_x, g_y, h_x, h_y, mu, x, y

of_lemma_6 = inequality_claim.sharing(source="Lemma 6")

ONE, ZERO = Fraction(1), Fraction(0)
GENERAL = "all beta-smooth mu-strongly convex h, 0 <= mu <= beta, all x, y, any dimension"
g, s = sp.symbols("g s")
MOVED, MIDDLE = (s - eta * g) ** 2, 2 / (mu + beta)
#: A2 from x to y and back.
BOTH_WAYS = convexity(y, h_y, x, h_x, g_x), convexity(x, h_x, y, h_y, g_y)


def quadratics(factor: sp.Expr, top: sp.Expr, convex: bool, steps: tuple[Fraction, ...]) -> Iterator[Instance]:
    """``h(t) = c t^2/2`` with c = mu, beta: squared distance after a step of eta against factor, points at distance 1.

    ``top`` is the largest step in terms of beta and mu; ``steps`` are shares of it.
    """
    for pair in smooth.PAIRS:
        for share in steps:
            step = smooth.at_pair(top, pair) * share
            value = smooth.at_pair(factor, pair, step)
            for curvature in dict.fromkeys((*pair, *(() if convex else (-pair[1],)))):
                text = f"mu = {pair[0]}, beta = {pair[1]}, eta = {step}, h(t) = {curvature} t^2/2, x = 0, y = 1"
                yield Instance(text, (1 - step * curvature) ** 2, value)


def cocoercive(convex: bool, modulus: sp.Expr = mu) -> tuple[Step, ...]:
    """Cocoercivity from A2 and A4 for a convex function."""
    step = hypothesis("h convex", convex, "no cocoercivity")
    return step, smooth.interpolation_step(modulus), smooth.cocoercivity_step(modulus)


def two_certificates(scale: sp.Expr = sp.S.One) -> list[Step]:
    """``|s - eta g|^2 <= scale (1 - c eta)^2 |s|^2`` with c = mu for eta <= 2/(mu + beta), and with c = beta beyond.

    With c = mu: multiplier 2 eta (1 - mu eta)/(beta - mu) and square eta(2 - eta(mu + beta))/(beta - mu) |g - mu s|^2; with
    c = beta: 2 eta (beta eta - 1)/(beta - mu) and eta(eta(mu + beta) - 2)/(beta - mu) |g - beta s|^2.
    """
    sides = (("eta <= 2/(mu + beta)", 1, mu, (0, MIDDLE)), ("eta >= 2/(mu + beta)", -1, beta, (MIDDLE, None)))
    return [_certified(name, scale, side, curvature, ends) for name, side, curvature, ends in sides]


def _certified(name: str, scale: sp.Expr, side: int, curvature: sp.Symbol, ends: tuple[Any, Any]) -> Step:
    """One side of eta = 2/(mu + beta)."""
    multiplier = side * 2 * eta * (1 - curvature * eta) / (beta - mu)
    weight = side * eta * (2 - eta * (mu + beta)) / (beta - mu)
    contracted = (1 - curvature * eta) ** 2
    points, turn = x - y, g_x - g_y
    beside = Certificate(
        (points - eta * turn) ** 2,
        scale * contracted * points**2,
        {"cocoercivity": (multiplier, smooth.cocoercivity(points, turn))},
        [(weight, turn - curvature * points), (sp.factor((scale - 1) * contracted), points)],
        (*smooth.BESIDE_EQUAL, (eta, *ends)),
    )
    return shown(name, smooth.at_equal_constants(beside).verify)


@inequality_claim(
    "EL-LEM6.1",
    source="Lemma 6, (13)",
    statement=smooth.LEMMA_6,
    headline="A gradient step of length at most one over smoothness contracts distances",
    summary="A gradient step of length at most 1/beta contracts squared distances by 1 - mu eta.",
    proof_steps=("EL-LEM6.2", "EL-LEM6.3", "EL-LEM6.4"),
    printed=dict(rate="1", largest="1/beta", convex=True),
    controls=[
        Control("1 - mu eta -> 1 - 1.01 mu eta (sharp at mu = beta, eta = 1/beta)", dict(rate="101/100")),
        Control("h not convex", dict(convex=False)),
        Control("eta up to 1.01/beta (mu = beta)", dict(largest="101/(100*beta)")),
    ],
)
def lemma_6(rate: str, largest: str, convex: bool) -> Evidence:
    top = sp.sympify(largest, locals={"beta": beta, "mu": mu})
    factor = 1 - sp.Rational(rate) * mu * eta
    within = sp.cancel(1 / beta - top)
    zero, k = sp.Integer(0), sp.Rational(rate)
    steps = (
        *cocoercive(convex, zero),
        identity("A2 both ways", sum(BOTH_WAYS), (g_x - g_y) * (x - y) - mu * (x - y) ** 2),
        inequality(
            "steps up to 1/beta",
            MOVED,
            factor * s**2,
            premises={
                "cocoercivity with mu = 0": (eta / beta, smooth.cocoercivity(s, g, modulus=zero)),
                "A2 both ways": (eta, g * s - mu * s**2),
            },
            squares=[(eta * (1 - eta * beta) / beta, g), ((1 - k) * mu * eta, s)],
            ranges=(*CONSTANTS, (eta, 0, 1 / beta)),
        ),
        sign("largest step at most 1/beta", within, CONSTANTS),
    )
    return decide(
        Proof(steps),
        lambda: quadratics(factor, top, convex, (ONE, Fraction(1, 2))),
        method="The premises of the printed proof (cocoercivity times eta/beta, A2 both ways times eta) and a square of g; Gram "
        "identity in commuting scalars.",
        valid_for=GENERAL + ", 0 <= eta <= 1/beta",
        tightness=against_the_best(
            2,
            "(1 - mu eta)^2 instead of 1 - mu eta (EL-LEM6-S1, where eta <= 2/(mu + beta)): "
            "the exponent of the contraction doubles",
        ),
    )


@of_lemma_6(
    "EL-LEM6-S1",
    statement=smooth.LEMMA_6_SHARP,
    headline="The exact contraction factor of a gradient step, for every step size",
    summary="The exact contraction factor is known for every step size.",
    elsewhere=elsewhere.CONTRACTION,
    printed=dict(factor="1", convex=True),
    controls=[Control("factor times 0.99", dict(factor="99/100")), Control("h not convex", dict(convex=False))],
)
def exact_factor(factor: str, convex: bool) -> Evidence:
    k, pair = sp.Rational(factor), ((1 - mu * eta) ** 2, (1 - beta * eta) ** 2)
    steps = (
        *cocoercive(convex),
        *two_certificates(k),
        identity("the two factors agree at eta = 2/(mu + beta)", (pair[0] - pair[1]).subs(eta, MIDDLE), 0),
    )
    shares = (Fraction(1, 10), Fraction(1, 2), ONE, Fraction(3, 2), Fraction(3))
    return decide(
        Proof(steps),
        lambda: quadratics(k * sp.Max(*pair), 1 / beta, convex, shares),
        method="One multiplier and one square on each side of eta = 2/(mu + beta); Gram identity.",
        valid_for=GENERAL + ", all eta >= 0",
        tightness=attained("attained by (mu/2)|x|^2 or (beta/2)|x|^2"),
    )


@of_lemma_6(
    "EL-LEM6-S2",
    statement=r"\|x-\eta\nabla h(x)-y+\eta\nabla h(y)\|^2\le(1-\mu\eta)\|x-y\|^2\ \forall h,x,y\iff 0\le\eta\le"
    r"\frac{2\beta-\mu}{\beta^2}",
    headline="The exact range of steps for the printed contraction",
    summary="The exact range of steps for (13) is longer than 1/beta unless mu = beta.",
    elsewhere=elsewhere.CONTRACTION,
    depends=("EL-LEM6-S1",),
    printed=dict(factor="1"),
    controls=[Control("steps up to 1.01 (2 beta - mu)/beta^2", dict(factor="101/100"))],
)
def exact_range(factor: str) -> Evidence:
    top = sp.Rational(factor) * (2 * beta - mu) / beta**2
    claimed, u = 1 - mu * eta, sp.Symbol("u")
    gap = sp.factor(claimed - (1 - beta * eta) ** 2)
    ranges = (*CONSTANTS, (u, 0, 1))
    steps = (
        *cocoercive(True)[1:],
        sign("1 - mu eta >= (1 - beta eta)^2 up to the largest step", sp.cancel(gap.subs(eta, u * top)), ranges),
        sign(
            "1 - mu eta >= (1 - mu eta)^2 up to the largest step",
            sp.cancel((claimed - claimed**2).subs(eta, u * top)),
            ranges,
        ),
        *two_certificates(),
        identity(
            "for (beta/2)|x|^2 the difference is beta^2 eta (largest step - eta), negative beyond it",
            gap,
            beta**2 * eta * ((2 * beta - mu) / beta**2 - eta),
        ),
        sign("1/beta <= (2 beta - mu)/beta^2", sp.cancel((2 * beta - mu) / beta**2 - 1 / beta), CONSTANTS),
    )
    return decide(
        Proof(steps),
        lambda: quadratics(claimed, top, True, (ONE, Fraction(1, 2))),
        method="EL-LEM6-S1 and the sign of 1 - mu eta - (1 - beta eta)^2 = eta (2 beta - mu - beta^2 eta).",
        valid_for=GENERAL + ", beta > 0",
    )


step_of_the_proof = inequality_claim.sharing(source="proof of Lemma 6")


@step_of_the_proof(
    "EL-LEM6.2",
    statement=r"\|s-\eta g\|^2\le\|s\|^2+(\eta^2\beta-2\eta)\langle g,s\rangle,\quad s=x-y,\ g=\nabla h(x)-\nabla h(y)",
    summary="The first step uses |g|^2 <= beta <g, s>.",
    printed=dict(factor="1", convex=True),
    controls=[Control("eta^2 beta times 0.99", dict(factor="99/100")), Control("h not convex", dict(convex=False))],
)
def by_cocoercivity(factor: str, convex: bool) -> Evidence:
    k = sp.Rational(factor)
    right = s**2 + (k * eta**2 * beta - 2 * eta) * g * s
    zero = sp.Integer(0)
    steps = (
        *cocoercive(convex, zero),
        inequality(
            "cocoercivity with mu = 0, times eta^2",
            MOVED,
            right,
            premises={"cocoercivity": (eta**2 * k, smooth.cocoercivity(s, g, modulus=zero))},
            squares=[((k - 1) * eta**2, g)],
            ranges=((beta, Open(0), None), (eta, 0, None)),
        ),
    )

    def instances() -> Iterator[Instance]:
        for step in (Fraction(1, 2), ONE, Fraction(3)):
            for c in (ZERO, Fraction(1, 2), ONE, *(() if convex else (-ONE,))):
                text = f"beta = 1, eta = {step}, h(t) = {c} t^2/2, s = 1"
                yield Instance(text, (1 - step * c) ** 2, 1 + (Fraction(factor) * step**2 - 2 * step) * c)

    return decide(
        Proof(steps),
        instances,
        method="Expansion and cocoercivity.",
        valid_for="all convex beta-smooth h, all eta >= 0",
        tightness=attained("equality for (beta/2)|x|^2"),
    )


@algebra_claim(
    "EL-LEM6.3",
    source="proof of Lemma 6",
    statement=r"\eta\le\tfrac1\beta\ \Longrightarrow\ \eta^2\beta-2\eta\le-\eta",
    summary="The second step uses the bound on the step size.",
    printed=dict(largest="1"),
    controls=[Control("eta up to 1.01/beta", dict(largest="101/100"))],
)
def by_step_size(largest: str) -> Evidence:
    top = sp.Rational(largest) / beta
    steps = (
        sign("-eta - (eta^2 beta - 2 eta) = eta(1 - eta beta)", eta - eta**2 * beta, ((beta, 1, None), (eta, 0, top))),
        sign("the same for small beta", eta - eta**2 * beta, ((beta, Open(0), None), (eta, 0, top))),
    )

    def instances() -> Iterator[Instance]:
        for b in (ONE, Fraction(3)):
            for step in (Fraction(largest) / b, Fraction(largest) / (2 * b)):
                yield Instance(f"beta = {b}, eta = {step}", step**2 * b - 2 * step, -step)

    return decide(
        Proof(steps),
        instances,
        method="Sign of eta(1 - eta beta).",
        valid_for="0 <= eta <= 1/beta, beta > 0",
        tightness=attained("equality at eta = 1/beta"),
    )


@step_of_the_proof(
    "EL-LEM6.4",
    statement=r"-\eta\langle\nabla h(x)-\nabla h(y),x-y\rangle\le-\eta\mu\|x-y\|^2",
    summary="The last step uses that the gradient is strongly monotone.",
    printed=dict(factor="1", convex=True),
    controls=[Control("mu times 1.01", dict(factor="101/100")), Control("h not convex", dict(convex=False))],
)
def by_strong_convexity(factor: str, convex: bool) -> Evidence:
    k = sp.Rational(factor)
    steps = (
        hypothesis("h convex", convex, "A2 fails"),
        inequality(
            "A2 from x to y and back",
            k * mu * (x - y) ** 2,
            (g_x - g_y) * (x - y),
            premises={"A2 from x to y": (1, BOTH_WAYS[0]), "A2 from y to x": (1, BOTH_WAYS[1])},
            squares=[((1 - k) * mu, x - y)],
            ranges=CONSTANTS,
        ),
    )

    def instances() -> Iterator[Instance]:
        for m in (ZERO, Fraction(1, 2), ONE):
            for c in (m, ONE, *(() if convex else (-ONE,))):
                yield Instance(f"mu = {m}, h(t) = {c} t^2/2, x = 0, y = 1", Fraction(factor) * m, c)

    return decide(
        Proof(steps),
        instances,
        method="Sum of two definitions.",
        valid_for=GENERAL + ", eta >= 0",
        tightness=attained("equality for (mu/2)|x|^2"),
    )


if __name__ == "__main__":
    run_script(__file__)
