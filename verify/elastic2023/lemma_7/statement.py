"""Lemma 7 of the elastic aggregation supplement: the progress of one round, with either reading of the drift.

The noise of all K steps is bounded like that of independent draws although later gradients are taken at points that earlier noise
has moved: on a convex loss a local run stays near the run without noise, since steps up to 2/beta do not expand (Lemma 6, which the
printed proof does not mention).  Longer local steps, which a small phi eta_g allows, are paid for by the drift as it is defined.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence, Unprinted
from fltheory.evidence.tight import against_the_best
from fltheory.theory.bound import Bound
from fltheory.theory.steps import Instance
from verify.elastic2023 import elsewhere
from verify.elastic2023.derivations import lemma_7 as derived
from verify.elastic2023.derivations import local_runs
from verify.elastic2023.lemma_7 import displays
from verify.elastic2023.lemma_7.displays import D, E, E_taken, G, P, beta, e, mu, sigma
from verify.elastic2023.lemma_7.rounds import ONE, ZERO, CohortRound, HuberLine, opposed, rounds, sampled
from verify.elastic2023.smooth import KinkedLine

Q = Fraction
#: What joins the derivations.
JOINED = (
    "Words join the derivations: the distance after k = K steps, divided by (K eta_l)^2, is the hypothesis of the derivation "
    "of the round."
)
#: And their cases.
ALL_STEPS = f"{JOINED} Local steps are at most 2/beta or at least 2/beta."
METHOD = (
    "A local run is compared with one without noise (steps up to 2/beta do not expand), Lemma 5 at every local point, the "
    "exact variance of sampling without replacement, A1 and smoothness."
)
INDEPENDENT = "the clients' gradients are drawn independently of each other"
SHORT = f"{INDEPENDENT}, and eta_l <= 2/beta (as for every phi eta_g >= 1)"
GIVEN = "given a client's past its stochastic gradients are unbiased with variance at most sigma^2"
SAME = "all clients have the same noise"


def changed(bound: Bound, scales: dict[sp.Basic, str]) -> Bound:
    """The bound with the coefficients of terms multiplied."""
    whole = sp.expand(bound.expression)
    new = {term: sp.Rational(scale) * whole.coeff(term) for term, scale in scales.items()}
    return replace(bound, expression=with_coefficients(bound.expression, new))


def instances(bound: Bound, *, top: Fraction, shared: bool, long: bool) -> Iterator[Instance]:
    """Rounds of all families, a long linear piece, and rounds far from the optimum with many small steps."""
    servers = (ONE, Q(16), *([Q(1, 128)] if long else []))
    items = sampled(rounds(servers=servers, shares=(top, top / 8), shared=shared), 11)
    linear, parabola = opposed(ZERO, ONE), KinkedLine(ONE, ONE)
    for share in (top, top / 100):
        step = share / 16
        items += [CohortRound(linear, ONE, 1, size, step, Q(16), ONE, shared, ONE) for size in (1, 2)]
        items += [CohortRound((parabola, parabola), ONE, 1, 1, step, Q(16), modulus=ONE)]
        items += [CohortRound((HuberLine(), HuberLine()), Q(400), 1, 1, step)]
        items += [CohortRound((parabola,), ONE, 12, 1, step, Q(1, 160), modulus=ONE)]
    return (item.sides(bound.expression, item.distance_after()) for item in items)


def progress(
    bound: Bound, noise: str, spread: str, drift: str, gap: str, distance: str, top: str, shared: bool, *, long: bool
) -> Evidence:
    """Lemma 7 with its terms multiplied; ``distance`` multiplies mu e/2."""
    term = next(one for one in (E, E_taken) if one in bound.expression.free_symbols)
    bound = changed(bound, {sigma**2: noise, G**2: spread, term: drift, D: gap})
    bound = replace(bound, expression=bound.expression - (sp.Rational(distance) - 1) * mu * e / 2 * P)
    limit = f"{top}/(8*(1 + B**2)*beta)"
    kinds = {"": False, **({", local steps beyond 2/beta": True} if long else {})}
    scripts = {
        f"{name}{words}": partial(
            derived.lemma_7, bound, everyone=everyone, long=far, top=limit, independent=not shared
        )
        for name, everyone in derived.SCHEMES.items()
        for words, far in kinds.items()
    }
    whole = sp.expand(bound.expression).coeff(term) / (beta * e)
    return by_derivation(
        {"distance from a run without noise": local_runs.local_run, **scripts},
        lambda: instances(bound, top=Q(top), shared=shared, long=long),
        method=METHOD,
        prose=ALL_STEPS if long else JOINED,
        valid_for="every N >= 1, cohort, K >= 1, dimension, all noise laws; "
        + ("every phi eta_g > 0" if long else "eta_l <= 2/beta, so every phi eta_g >= 1"),
        tightness=against_the_best(whole / sp.Rational(17, 8), "17/8 suffices for the drift (EL-LEM7-S1)"),
    )


PRINTED = dict(noise="1", spread="1", drift="1", gap="1", distance="1", top="1", shared=False)
CONTROLS = [
    Control(SAME, dict(shared=True)),
    Control("noise term times 0.99", dict(noise="99/100")),
    Control("G^2 term times 0.49 (two clients, one drawn)", dict(spread="49/100")),
    Control("gap doubled and a tenth", dict(gap="21/10")),
    Control("3.3 times mu e/2", dict(distance="33/10")),
    Control("drift term times 1/4", dict(drift="1/4")),
    Control("steps up to 20 times as long", dict(top="20")),
]
of_lemma_7 = expectation_claim.sharing(
    source="Lemma 7", quick=False, depends=("EL-ER.1",), assumptions=(GIVEN,), controls=CONTROLS, printed=PRINTED
)
STEPS = ("EL-EQ18", "EL-L7-EXP", "EL-L7-VAR", "EL-L7-A1", "EL-L7-A2", "EL-L7-COMB", "EL-L7-FIN")

as_defined: Claim = of_lemma_7(
    "EL-LEM7[drift as defined]",
    statement=displays.LEMMA_7,
    unprinted=Unprinted(INDEPENDENT, SAME),
    proof_steps=STEPS,
    headline="One round of local training brings the model nearer, up to noise, sampling and drift",
    summary="One round decreases the expected squared distance from the optimum by the gap, up to noise, the sampling of "
    "clients and the drift over the points after the K steps. It holds for every phi eta_g > 0 if the clients draw "
    "independently, which is not printed; for clients with the same noise the noise term is too small by the factor S.",
)(partial(progress, displays.LEMMA_7, long=True))

where_taken: Claim = of_lemma_7(
    "EL-LEM7[drift where gradients are taken]",
    statement=displays.LEMMA_7_TAKEN,
    unprinted=Unprinted(INDEPENDENT, SAME),
    assumptions=(GIVEN, "eta_l <= 2/beta, where our proof ends"),
    proof_steps=STEPS,
    headline="The progress of a round holds with the drift of the points where gradients are taken",
    summary="The drift that the proof meets is that over the points at which gradients are taken, without the last "
    "point; it is never larger than the drift as defined. The lemma is true with it as well, if the clients draw "
    "independently; our proof is for local steps up to 2/beta, as all are for phi eta_g >= 1.",
)(partial(progress, displays.LEMMA_7_TAKEN, long=False))

sharpened: Claim = of_lemma_7(
    "EL-LEM7-S1",
    statement=displays.LEMMA_7_SHARP,
    elsewhere=elsewhere.ROUND,
    assumptions=(GIVEN, INDEPENDENT),
    headline="One round of local training: more of the gap, less drift, exact variance of sampling",
    summary="The same round with 3/2 of the gap, 17/8 for the drift's factor 3, and the exact variance of sampling without "
    "replacement in front of 2 G^2, which is nowhere more than the printed term.",
)(partial(progress, displays.LEMMA_7_SHARP, long=True))


if __name__ == "__main__":
    run_script(__file__)
