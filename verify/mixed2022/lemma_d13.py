"""Lemma D.13 of Augenstein et al. (2022), drift without convexity: proved under the conditions of Theorem B.2, with 2, 2, 2.

The theorem and the proof have eta_s >= 1 and an effective step of at most 1/(18 beta); without them the lemma is false.  The
orthogonality of the central noise and |d - eta h| <= (1 + eta beta)|d| give more than the printed lines need.  Every bound is
for the points x^1..x^K, the harder reading of the drift on a left-hand side.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.theory.mixed2022.drift import LEFT, LEMMA_D13, LEMMA_D13_SHARP, bound
from fltheory.theory.mixed2022.one_round import G2, C, K, V, beta, e, eta, eta_s
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from fltheory.theory.steps import Step, inequality, sign
from verify.mixed2022 import elsewhere, local_steps
from verify.mixed2022.local_steps import SMOOTH_CONDITIONS, SMOOTH_SIZES, SMOOTH_VALID, STEP, a, s
from verify.mixed2022.one_way_instances import AFTER, DOWN, FULL, LINEAR, Round, evaluated, rounds, sampled
from verify.mixed2022.one_way_words import LESS_GRADIENT, LESS_NOISE
from verify.mixed2022.settled import attained, settle

R, ONE, EDGE = sp.Rational, Fraction(1), Fraction(1, 18)
REDUCTION = (
    "induction over the local steps: variance of the client gradient (conditional mean), |d - eta h| <= (1 + eta beta)|d|, "
    "relaxed triangle inequality with a = K; growth (1 + 1/K)(1 + eta beta)^2, sums for K up to 12 one by one and beyond by "
    "exponentials; Gram identity in commuting scalars (removes d); every client has the same law (removes N)"
)
proved = partial(settle, method=REDUCTION, valid_for=SMOOTH_VALID)
lemma_d13_claim = expectation_claim.sharing(assumptions=SMOOTH_CONDITIONS)


def instances() -> list[Round]:
    return sampled(rounds([EDGE, EDGE / 2], convex=False), 7)


def ranges(missing: str = "") -> tuple[tuple[sp.Symbol, object, object], ...]:
    """What the proof may use of the sizes, without the condition on "eta_s" or the "step" if it is missing."""
    server = (eta_s, 0 if missing == "eta_s" else 1, None)
    kept = tuple(server if item[0] == eta_s else item for item in SMOOTH_SIZES)
    return (*kept, (e, 0, None if missing == "step" else 1 / (18 * beta)))


def drift_steps(missing: str = "") -> list[Step]:
    """e_k <= 2 K^2 eta^2 (|grad f|^2 + sigma_c^2) + 2 K eta^2 sigma^2 for all k <= K."""
    t = sp.Symbol("t")
    return [
        local_steps.variance_split(sp.Integer(1)),
        local_steps.expansion(),
        local_steps.triangle(1 + 1 / a, 1 + a, (*STEP, (a, Open(0), None))),
        sign("eta beta <= 1/(18 K)", 1 / (18 * K) - e * beta / (K * eta_s), ranges(missing)),
        sign("the growth increases with eta beta", (1 + t + s) ** 2 - (1 + t) ** 2, ((t, 0, None), (s, 0, None))),
        *local_steps.unrolling(),
        *local_steps.smooth_sums(),
    ]


def in_effective_steps(right: sp.Expr, missing: str) -> Step:
    """K eta = e/eta_s in 2, 2, 2, against a claimed right-hand side."""
    proved = LEMMA_D13_SHARP.expression.subs(eta, e / (K * eta_s))
    return sign("constants", sp.expand(right - proved), ranges(missing))


def right_side(gradient: sp.Expr, client: sp.Expr, central: sp.Expr) -> sp.Expr:
    """gradient e/(beta eta_s^2)|grad f|^2 + (e/eta_s)^2 (client sigma^2/K + central sigma_c^2)."""
    return gradient * e / (beta * eta_s**2) * G2 + (e / eta_s) ** 2 * (client * V / K + central * C)


def statement(gradient: str, client: str, central: str, missing: str) -> Evidence:
    """The lemma with these constants; ``missing`` is the condition that is not supposed."""
    right = right_side(R(gradient), R(client), R(central))
    items, steps = instances(), [*drift_steps(missing), in_effective_steps(right, missing)]
    if missing == "step":
        items = [*items, Round(LINEAR, FULL, ONE, ONE)]
    if missing == "eta_s":
        small = Fraction(1, 288)
        items = [*items, Round(DOWN, LINEAR, ONE, EDGE / (2 * small), small, 2)]
    sharp = (
        "with K^2 eta^2 (2 |grad f|^2 + 2 sigma^2/K + 2 sigma_c^2), MX-LEMD13-S7, gradient (at the largest step) and "
        "central variance have a quarter of the printed constants"
    )
    return proved(steps, evaluated(AFTER, right, items), tightness=attained(sharp, 4.0))


lemma = lemma_d13_claim(
    "MX-LEMD13",
    proves=proves(LEMMA_D13, right_side, left=LEFT, under=(18 * beta * e <= 1, eta_s >= 1)),
    source="Lemma D.13",
    statement=LEMMA_D13,
    headline="Client drift of 1-way Gradient Transfer without convexity",
    summary="Holds with room: MX-LEMD13-S7 has 2, 2, 2 in place of (at the largest step) 8, 2, 8. The conditions on the step "
    "sizes are those of Theorem B.2 and of the proof (the lemma does not repeat them); both are needed.",
    proof_steps=tuple(f"MX-LEMD13-S{step}" for step in ("1", "2.1", "2.2", "3", "4", "5.1", "5.2", "6")),
    printed=dict(gradient="4/9", client="2", central="8", missing=""),
    controls=[
        Control("no condition on eta_s", dict(missing="eta_s")),
        Control("no condition on the step", dict(missing="step")),
        Control("gradient 1/18 of 0.99", dict(gradient="99/1800")),
        *LESS_NOISE,
    ],
)(statement)


def sharpened(gradient: str, client: str, central: str) -> Evidence:
    """For every k <= K."""
    right = bound("", R(gradient), R(client), R(central), (), gradient=True).expression
    ranges = (*SMOOTH_SIZES, (eta, 0, None))
    rest = inequality("constants", LEMMA_D13_SHARP.expression, right, ranges=ranges)
    return proved([*drift_steps(), rest], evaluated(AFTER, right, instances()))


sharp: Claim = lemma_d13_claim(
    "MX-LEMD13-S7",
    proves=proves(
        LEMMA_D13_SHARP,
        lambda gradient, client, central: bound("", gradient, client, central, (), gradient=True).expression,
        left=LEFT,
        under=(18 * beta * e <= 1, eta_s >= 1),
    ),
    source="Lemma D.13, sharpened",
    statement=LEMMA_D13_SHARP,
    headline="Client drift without convexity, with the constants of the convex case",
    summary="The same bound holds as with convexity (MX-LEMD11-S10): 2, 2, 2.",
    elsewhere=elsewhere.ROUND,
    printed=dict(gradient="2", client="2", central="2"),
    controls=[LESS_GRADIENT, *LESS_NOISE],
)(sharpened)


if __name__ == "__main__":
    run_script(__file__)
