"""Appendix D.2 of Augenstein et al. (2022): the recursions, convex from Lemmas D.10 and D.11, in general from D.12 and D.13.

The printed convex recursion is built on the constants 16, 2, 2 of the proof of Lemma D.11; the 12, 3, 3 of its statement would
give 11/2 sigma^2 instead of 5.  Its decrease (S-1)/S vanishes for S = 1; better splits give 11/8 - 21/(40 S) instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.algebra import statement_in_mean, statement_of_algebra
from fltheory.evidence.derive import Script, by_derivation
from fltheory.evidence.in_mean import InMean, use
from fltheory.evidence.kinds import algebra_claim, expectation_claim, probability_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.relations import Relations
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022.assembly import CVX_REC, CVX_REC_SHARP, NC_REC, NC_REC_SHARP
from fltheory.theory.mixed2022.drift import LEMMA_D11_PROOF, LEMMA_D11_SHARP, LEMMA_D13, LEMMA_D13_SHARP
from fltheory.theory.mixed2022.one_round import G2, LEMMA_D12, C, K, S, V, beta, e, eta_s, gain, gap, near
from fltheory.theory.states import proves
from verify.mixed2022 import derivations
from verify.mixed2022.kinked import KinkedParabola
from verify.mixed2022.one_way_instances import Huber, Round, evaluated, rounds, sampled
from verify.mixed2022.one_way_words import SAMPLING

R = sp.Rational
EIGHTH, ZERO = Fraction(1, 8), Fraction(0)
#: The square of the server's step size is a letter of its own.
ROOTS = {"eta_s2": r"\eta_s^2"}
#: Roots above sqrt(5S/8) for S = 1, 2.
WIDE = {1: Fraction(4, 5), 2: Fraction(9, 8)}
VALID = "every N, S <= N, K >= 1, dimension, 0 <= mu <= beta, all noise laws"
VALID_SMOOTH = "every N, S <= N, K >= 1, dimension, all noise laws"
#: What the proofs suppose of the steps.
CONVEX_CONDITIONS = (8 * beta * e <= 1, 8 * eta_s**2 > 5 * S)
SMOOTH_CONDITIONS = (18 * beta * e <= 1, eta_s**2 >= S)
CONVEX = (
    *SAMPLING,
    "f_f, f_c mu-convex and beta-smooth",
    "eta_s > sqrt(5S/8)",
    "effective step at most 1/(8 beta)",
)
METHOD = (
    "the lemma on one round with the bound of its drift inserted; the largest value of 1/eta_s^2; signs of polynomials"
)
VARIANCES = [
    Control("client variance 0.99", dict(client="99/100")),
    Control("central variance 0.99", dict(central="99/100")),
]
of_convex_losses = expectation_claim.sharing(assumptions=CONVEX)


def wide_rounds(servers: Mapping[int, Fraction], top: Fraction, *, convex: bool) -> list[Round]:
    """Rounds with eta_s wide enough for their cohorts, given by ``servers`` for each S, at the largest step and half of it."""
    return [
        item
        for S, server in servers.items()
        for item in sampled(
            [r for r in rounds([top, top / 2], convex=convex, servers=(server, 2 * server)) if r.cohort == S], 9
        )
    ]


def instances(top: Fraction) -> list[Round]:
    """Rounds with wide enough servers for their cohorts, and one step far out where the loss is linear."""
    return wide_rounds(WIDE, top, convex=True) + [
        Round(KinkedParabola(ZERO, ZERO), Huber(), Fraction(40), e / server, server, 1, cohort)
        for cohort, server in WIDE.items()
        for e in (top, top / 2)
    ]


#: Coefficients of a recursion that stay as they are displayed.
AS_DISPLAYED: Mapping[str, str | None] = dict(decrease=None, client=None, central=None)


def form(display: Bound, decrease: str | None, client: str | None, central: str | None) -> Bound:
    """A form of a recursion, of the gap or of |grad f|^2, with other coefficients, which may depend on S."""
    smooth = G2 in display.expression.free_symbols
    scale = e**2 * (beta if smooth else 1)
    factors = {G2 if smooth else gap: (decrease, -e), V: (client, scale / (K * S)), C: (central, scale)}
    changes = {of: None if new is None else sp.sympify(new, locals={"S": S}) * k for of, (new, k) in factors.items()}
    return replace(display, expression=with_coefficients(display.expression, changes))


def from_d10(bound: Bound, top: str = "1/8") -> dict[str, Script]:
    """The drift by Lemma D.11 with the constants of its proof, and the recursion from Lemma D.10 with it."""
    return {
        "drift": partial(derivations.lemma_d11, LEMMA_D11_PROOF),
        "recursion": partial(derivations.convex_recursion, bound, drift=LEMMA_D11_PROOF, top=top),
    }


def of_the_gap(bound: Bound, scripts: dict[str, Script], **words: Any) -> Evidence:
    return by_derivation(
        scripts, evaluated(near, bound.expression, instances(EIGHTH)), method=METHOD, valid_for=VALID, **words
    )


@of_convex_losses(
    "MX-CVX-REC",
    headline="One convex round of 1-way transfer, for every step within the printed limit",
    proves=proves(CVX_REC, left=near, under=CONVEX_CONDITIONS),
    source="Appendix D.2.1",
    statement=CVX_REC,
    summary="The convex recursion holds for every effective step up to 1/(8 beta), on the drift constants 16, 2, 2 of the "
    "proof. For S = 1 its term in f - f* is zero; MX-CVX-REC-S1 has a decrease for every S and less noise.",
    depends=("MX-LEMD11-S9",),
    proof_steps=("MX-CVX-REC-S2", "MX-CVX-EXP"),
    printed=AS_DISPLAYED,
    controls=[Control("decrease 17/8", dict(decrease="17/8")), *VARIANCES],
)
def cvx_rec(**coefficients: str | None) -> Evidence:
    """Lemma D.10 with the bound of the drift."""
    bound = form(CVX_REC, **coefficients)
    sharper = (
        "sigma^2 with 23/10 instead of 5, sigma_c^2 with 5/4 + 21/(20S) instead of 3, decrease 11/8 - 21/(40S) instead "
        "of 1 - 1/S (MX-CVX-REC-S1)"
    )
    return of_the_gap(bound, from_d10(bound), tightness=Tightness(5 / 2.3, Rung.PROOF, sharper))


@of_convex_losses(
    "MX-CVX-REC-S1",
    proves=proves(CVX_REC_SHARP, left=near, under=CONVEX_CONDITIONS),
    source="Appendix D.2.1, sharpened",
    statement=CVX_REC_SHARP,
    headline="The convex recursion of 1-way transfer for every cohort size",
    summary="The recursion for every cohort size, S = 1 included: decrease at least 17/20 and noise at most 23/10.",
    depends=("MX-PROPD6",),
    printed=AS_DISPLAYED,
    controls=[Control("decrease 17/8", dict(decrease="17/8")), *VARIANCES],
)
def cvx_rec_sharp(**coefficients: str | None) -> Evidence:
    """MX-LEMD10-S7 with MX-LEMD11-S10 and D.6."""
    bound = form(CVX_REC_SHARP, **coefficients)
    whole = sp.expand(bound.expression)
    least = (sp.cancel(-whole.coeff(gap) / e), sp.cancel(whole.coeff(C) / e**2))
    scripts: dict[str, Script] = {
        "drift": lambda: derivations.lemma_d11(LEMMA_D11_SHARP, top="2/beta"),
        "recursion": lambda: derivations.convex_recursion(bound, *derivations.SHARP_CONVEX),
        "decrease at least 17/20, noise at most 23/10": lambda: derivations.of_numbers(
            "Mixed FL, sharper convex recursion",
            {"S": ("1", None)},
            decrease=(R(17, 20), least[0]),
            noise=(least[1], R(23, 10)),
        ),
    }
    return of_the_gap(bound, scripts)


cvx_constants = statement_of_algebra(
    "MX-CVX-REC-S2",
    Relations(
        "5/(8*eta_s2) <= 1/S; 5/(8*K*eta_s2) + 4/(K*S) <= 5/(K*S); 5/(8*eta_s2) + 2 <= 3 for K >= 1; S >= 1; eta_s2 >= 5*S/8",
        names=ROOTS,
    ),
    false={
        "drift constants 12, 3, 3": ("5/(8*K*eta_s2)", "15/(16*K*eta_s2)"),
        "5 -> 4.95": ("<= 5/(K*S)", "<= 99/(20*K*S)"),
        "eta_s = sqrt(5S/8) times 0.99": ("eta_s2 >= 5*S/8", "eta_s2 >= 49005*S/80000"),
    },
    group=algebra_claim,
    source="Appendix D.2.1, intermediate lines",
    headline="The constants of the convex recursion, worked out from the drift lemma",
    summary="The constants of the recursion, from the drift constants of the proof; sharp at eta_s = sqrt(5S/8) (the last "
    "one for S = 1). The drift constants of the lemma's statement give 11/2 instead of 5 and 7/2 instead of 3.",
)


tower = statement_in_mean(
    "MX-CVX-EXP",
    InMean(
        "Y <= alpha*sq(x - star) - gamma*G + delta for alpha, gamma, delta real",
        things="x over past; star; value G over past; value Y over xi past",
        over="xi past",
        uses=[use("recursion given the past", form="alpha*sq(x - star) - gamma*G + delta - Y", over="xi")],
        names={"x": "x^{(t)}", "star": "x^*", "G": "G_t", "alpha": r"\alpha", "gamma": r"\gamma", "delta": r"\delta"},
    ),
    says=r"\mathbb{E}_{|t}[Y]\le\alpha\|x^{(t)}-x^*\|^2-\gamma G_t+\delta\ \Rightarrow\ ",
    false={"a recursion for unsquared distances": ("sq(x - star)", "sq(mean(x, past) - star)")},
    group=probability_claim,
    source="Appendix D.2.1",
    headline="A recursion with fixed coefficients keeps its form when expectations are taken",
    summary="The conditional recursion is affine in |x - x*|^2 and in f - f*, with coefficients that are not random; its "
    "expectation over x^(t) has the same form.",
)


@of_convex_losses(
    "MX-SC-ETA-S1",
    source="Appendix D.2.1 and Theorem B.2",
    statement=(CVX_REC, r"\quad\text{for every }\tilde\eta\le\tfrac1{8\beta}"),
    headline="The convex recursion holds for every smaller step, as the theorem says",
    summary="The proof sets the step equal to 1/(8 beta); the recursion holds for every smaller one, as the theorem says; at the "
    "step 1/beta it can fail.",
    depends=("MX-CVX-REC",),
    printed=dict(top="1/8"),
    controls=[Control("effective step up to 1/beta", dict(top="1"))],
)
def free_step(top: str) -> Evidence:
    found = evaluated(near, CVX_REC.expression, instances(Fraction(top)))
    return by_derivation(from_d10(CVX_REC, top=top), found, method=METHOD, valid_for=VALID)


#: Roots of at least S for S = 1, 2.
WIDER = {1: Fraction(1), 2: Fraction(3, 2)}
SMOOTH = (
    *SAMPLING,
    "f_f, f_c beta-smooth",
    "eta_s >= sqrt(S)",
    "effective step at most 1/(18 beta)",
)


def of_the_gradient(bound: Bound, drift: Bound, weights: Sequence[Any], *, steepest: int = 2, **words: Any) -> Evidence:
    """Lemma D.12 with these weights and the drift of Lemma D.13; rounds on f with curvatures up to ``steepest``.

    Servers are wide enough for their cohorts; curvature -1 is included.
    """
    tried = wide_rounds(WIDER, Fraction(1, 18), convex=False)
    return by_derivation(
        {
            "drift": partial(derivations.lemma_d13, drift),
            "recursion": partial(derivations.smooth_recursion, bound, *weights),
        },
        evaluated(gain, bound.expression, [one for one in tried if _curvature(one) <= steepest]),
        method=METHOD,
        valid_for=VALID_SMOOTH,
        **words,
    )


def _curvature(item: Round) -> Fraction:
    return max(abs(getattr(item.federated, side) + getattr(item.central, side)) for side in ("left", "right"))


def nc_rec(doubled: bool, **coefficients: str | None) -> Evidence:
    """For f_f and f_c beta-smooth with 3/2 sigma_c^2, or for f beta-smooth."""
    weights = derivations.PRINTED_SMOOTH if doubled else (LEMMA_D12, "1", "1", "1", "1")
    sharper = "decrease 3/4 instead of 1/3 with the noise 3/2, 3/2 instead of 3, 2 (MX-NC-REC-S2)"
    bound, tightness = form(NC_REC, **coefficients), Tightness(9 / 4, Rung.PROOF, sharper)
    return of_the_gradient(bound, LEMMA_D13, weights, steepest=1 + doubled, tightness=tightness)


MORE_DECREASE = Control("decrease 1.01", dict(decrease="101/100"))
of_appendix_d22 = expectation_claim.sharing(
    source="Appendix D.2.2",
    statement=NC_REC,
    proves=proves(NC_REC, left=gain, under=SMOOTH_CONDITIONS),
    proof_steps=("MX-NC-REC-S1",),
    controls=[
        MORE_DECREASE,
        Control("client variance 0.49", dict(client="49/100")),
        Control("central variance 0.49", dict(central="49/100")),
    ],
)
nc_parts = of_appendix_d22(
    "MX-NC-REC[f_f and f_c beta-smooth]",
    headline="The non-convex recursion holds under the theorem's assumption, despite its proof",
    assumptions=SMOOTH,
    printed=dict(**AS_DISPLAYED, doubled=True),
    summary="Under the theorem's assumption (f is 2 beta-smooth) the printed recursion holds, although the printed proof uses "
    "beta for f.",
)(nc_rec)
nc_sum = of_appendix_d22(
    "MX-NC-REC[f beta-smooth]",
    assumptions=(*SMOOTH, "f beta-smooth"),
    printed=dict(**AS_DISPLAYED, doubled=False),
    summary="The printed chain, Lemma D.12 with beta for f and Lemma D.13, gives the recursion.",
)(nc_rec)


@expectation_claim(
    "MX-NC-REC-S2",
    proves=proves(NC_REC_SHARP, left=gain, under=SMOOTH_CONDITIONS),
    source="Appendix D.2.2, sharpened",
    statement=NC_REC_SHARP,
    headline="The non-convex recursion with twice the decrease and at most three quarters of the noise",
    summary="More than twice the decrease and at most half and three quarters of the noise, for f_f and f_c beta-smooth.",
    assumptions=SMOOTH,
    printed=AS_DISPLAYED,
    controls=[MORE_DECREASE, *VARIANCES],
)
def nc_rec_sharp(**coefficients: str | None) -> Evidence:
    """MX-LEMD12-S9 with MX-LEMD13-S7."""
    return of_the_gradient(form(NC_REC_SHARP, **coefficients), LEMMA_D13_SHARP, derivations.SHARP_SMOOTH)


nc_constants = statement_of_algebra(
    "MX-NC-REC-S1",
    Relations(
        "4/9 - 4/(243*eta_s2) >= 1/3; 2/(K*S) + 2/(27*K*eta_s2) <= 3/(K*S); 1 + 8/(27*eta_s2) <= 2 for K >= 1; S >= 1; eta_s2 >= S",
        names=ROOTS,
    ),
    false={
        "decrease 4/9": (">= 1/3", ">= 4/9"),
        "client 2": ("<= 3/(K*S)", "<= 2/(K*S)"),
        "central 1.29": ("<= 2 for", "<= 129/100 for"),
    },
    group=algebra_claim,
    headline="The numbers behind the non-convex recursion hold for every cohort size, with room",
    source="Appendix D.2.2 (arithmetic behind the recursion)",
    summary="All three hold for every S >= 1, with room: at S = 1 104/243, 56/27 and 35/27 in place of 1/3, 3 and 2.",
)


if __name__ == "__main__":
    run_script(__file__)
