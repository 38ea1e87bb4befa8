"""Theorem B.3 of Augenstein et al. (2022): rounds of 2-way Gradient Transfer, for a proof of its own.

The printed proof refers to SCAFFOLD, which 2-way GT is not (MX-THMB3-MAP).  Here: every round is a step of twice the effective
step along the new averaged gradients, from a virtual point; Lyapunov functions of that point and of the errors of both
augmenting gradients fall in every round, up to noise of size e^2 (sigma^2/(KS) + sigma_c^2/K), for all rates eta_c = eta eta_s.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import sympy as sp

import fltheory as fl
from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.two_way_bounds import (
    CONVEX_WEIGHTS,
    CVX_REC,
    NC_REC,
    PHI,
    PSI,
    SMOOTH_WEIGHTS,
    Phi,
    Phi_after,
    Psi_after,
    W,
)
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance, equality
from verify.mixed2022 import derivations, elsewhere, two_way_rate_steps
from verify.mixed2022.assembly_steps import once
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.one_way_instances import DOWN, FULL, LINEAR, Huber
from verify.mixed2022.one_way_words import TWO_WAY_SAMPLING
from verify.mixed2022.parabolas import mixed
from verify.mixed2022.two_way_instances import Loss, TwoWayRound, scattered

R, F = sp.Rational, Fraction
ZERO, ONE, HALF = F(0), F(1), F(1, 2)
KINK = KinkedParabola(HALF, ONE)
METHOD = "The drift of each side by Lemma D.11 or D.13, then one round from its hypotheses, for both conditions on the widths."
#: Weights of the errors in the Lyapunov functions.
CONVEX, SMOOTH = (tuple(map(str, weights)) for weights in (CONVEX_WEIGHTS, SMOOTH_WEIGHTS))
VALID = (
    "every N, S, K >= 1, dimension and noise law; start of the round arbitrary; eta_m >= 1, eta_s >= 1, eta_c = eta eta_s, "
    "gt_c renewed with eta_c (as printed if eta_s = 1)"
)
HYPOTHESES = (
    *TWO_WAY_SAMPLING,
    "f_f, f_c beta-smooth",
    "eta_c = eta eta_s, eta_m >= 1, eta_s >= 1, gt_c renewed with eta_c, J = K",
)
recursion_claim = expectation_claim.sharing(source="Theorem B.3, a proof of its own", quick=False)
FURTHER = [Control("e up to 1/beta", dict(top="1")), Control("eta_m = eta_s = 1, every S", dict(widths="1"))]


def virtual_instances(factor: Fraction, ratio: Fraction) -> Iterator[Instance]:
    """Two rounds of the package against x - e (h+ + h) with h the sum of the averages of the gradients taken."""
    federated, central_loss = KinkedParabola(ONE, ONE, F(2)), KinkedParabola(HALF, HALF, F(-1))
    problem = mixed([(ONE, -federated.slope)], (HALF, -central_loss.slope / HALF))
    divisor = "as printed" if factor != 1 else "central step size"
    for steps, eta_m, eta_s in ((1, ONE, ONE), (2, F(2), ONE), (3, ONE, ONE), (2, ONE, F(2))):
        eta, central = F(1, 12), F(1, 12) * eta_s * ratio
        made = fl.TwoWayGradientTransfer(steps, eta, central, eta_s, eta_m, divisor=divisor)
        run = fl.trajectory(problem, made, rounds=2, start=[ONE], exact=True)
        models = run.models[:, 0]
        first = TwoWayRound(federated, central_loss, ONE, ZERO, ZERO, eta_m * steps * central, steps, 1, eta_m, eta_s)
        _, after, gt_c, gt_f = next(first.outcomes())
        second = TwoWayRound(federated, central_loss, after, gt_c, gt_f, first.step, steps, 1, eta_m, eta_s)
        name = f"f_f = {federated}, f_c = {central_loss}, x = 1, gt = 0, K = {steps}, eta = {eta}, eta_c = {central}, "
        name += f"eta_m = {eta_m}, eta_s = {eta_s}"
        yield equality(f"{name}: first model of the package against x - e (h+ + h)", F(models[1]), after)
        yield equality(f"{name}: second", F(models[2]), next(second.outcomes())[1])


@identity_claim(
    "MX-THMB3-S1.1",
    source="Theorem B.3, a proof of its own",
    statement=r"\eta_c=\eta\eta_s,\ e=\eta_mK\eta_c,\ h=\widetilde{g}_c+\widetilde{g}_f,\ z=x-eh:\quad x^+=x-e(h^++h),\quad"
    r" z^+=z-2eh^+",
    headline="A round of 2-way transfer is a step of double length from a virtual point",
    summary="With gt_c renewed by the rate eta_c both augmenting gradients are averages of the round's gradients, and a round is "
    "a step of length 2e along their sum from a virtual point z.",
    elsewhere=elsewhere.TWO_WAY,
    assumptions=("eta_c = eta eta_s", "J = K", "gt_c renewed with eta_c (the printed divisor eta if eta_s = 1)"),
    printed=dict(factor="1", ratio="1"),
    controls=[
        Control("eta_c = 2 eta eta_s", dict(ratio="2")),
        Control("gt_c renewed with eta, eta_c = 2 eta", dict(factor="2", ratio="2")),
    ],
)
def virtual(factor: str, ratio: str) -> Evidence:
    """``factor``: eta_c over the divisor, ``ratio``: eta_c/(eta eta_s)."""
    return by_derivation(
        partial(derivations.two_way_renewals, factor, ratio),
        lambda: virtual_instances(F(factor), F(ratio)),
        method="Both renewals put into the update.",
        valid_for="all rates with eta_c = eta eta_s, every K, J = K",
    )


def starts(point: Fraction, f_f: Loss, f_c: Loss) -> Iterator[tuple[Fraction, Fraction]]:
    """(gt_c, gt_f): exact, zero, opposite errors, a large common error."""
    exact_c, exact_f = f_c.gradient(point), f_f.gradient(point)
    yield exact_c, exact_f
    yield ZERO, ZERO
    yield exact_c - 3, exact_f + 3
    yield exact_c + 200, exact_f + 200


def rounds(top: Fraction, *, convex: bool) -> Iterator[TwoWayRound]:
    """Small rounds at the largest step, eta_m = 1 and 10: noise-free, with either noise, K S up to 2."""
    shapes: list[tuple[Loss, Loss, Fraction]] = [
        (FULL, FULL, ONE),
        (LINEAR, LINEAR, ZERO),
        (FULL, LINEAR, ZERO),
        (KINK, FULL, HALF),
        (LINEAR, Huber(), ZERO),
        (KinkedParabola(ZERO, ONE, ONE), KinkedParabola(ZERO, ONE, -ONE), ZERO),
    ]
    if not convex:
        shapes += [(DOWN, FULL, ZERO), (KinkedParabola(-ONE, ONE), DOWN, ZERO)]
        shapes += [(KinkedParabola(ZERO, ZERO, ONE), LINEAR, ZERO)]
    settings = (
        (ONE, 1, 1, ZERO, ZERO),
        (ONE, 2, 1, ZERO, ZERO),
        (ONE, 1, 1, ONE, ONE),
        (ONE, 2, 1, ONE, ZERO),
        (F(10), 1, 1, ZERO, ZERO),
        (F(2), 1, 2, ONE, HALF),
    )
    for (f_f, f_c, modulus), point in product(shapes, (ZERO, ONE, -HALF, F(40))):
        for gt_c, gt_f in starts(point, f_f, f_c):
            for eta_m, steps, cohort, client, centre in settings:
                if (client or centre) and (abs(gt_c) > 100 or point == -HALF):
                    continue
                noises = (client, centre, modulus)
                yield TwoWayRound(f_f, f_c, point, gt_c, gt_f, top, steps, cohort, eta_m, ONE, *noises)


def scattered_smooth(step: Fraction, decrease: Fraction, noise: Fraction) -> Instance:
    """f_f = max(0, x)^2/2, f_c = -s x, s = eta/12, x = -eta/2, gt at the gradients, K = 2, client noise +-1, eta_m = eta_s = 1.

    A local point is at x + eta (s + 1) with probability 1/2, so that E h+ = -s + eta (1/8 + s/4), while grad f(x) = -s.  Left:
    E f(z+) - f(z) without the errors and with f >= -s x, a lower bound; z = x + e s < 0.
    """
    eta, slope = step / 2, step / 24
    many = int(2 * noise * step / slope**2) + 1
    text = (
        f"f_f = max(0, x)^2/2, f_c = -{slope} x, x = {-eta / 2}, gt at the gradients, K = 2, S = {many}, e = {step}, "
    )
    mean = eta * (F(1, 8) + slope / 4) - slope
    right = noise * step**2 / (2 * many) - decrease * step * slope**2
    return Instance(text + "client noise +-1 (left: lower bound)", 2 * step * slope * mean, right)


def recursion(
    convex: bool,
    decrease: str | None,
    noise: str | None,
    first: str,
    second: str,
    top: str,
    contraction: str | None = None,
    widths: str = "sqrt(S)",
) -> Evidence:
    """The recursion with eta_m eta_s at least ``widths``, or short steps; instances at the largest step."""
    bound, e = CVX_REC if convex else NC_REC, one_round.e
    changes = {one_round.gap if convex else one_round.G2: None if decrease is None else -R(decrease) * e}
    unit = e**2 * (1 if convex else one_round.beta)
    for variance in (one_round.V, one_round.C):
        changes[variance] = None if noise is None else R(noise) * unit * W.expand().coeff(variance)
    if convex and contraction is not None:
        changes[Phi] = 1 - R(contraction) * one_round.mu * e
    bound = replace(bound, expression=with_coefficients(bound.expression, changes))
    whole = sp.expand(bound.expression)
    own = -whole.coeff(one_round.gap if convex else one_round.G2) / e
    level = F(str(sp.cancel(whole.coeff(one_round.C) * one_round.K / unit)))
    script = partial(once, derivations.two_way_recursion, bound, (first, second), top)
    wide = (widths, "short") if widths == "sqrt(S)" else (widths,)
    scripts = {f"widths {width}": script(width=width) for width in wide}

    def instances() -> Iterator[Instance]:
        for item in rounds(F(top), convex=convex):
            yield Instance(str(item), *item.sides(bound, (F(first), F(second))))
        if widths != "sqrt(S)":
            many = int(8 * level / F(top)) + 1
            short = scattered(F(top), many, level * F(top) ** 2 / (2 * many))
            yield short if convex else scattered_smooth(F(top), F(str(own)), level)

    limit = 81 if convex else 24
    valid_for = f"{VALID}, e <= 1/({limit} beta), S e <= (eta_m eta_s)^2/({limit} beta)"
    return by_derivation(scripts, instances, method=METHOD, valid_for=valid_for)


convex_recursion = recursion_claim(
    "MX-THMB3-S1.2",
    statement=(rf"{PHI}:\quad ", CVX_REC),
    proves=proves(CVX_REC, left=Phi_after, under=two_way_rate_steps.supposed(81)),
    headline="A function that falls in every convex round of 2-way Gradient Transfer",
    summary="One round, convex and strongly convex: Phi = E[|z - x*|^2 + 3 e^2 |h - grad f(x)|^2 + (e^2/(5 eta_m^2)) "
    "(|gt_f - grad f_f(x)|^2 + |gt_c - grad f_c(x)|^2)] falls by 3 e (f(x) - f*), up to noise.",
    elsewhere=elsewhere.TWO_WAY,
    assumptions=(
        *HYPOTHESES,
        "f_f, f_c mu-convex, mu >= 0",
        "x* a minimiser of f",
        "e <= 1/(81 beta)",
        "eta_m eta_s >= sqrt(S), or S e <= (eta_m eta_s)^2/(81 beta)",
    ),
    depends=("MX-THMB3-S1.1", "MX-LEMD11-S10", "MX-LEMD7", "MX-PROPD6"),
    printed=dict(
        convex=True, contraction=None, decrease=None, noise=None, first=CONVEX[0], second=CONVEX[1], top="1/81"
    ),
    controls=[
        Control("noise 10 -> 7", dict(noise="7")),
        Control("decrease 3 -> 41/10", dict(decrease="41/10")),
        Control("contraction 3/2 -> 51/10", dict(contraction="51/10")),
        Control("without the error of h", dict(first="0")),
        Control("without the errors of gt_f and gt_c", dict(second="0")),
        *FURTHER,
    ],
)(recursion)
smooth_row = recursion_claim(
    "MX-THMB3-S1.3",
    statement=(rf"{PSI}:\quad ", NC_REC),
    proves=proves(NC_REC, left=Psi_after, under=two_way_rate_steps.supposed(24)),
    headline="A function that falls in every non-convex round of 2-way Gradient Transfer",
    summary="One round without convexity: Psi = E[f(z) - inf f + beta e^2 (7/2 |h - grad f(x)|^2 + 3/(2 eta_m^2) "
    "(|gt_f - grad f_f(x)|^2 + |gt_c - grad f_c(x)|^2))] falls by e |grad f(x)|^2/2, up to noise.",
    elsewhere=elsewhere.TWO_WAY,
    assumptions=(
        *HYPOTHESES,
        "f bounded below",
        "e <= 1/(24 beta)",
        "eta_m eta_s >= sqrt(S), or S e <= (eta_m eta_s)^2/(24 beta)",
    ),
    depends=("MX-THMB3-S1.1", "MX-LEMD13-S7"),
    printed=dict(convex=False, decrease=None, noise=None, first=SMOOTH[0], second=SMOOTH[1], top="1/24"),
    controls=[
        Control("noise 16 -> 9", dict(noise="9")),
        Control("decrease 1/2 -> 201/100", dict(decrease="201/100")),
        Control("without the errors of gt_f and gt_c", dict(second="0")),
        Control("without the error of h", dict(first="0")),
        *FURTHER,
    ],
)(recursion)


if __name__ == "__main__":
    run_script(__file__)
