r"""Lemma 5 of Li et al. (2020): the variance that sampling adds at a synchronisation, with the sharp constant.

Derived: the variance of the cohort's average; the mean may be dropped; Cauchy and Schwarz over the round's steps with the
step sizes as weights; a round's steps sum to at most 2E-1 times its last one.  Linear objectives with slopes +G and -G attain
all four, so 4E^2 may be replaced by (2E-1)^2 and by nothing smaller.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter

import sympy as sp

from fltheory.evidence.decide import Tried
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.evidence.witness import Side, Witness
from fltheory.theory import sampling
from fltheory.theory.bound import Bound
from fltheory.theory.li2020 import theorems
from fltheory.theory.li2020.theorems import G2
from fltheory.theory.proofs import equal
from fltheory.theory.sampling import K, N, aggregate_spread, draws_with_replacement, plain_average, uniform_subsets
from fltheory.theory.states import Link, proves
from verify.li2020 import cohorts as sampled
from verify.li2020 import elsewhere
from verify.li2020.cohorts import E, admissible, extremal_steps, lemma_5_scheme_i, lemma_5_scheme_i_sharpened
from verify.li2020.derivations.fedavg import SAMPLED
from verify.li2020.derivations.lemmas import cohort

STEPS_ONE = ("LI-EQ26", "LI-L5PF-I", "LI-B3-XREF.2")
STEPS_TWO = ("LI-L5-EXPAND", "LI-L5PF-II1", "LI-L5PF-II2", "LI-L5PF-II3", "LI-L5PF-II4", "LI-L5PF-I")
FACTORS = {"I": "1/K", "II": "(N-K)/((N-1)*K)"}


def exact_factor(scheme: str) -> sp.Expr:
    """Variance of the average over sum p|v - vbar|^2 (uniform weights for Scheme II)."""
    spread = sp.Symbol("A", positive=True)
    moments = draws_with_replacement() if scheme == "I" else sampling.scaled_subset()
    return sp.factor(moments.spread(spread, spread / N, sp.Integer(0)) / spread)


def instances(scheme: str, ratio: Fraction) -> Iterator[tuple[str, dict[str, int], Fraction]]:
    """Runs of linear losses with slopes +1, -1 (G = 1) in the extremal schedule: the exact left side at eta_t = 1."""
    for steps in range(1, 5):
        schedule = extremal_steps(steps, ratio)
        if not admissible(schedule, steps, ratio):
            raise RuntimeError("the extremal schedule is not admissible")
        window = schedule[steps : 2 * steps]
        for n in (2, 4):
            weights = (Fraction(1, n),) * n
            models = [Fraction((-1) ** k) * sum(window) for k in range(n)]
            for k in range(1, n):
                cohorts = sampling.weighted_draws(weights, k) if scheme == "I" else uniform_subsets(n, k)
                value = aggregate_spread(cohorts, plain_average, weights, models)
                name = f"N={n}, K={k}, E={steps}, slopes +1/-1, steps {', '.join(map(str, window))}"
                yield name, dict(N=n, K=k, E=steps), value / window[-1] ** 2


def lemma(scheme: str, constant: str, factor: str, ratio: str, over: str, bounded: str) -> Evidence:
    """Judge ``spread <= factor * constant(E) * eta_t^2 G^2``.

    over : ``"all"`` expectation over gradients and cohorts, ``"cohort"`` over the cohort with the gradients fixed.
    bounded : ``"mean"`` E|g|^2 <= G^2, ``"path"`` |g| <= G in every realisation.
    """
    names = {"N": N, "K": K, "E": E}
    size, share = sp.sympify(constant, locals=names), sp.sympify(factor, locals=names)
    true_share, window = exact_factor(scheme), sampled.window_factor(sp.Rational(ratio))
    draws = {"draws": "" if bounded == "path" else "xi past", "over": SAMPLED if over == "all" else "k j S"}
    derived = cohort(size * share * G2 * sampled.eta**2, scheme, ratio, **draws)
    slope = sp.Symbol("c")
    at = dict(N=2, K=1, E=1, eta=1, G2=1)
    rare = Witness(
        {slope: Fraction(11, 5), **at},
        Side("E_S|wbar - vbar|^2", sampled.eta**2 * slope**2),
        "<=",
        size * share * G2 * sampled.eta**2,
        [(Side("E|g|^2", slope**2 / 5 if bounded == "mean" else slope**2), "<=", G2)],
        "losses a w + w^2/2 at w_t = 0, T = 1, with a in (c,0,0,0,0) and (-c,0,0,0,0), one uniform sample each; "
        "both draw their first",
    )
    found = search(
        instances(scheme, Fraction(ratio)),
        lambda one: (one[2], sampling.at(size * share, one[1])),
        describe=itemgetter(0),
    )
    of_the_cohort = tried([rare]) if over == "cohort" and not found.counterexample else Tried()
    sharpest, surplus = sp.factor(window**2), sp.factor(size / window**2)
    times = "1"
    if not equal(size * share, sharpest * true_share):
        times = (
            f"{surplus}, with E the number of local steps: the ratio {surplus.subs(E, 1)} is that of E = 1, it is "
            f"{surplus.subs(E, 2)} at E = 2 and tends to {sp.limit(surplus, E, sp.oo)}"
        )
    sharp = f"{sharpest} eta_t^2 G^2 times the same factor, attained for every E; printed / sharp is {times}"
    return by_derivation(
        derived,
        of_the_cohort if of_the_cohort.counterexample else found,
        numbers={
            "exact variance / mean squared deviation": str(true_share),
            "sharp constant": str(sharpest),
            "printed / sharp": times.partition(",")[0],
        },
        valid_for="all 1 <= K, N >= 2 (Scheme II: K <= N; at N = 1 its factor is 0/0, at K = N both sides vanish), "
        "all E, dimensions and admissible schedules",
        tightness=Tightness(float(surplus.subs(E, 1)), Rung.PROOF, sharp) if derived.certificate else None,
    )


def controls(scheme: str) -> list[Control]:
    """Changes of the printed lemma that must be refuted."""
    wrong = {"I": "1/(K+1)", "II": "(N-K)/(N*K)"}[scheme]
    return [
        Control("sharp constant times 0.99", dict(constant="99*(2*E-1)**2/100")),
        Control("steps may fall by a factor 3 in E steps", dict(ratio="3")),
        Control(f"factor {wrong}", dict(factor=wrong)),
    ]


def printed(scheme: str, constant: str = "4*E**2", over: str = "all", bounded: str = "mean") -> dict[str, str]:
    """Arguments of :func:`lemma`."""
    return dict(scheme=scheme, constant=constant, factor=FACTORS[scheme], ratio="2", over=over, bounded=bounded)


HYPOTHESES = (
    "t+1 in I_E",
    "eta_t non-increasing, eta_t <= 2 eta_{t+E}",
    "E|gradient|^2 <= G^2 at every step of the round, t = 0 included",
)
COHORT = r"\mathbb{E}_{S}\big[\|\bar v_{t+1}-\bar w_{t+1}\|^2\mid \xi\big]"
COHORT_I, COHORT_II = (
    replace(bound, name=f"{bound.name}, over the cohort only", left=COHORT)
    for bound in (lemma_5_scheme_i, sampled.lemma_5_scheme_ii)
)
PATHWISE = Control("gradients bounded by G in every realisation", dict(bounded="path"), must="pass")


def pathwise(scheme: str) -> list[Control]:
    """With gradients bounded in every realisation the lemma holds, and its changes fail."""
    path = dict(bounded="path")
    return [PATHWISE, *(Control(f"{c.name}, gradients bounded by G", {**c.changes, **path}) for c in controls(scheme))]


ALL, ONLY = "[over all randomness]", "[over the cohort only]"

lemma_claim = expectation_claim.sharing(assumptions=HYPOTHESES)


def stated(bound: Bound) -> Link:
    """Whether the bound is constant factor eta_t^2 G^2; Scheme II for N >= 2."""
    return proves(
        bound,
        lambda constant, factor: constant * factor * sampled.eta**2 * theorems.G2,
        under=(theorems.N >= 2,) if "N" in bound.arguments else (),
    )


lemma_5_1 = lemma_claim(
    "LI-LEM5-1" + ALL,
    statement=lemma_5_scheme_i,
    proves=stated(lemma_5_scheme_i),
    source="Lemma 5 (1)",
    headline="Sampling K clients with replacement adds a variance of order 1/K",
    summary="Scheme I: variance added by sampling, expectation over gradients and cohorts (the reading that (25) uses).",
    proof_steps=STEPS_ONE,
    printed=printed("I"),
    controls=controls("I"),
)(lemma)

lemma_5_1_cohort = lemma_claim(
    "LI-LEM5-1" + ONLY,
    statement=COHORT_I,
    proves=stated(COHORT_I),
    source="Lemma 5 (1)",
    headline="The sampling variance bound fails with the stochastic gradients held fixed",
    summary="Scheme I: the printed E_S taken literally, with the stochastic gradients fixed; G bounds them in the "
    "mean only.",
    repair="LI-LEM5-1" + ALL,
    fault="reading",
    printed=printed("I", over="cohort"),
    controls=pathwise("I"),
)(lemma)

lemma_5_1_sharp = lemma_claim(
    "LI-LEM5-1-S1",
    statement=lemma_5_scheme_i_sharpened,
    proves=stated(lemma_5_scheme_i_sharpened),
    source="Lemma 5 (1), sharpened",
    headline="Sampling with replacement adds variance with the sharp constant in the local steps",
    summary="Under Scheme I the variance added by sampling has the sharp constant (2E-1)^2.",
    elsewhere=elsewhere.COHORT,
    printed=printed("I", "(2*E-1)**2"),
    controls=controls("I"),
)(lemma)

lemma_5_2 = lemma_claim(
    "LI-LEM5-2" + ALL,
    statement=sampled.lemma_5_scheme_ii,
    proves=stated(sampled.lemma_5_scheme_ii),
    source="Lemma 5 (2)",
    headline="Sampling a uniform subset of K clients adds a variance that vanishes at K = N",
    summary="Scheme II with equal weights: variance added by sampling, expectation over gradients and cohorts.",
    proof_steps=STEPS_TWO,
    printed=printed("II"),
    controls=controls("II"),
)(lemma)

lemma_5_2_cohort = lemma_claim(
    "LI-LEM5-2" + ONLY,
    statement=COHORT_II,
    proves=stated(COHORT_II),
    source="Lemma 5 (2)",
    headline="The subset variance bound fails with the stochastic gradients held fixed",
    summary="Scheme II: the printed E_S is taken literally, with the stochastic gradients fixed.",
    repair="LI-LEM5-2" + ALL,
    fault="reading",
    printed=printed("II", over="cohort"),
    controls=pathwise("II"),
)(lemma)

lemma_5_2_sharp = lemma_claim(
    "LI-LEM5-2-S1",
    statement=sampled.lemma_5_scheme_ii_sharpened,
    proves=stated(sampled.lemma_5_scheme_ii_sharpened),
    source="Lemma 5 (2), sharpened",
    headline="Sampling a uniform subset adds variance with the sharp constant in the local steps",
    summary="Scheme II with equal weights and the sharp constant (2E-1)^2.",
    elsewhere=elsewhere.COHORT,
    printed=printed("II", "(2*E-1)**2"),
    controls=controls("II"),
)(lemma)

if __name__ == "__main__":
    run_script(__file__)
