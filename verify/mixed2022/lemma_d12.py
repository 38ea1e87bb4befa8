"""Lemma D.12 of Augenstein et al. (2022), one round without convexity: what "smoothness of f" has to mean.

The theorem assumes f_f and f_c to be beta-smooth, so that f = f_f + f_c is 2 beta-smooth; the proof uses beta for f.  The lemma
is proved in both readings, in the second for the theorem's eta_s >= sqrt(S); for every eta_s with 3/2 sigma_c^2.  The step size
is that of the theorem and the proof.  The drift is read over the points where gradients are taken (k = 0..K-1), the harder
reading here.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.mixed_one_round import Round, evaluated, rounds, sampled, settle
from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.theory.mixed2022 import local_descent
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022.convex import Kinked
from fltheory.theory.steps import Step

R, ONE, EDGE = sp.Rational, Fraction(1), Fraction(1, 18)
REDUCTION = (
    "expectation of forms in M, n, c, G with the products that have mean zero; the descent inequality, squares, and a "
    "remainder that is "
    "nonnegative coefficient by coefficient; Gram identity in commuting scalars (removes d); Jensen over the cohort (removes N "
    "and S)"
)
VALID = "every N, S <= N, K >= 1, eta_s > 0, dimension, effective step up to 1/(18 beta), losses convex or not, all noise laws"
HYPOTHESES = ("Assumption 4.1", "E g_c = grad f_c, variance at most sigma_c^2", "f_f and f_c beta-smooth")
LIMIT = "effective step at most 1/(18 beta) (Theorem B.2 and the proof)"
HALF, LINEAR = Fraction(1, 2), Kinked(Fraction(0), Fraction(0))


def instances(top: Fraction, *, doubled: bool) -> list[Round]:
    """Rounds with f itself 1-smooth unless ``doubled``."""
    items = sampled(rounds([top, top / 2], convex=False), 13)
    curvature = 2 if doubled else 1
    return [r for r in items if all(abs(a + b) <= curvature for a, b in _pairs(r))]


def _pairs(item: Round) -> list[tuple[Fraction, Fraction]]:
    return [(getattr(item.federated, side), getattr(item.central, side)) for side in ("left", "right")]


def statement(decrease: str, drift: str, client: str, central: str, smoothness: str, limited: bool) -> Evidence:
    """Descent for f smooth with ``smoothness`` times beta, for every eta_s."""
    right = o.descent(*(R(x) for x in (decrease, drift, client, central)))
    factor = R(smoothness)
    central_split = sp.Integer(1) if smoothness == "1" else R(1, 2)
    ranges = o.SMOOTH_STEP if limited else (*o.AMOUNTS, (o.e, 0, None))
    step = o.descends(
        right, factor * o.beta, ranges, on_cross=sp.Integer(1), on_noise=sp.Integer(1), on_central=central_split
    )
    return judged([step], right, instances(EDGE, doubled=smoothness == "2"), limited, VALID)


def judged(steps: list[Step], right: sp.Expr, items: list[Round], limited: bool, valid: str) -> Evidence:
    """Proof and instances; without the limit on the step there is one more instance, with a step that is too large."""
    if not limited:
        items = [*items, Round(LINEAR, Kinked(ONE, ONE), ONE, Fraction(2))]
    return settle(steps, evaluated(o.gain, right, items), method=REDUCTION, valid_for=valid)


def of_parts(decrease: str, drift: str, client: str, central: str, limited: bool) -> Evidence:
    """f_f and f_c beta-smooth, eta_s >= sqrt(S): the descent inequality for f_f from the local points as well."""
    factors = tuple(R(x) for x in (decrease, drift, client, central))
    top = local_descent.TOP if limited else None
    steps = [local_descent.from_local_points(), *local_descent.short_drift(top), local_descent.descent(*factors, top)]
    items = [r for r in instances(EDGE, doubled=True) if r.server**2 >= r.cohort]
    return judged(steps, o.descent(*factors), items, limited, VALID.replace("eta_s > 0", "eta_s >= sqrt(S)"))


STATEMENT = dict(kind=Kind.EXPECTATION, scope=Scope.GENERAL, source="Lemma D.12", statement=o.LEMMA_D12.latex())
PRINTED = dict(decrease="4/9", drift="1/27", client="2", central="1", limited=True)
STEPS = ("MX-LEMD12-S1[f beta-smooth]", "MX-LEMD12-S2", "MX-LEMD12-S3", "MX-LEMD12-S4", "MX-LEMD12-S5", "MX-LEMD12-S6")
CONTROLS = [
    Control("no condition on the step", dict(limited=False)),
    Control("decrease 1.01", dict(decrease="101/100")),
]
#: f = beta x^2/2 needs half of what f = beta x^2 needs.
HALVES = [
    Control("central variance 0.49", dict(central="49/100")),
    Control("client variance 0.49", dict(client="49/100")),
]
WHOLES = [
    Control("central variance 0.99", dict(central="99/100")),
    Control("client variance 0.99", dict(client="99/100")),
]

smooth_sum = claim(
    "MX-LEMD12[f beta-smooth]",
    **STATEMENT,
    assumptions=(*HYPOTHESES, "f = f_f + f_c beta-smooth", LIMIT),
    proof_steps=STEPS,
    summary="With beta for f the lemma holds with the printed constants, for every eta_s.",
    printed={**PRINTED, "smoothness": "1"},
    controls=[*CONTROLS, *HALVES],
)(statement)
smooth_parts = claim(
    "MX-LEMD12[f_f and f_c beta-smooth]",
    **STATEMENT,
    assumptions=(*HYPOTHESES, LIMIT, "eta_s >= sqrt(S) (Theorem B.2)"),
    proof_steps=("MX-LEMD12-S1[f_f and f_c beta-smooth]", *STEPS[1:]),
    summary="Under the theorem's own assumptions, where f is 2 beta-smooth, the lemma holds with the printed constants as well, "
    "by another proof than the printed one, which uses beta for f. For smaller eta_s MX-LEMD12-S7 has 3/2 sigma_c^2.",
    printed=PRINTED,
    quick=False,
    controls=[*CONTROLS, *WHOLES],
)(of_parts)
repaired = claim(
    "MX-LEMD12-S7",
    kind=Kind.EXPECTATION,
    scope=Scope.GENERAL,
    source="Lemma D.12, for every eta_s",
    statement=o.LEMMA_D12_REPAIRED.latex(),
    summary="For f_f and f_c beta-smooth and every eta_s the lemma holds with the printed constants and 3/2 "
    "sigma_c^2 instead of sigma_c^2.",
    assumptions=(*HYPOTHESES, LIMIT),
    printed={**PRINTED, "smoothness": "2", "central": "3/2"},
    controls=[*CONTROLS, *WHOLES],
)(statement)


@claim(
    "MX-LEMD12-S9",
    kind=Kind.EXPECTATION,
    scope=Scope.GENERAL,
    source="Lemma D.12, sharpened",
    statement=o.LEMMA_D12_SHARP.latex(),
    summary="Another split, with f 2 beta-smooth: more decrease and less noise for more drift.",
    assumptions=(*HYPOTHESES, LIMIT),
    printed=dict(decrease="7/9", client="5/4", central="5/4"),
    controls=[
        Control("decrease 1.01", dict(decrease="101/100")),
        Control("central variance 0.99", dict(central="99/100")),
        Control("client variance 0.99", dict(client="99/100")),
    ],
)
def sharp(decrease: str, client: str, central: str) -> Evidence:
    """<G, M> in the ratio 1/3, <M, n + c> in the ratio 1/4."""
    right = o.descent(R(decrease), R(29, 324), R(client), R(central))
    step = o.descends(right, 2 * o.beta, o.SMOOTH_STEP, on_cross=R(1, 3), on_noise=R(1, 4))
    return settle([step], evaluated(o.gain, right, instances(EDGE, doubled=True)), method=REDUCTION, valid_for=VALID)


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
