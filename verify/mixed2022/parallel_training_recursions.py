"""Theorem B.1 of Augenstein et al. (2022) with a proof of its own: one round of Parallel Training, with constants.

The document refers to the analysis of FedAvg with two meta-clients, whose global update averages where Algorithm 1 adds.  A
round of Parallel Training has the form of a round of 1-way Gradient Transfer with drift on both sides, so that Lemmas D.7, D.9,
D.11 and D.13 prove the recursion, see :mod:`fltheory.theory.mixed2022.parallel`.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.derivation.statement import with_coefficients
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.mixed2022 import one_round, parallel
from fltheory.theory.mixed2022.parallel import CONVEX_RECURSION, SMOOTH_RECURSION, R
from fltheory.theory.states import proves
from verify.mixed2022 import derivations, elsewhere
from verify.mixed2022.one_way_instances import evaluated
from verify.mixed2022.one_way_words import SAMPLING
from verify.mixed2022.parallel_instances import opposed, rounds, wide_cohort

#: Hypotheses of the recursions, and of what follows from them.
RECURSION_HYPOTHESES = (
    *SAMPLING,
    "f_f, f_c beta-smooth",
    "Definition 4.2 with w_f = w_c = 1/2",
    "K eta eta_s eta_m = K eta_c eta_m = e",
    "eta_m >= 1, eta_s >= 1",
    "eta_s eta_m >= sqrt(S)",
)
HYPOTHESES = (*RECURSION_HYPOTHESES, "fresh independent batches, cohort without replacement")
METHOD = "The drift of each side by one lemma on local steps, then one round from its hypotheses."
VALID = "every N, S <= N, K >= 1, dimension, G >= 0, B >= 1, all noise laws"


def recursion(case: str, top: str, wide: bool = True, **changed: str) -> Evidence:
    """The recursion, with other coefficients where they are given; ``wide``: eta_s eta_m >= sqrt(S)."""
    smooth, e, beta = case == "non-convex", one_round.e, one_round.beta
    bound = SMOOTH_RECURSION if smooth else CONVEX_RECURSION
    terms = {
        "decrease": (one_round.G2 if smooth else one_round.gap, lambda by: -by * e),
        "noise": (parallel.nu, lambda by: by * e**2 * (beta if smooth else 1)),
        "dissimilarity": (parallel.Gd2, lambda by: by * e**3 * parallel.v * beta ** (2 if smooth else 1)),
        "contraction": (one_round.w2, lambda by: 1 - by * one_round.mu * e),
    }
    changes = {term: coefficient(R(changed[name])) for name, (term, coefficient) in terms.items() if name in changed}
    bound = replace(bound, expression=with_coefficients(bound.expression, changes))
    rates = Fraction(top)
    items = [*rounds(rates, convex=not smooth)[::5], *opposed(rates), *([] if wide else wide_cohort(rates))]
    found = evaluated(bound.left, bound.expression, items)  # type: ignore[arg-type]
    return by_derivation(
        partial(derivations.parallel_recursion, bound, top, wide=wide), found, method=METHOD, valid_for=VALID
    )


recursion_claim = expectation_claim.sharing(source="Theorem B.1, explicit", elsewhere=elsewhere.PARALLEL)


def supposed(top: sp.Rational) -> tuple[sp.Basic, ...]:
    """What the derivations suppose of the rates."""
    eta, eta_c, eta_m, eta_s = sp.symbols("eta eta_c eta_m eta_s")
    K, S, e, beta = one_round.K, one_round.S, one_round.e, one_round.beta
    same = (sp.Eq(K * eta * eta_s * eta_m, e), sp.Eq(K * eta_c * eta_m, e))
    return (*same, eta_m >= 1, eta_s >= 1, (eta_s * eta_m) ** 2 >= S, e * (1 + parallel.B**2) * beta <= top)


WITHOUT = [Control("no dissimilarity", dict(dissimilarity="0")), Control("noise 0.99", dict(noise="99/100"))]
convex = recursion_claim(
    "MX-THMB1-S1",
    statement=CONVEX_RECURSION,
    proves=proves(CONVEX_RECURSION, left=one_round.near, under=supposed(R(1, 8))),
    assumptions=(*HYPOTHESES, "f_f, f_c mu-convex, mu >= 0"),
    depends=("MX-LEMD7", "MX-LEMD9-S6", "MX-LEMD11-S10", "MX-PROPD6"),
    printed=dict(case="convex", top="1/8"),
    headline="One convex round of Parallel Training, with constants",
    summary="A round of Parallel Training brings the model closer to x* up to noise e^2 nu and a dissimilarity of order "
    "beta e^3 G^2/eta_m^2, for e <= 1/(8 (1 + B^2) beta): the recursion that Theorem B.1 needs, with constants and for the sum "
    "of both updates.",
    controls=[
        *WITHOUT,
        Control("decrease 17/8", dict(decrease="17/8")),
        Control("contraction 3 mu", dict(contraction="3")),
        Control("steps 16 times as long", dict(top="2")),
        Control("eta_s = eta_m = 1, S = 30000", dict(wide=False)),
    ],
)(recursion)
smooth = recursion_claim(
    "MX-THMB1-S2",
    statement=SMOOTH_RECURSION,
    proves=proves(SMOOTH_RECURSION, left=one_round.gain, under=supposed(R(1, 9))),
    assumptions=HYPOTHESES,
    depends=("MX-LEMD12-S9", "MX-LEMD13-S7"),
    printed=dict(case="non-convex", top="1/9"),
    headline="One non-convex round of Parallel Training, with constants",
    summary="The same without convexity: a round decreases f by (3/4) e |grad f|^2 up to noise beta e^2 nu and a dissimilarity of "
    "order beta^2 e^3 G^2/eta_m^2, for e <= 1/(9 (1 + B^2) beta).",
    controls=[
        *WITHOUT,
        Control("decrease 1.01", dict(decrease="101/100")),
        Control("steps 18 times as long", dict(top="2")),
    ],
)(recursion)


if __name__ == "__main__":
    run_script(__file__)
