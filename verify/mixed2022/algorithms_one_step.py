"""Appendix A.3 of Augenstein et al. (2022): one local step, K = 1.

Parallel Training and 1-way GT are then the same iteration exactly at eta_c = eta eta_s and eta_m = 1.  2-way GT is not: its
augmenting gradients are those of the round before, so that it moves along grad f(x^t) + grad f(x^(t-1)): twice the progress
per round, half the largest step.  With eta_m = 1/2 it averages the two, and the progress agrees to first order.

2-way GT is looked at with the divisor eta_c in the renewal of gt_c; the printed divisor eta is the same for eta_s = 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

import fltheory as fl
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.steps import Instance, identity
from verify.mixed2022.closed_forms import characteristic, j, k, lc, lf, qc, qf, roots_inside, two_way_matrix
from verify.mixed2022.declared import asymptotic_claim, identity_claim
from verify.mixed2022.settled import settle
from verify.mixed2022.updates import average, compared, eta, eta_c, eta_m, eta_s, g, h, traced, u, v, x

F = Fraction
LOCALS = {"eta": eta, "eta_s": eta_s}
EVERY = "all losses (and, batch by batch, all oracles), N, S, d"


def one_way() -> Any:
    return traced(lambda e, ec, s, m: fl.OneWayGradientTransfer(1, e, s), (x,))[0]


def other(algorithm: str) -> tuple[Any, Any]:
    """(iterate after the round, iterate before it) of a round whose augmenting gradients come from the round before."""
    if algorithm == "parallel":
        return traced(lambda e, ec, s, m: fl.ParallelTraining(1, e, ec, s, m), (x,))[0], x
    begin = (x, u, v)

    def made(e: Any, ec: Any, s: Any, m: Any) -> Any:
        return fl.TwoWayGradientTransfer(1, e, ec, s, m, divisor="central step size")

    return traced(made, begin, rounds=2)[0], traced(made, begin)[0]


def gradient(point: Any) -> Any:
    """grad f, sampled: the cohort's mean gradient and the central one."""
    return average(g(point)) + h(point)


def agree(algorithm: str, central_rate: str, merge: str, gradients: str) -> Evidence:
    """x_new against x_old - e (grad f(x_old) [+ grad f(x before)]), e = eta_m eta eta_s."""
    new, old = other(algorithm)
    rates = {eta_c: sp.sympify(central_rate, locals=LOCALS), eta_m: sp.sympify(merge, locals={"eta_m": eta_m})}
    step = eta * eta_s
    wanted = old - step * gradient(old)
    if gradients == "last two":
        wanted = old - eta_m * step * (gradient(old) + gradient(x))
    left, right = (sp.expand(side.subs(rates)) for side in (new, wanted))
    proof, found = compared("iterate", (left,), (right,))
    if gradients == "this one":
        proof.append(identity("1-way GT", one_way(), x - step * gradient(x)))
    return settle(
        proof,
        found,
        method="the package's rounds at K = 1 as programs over unknown losses",
        valid_for=EVERY,
    )


PRINTED = dict(central_rate="eta*eta_s", merge="1", gradients="this one")


@identity_claim(
    "MX-A3-K1.1",
    source="Appendix A.3",
    statement=r"K=1,\ \eta_m=1,\ \eta_c=\eta\eta_s:\quad "
    r"x_{PT}^{(t+1)}=x_{1w}^{(t+1)}=x^{(t)}-\eta\eta_s(g_f(x^{(t)})+g_c(x^{(t)}))",
    summary="Parallel Training and 1-way GT: identical iterates, batch by batch, at the rates of the printed experiments (1-way "
    "GT has no eta_m); at any other eta_c or eta_m they differ.",
    printed=dict(algorithm="parallel", **PRINTED),
    controls=[
        Control("eta_c = 1.01 eta eta_s", dict(central_rate="101*eta*eta_s/100")),
        Control("eta_m = 1.01", dict(merge="101/100")),
    ],
)
def same_iterates(algorithm: str, central_rate: str, merge: str, gradients: str) -> Evidence:
    return agree(algorithm, central_rate, merge, gradients)


@identity_claim(
    "MX-A3-K1.2[same iterates]",
    source="Appendix A.3",
    repair="MX-A3-K1.2-R1",
    statement=r"K=1,\ \eta_m=1,\ \eta_c=\eta\eta_s:\quad x_{2w}^{(t+1)}=x_{2w}^{(t)}-\eta\eta_s(g_f+g_c)(x_{2w}^{(t)})",
    summary="At the rates of the printed experiments 2-way GT is not the same iteration: it adds the gradients of the round "
    "before to those of this round.",
    printed=dict(algorithm="2-way", **PRINTED),
    controls=[Control("Parallel Training", dict(algorithm="parallel"), must="pass")],
)
def two_way_iterates(algorithm: str, central_rate: str, merge: str, gradients: str) -> Evidence:
    return agree(algorithm, central_rate, merge, gradients)


@identity_claim(
    "MX-A3-K1.2-R1",
    source="Appendix A.3, corrected",
    statement=r"K=1,\ \eta_c=\eta\eta_s:\quad x_{2w}^{(t+1)}=x^{(t)}-\eta_m\eta\eta_s\big(\nabla f(x^{(t)})+\nabla "
    r"f(x^{(t-1)})\big)",
    summary="2-way GT at K = 1 (divisor eta_c, which is eta for eta_s = 1): steps along the sum of the last two sampled gradients; "
    "with eta_m = 1/2 along their mean.",
    printed=dict(algorithm="2-way", central_rate="eta*eta_s", merge="eta_m", gradients="last two"),
    controls=[
        Control("this gradient only", dict(gradients="this one")),
        Control("eta_c = 1.01 eta eta_s", dict(central_rate="101*eta*eta_s/100")),
    ],
)
def two_gradients(algorithm: str, central_rate: str, merge: str, gradients: str) -> Evidence:
    return agree(algorithm, central_rate, merge, gradients)


def radius(p: Fraction) -> Fraction:
    """Largest modulus of the roots of z^2 - (1 - p) z + p, to 1e-12."""
    low, high = F(0), F(2)
    while high - low > F(1, 10**12):
        middle = (low + high) / 2
        inside = roots_inside([middle**2, -(1 - p) * middle, p])
        low, high = (low, middle) if inside else (middle, high)
    return high


def progress(merge: str) -> Evidence:
    """With s = eta eta_s (lambda_f + lambda_c): 1-way GT contracts by 1 - s; 2-way GT by a root at p = eta_m s."""
    rate, s, p = sp.symbols("a s p")
    z = 1 - rate * s
    rates = {qf: eta, qc: eta * eta_s, k: eta, j: eta * eta_s}
    whole = characteristic(two_way_matrix().subs(rates))
    found = sum((factor * rate ** (3 - i) for i, factor in enumerate(whole)), sp.Integer(0))
    wanted = (rate * (rate**2 - (1 - p) * rate + p)).subs(p, eta_m * eta * eta_s * (lf + lc))
    first_order = sp.expand(z**2 - (1 - sp.Rational(merge) * s) * z + sp.Rational(merge) * s).coeff(s, 1)
    proof = [
        identity("characteristic polynomial", found, wanted),
        identity("at s = 0 the roots are 0, 0 and the simple root 1", wanted.subs(eta, 0), rate**2 * (rate - 1)),
        identity("first order at a = 1", first_order.subs(rate, 1), 0),
    ]
    instances = []
    for small in (F(1, 100), F(1, 1000)):
        quotient = (1 - radius(F(merge) * small)) / small
        instances.append(
            Instance(
                f"eta eta_s (lambda_f + lambda_c) = {small}, eta_m = {merge}: (1 - rho_2w)/(1 - rho_1w) = "
                f"{float(quotient):.6g}, distance to 1 against 4 s",
                abs(quotient - 1),
                4 * small,
            )
        )
    return settle(
        proof,
        instances,
        method=(
            "The root near 1 of the characteristic polynomial is 1 - a s to first order (simple at s = 0, so that the implicit "
            "function theorem applies); the other two are near 0."
        ),
        valid_for="scalar quadratics, clients alike, small steps, divisor eta_c",
    )


@asymptotic_claim(
    "MX-A3-K1.2[equal progress, same rates]",
    source="Appendix A.3",
    repair="MX-A3-K1.2[equal progress, a merging rate of its own]",
    statement=r"K=1,\ \eta_m=1,\ \eta_c=\eta\eta_s:\quad\frac{1-\rho_{2w}}{1-\rho_{1w}}\to1\ (\eta\to0)",
    printed=dict(merge="1"),
    summary="At the same rates the progress is not equivalent either: 2-way GT makes twice the progress of the others for small "
    "steps, and diverges at half their largest step (MX-ALG-STAB.5).",
    controls=[Control("eta_m = 1/2", dict(merge="1/2"), must="pass")],
)
def equal_progress(merge: str) -> Evidence:
    return progress(merge)


@asymptotic_claim(
    "MX-A3-K1.2[equal progress, a merging rate of its own]",
    source="Appendix A.3",
    printed=dict(merge="1/2"),
    statement=r"K=1,\ \eta_m=\tfrac12\text{ for 2-w GT},\ \eta_c=\eta\eta_s:\quad\frac{1-\rho_{2w}}{1-\rho_{1w}}\to1\ (\eta\to0)",
    summary="With eta_m = 1/2 for 2-way GT, the average that the text speaks of, all three make the same progress to first order.",
    controls=[Control("eta_m = 1", dict(merge="1")), Control("eta_m = 0.51", dict(merge="51/100"))],
)
def half_merge(merge: str) -> Evidence:
    return progress(merge)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
