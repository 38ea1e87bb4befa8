r"""Lemma 4 of Li et al. (2020): Schemes I and II are unbiased, the original rule is not.

Means are derived (:mod:`verify.li2020.derivations.sampling`); complete enumeration in rationals on small systems finds the
counterexamples of what is false.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import sympy as sp

from fltheory.derivation.statement import Derived
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.exact_search import search
from fltheory.evidence.kinds import probability_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory import sampling
from fltheory.theory.notation import AbsentSum, CohortSum
from fltheory.theory.sampling import K, N, aggregate_mean, text, uniform_subsets, weighted_mean
from verify.li2020.derivations.sampling import form_of, of_cohorts
from verify.li2020.displays import appendix_b as shown
from verify.li2020.displays.notation import count, displays, over_cohorts, p, v, vbar, w0

Numbers = tuple[Fraction, ...]
SYSTEMS: list[tuple[Numbers, Numbers]] = [
    ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1), Fraction(0))),
    ((Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(1), Fraction(-2), Fraction(5))),
]
OLD = Fraction(7)
SIZES = "all 1 <= K <= N, all weights, all dimensions (N = 1: its one client is drawn)"


def judged(found: Derived, sides: Callable[[Numbers, Numbers, int], tuple[Fraction, Fraction]], valid: str) -> Evidence:
    """An identity of means: derived, and both sides on all cohort sizes of the small systems."""
    cases = [(*system, k) for system in SYSTEMS for k in range(1, len(system[0]) + 1)]
    tried = search(
        cases,
        lambda case: sides(*case),
        relation="=",
        describe=lambda case: f"p={text(case[0])}, v={text(case[1])}, w_t={OLD}, K={case[2]}",
    )
    return by_derivation(found, tried, valid_for=valid)


unbiased_claim = probability_claim.sharing(source="Section B.2, Lemma 4")


@unbiased_claim(
    "LI-B2-UNB.1",
    headline="Sampling by weight with replacement leaves the mean of the averaged model unchanged",
    statement=shown.scheme_i,
    summary="Scheme I (K draws with replacement with probabilities p, plain average) leaves the mean of the average "
    "unchanged. The cohort is independent of the local models; Lemma 4 prints the index t for the cohort of step t+1.",
    printed=dict(law="p", divisor=0),
    controls=[
        Control("draws uniform instead of with law p", dict(law="uniform")),
        Control("average over K+1 instead of K", dict(divisor=1)),
    ],
)
def scheme_one(law: str, divisor: int) -> Evidence:
    def sides(weights: Numbers, models: Numbers, k: int) -> tuple[Fraction, Fraction]:
        used = weights if law == "p" else (Fraction(1, len(weights)),) * len(weights)
        actual = aggregate_mean(sampling.weighted_draws(used, k), sampling.plain_average, weights, models)
        return actual * Fraction(k, k + divisor), weighted_mean(weights, models)

    line = form_of(shown.scheme_i, f"(K + {divisor})/K")
    found = of_cohorts("I", line) if law == "p" else Derived(None, reason="draws along other weights")
    return judged(found, sides, "all N, K >= 1, all weights, all dimensions")


@unbiased_claim(
    "LI-B2-UNB.2",
    headline="A uniform subset with rescaled weights leaves the mean of the averaged model unchanged",
    statement=shown.scheme_ii,
    summary="Scheme II (uniform K-subset, weights p_k N/K) leaves the mean of the average unchanged, for unequal "
    "weights as well. The cohort is independent of the local models.",
    printed=dict(scale="N/K"),
    controls=[Control("no factor N/K", dict(scale="1")), Control("factor (N-1)/K", dict(scale="(N-1)/K"))],
)
def scheme_two(scale: str) -> Evidence:
    def sides(weights: Numbers, models: Numbers, k: int) -> tuple[Fraction, Fraction]:
        n = len(weights)
        size = sampling.at(sp.sympify(scale, locals={"N": N, "K": K}) * K / N, dict(N=n, K=k))
        actual = aggregate_mean(uniform_subsets(n, k), sampling.scaled_weights, weights, models)
        return size * actual, weighted_mean(weights, models)

    # (N/K) p_k v^k over the cohort is the plain average of N p_k v^k
    found = of_cohorts("II", form_of(shown.scheme_ii, f"N/K/({scale})", of="pv"), of="pv")
    return judged(found, sides, SIZES)


@probability_claim(
    "LI-LEM4-KEY",
    headline="Draws of one law have the expected sum however much they depend on each other",
    statement=(
        shown.key_draws,
        r",\quad ",
        shown.key_first,
        r",\quad ",
        shown.key_mean,
        r",\quad q=p\ \text{(I)},\ q=1/N\ \text{(II)}",
    ),
    summary="A sum over K draws that all have the law q has mean K times the q-average, however dependent the draws "
    "are; with replacement q is p, for a uniform subset q is 1/N.",
    source="Section B.4, proof of Lemma 4",
    printed=dict(terms=0, joint=("independent", "repeated", "subset")),
    controls=[
        Control("K-1 terms instead of K", dict(terms=-1)),
        Control("draws proportional to p among those left (not identically distributed)", dict(joint=("successive",))),
    ],
)
def key_observation(terms: int, joint: tuple[str, ...]) -> Evidence:
    samplers = {"independent": sampling.independent_draws, "repeated": sampling.repeated_draw}
    schemes = {"independent": "I", "repeated": "any", "subset": "II"}

    def cases() -> Iterator[tuple[str, Fraction, Fraction]]:
        for weights, values in SYSTEMS:
            for name in joint:
                law = (Fraction(1, len(values)),) * len(values) if name == "subset" else weights
                for k in range(1, len(values) + 1):
                    drawn = samplers.get(name, sampling.successive_draws)(law, k)
                    total = sum((w * sum(values[i] for i in order) for w, order in drawn), Fraction(0))
                    words = f"{name} draws, q={text(law)}, x={text(values)}, K={k}"
                    yield words, total, (k + terms) * weighted_mean(law, values)

    first = f"(K + {terms})*mean(one, l)"
    forms = f"sq(K*mean(drawn, S) - {first})", f"sq({first} - K*mean(v, k))"
    found = [
        of_cohorts(schemes[name], *forms) if name in schemes else Derived(None, reason="later draws have other laws")
        for name in joint
    ]
    tried = search(cases(), lambda case: case[1:], relation="=", describe=lambda case: case[0])
    return by_derivation(found, tried, valid_for="all N, K, all laws q, any dependence between the draws")


original_mean_bound = displays("Appendix B.2")(
    "mean of the original rule, in closed form",
    over_cohorts(AbsentSum(count, p * w0) + CohortSum(count, p * v)),
    "=",
    (1 - K / N) * w0 + K / N * vbar,
    "LI-LEM4-ORIG.1",
)
of_the_original_rule = probability_claim.sharing(source="Section B.2 with Table 1")
_NEW = "(w + K/N*mean(drawn, S))"  # the plain average of N p_k (v^k - w), shortened to K/N


@of_the_original_rule(
    "LI-LEM4-ORIG.1",
    headline="The original averaging rule takes on average only the sampled share of a full step",
    statement=original_mean_bound,
    summary="Mean of the original averaging rule in closed form: the full-participation step shortened to K/N of its "
    "length, that is, a server step of size K/N towards the unbiased average.",
    printed=dict(kept="1 - K/N"),
    controls=[
        Control("kept weight 1 - (K-1)/(N-1)", dict(kept="1 - (K-1)/(N-1)")),
        Control("unbiased (kept weight 0)", dict(kept="0")),
    ],
)
def original_mean(kept: str) -> Evidence:
    def sides(weights: Numbers, models: Numbers, k: int) -> tuple[Fraction, Fraction]:
        n = len(weights)
        share = sampling.at(sp.sympify(kept, locals={"N": N, "K": K}), dict(N=n, K=k))
        actual = aggregate_mean(uniform_subsets(n, k), sampling.absent_keep_old, weights, models, OLD)
        return actual, share * OLD + (1 - share) * weighted_mean(weights, models)

    found = of_cohorts("II", f"sq({_NEW} - ({kept})*w - (1 - ({kept}))*mean(pv, k))", of="change")
    return judged(found, sides, SIZES)


@of_the_original_rule(
    "LI-LEM4-ORIG.2",
    headline="The original averaging rule is biased in every partial round that moves the average",
    statement=r"\mathbb{E}_S\bar w_{t+1}-\bar v_{t+1}=\Big(1-\tfrac KN\Big)(w_t-\bar v_{t+1}),\quad "
    r"\|\mathbb{E}_S\bar w_{t+1}-\bar v_{t+1}\|\ge\tfrac1N\|w_t-\bar v_{t+1}\|\quad\text{for } K<N",
    summary="The original averaging rule is biased in every round in which the average moves, as soon as K < N.",
    printed=dict(absent=1),
    controls=[Control("K = N", dict(absent=0))],
)
def original_biased(absent: int) -> Evidence:
    def sides(weights: Numbers, models: Numbers, k: int) -> tuple[Fraction, Fraction]:
        n, vbar = len(weights), weighted_mean(weights, models)
        bias = aggregate_mean(uniform_subsets(n, k), sampling.absent_keep_old, weights, models, OLD) - vbar
        return abs(OLD - vbar) / n, abs(bias)

    cases = [(*system, k) for system in SYSTEMS for k in range(1, len(system[0]) + 1 - absent)]
    tried = search(
        cases, lambda c: sides(*c), describe=lambda c: f"p={text(c[0])}, v={text(c[1])}, w_t={OLD}, K={c[2]}"
    )
    bias, moved = f"{_NEW} - mean(pv, k)", "w - mean(pv, k)"
    least = {"relation": ">=", "squares": [["(1 - K/N)**2 - 1/N**2", moved]]}
    forms = f"sq({bias} - (1 - K/N)*({moved}))", {"form": f"sq({bias}) - sq({moved})/N**2", **least}
    found = of_cohorts("II", *forms, of="change", absent=absent)
    return by_derivation(found, tried, valid_for="all 1 <= K < N, all weights")


if __name__ == "__main__":
    run_script(__file__)
