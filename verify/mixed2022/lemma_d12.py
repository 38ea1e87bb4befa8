"""Lemma D.12 of Augenstein et al. (2022), one round without convexity: what "smoothness of f" has to mean.

The theorem assumes f_f and f_c to be beta-smooth, so that f = f_f + f_c is 2 beta-smooth; the proof uses beta for f.  The lemma
is proved in both readings, in the second for the theorem's eta_s >= sqrt(S); for every eta_s with 3/2 sigma_c^2.  The step size
is that of the theorem and the proof.  The drift is read over the points where gradients are taken (k = 0..K-1), the harder
reading here.

Lemma D.12 of Augenstein et al. (2022) for f_f and f_c beta-smooth (f is 2 beta-smooth) and eta_s >= sqrt(S), as a proof.

The descent inequality for f_f is taken from x and, with the weight 2 beta e, from the local points y = x + d:

    f_f(x+) - f_f(x) <= <grad f_f(y), x+ - x> + (beta/2) |x+ - x|^2 + beta (|d|^2 - <d, x+ - x>).

That removes the product of the central noise with M, and the last product is negative since d points along x+ - x.  With
beta = 1 (losses, noise and steps scaled), u = 1/eta_s, w = G + c, W = sigma^2/(KS), p = e u (K-1)/K = eta (K-1):

======  =============================================================================================================
symbol  meaning
======  =============================================================================================================
M, n    cohort's means of h = grad f_f(y) - grad f_f(x) and of the client noise z
H, Z    cohort's means of sum_l (1 - l/(K-1)) h_l / K and of the same with z: the mean of d is -p (w/2 + H + Z)
======  =============================================================================================================

E|M|^2 <= drift and E|H|^2 <= drift by Jensen (weights at most 1), E|n|^2 <= W and E|Z|^2 <= W as z is a sequence of
martingale differences, E<Z, n> >= 0 for the same reason; c, n and Z have the mean zero, n and Z also given c.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round
from fltheory.theory.mixed2022.one_round import LEMMA_D12, LEMMA_D12_REPAIRED, LEMMA_D12_SHARP, SMOOTH_STEP, C, S, gain
from fltheory.theory.proofs import Open
from fltheory.theory.states import proves
from fltheory.theory.steps import Step, inequality, sign
from verify.mixed2022 import derivations, elsewhere
from verify.mixed2022.one_way_instances import FULL, LINEAR, Round, evaluated, smooth_rounds
from verify.mixed2022.one_way_words import LESS_CENTRAL_NOISE, LESS_CLIENT_NOISE, SAMPLING
from verify.mixed2022.settled import settle

ONE, SIZES = Fraction(1), (Fraction(1, 18), Fraction(1, 36))
R = sp.Rational
u, W, H, Z, b = sp.symbols("u W H Z b")
e, K, M, n, c, G = one_round.e, one_round.K, one_round.M, one_round.n, one_round.c, one_round.G
TOP = R(1, 18)
#: drift <= (e u)^2 (K-1)/K (ON_SQUARE E|w|^2 + ON_NOISE sigma^2/K)
ON_SQUARE, ON_NOISE = R(37, 100), R(11, 20)
AMOUNTS = ((K, 1, None), (u, 0, 1), (W, 0, None), (C, 0, None), (one_round.drift, 0, None))


def from_local_points() -> Step:
    """The displayed inequality: Definition D.1 from y to x+ and from y back to x."""
    beta, d, g, fx, fy, after, move = sp.symbols("beta d g fx fy after move")
    left = after - fx
    right = g * move + beta / 2 * move**2 + beta * (d**2 - d * move)
    premises = {
        "D.1 from y to x+": (sp.Integer(1), fy + g * (move - d) + beta / 2 * (move - d) ** 2 - after),
        "D.1 from y to x, from below": (sp.Integer(1), fx - fy + g * d + beta / 2 * d**2),
    }
    return inequality("descent from a local point", left, right, premises=premises, ranges=((beta, Open(0), None),))


def short_drift(top: sp.Expr | None = TOP) -> list[Step]:
    """d_k = -eta (k w + sum of z + sum of h): squares by 1 + 1/20 and 21, |sum of k h|^2 <= k K drift; means over k."""
    square, V = sp.symbols("square V")
    r = e * u  # K eta
    share = r**2 * (K - 1) / K
    grown = R(21, 20) * share * ((2 * K - 1) / (6 * K) * square + V / (2 * K)) + 21 * share / 2 * one_round.drift
    keep = 1 - 21 * share / 2
    ranges = (*AMOUNTS, (e, 0, top), (square, 0, None), (V, 0, None))
    cohort = ((W, 0, None), (u, Open(0), 1), (S, 1, 1 / u**2))
    return [
        inequality(
            "drift",
            one_round.drift,
            share * (ON_SQUARE * square + ON_NOISE * V / K),
            premises={"recursion over the local steps": (1 / keep, grown - one_round.drift)},
            ranges=ranges,
        ),
        sign("feedback below one", keep, ranges),
        sign("sigma^2/(K eta_s^2) <= sigma^2/(KS)", W - u**2 * S * W, cohort),
    ]


def descent(decrease: sp.Expr, on_drift: sp.Expr, client: sp.Expr, central: sp.Expr, top: sp.Expr | None = TOP) -> Step:
    """The lemma's right side with these coefficients, in the scaled symbols, for effective steps up to ``top``."""
    p, w, update = e * u * (K - 1) / K, G + c, G + c + M + n
    back = p * (w / 2 + H + Z)
    left = -e * G * update + e**2 * update**2 + 2 * e * (-e * M * update + one_round.drift - e * back * update)
    right = -decrease * e * G**2 + on_drift * one_round.drift + e**2 * (client * W + central * C)
    squares = [(e / 2, G + M), (e**2, M)]
    squares += [(e**2 * p * R(1, 15), w + R(15, 2) * M), (e**2 * p * R(2, 15), w + R(15, 2) * H)]
    squares += [(e**2 * p, z) for z in (H + M, H + n, Z + M)]
    on_m, on_h = e / 2 + e**2 * p * (R(15, 4) + 2), e**2 * p * (R(15, 2) + 2)
    spent = R(11, 6) * e + e**2 * p * R(61, 4)
    premises = {
        "E|M|^2 <= drift": (on_m, one_round.drift - M**2),
        "E|H|^2 <= drift": (on_h, one_round.drift - H**2),
        "E|n|^2 <= W": (e**2 * (1 + p), W - n**2),
        "E|Z|^2 <= W": (e**2 * p, W - Z**2),
        "E|c|^2 <= sigma_c^2": (e**2, C - c**2),
        "E<Z, n> >= 0": (2 * e**2 * p, Z * n),
        "drift": (spent, p * e * u * ON_SQUARE * (G**2 + c**2) + e**2 * (K - 1) / K * ON_NOISE * W - one_round.drift),
    }
    rest = sp.expand(right - left - sum(k * z**2 for k, z in squares) - sum(k * x for k, x in premises.values()))
    for first, second in ((c, G), (n, G), (n, c), (Z, G), (Z, c)):
        product = first * second
        premises[f"E<{first}, {second}> = 0"] = (sp.Integer(1), rest.coeff(first, 1).coeff(second, 1) * product)
        rest = sp.expand(rest - premises[f"E<{first}, {second}> = 0"][1])
    squares += [(rest.coeff(x, 2), x) for x in (G, c)]
    return inequality("descent", left, right, premises=premises, squares=squares, ranges=(*AMOUNTS, (e, 0, top)))


REDUCTION = (
    "expectation of forms in M, n, c, G with the products that have mean zero; the descent inequality, squares, and a "
    "remainder that is nonnegative coefficient by coefficient; Gram identity in commuting scalars (removes d); Jensen over "
    "the cohort (removes N and S)"
)
VALID = "every N, S <= N, K >= 1, eta_s > 0, dimension, effective step up to 1/(18 beta), losses convex or not, all noise laws"
LIMIT = "effective step at most 1/(18 beta) (Theorem B.2 and the proof)"
of_parts_claim = expectation_claim.sharing(assumptions=(*SAMPLING, "f_f and f_c beta-smooth", LIMIT))


#: Young's weights for <grad f, M>, <M, n> and <M, c>, by the smoothness of f in multiples of beta.
WEIGHTS = {"1": ("1", "1", "1"), "2": ("1", "1", "1/2"), "sharp": ("1/3", "1/4", None)}


def descends(
    display: Bound,
    smoothness: str,
    weights: str,
    *,
    decrease: str | None = None,
    client: str | None = None,
    central: str | None = None,
    limited: bool = True,
) -> Evidence:
    """Descent for f smooth with ``smoothness`` times beta, for every eta_s."""
    scale = one_round.beta * e**2
    changes = one_round.changes(sp.Integer(1), None, scale, client, central) | {
        one_round.G2: None if decrease is None else -R(decrease) * e
    }
    bound = replace(display, expression=with_coefficients(display.expression, changes))
    top = "1/(18*beta)" if limited else None
    return by_derivation(
        lambda: derivations.lemma_d12_alone(bound, smoothness, *WEIGHTS[weights], top=top),
        evaluated(gain, bound.expression, with_a_large_step(smooth_rounds(SIZES, doubled=smoothness == "2"), limited)),
        method="line by line: the descent inequality, Young's inequality for the products with M, the cohort's drift",
        valid_for=VALID,
    )


def with_a_large_step(items: list[Round], limited: bool) -> list[Round]:
    """Without the limit on the step there is one more instance, with a step that is too large."""
    return items if limited else [*items, Round(LINEAR, FULL, ONE, Fraction(2))]


def of_parts(decrease: str, drift: str, client: str, central: str, limited: bool) -> Evidence:
    """f_f and f_c beta-smooth, eta_s >= sqrt(S): the descent inequality for f_f from the local points as well."""
    factors = tuple(R(x) for x in (decrease, drift, client, central))
    top = TOP if limited else None
    steps = [from_local_points(), *short_drift(top), descent(*factors, top)]
    items = [r for r in smooth_rounds(SIZES, doubled=True) if r.server**2 >= r.cohort]
    right, valid = one_round.descent(*factors), VALID.replace("eta_s > 0", "eta_s >= sqrt(S)")
    found = evaluated(gain, right, with_a_large_step(items, limited))
    return settle(steps, found, method=REDUCTION, valid_for=valid)


lemma = dict(source="Lemma D.12", statement=LEMMA_D12)
PRINTED = dict(decrease="4/9", drift="1/27", client="2", central="1", limited=True)
STEPS = ("MX-LEMD12-S1[f beta-smooth]", "MX-LEMD12-S2", "MX-LEMD12-S3", "MX-LEMD12-S4", "MX-LEMD12-S5", "MX-LEMD12-S6")
MORE_DECREASE = Control("decrease 1.01", dict(decrease="101/100"))
CONTROLS = [Control("no condition on the step", dict(limited=False)), MORE_DECREASE]
#: f = beta x^2/2 needs half of what f = beta x^2 needs.
HALVES = [
    Control("central variance 0.49", dict(central="49/100")),
    Control("client variance 0.49", dict(client="49/100")),
]
WHOLES = [LESS_CENTRAL_NOISE, LESS_CLIENT_NOISE]

smooth_sum = expectation_claim(
    "MX-LEMD12[f beta-smooth]",
    proves=proves(LEMMA_D12, left=gain, under=SMOOTH_STEP),
    **lemma,
    assumptions=(*SAMPLING, "f_f and f_c beta-smooth", "f = f_f + f_c beta-smooth", LIMIT),
    proof_steps=STEPS,
    headline="Decrease in one round without convexity, if the whole loss has the constant",
    summary="With beta for f the lemma holds with the printed constants, for every eta_s.",
    printed=dict(limited=True),
    controls=[*CONTROLS, *HALVES],
)(partial(descends, LEMMA_D12, "1", "1"))
smooth_parts = expectation_claim(
    "MX-LEMD12[f_f and f_c beta-smooth]",
    proves=proves(
        LEMMA_D12,
        lambda decrease, drift, client, central: one_round.descent(decrease, drift, client, central),
        left=gain,
        under=SMOOTH_STEP,
    ),
    **lemma,
    assumptions=(*SAMPLING, "f_f and f_c beta-smooth", LIMIT, "eta_s >= sqrt(S) (Theorem B.2)"),
    proof_steps=("MX-LEMD12-S1[f_f and f_c beta-smooth]", *STEPS[1:]),
    headline="Decrease in one round without convexity, under the theorem's own assumptions",
    summary="Under the theorem's own assumptions, where f is 2 beta-smooth, the lemma holds with the printed constants as well, "
    "by another proof than the printed one, which uses beta for f. For smaller eta_s MX-LEMD12-S7 has 3/2 sigma_c^2.",
    printed=PRINTED,
    quick=False,
    controls=[*CONTROLS, *WHOLES],
)(of_parts)
repaired = of_parts_claim(
    "MX-LEMD12-S7",
    proves=proves(LEMMA_D12_REPAIRED, left=gain, under=SMOOTH_STEP),
    source="Lemma D.12, for every eta_s",
    statement=LEMMA_D12_REPAIRED,
    headline="Decrease in one round without convexity, for every server rate",
    summary="For f_f and f_c beta-smooth and every eta_s the lemma holds with the printed constants and 3/2 "
    "sigma_c^2 instead of sigma_c^2.",
    elsewhere=elsewhere.ROUND,
    depends=("MX-SM-MIX[f is 2 beta-smooth, as in Proposition D.6]",),
    printed=dict(limited=True),
    controls=[*CONTROLS, *WHOLES],
)(partial(descends, LEMMA_D12_REPAIRED, "2", "2"))

sharp = of_parts_claim(
    "MX-LEMD12-S9",
    proves=proves(LEMMA_D12_SHARP, left=gain, under=SMOOTH_STEP),
    source="Lemma D.12, sharpened",
    statement=LEMMA_D12_SHARP,
    headline="Decrease in one round, split otherwise: a larger decrease for more drift",
    summary="Another split than MX-LEMD12-S7, with f 2 beta-smooth: more decrease and less noise than there, for more drift (the "
    "lemma itself has sigma_c^2 once, here 5/4).",
    elsewhere=elsewhere.ROUND,
    printed=dict(limited=True),
    controls=[MORE_DECREASE, *WHOLES],
)(partial(descends, LEMMA_D12_SHARP, "2", "sharp"))


if __name__ == "__main__":
    run_script(__file__)
