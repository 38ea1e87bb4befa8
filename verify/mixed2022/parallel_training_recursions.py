"""Theorem B.1 of Augenstein et al. (2022) with a proof of its own: one round of Parallel Training, with constants.

The document refers to the analysis of FedAvg with two meta-clients, whose global update averages where Algorithm 1 adds.  A
round of Parallel Training has the form of a round of 1-way Gradient Transfer with drift on both sides, so that Lemmas D.7, D.9,
D.11 and D.13 prove the recursion, see :mod:`fltheory.theory.mixed2022.parallel`.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.mixed_one_round import evaluated, settle
from fltheory.evidence.mixed_parallel_round import ParallelRound, opposed, rounds, wide_cohort
from fltheory.evidence.model import Control, Evidence, Kind, Scope, claim
from fltheory.theory.mixed2022 import one_round as o
from fltheory.theory.mixed2022 import parallel as p

R = sp.Rational
HYPOTHESES = (
    "Assumption 4.1",
    "E g_c = grad f_c, variance at most sigma_c^2",
    "f_f, f_c beta-smooth",
    "Definition 4.2 with w_f = w_c = 1/2",
    "K eta eta_s eta_m = K eta_c eta_m = e",
    "eta_m >= 1, eta_s >= 1",
    "eta_s eta_m >= sqrt(S)",
    "fresh independent batches, cohort without replacement",
)
REDUCTION = (
    "expected inner product and square of the update in moments (martingale differences in an order of all draws of the round "
    "that follows the steps); Jensen over cohort and steps; induction over the local steps; Gram identity in commuting "
    "scalars (removes d); every client has the same law (removes N)"
)
VALID = "every N, S <= N, K >= 1, dimension, G >= 0, B >= 1, all noise laws"


def instances(case: str, top: Fraction, wide: bool) -> list[ParallelRound]:
    convex = case == "convex"
    found = [*rounds(top, convex=convex)[::5], *opposed(top)]
    return found if wide else [*found, *wide_cohort(top)]


def recursion(
    case: str, decrease: str, noise: str, dissimilarity: str, contraction: str, top: str, wide: bool
) -> Evidence:
    """The certified steps, and exact rounds; ``wide``: eta_s eta_m >= sqrt(S)."""
    if case == "convex":
        left, right = o.near, p.convex(R(decrease), R(noise), R(dissimilarity), R(contraction))
    else:
        left, right = o.gain, p.smooth(R(decrease), R(noise), R(dissimilarity))
    steps = p.recursion(case, right, R(top), wide)
    return settle(
        steps, evaluated(left, right, instances(case, Fraction(top), wide)), method=REDUCTION, valid_for=VALID
    )  # type: ignore[arg-type]


COMMON = dict(kind=Kind.EXPECTATION, scope=Scope.GENERAL, source="Theorem B.1, explicit")
CONVEX = dict(case="convex", decrease="3/2", noise="8/5", dissimilarity="3", contraction="1", top="1/8", wide=True)
SMOOTH = dict(
    case="non-convex", decrease="3/4", noise="13/8", dissimilarity="13/4", contraction="0", top="1/9", wide=True
)
convex = claim(
    "MX-THMB1-S1",
    **COMMON,
    statement=p.CONVEX_RECURSION.latex(),
    assumptions=(*HYPOTHESES, "f_f, f_c mu-convex, mu >= 0"),
    depends=("MX-LEMD7", "MX-LEMD9-S6", "MX-LEMD11-S10", "MX-PROPD6"),
    printed=CONVEX,
    summary="A round of Parallel Training brings the model closer to x* up to noise e^2 nu and a dissimilarity of order "
    "beta e^3 G^2/eta_m^2, for e <= 1/(8 (1 + B^2) beta): the recursion that Theorem B.1 needs, with constants and for the sum "
    "of both updates.",
    controls=[
        Control("no dissimilarity", dict(dissimilarity="0")),
        Control("noise 0.99", dict(noise="99/100")),
        Control("decrease 17/8", dict(decrease="17/8")),
        Control("contraction 3 mu", dict(contraction="3")),
        Control("steps 16 times as long", dict(top="2")),
        Control("eta_s = eta_m = 1, S = 30000", dict(wide=False)),
    ],
)(recursion)
smooth = claim(
    "MX-THMB1-S2",
    **COMMON,
    statement=p.SMOOTH_RECURSION.latex(),
    assumptions=HYPOTHESES,
    depends=("MX-LEMD12-S9", "MX-LEMD13-S7"),
    printed=SMOOTH,
    summary="The same without convexity: a round decreases f by (3/4) e |grad f|^2 up to noise beta e^2 nu and a dissimilarity of "
    "order beta^2 e^3 G^2/eta_m^2, for e <= 1/(9 (1 + B^2) beta).",
    controls=[
        Control("no dissimilarity", dict(dissimilarity="0")),
        Control("noise 0.99", dict(noise="99/100")),
        Control("decrease 1.01", dict(decrease="101/100")),
        Control("steps 18 times as long", dict(top="2")),
    ],
)(recursion)

if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
