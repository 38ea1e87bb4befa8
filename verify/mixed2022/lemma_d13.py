"""Lemma D.13 of Augenstein et al. (2022), drift without convexity: proved under the conditions of Theorem B.2, with 2, 2, 2.

The theorem and the proof have eta_s >= 1 and an effective step of at most 1/(18 beta); without them the lemma is false.  The
orthogonality of the central noise and |d - eta h| <= (1 + eta beta)|d| give more than the printed lines need.  Every bound is
for the points x^1..x^K, the harder reading of the drift on a left-hand side.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022.drift import LEFT, LEMMA_D13, LEMMA_D13_SHARP
from fltheory.theory.mixed2022.one_round import G2, C, K, V, beta, e, eta, eta_s
from fltheory.theory.states import proves
from verify.mixed2022 import derivations, elsewhere
from verify.mixed2022.one_way_instances import AFTER, DOWN, FULL, LINEAR, Round, evaluated, rounds, sampled
from verify.mixed2022.one_way_words import LESS_GRADIENT, LESS_NOISE, SMOOTH_CONDITIONS, SMOOTH_VALID
from verify.mixed2022.settled import attained

R, ONE, EDGE = sp.Rational, Fraction(1), Fraction(1, 18)
METHOD = (
    "line by line: induction over the local steps, variance of the client gradient (conditional mean), |d - eta h| <= (1 + eta "
    "beta)|d|, relaxed triangle inequality with a = K; a cubic bound of the sum of the growth's powers"
)
UNIT = K**2 * eta**2
proved = partial(by_derivation, method=METHOD, valid_for=SMOOTH_VALID)
lemma_d13_claim = expectation_claim.sharing(assumptions=SMOOTH_CONDITIONS)


def instances() -> list[Round]:
    return sampled(rounds([EDGE, EDGE / 2], convex=False), 7)


def form(display: Bound, scale: sp.Expr, gradient: str | None, client: str | None, central: str | None) -> Bound:
    """A form of the lemma with other coefficients, that of |grad f|^2 in units of ``scale``."""
    scales = {G2: scale, V: UNIT / K, C: UNIT}
    if display is LEMMA_D13:
        scales |= {V: (e / eta_s) ** 2 / K, C: (e / eta_s) ** 2}
    texts = dict(zip(scales, (gradient, client, central), strict=True))
    changes = {term: None if texts[term] is None else R(texts[term]) * one for term, one in scales.items()}
    return replace(display, expression=with_coefficients(display.expression, changes))


def statement(
    display: Bound, gradient: str | None, client: str | None, central: str | None, missing: str = ""
) -> Evidence:
    """The drift with these constants, as a mean over the points and so for every k <= K; ``missing``: a condition."""
    printed = display is LEMMA_D13
    bound = form(display, e / (beta * eta_s**2) if printed else UNIT, gradient, client, central)
    items = instances()
    if missing == "step":
        items = [*items, Round(LINEAR, FULL, ONE, ONE)]
    if missing == "eta_s":
        small = Fraction(1, 288)
        items = [*items, Round(DOWN, LINEAR, ONE, EDGE / (2 * small), small, 2)]
    sharp = (
        "with K^2 eta^2 (2 |grad f|^2 + 2 sigma^2/K + 2 sigma_c^2), MX-LEMD13-S7, gradient (at the largest step) and "
        "central variance have a quarter of the printed constants"
    )
    return proved(
        lambda: derivations.lemma_d13(bound, server="0" if missing == "eta_s" else "1", limited=missing != "step"),
        evaluated(AFTER, bound.expression, items),
        tightness=attained(sharp, 4.0) if printed else None,
    )


lemma = lemma_d13_claim(
    "MX-LEMD13",
    proves=proves(LEMMA_D13, left=LEFT, under=(18 * beta * e <= 1, eta_s >= 1)),
    source="Lemma D.13",
    statement=LEMMA_D13,
    headline="Client drift of 1-way Gradient Transfer without convexity",
    summary="Holds with room: MX-LEMD13-S7 has 2, 2, 2 in place of (at the largest step) 8, 2, 8. The conditions on the step "
    "sizes are those of Theorem B.2 and of the proof (the lemma does not repeat them); both are needed.",
    proof_steps=tuple(f"MX-LEMD13-S{step}" for step in ("1", "2.1", "2.2", "3", "4", "5.1", "5.2", "6")),
    printed=dict(gradient=None, client=None, central=None, missing=""),
    controls=[
        Control("no condition on eta_s", dict(missing="eta_s")),
        Control("no condition on the step", dict(missing="step")),
        Control("gradient 1/18 of 0.99", dict(gradient="99/1800")),
        *LESS_NOISE,
    ],
)(partial(statement, LEMMA_D13))


sharp: Claim = lemma_d13_claim(
    "MX-LEMD13-S7",
    proves=proves(LEMMA_D13_SHARP, left=LEFT, under=(18 * beta * e <= 1, eta_s >= 1)),
    source="Lemma D.13, sharpened",
    statement=LEMMA_D13_SHARP,
    headline="Client drift without convexity, with the constants of the convex case",
    summary="The same bound holds as with convexity (MX-LEMD11-S10): 2, 2, 2.",
    elsewhere=elsewhere.ROUND,
    printed=dict(gradient=None, client=None, central=None),
    controls=[LESS_GRADIENT, *LESS_NOISE],
)(partial(statement, LEMMA_D13_SHARP))


if __name__ == "__main__":
    run_script(__file__)
