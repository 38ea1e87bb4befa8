r"""Appendix B.3 of Li et al. (2020), first half: the split of the distance and the one-step recursions.

The recursions are derived from the hypotheses (:mod:`verify.li2020.derivations.lemmas`); exact runs show that their constants
cannot be made much smaller.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import by_in_mean
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.in_mean import InMean
from fltheory.evidence.kinds import expectation_claim, identity_claim, probability_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.li2020.theorems import G2, E, Gamma, L, V
from fltheory.theory.sampling import K, N
from fltheory.theory.states import proves
from verify.li2020 import cohorts as sampled
from verify.li2020.appendix_a.recursion import INDEPENDENT, ONE_SAMPLE, equal_clients, searched
from verify.li2020.cohort_checks import part, together
from verify.li2020.cohorts import recursion, recursion_between
from verify.li2020.derivations import lemmas as derived
from verify.li2020.derivations.sampling import form_of
from verify.li2020.displays import appendix_b as shown
from verify.li2020.lemmas import A4_TAKEN, SAMPLING

SMALL_STEP = Fraction(1, 100)


SPLIT = InMean(
    "sq(w - star) = sq(w - v) + sq(v - star) + 2*dot(w - v, v - star)",
    things="w; v; star",
    names={"w": r"\bar w", "v": r"\bar v", "star": "w^*"},
)


@identity_claim(
    "LI-B3-SPLIT.1",
    statement=SPLIT,
    summary="The distance is split into A1, A2 and A3 (all at step t+1).",
    source="Section B.3",
    printed=dict(text=SPLIT.text),
    controls=[
        Control("cross term once", dict(text=SPLIT.changed("2*dot", "dot").text)),
        Control("sign of the cross term", dict(text=SPLIT.changed("+ 2*dot", "- 2*dot").text)),
    ],
)
def split(text: str) -> Evidence:
    """Expansion."""
    return by_in_mean(SPLIT.with_text(text), valid_for="all vectors")


@probability_claim(
    "LI-B3-SPLIT.2",
    headline="The sampling error is uncorrelated with the error of the unsampled step",
    statement=(shown.cross_term, r"\quad\text{for Schemes I and II}"),
    summary="The cross term vanishes in the mean over the cohort, because vbar does not depend on the cohort of t+1.",
    source="Section B.3",
    depends=("LI-B2-UNB.1", "LI-B2-UNB.2"),
    printed=dict(rule="Schemes I and II"),
    controls=[Control("original averaging rule", dict(rule="original"))],
)
def cross_term(rule: str) -> Evidence:
    """Scheme I averages v^k, II N p_k v^k; the original rule takes only the share K/N of the change."""
    two = form_of(shown.cross_term, of="pv")
    if rule == "original":
        kept = str(two["form"]).replace("drawn", "(w + K/N*drawn)")
        parts = [part("II", two | {"form": kept}, of="change")]
    else:
        parts = [part("I", form_of(shown.cross_term)), part("II", two, of="pv")]
    return together(*parts, valid_for="all N, K, weights, dimensions; cohort independent of the local models")


#: B of (5).
PRINTED_B = V + 6 * L * Gamma + 8 * (E - 1) ** 2 * G2
LEMMAS = ("LI-LEM1", "LI-LEM2")
HYPOTHESES = ("A1, A2, A3", A4_TAKEN, SAMPLING, "eta_t <= 1/(4L), non-increasing, eta_t <= 2 eta_{t+E}")
#: All clients take part and draw one sample.
SHARED = [equal_clients(SMALL_STEP, noise=True, clients=100, drawn=100)]
COHORT = "cohort independent of the local models given the past"


def between_synchronisations(contraction: sp.Expr, share: sp.Expr) -> sp.Expr:
    """The recursion with a share of B, and another contraction."""
    return recursion(share * PRINTED_B, contraction)


@expectation_claim(
    "LI-B3-NS",
    headline="Between synchronisations the recursion is that of full participation",
    statement=(r"t+1\notin I_E:\quad ", recursion_between),
    proves=proves(recursion_between, between_synchronisations),
    summary="Between synchronisations the recursion is that of full participation, (13).",
    source="Section B.3",
    assumptions=HYPOTHESES,
    depends=LEMMAS,
    printed=dict(contraction="1", share="1", independent=True),
    controls=[
        Control("contraction 1 - 2.1 eta mu", dict(contraction="21/10")),
        Control("B replaced by B/10", dict(share="1/10")),
        ONE_SAMPLE,
    ],
    unprinted=INDEPENDENT,
)
def between(contraction: str, share: str, independent: bool) -> Evidence:
    claimed = between_synchronisations(sp.Rational(contraction), sp.Rational(share))
    one_client = [equal_clients(SMALL_STEP, noise=noise, local_steps=2) for noise in (True, False)]
    return by_derivation(
        derived.recursion(claimed, at="local", independent=independent),
        searched(claimed, one_client if independent else SHARED),
        valid_for="all N, K",
    )


def with_cohort(contraction: sp.Expr, coefficient: sp.Expr, cohort: sp.Expr) -> sp.Expr:
    """The recursion with B + C, C = coefficient E^2 G^2/K times the factor of the cohort."""
    return recursion(PRINTED_B + cohort * coefficient * E**2 * G2 / K, contraction)


COHORTS = {"I": sp.Integer(1), "II": (N - K) / (N - 1)}


def at_synchronisation(scheme: str, contraction: str, coefficient: str, independent: bool) -> Evidence:
    """Judge (25) with ``C`` replaced by ``coefficient/4 C`` and the contraction by ``1 - contraction eta mu``."""
    claimed = with_cohort(sp.Rational(contraction), sp.Rational(coefficient), COHORTS[scheme])
    one_drawn = [equal_clients(SMALL_STEP, noise=noise, clients=n) for n in (2, 5, 20, 100) for noise in (True, False)]
    return by_derivation(
        derived.recursion(claimed, scheme, "synchronised", independent),
        searched(claimed, one_drawn if independent else SHARED),
        valid_for="all N >= 2, K; Scheme II with p_k = 1/N",
    )


of_equation_25 = expectation_claim.sharing(
    source="Section B.3, equation (25)",
    assumptions=(*HYPOTHESES, COHORT),
    controls=[
        Control("4 in C replaced by 9/10", dict(coefficient="9/10")),
        Control("contraction 1 - 2.1 eta mu", dict(contraction="21/10")),
        ONE_SAMPLE,
    ],
    unprinted=INDEPENDENT,
)

scheme_one = of_equation_25(
    "LI-EQ25.1",
    headline="One step with devices drawn with replacement: one more term for the draw",
    statement=(r"t+1\in I_E:\quad ", sampled.recursion_scheme_i),
    proves=proves(
        sampled.recursion_scheme_i,
        lambda contraction, coefficient: with_cohort(contraction, coefficient, COHORTS["I"]),
    ),
    summary="Scheme I at a synchronisation: B + C with C = 4 E^2 G^2/K. At E = 1 the 4 could not be less than 1 - 1/N.",
    depends=(*LEMMAS, "LI-B2-UNB.1", "LI-B3-SPLIT.1", "LI-B3-SPLIT.2"),
    printed=dict(scheme="I", contraction="1", coefficient="4", independent=True),
)(at_synchronisation)

scheme_two = of_equation_25(
    "LI-EQ25.2",
    headline="One step with a uniform subset of devices: one more term for the draw, zero at K = N",
    statement=(r"t+1\in I_E:\quad ", sampled.recursion_scheme_ii),
    proves=proves(
        sampled.recursion_scheme_ii,
        lambda contraction, coefficient: with_cohort(contraction, coefficient, COHORTS["II"]),
    ),
    summary="Scheme II with equal weights at a synchronisation: B + C with the factor (N-K)/(N-1).",
    depends=(*LEMMAS, "LI-B2-UNB.2", "LI-B3-SPLIT.1", "LI-B3-SPLIT.2"),
    printed=dict(scheme="II", contraction="1", coefficient="4", independent=True),
)(at_synchronisation)


if __name__ == "__main__":
    run_script(__file__)
