r"""What partial participation changes in Li et al. (2020): mean and variance of the new average, scheme by scheme.

Also the two variants of Section D.2: weights normalised over the cohort, and Scheme II after the transformation
F~_k = N p_k F_k.  Moments are symbolic in N, K and the weights (counting and power sums); enumeration checks them.
"""

from __future__ import annotations

from fractions import Fraction
from statistics import mean

import sympy as sp

from fltheory.evidence.decide import Tried, decide, judged
from fltheory.evidence.kinds import algebra_claim, identity_claim, probability_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory import proofs, sampling
from fltheory.theory.sampling import K, N, aggregate_mean, compare, plain_average, text, uniform_subsets, weighted_mean

q = sp.Symbol("q", positive=True)
UNEQUAL = ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)))
EQUAL = ((Fraction(1, 2),) * 2, (Fraction(1, 3),) * 3)


def only_variance(scheme: str, equal: bool, full: bool) -> Evidence:
    """Judge: the mean is that of full participation, and the variance vanishes with the local displacements.

    Local models are w + y_k with y_k = O(eta).  The added variance is a nonnegative quadratic form in (w, y), so it
    is controlled by the step sizes exactly when its value at y = 0, E (sum of coefficients - 1)^2, is zero.
    """
    cohort = N if full else K
    moments = {
        "I": sampling.draws_with_replacement(cohort),
        "II": sampling.scaled_subset(N, cohort),
        "original": sampling.original_rule(N, cohort),
    }[scheme]
    square_sum = 1 / N if equal else q
    kept = moments.absent  # the old model's weight: those coefficients add up to one with it
    at_rest = sp.Integer(0) if scheme == "original" else moments.spread(sp.Integer(1), square_sum, sp.Integer(1))
    rules = {"I": plain_average, "II": sampling.scaled_weights, "original": sampling.absent_keep_old}
    cases = []
    for weights in EQUAL if equal else UNEQUAL:
        n = len(weights)
        k = n if full else 1
        cohorts = sampling.weighted_draws(weights, k) if scheme == "I" else uniform_subsets(n, k)
        old = Fraction(1)
        models = tuple(old + Fraction(i + 1) for i in range(n))
        name = f"{scheme}, N={n}, K={k}, p={text(weights)}, w_t=1"
        actual = aggregate_mean(cohorts, rules[scheme], weights, models, old)
        cases.append((f"{name}, v={text(models)}, E wbar", weighted_mean(weights, models), actual))
        still = sampling.aggregate_spread(cohorts, rules[scheme], weights, (old,) * n, old)
        cases.append((f"{name}, steps of size 0 (v=w_t), variance of wbar", Fraction(0), still))
    return judged(
        compare([(moments.mean, 1), kept, at_rest], cases),
        "Mean coefficients by counting (any N, K, p). The added variance is a nonnegative quadratic form in the "
        "common model w and the displacements y_k = O(eta); it is controlled by eta exactly when it vanishes at y = "
        "0, where it equals E(total weight - 1)^2 |w|^2, computed symbolically. Enumerated for N = 2, 3.",
        "all N, K, dimensions" + (", equal weights" if equal else ", all weights"),
    )


of_the_sentence = qualitative_claim.sharing(
    source="Section 3, introduction",
    statement=r"\mathbb{E}_S\bar w_{t+1}=\bar v_{t+1},\quad "
    r"\mathbb{E}_S\|\bar w_{t+1}-\bar v_{t+1}\|^2=O(\eta^2)\quad(K<N)",
)
ORIGINAL = Control("original rule", dict(scheme="original"))

partial_one = of_the_sentence(
    "LI-PARTVAR.1[Scheme I]",
    printed=dict(scheme="I", equal=False, full=False),
    controls=[ORIGINAL],
    summary="K < N only adds variance, and the step sizes control it: true for Scheme I with any weights.",
)(only_variance)

partial_two = of_the_sentence(
    "LI-PARTVAR.1[Scheme II, equal weights]",
    printed=dict(scheme="II", equal=True, full=False),
    controls=[Control("unequal weights", dict(equal=False)), ORIGINAL],
    summary="K < N only adds variance, and the step sizes control it: true for Scheme II with equal weights.",
)(only_variance)

partial_two_any = of_the_sentence(
    "LI-PARTVAR.1[Scheme II, any weights]",
    fault="missing hypothesis",
    printed=dict(scheme="II", equal=False, full=False),
    repair="LI-PARTVAR.1[Scheme II, equal weights]",
    controls=[Control("equal weights", dict(equal=True), must="pass"), ORIGINAL],
    headline="With unequal weights the variance of Scheme II does not shrink with the step size",
    summary="With unequal weights Scheme II keeps the mean, but its variance E(Z-1)^2 |w|^2 does not shrink with "
    "the steps.",
)(only_variance)

partial_original = of_the_sentence(
    "LI-PARTVAR.1[original rule]",
    fault="reading",
    printed=dict(scheme="original", equal=False, full=False),
    repair="LI-LEM4-ORIG.1",
    controls=[Control("K = N", dict(full=True), must="pass"), Control("equal weights", dict(equal=True))],
    headline="The original averaging rule changes the mean and so shortens the step",
    summary="The original rule changes the mean as well: it shortens the step by K/N.",
)(only_variance)


def is_variance(given: str) -> Evidence:
    """Judge that E|wbar - vbar|^2 is the variance of wbar, given the local models or over everything."""
    # local models v_k = +1 or -1 in all devices at once (probability 1/2): Var vbar = 1
    worlds = [(Fraction(1),) * 2, (Fraction(-1),) * 2] if given == "everything" else [(Fraction(1), Fraction(0))]
    weights, cohorts = (Fraction(1, 2),) * 2, uniform_subsets(2, 1)

    spread = mean([sampling.aggregate_spread(cohorts, plain_average, weights, v) for v in worlds])
    square = spread + mean([weighted_mean(weights, v) ** 2 for v in worlds])
    variance = square - mean([aggregate_mean(cohorts, plain_average, weights, v) for v in worlds]) ** 2
    w, v, moved = sp.symbols("w v moved")
    # E(w - Ew)^2 - E(w - v)^2 with Ew = E v: the square of v - Ev, which is zero when v is given
    rest = sp.expand((w - (v - moved)) ** 2 - (w - v) ** 2).subs(w, v)
    difference, case = rest.subs(moved, 0), "N=2, K=1, v=(1,0)"
    if given == "everything":
        difference = rest
        case = "N=2, K=1, p=(1/2,1/2), both devices at +1 or both at -1: E|wbar-vbar|^2 against Var wbar"
    return judged(
        compare([difference], [(case, spread, variance)]),
        "wbar - E wbar = (wbar - vbar) + (vbar - E vbar), and the parts are uncorrelated as E_S wbar = vbar: the total "
        "variance is E|wbar - vbar|^2 + Var vbar, where the second part vanishes when the local models are given.",
        "all unbiased schemes, N, K, dimensions",
    )


of_the_variance = identity_claim.sharing(source="Section B.2, before Lemma 4")

variance_given = of_the_variance(
    "LI-PARTVAR.2[given the local models]",
    printed=dict(given="local models"),
    statement=r"\mathbb{E}_S\|\bar v_{t+1}-\bar w_{t+1}\|^2=\mathrm{Var}_S(\bar w_{t+1})",
    summary="E_S|vbar - wbar|^2 is the variance of wbar over the cohort.",
    controls=[Control("variance over all randomness", dict(given="everything"))],
)(is_variance)

variance_total = of_the_variance(
    "LI-PARTVAR.2[over all randomness]",
    fault="reading",
    printed=dict(given="everything"),
    statement=r"\mathbb{E}\|\bar v_{t+1}-\bar w_{t+1}\|^2=\mathrm{Var}(\bar w_{t+1})",
    headline="The variance of the sampled model is more than that of the sampling alone",
    summary="Over all randomness the variance of wbar also contains Var vbar.",
    repair="LI-PARTVAR.2[given the local models]",
    controls=[Control("local models given", dict(given="local models"), must="pass")],
)(is_variance)


@probability_claim(
    "LI-NORMW",
    statement=r"\mathbb{E}_S\Big[\sum_{k\in S}\frac{p_k}{\sum_{l\in S}p_l}v^k\Big]\ne\bar v\quad"
    r"\text{for some } v,\ \text{when } K<N \text{ and } p \text{ is not uniform}",
    summary="Uniform cohorts with weights normalised over the cohort are biased in general; for positive weights they "
    "are unbiased exactly when K = N or all weights are equal. Devices with large weights are underrepresented.",
    source="Section D.2",
    printed=dict(equal=False, full=False),
    controls=[Control("equal weights", dict(equal=True)), Control("K = N", dict(full=True))],
)
def normalised_is_biased(equal: bool, full: bool) -> Evidence:
    large, small, rest = sp.symbols("a b R", positive=True)
    # unbiased means E[1{i in S}/p(S)] = 1 for each i; swapping i for j in a cohort changes 1/p(S) by
    swap = 1 / (rest + small) - 1 / (rest + large)
    strict = proofs.equal(swap * (rest + small) * (rest + large), large - small)
    examined, found = 0, []
    for weights in EQUAL if equal else UNEQUAL:
        n = len(weights)
        for k in [n] if full else range(1, n):
            for i in range(n):
                unit = tuple(Fraction(int(j == i)) for j in range(n))
                share = aggregate_mean(uniform_subsets(n, k), sampling.normalised_weights, weights, unit)
                examined += 1
                if share != weights[i]:
                    name = f"N={n}, K={k}, p={text(weights)}: mean weight {share} of device {i + 1}, not {weights[i]}"
                    found.append((name, share - weights[i]))
    example, bias = found[0] if found else ("", Fraction(0))
    return decide(
        (strict and not equal and not full and bool(found), "no biased cohort"),
        Tried(examined + 1, "" if found else "every enumerated mean weight equals p_k"),
        method="Unbiasedness for all v asks E[1{i in S}/p(S)] = 1 for each device. Pair the cohorts R+{i} and R+{j}: for p_i "
        "> p_j each pair contributes (p_j - p_i)/((p(R)+p_i)(p(R)+p_j)) < 0 to the difference of the two "
        "expectations, and K < N leaves at least one pair, so unequal weights cannot both give one. Enumerated for N "
        "= 2, 3.",
        numbers={"smallest example": example, "bias of its first mean weight": str(bias)},
        valid_for="all 1 <= K < N, positive weights that are not all equal",
    )


@algebra_claim(
    "LI-TRANS-ALG.1",
    statement=r"p_k=\tfrac1N\ \Rightarrow\ \tfrac NK\sum_{k\in S}\tfrac1N\tilde v^k=\tfrac1K\sum_{k\in S}\tilde "
    r"v^k,\quad \mathbb{E}_S\big[\cdot\big]=\tfrac1N\sum_k\tilde v^k",
    summary="Scheme II on the transformed problem is uniform sampling with simple averaging, and its total weight "
    "is one.",
    source="Section D.2 with Section 3.3",
    printed=dict(weight="1/N"),
    controls=[Control("the original weights kept in the average", dict(weight="p"))],
)
def transformed_average(weight: str) -> Evidence:
    share = 1 / N if weight == "1/N" else sp.Symbol("p", positive=True)
    coefficient = N / K * share
    cases = []
    for weights in UNEQUAL:
        n = len(weights)
        used = (Fraction(1, n),) * n if weight == "1/N" else weights
        models = tuple(Fraction(i + 1) for i in range(n))
        for k in range(1, n):
            actual = aggregate_mean(uniform_subsets(n, k), sampling.scaled_weights, used, models)
            cases.append(
                (f"N={n}, K={k}, weights {text(used)}, v={text(models)}: E of the average", mean(models), actual)
            )
    share_in_the_mean = coefficient * sampling.inclusion_probability()
    return judged(
        compare([(coefficient, 1 / K), (share_in_the_mean, 1 / N)], cases),
        "N/K times 1/N is 1/K, and each device is in S with probability K/N; enumerated for N = 2, 3.",
        "all 1 <= K <= N, dimensions",
    )


@identity_claim(
    "LI-TRANS-ALG.2",
    statement=r"\tilde F_k=Np_kF_k\ \Rightarrow\ \tfrac1N\sum_k\tilde F_k=F,\quad "
    r"\tfrac1N\sum_k\big(w-\eta\nabla\tilde F_k(w)\big)=w-\eta\nabla F(w)",
    summary="Scaling the local objectives keeps the global one; with one local step the mean of a round is a "
    "gradient step on F.",
    source="Section D.2 with Section 3.3",
    printed=dict(scale="N"),
    controls=[Control("scaled by p_k only", dict(scale="1")), Control("scaled by (N-1) p_k", dict(scale="N-1"))],
)
def transformed_objective(scale: str) -> Evidence:
    factor = sp.sympify(scale, locals={"N": N})
    p, value = sp.symbols("p F")
    term = factor * p * value / N - p * value  # one client's term of both sums
    cases = []
    for weights in UNEQUAL:
        n = len(weights)
        values = tuple(Fraction(i * i + 1) for i in range(n))
        name = f"N={n}, p={text(weights)}, F_k(w)={text(values)}"
        scaled = [sampling.at(factor, dict(N=n)) * w * f for w, f in zip(weights, values, strict=True)]
        cases.append((name, weighted_mean(weights, values), mean(scaled)))
    return judged(
        compare([term], cases),
        "The sums agree term by term for a generic client, and the gradient is linear.",
        "all N, weights, differentiable F_k",
    )


if __name__ == "__main__":
    run_script(__file__)
