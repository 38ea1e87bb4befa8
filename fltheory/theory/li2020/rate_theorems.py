"""The rate theorems of Li et al. (2020) in the vocabulary of hypotheses.

Time: the theorems start at w_1 with the step t = 1, and R rounds of E steps lead to w_T with T = R E + 1.  Printed are rounds that
end when E divides t + 1; the derivations ask only that no client is more than E - 1 steps away from the last common model.
"""

from __future__ import annotations

from fltheory.theory.hypotheses import (
    BoundedSecondMoment,
    BoundedVariance,
    CohortLaw,
    DissimilarityAtMinimiser,
    EqualWeights,
    ExactGradients,
    FiniteGamma,
    HarmonicStep,
    Hypothesis,
    IndependentNoise,
    ShortFirstRound,
    SmoothLosses,
    StronglyConvexLosses,
)
from fltheory.theory.li2020 import no_bounded_gradients, theorems
from fltheory.theory.rates import RateTheorem

VALUES = {
    "L": "L",
    "mu": "mu",
    "E": "E",
    "T": "steps + 1",
    "K": "S",
    "N": "N",
    "V": "V_run",
    "Gamma": "Gamma",
    "G2": "G_run_sq",
    "D1": "D_sq",
}
_WORDS = {condition.words.split(" ")[0]: condition.words for condition in theorems.theorem_1.conditions}
COMMON: dict[str, tuple[Hypothesis, ...]] = {
    _WORDS["every"]: (SmoothLosses(), StronglyConvexLosses()),
    _WORDS["samples"]: (IndependentNoise(),),
    _WORDS["variance"]: (BoundedVariance("V_run"),),
    _WORDS["second"]: (BoundedSecondMoment("run"),),
    _WORDS["eta_t"]: (HarmonicStep(),),
}
#: By number of the theorem: premises of its own, and the cohorts where the words leave them to the setting.
_COHORTS: dict[int, tuple[dict[str, tuple[Hypothesis, ...]], tuple[Hypothesis, ...]]] = {
    1: ({}, (CohortLaw("full"),)),
    2: ({}, (CohortLaw("scheme I"),)),
    3: ({"uniform K-subset, p_k = 1/N": (CohortLaw("scheme II"), EqualWeights())}, ()),
}
_CLAIMS = {
    "": {1: "LI-THM1[main-text step sizes]", 2: "LI-THM2", 3: "LI-THM3"},
    "sharpened": dict.fromkeys((1, 2, 3), "LI-THM1-S1"),
    "improved": {1: "LI-THM1-S2", 2: "LI-THM2-S1", 3: "LI-THM3-S1"},
}


_TITLES = {"": "", "sharpened": ", recursion solved", "improved": ", from the sharp one-step lemma"}


def _theorem(number: int, kind: str) -> RateTheorem:
    premises, needs = _COHORTS[number]
    name = "_".join(filter(None, ["theorem", str(number), kind]))
    return RateTheorem(
        f"li2020.{name}",
        f"Li et al. (2020), Theorem {number}{_TITLES[kind]}",
        getattr(theorems, name),
        "gap",
        "FedAvg",
        VALUES,
        {**COMMON, **premises},
        (*needs, *(() if kind == "improved" else (FiniteGamma(),))),  # the improved form has no Gamma
        claim=_CLAIMS[kind][number],
        form="sharpened" if kind else "printed",
        of=f"li2020.theorem_{number}" if kind else "",
    )


def _with_steps_of_the_appendix(number: int) -> RateTheorem:
    """The same bound for the step sizes of Appendix A.3, one step earlier: the derivation is that of the main text, shifted."""
    plain = _theorem(number, "")
    return RateTheorem(
        f"{plain.key}_appendix",
        f"{plain.title}, steps of the appendix",
        plain.where,
        plain.measure,
        plain.method,
        plain.values,
        {**plain.premises, _WORDS["eta_t"]: (HarmonicStep("max(8*L/mu, E) - 1"),)},
        plain.needs,
        claim="LI-THM1[appendix step sizes]" if number == 1 else plain.claim,
        of=plain.key,
    )


_SCHEDULE = "eta_t = 2/(mu (gamma + t)), first step t = 1, synchronisation when E divides t+1"
_AT_MINIMISER: dict[str, tuple[Hypothesis, ...]] = {
    "every F_k is L-smooth and mu-strongly convex": (SmoothLosses(), StronglyConvexLosses()),
    "full participation, w_T = sum_k p_k w_T^k at every T, synchronised or not": (CohortLaw("full"),),
    "zeta^2 = sum_k p_k |grad F_k(w*)|^2 (at most 2 L Gamma)": (DissimilarityAtMinimiser(),),
}
_NOISE: dict[str, tuple[Hypothesis, ...]] = {
    "samples unbiased given the past and independent across devices": (IndependentNoise(),),
    "variance of client k's stochastic gradient at most sigma_k^2; sigma^2 = sum_k p_k sigma_k^2": (
        BoundedVariance("V"),
        BoundedVariance("sigma_mean_sq"),
    ),
}
_FREE = {**VALUES, "V": "V", "zeta": "sqrt(zeta_sq)", "sigma": "sqrt(sigma_mean_sq)", "gamma": "gamma"}
DISTANCE = RateTheorem(
    "li2020.no_bounded_gradients_exact",
    "Li et al. (2020), Theorem 1 without bounded gradients, exact gradients",
    no_bounded_gradients.THEOREM_DISTANCE,
    "distance",
    "FedAvg",
    _FREE,
    {**_AT_MINIMISER, _SCHEDULE: (HarmonicStep("gamma"), ShortFirstRound()), "exact gradients": (ExactGradients(),)},
    form="sharpened",
    of="li2020.theorem_1",
)
NOISY = RateTheorem(
    "li2020.no_bounded_gradients_noise",
    "Li et al. (2020), Theorem 1 without bounded gradients, with noise",
    no_bounded_gradients.THEOREM_NOISE,
    "distance",
    "FedAvg",
    _FREE,
    {**_AT_MINIMISER, **_NOISE, _SCHEDULE: (HarmonicStep("gamma"), ShortFirstRound())},
    form="sharpened",
    of="li2020.theorem_1",
)
#: Rounds of E steps are the printed ones from the synchronised step r = E on, which this theorem allows; c is taken so that the
#: gamma of the printed run, which is smaller by E - 1, is c kappa E.
SMALL_STEPS = RateTheorem(
    "li2020.no_bounded_gradients_small_steps",
    "Li et al. (2020), Theorem 1 without bounded gradients, smaller steps",
    no_bounded_gradients.THEOREM_SQUARE,
    "squared distance",
    "FedAvg",
    {**_FREE, "c": "(gamma - E + 1)*mu/(L*E)"},
    {
        **_AT_MINIMISER,
        **_NOISE,
        _SCHEDULE: (HarmonicStep("gamma"),),
        no_bounded_gradients.THEOREM_SQUARE.conditions[-1].words: (),
    },
    form="sharpened",
    of="li2020.theorem_1",
)
RATES = (
    *(_theorem(number, kind) for number in (1, 2, 3) for kind in ("", "sharpened", "improved")),
    *(_with_steps_of_the_appendix(number) for number in (1, 2, 3)),
    DISTANCE,
    NOISY,
    SMALL_STEPS,
)
