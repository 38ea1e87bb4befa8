r"""Lemma 4 of Li et al. (2020): Schemes I and II are unbiased, the original rule is not.

The mean of the new model is sum_k E[a_k] v_k, by linearity of the expectation, so one generic client settles it
for any N, any weights and any dimension.  E[a_k] comes from counting (uniform subsets) or from the law of one
draw; complete enumeration in rationals on small systems checks the formulas independently.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.decide import Tried, decide, judged
from fltheory.evidence.kinds import probability_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory import sampling
from fltheory.theory.sampling import K, N, aggregate_mean, at, compare, text, uniform_subsets, weighted_mean

P = sp.Symbol("p", positive=True)
SYSTEMS = [
    ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1), Fraction(0))),
    ((Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), (Fraction(1), Fraction(-2), Fraction(5))),
    ((Fraction(1, 10), Fraction(2, 10), Fraction(3, 10), Fraction(4, 10)), tuple(map(Fraction, (3, -1, 4, 1)))),
]
OLD = Fraction(7)
METHOD = (
    "Linearity of the expectation reduces the mean of the new model to E[a_k] of one generic client, for any N and any "
    "weights; E[a_k] by counting or from the law of one draw; all cohorts enumerated in rationals on small systems."
)
Numbers = tuple[Fraction, ...]


def systems() -> Iterator[tuple[str, Numbers, Numbers, int]]:
    """Words, weights, models and K for all cohort sizes of the small systems."""
    for weights, models in SYSTEMS:
        for k in range(1, len(weights) + 1):
            yield f"p={text(weights)}, v={text(models)}, K={k}", weights, models, k


def original(weights: Numbers, models: Numbers, k: int) -> Fraction:
    """Mean of the new model under the original rule, in which absent devices keep the old one."""
    return aggregate_mean(uniform_subsets(len(weights), k), sampling.absent_keep_old, weights, models, OLD)


unbiased_claim = probability_claim.sharing(source="Section B.2, Lemma 4")


@unbiased_claim(
    "LI-B2-UNB.1",
    statement=r"\mathbb{E}_{S_{t+1}}\bar w_{t+1}=\bar v_{t+1},\quad \bar w_{t+1}=\tfrac1K\sum_{l=1}^K v^{i_l}_{t+1},"
    r"\ i_l\ \text{i.i.d. with law } p",
    summary="Scheme I (K draws with replacement with probabilities p, plain average) leaves the mean of the average "
    "unchanged. The cohort is independent of the local models; Lemma 4 prints the index t for the cohort of step t+1.",
    printed=dict(law="p", divisor=0),
    controls=[
        Control("draws uniform instead of with law p", dict(law="uniform")),
        Control("average over K+1 instead of K", dict(divisor=1)),
    ],
)
def scheme_one(law: str, divisor: int) -> Evidence:
    one_draw = P if law == "p" else 1 / N
    mean = K * one_draw / (K + divisor)
    cases = []
    for name, weights, models, k in systems():
        used = weights if law == "p" else (Fraction(1, len(weights)),) * len(weights)
        actual = aggregate_mean(sampling.weighted_draws(used, k), sampling.plain_average, weights, models)
        cases.append((f"E w of {name}", weighted_mean(weights, models), actual * Fraction(k, k + divisor)))
    return judged(compare([(mean, P)], cases), METHOD, "all N, K >= 1, all weights, all dimensions")


@unbiased_claim(
    "LI-B2-UNB.2",
    statement=r"\mathbb{E}_{S_{t+1}}\bar w_{t+1}=\bar v_{t+1},\quad "
    r"\bar w_{t+1}=\tfrac NK\sum_{k\in S_{t+1}}p_k v^k_{t+1},\ S_{t+1}\ \text{uniform among the }K\text{-subsets}",
    summary="Scheme II (uniform K-subset, weights p_k N/K) leaves the mean of the average unchanged, for unequal "
    "weights as well. The cohort is independent of the local models.",
    printed=dict(scale="N/K"),
    controls=[
        Control("no factor N/K", dict(scale="1")),
        Control("factor (N-1)/K", dict(scale="(N-1)/K")),
    ],
)
def scheme_two(scale: str) -> Evidence:
    factor = sp.sympify(scale, locals={"N": N, "K": K})
    mean = factor * sampling.inclusion_probability() * P
    cases = []
    for name, weights, models, k in systems():
        n = len(weights)
        size = at(factor * K / N, dict(N=n, K=k))
        actual = size * aggregate_mean(uniform_subsets(n, k), sampling.scaled_weights, weights, models)
        cases.append((f"E w of {name}", weighted_mean(weights, models), actual))
    return judged(compare([(mean, P)], cases), METHOD, "all 1 <= K <= N, all weights, all dimensions")


@probability_claim(
    "LI-LEM4-KEY",
    statement=r"\mathbb{E}\sum_{k\in S}x_k=\mathbb{E}\sum_{l=1}^K x_{i_l}=K\,\mathbb{E}x_{i_1}=K\sum_{k=1}^N q_k x_k,"
    r"\quad q=p\ \text{(I)},\ q=1/N\ \text{(II)}",
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
    draw, mean, law = sp.symbols("l m q")
    laws = {
        "independent": (sampling.independent_draws, law, law),
        "repeated": (sampling.repeated_draw, law, law),
        "subset": (sampling.independent_draws, sampling.draw_probability(), 1 / N),
        # the second draw falls on i with probability sum_j!=i p_j p_i/(1-p_j), which is not a function of p_i alone
        "successive": (sampling.successive_draws, law, sp.Symbol("q_2")),
    }
    differences = [sp.summation(mean, (draw, 1, K)) - (K + terms) * mean]
    differences += [laws[name][1] - laws[name][2] for name in joint]
    cases = []
    for (weights, values), name in product(SYSTEMS, joint):
        n = len(weights)
        one_draw = (Fraction(1, n),) * n if name == "subset" else weights
        sampler = sampling.successive_draws if name == "subset" else laws[name][0]
        for k in range(1, n + 1):
            total = sum((w * sum(values[i] for i in order) for w, order in sampler(one_draw, k)), Fraction(0))
            claimed = (k + terms) * weighted_mean(one_draw, values)
            cases.append((f"{name} draws, q={text(one_draw)}, x={text(values)}, K={k}", claimed, total))
    return judged(
        compare(differences, cases),
        "Linearity of the expectation needs no independence: K equal terms E x_{i_l} = sum q x. For a uniform subset "
        "in random order the law of each draw is counted, (n-1)!/(n-K)! of n!/(n-K)! lists. Enumerated for "
        "independent draws, one draw used K times, and draws without replacement.",
        "all N, K, all laws q, any dependence between the draws",
    )


@probability_claim(
    "LI-LEM4-ORIG.1",
    statement=r"\mathbb{E}_S\Big[\sum_{k\notin S}p_kw_t+\sum_{k\in S}p_kv^k\Big]"
    r"=\Big(1-\tfrac KN\Big)w_t+\tfrac KN\,\bar v",
    summary="Mean of the original averaging rule in closed form: the full-participation step shortened by K/N, that "
    "is, a server step of size K/N towards the unbiased average.",
    source="Section B.2 with Table 1",
    printed=dict(kept="1 - K/N"),
    controls=[
        Control("kept weight 1 - (K-1)/(N-1)", dict(kept="1 - (K-1)/(N-1)")),
        Control("unbiased (kept weight 0)", dict(kept="0")),
    ],
)
def original_mean(kept: str) -> Evidence:
    weight = sp.sympify(kept, locals={"N": N, "K": K})
    rule = sampling.original_rule()
    cases = []
    for weights, models in SYSTEMS:
        n = len(weights)
        for k in range(1, n):
            share = at(weight, dict(N=n, K=k))
            claimed = share * OLD + (1 - share) * weighted_mean(weights, models)
            cases.append(
                (f"p={text(weights)}, v={text(models)}, w_t={OLD}, K={k}", claimed, original(weights, models, k))
            )
    found = compare([(rule.absent, weight), (rule.mean, 1 - weight)], cases)
    return judged(found, METHOD, "all 1 <= K <= N, all weights, all dimensions")


@probability_claim(
    "LI-LEM4-ORIG.2",
    statement=r"\mathbb{E}_S\bar w_{t+1}-\bar v_{t+1}=\Big(1-\tfrac KN\Big)(w_t-\bar v_{t+1})\ne0"
    r"\quad\text{for } K<N,\ \bar v_{t+1}\ne w_t",
    summary="The original averaging rule is biased in every round in which the average moves, as soon as K < N.",
    source="Section B.2",
    printed=dict(full=False),
    controls=[Control("K = N", dict(full=True))],
)
def original_biased(full: bool) -> Evidence:
    w, v, absent = sp.symbols("w v absent")
    extra = sp.Integer(0) if full else absent
    rule = sampling.original_rule(K + extra, K)
    bias = sp.factor(rule.absent * w + rule.mean * v - v)
    weights, models = SYSTEMS[0]
    n = len(weights)
    gap = original(weights, models, n if full else n - 1) - weighted_mean(weights, models)
    positive = sp.simplify(sp.simplify(bias / (w - v)) - absent / (K + absent)) == 0
    return decide(
        (bool(positive and gap), "the factor of the bias is not shown positive"),
        Tried(2, "" if gap else f"K=N={n}, p={text(weights)}: the bias is {gap}"),
        method="The bias factors into (1 - K/N)(w_t - vbar); with N = K + m absent clients the factor is m/(K+m) > 0 for m "
        ">= 1. The value at N = 2, K = 1 is enumerated.",
        numbers={"bias": str(bias), "bias at p=(2/3,1/3), v=(1,0), w_t=7": str(gap)},
        valid_for="all 1 <= K < N, all weights",
    )


if __name__ == "__main__":
    run_script(__file__)
