r"""What partial participation changes in Li et al. (2020): mean and variance of the new average, scheme by scheme.

Also the two variants of Section D.2: weights normalised over the cohort, and Scheme II after the transformation
F~_k = N p_k F_k.
"""

from fractions import Fraction

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.kinds import algebra_claim, identity_claim, probability_claim, qualitative_claim, run_script
from fltheory.evidence.matrices import Matrices
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.witness import Side, Witness
from fltheory.theory import proofs, sampling
from fltheory.theory.sampling import aggregate_mean, text, uniform_subsets
from verify.li2020.derivations import cohort_steps

UNEQUAL = ((Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)))
EQUAL = ((Fraction(1, 2),) * 2, (Fraction(1, 3),) * 3)


#: Two clients, one of them drawn: local models v, weights p, the common model w.
_v1, _v2, _p1, _p2, _w = sp.symbols("v_1 v_2 p_1 p_2 w")
_MEAN = _p1 * _v1 + _p2 * _v2


def _two_clients(scheme: str, equal: bool, full: bool) -> list[Witness]:
    """The mean is that of full participation; with steps of size 0 (v = w) nothing varies."""
    half = sp.Rational(1, 2)
    outcomes = {
        "I": [(_p1, _v1), (_p2, _v2)],
        "II": [(half, 2 * _p1 * _v1), (half, 2 * _p2 * _v2)],
        "original": [(half, _p1 * _v1 + (1 - _p1) * _w), (half, _p2 * _v2 + (1 - _p2) * _w)],
    }[scheme]
    outcomes = [(sp.Integer(1), _MEAN + (1 - _p1 - _p2) * _w)] if full else outcomes
    mean = Side("E wbar", sum(chance * one for chance, one in outcomes))
    spread = Side("E|wbar - vbar|^2", sum(chance * (one - _MEAN) ** 2 for chance, one in outcomes))
    setting = f"two clients, {'both' if full else 'one'} in the cohort, rule: {scheme}"
    weights = (Fraction(1, 2), Fraction(1, 2)) if equal else (Fraction(2, 3), Fraction(1, 3))
    given = [(_p1 + _p2, "=", 1)]
    moved = dict(zip((_p1, _p2, _v1, _v2, _w), (*weights, 2, 3, 1), strict=True))
    rest = [*given, (_v1, "=", _w), (_v2, "=", _w)]
    return [
        Witness(moved, mean, "=", Side("vbar", _MEAN), given, setting),
        Witness({**moved, _v1: 1, _v2: 1}, spread, "=", 0, rest, f"{setting}, steps of size 0"),
    ]


def only_variance(scheme: str, equal: bool, full: bool) -> Evidence:
    """Judge: the mean is that of full participation, and the variance vanishes with the local displacements.

    Local models are w - eta d_k.
    """
    found = tried(_two_clients(scheme, equal, full))
    name = {"I": "with replacement", "II": "without replacement" if equal else ""}.get(
        scheme, "everyone" if full else ""
    )
    if not name:
        return by_witness(_two_clients(scheme, equal, full), rung=Rung.PROOF)
    return by_derivation(
        cohort_steps.full_participation if full else lambda: cohort_steps.only_variance(name),
        found,
        method="Mean and second moment of a cohort's average; the models differ from the common one by eta d_k, "
        "E|wbar - vbar|^2 <= eta^2 D^2/K for |d_k| <= D.",
        valid_for="all N, K, dimensions" + (", equal weights" if equal else ", all weights"),
    )


of_the_sentence = qualitative_claim.sharing(
    source="Section 3, introduction",
    statement=r"\mathbb{E}_S\bar w_{t+1}=\bar v_{t+1},\quad "
    r"\mathbb{E}_S\|\bar w_{t+1}-\bar v_{t+1}\|^2=O(\eta^2)\quad(K<N)",
)
ORIGINAL = Control("original rule", dict(scheme="original"))

partial_one = of_the_sentence(
    "LI-PARTVAR.1[Scheme I]",
    headline="Sampling by weight with replacement only adds variance that the step sizes control",
    printed=dict(scheme="I", equal=False, full=False),
    controls=[ORIGINAL],
    summary="K < N only adds variance, and the step sizes control it: true for Scheme I with any weights.",
)(only_variance)

partial_two = of_the_sentence(
    "LI-PARTVAR.1[Scheme II, equal weights]",
    headline="Uniform sampling of equally weighted clients only adds variance, which the steps control",
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
    summary="The original rule changes the mean as well: it shortens the step to K/N of its length.",
)(only_variance)


def is_variance(given: str) -> Evidence:
    """Judge that E|wbar - vbar|^2 is the variance of wbar, given the local models or over everything."""
    a, b = sp.symbols("a b")
    mean, drawn = (a + b) / 2, "N = 2, K = 1, p = (1/2, 1/2), local models a and b"
    spread = Side("E_S|wbar - vbar|^2", ((a - mean) ** 2 + (b - mean) ** 2) / 2)
    if given == "local models":
        return by_derivation(
            cohort_steps.variance_given_the_models,
            tried(Witness({a: 1, b: 0}, spread, "=", Side("Var_S wbar", (a**2 + b**2) / 2 - mean**2), (), drawn)),
            method="E_S wbar = vbar for every scheme that draws each client with its weight.",
            valid_for="all such schemes, N, K, dimensions",
        )
    variance = (a**2 + b**2) / 2 - mean**2
    setting = "N = 2, K = 1, p = (1/2, 1/2), both devices at a or both at b, equally likely: wbar = vbar is a or b"
    left = Side("E|wbar - vbar|^2", ((a - a) ** 2 + (b - b) ** 2) / 2)
    return by_witness(Witness({a: 1, b: -1}, left, "=", Side("Var wbar", variance), (), setting), rung=Rung.PROOF)


of_the_variance = identity_claim.sharing(source="Section B.2, before Lemma 4")

variance_given = of_the_variance(
    "LI-PARTVAR.2[given the local models]",
    headline="With the local models fixed an unbiased scheme's error is its variance over cohorts",
    printed=dict(given="local models"),
    statement=r"\mathbb{E}_S\|\bar v_{t+1}-\bar w_{t+1}\|^2=\mathrm{Var}_S(\bar w_{t+1})",
    summary="For schemes with E_S wbar = vbar, E_S|vbar - wbar|^2 is the variance of wbar over the cohort.",
    controls=[Control("variance over all randomness", dict(given="everything"))],
)(is_variance)

variance_total = of_the_variance(
    "LI-PARTVAR.2[over all randomness]",
    fault="reading",
    printed=dict(given="everything"),
    statement=r"\mathbb{E}\|\bar v_{t+1}-\bar w_{t+1}\|^2=\mathrm{Var}(\bar w_{t+1})",
    headline="The variance of the sampled model can exceed that of the sampling alone",
    summary="Over all randomness the variance of wbar also contains Var vbar, zero only if vbar is not random.",
    repair="LI-PARTVAR.2[given the local models]",
    controls=[Control("local models given", dict(given="local models"), must="pass")],
)(is_variance)


@probability_claim(
    "LI-NORMW",
    headline="Positive weights normalised over a partial uniform cohort are biased unless all agree",
    statement=r"\mathbb{E}_S\Big[\sum_{k\in S}\frac{p_k}{\sum_{l\in S}p_l}v^k\Big]\ne\bar v\quad"
    r"\text{for some } v,\ \text{when } K<N \text{ and } p \text{ is not uniform}",
    summary="Uniform cohorts with weights normalised over the cohort are biased in general; for positive weights they "
    "are unbiased exactly when K = N or all weights are equal. Otherwise the devices of the largest weight are "
    "underrepresented.",
    source="Section D.2",
    printed=dict(equal=False, full=False),
    controls=[Control("equal weights", dict(equal=True)), Control("K = N", dict(full=True))],
)
def normalised_is_biased(equal: bool, full: bool) -> Evidence:
    large, small, rest = sp.symbols("a b R", positive=True)
    # unbiased means E[1{i in S}/p(S)] = 1 for each i; swapping i for j in a cohort changes 1/p(S) by
    swap = 1 / (rest + small) - 1 / (rest + large)
    strict = proofs.equal(swap * (rest + small) * (rest + large), large - small)
    cases = [
        (weights, k, i)
        for weights in (EQUAL if equal else UNEQUAL)
        for k in ([len(weights)] if full else range(1, len(weights)))
        for i in range(len(weights))
    ]
    found = []
    for weights, k, i in cases:
        unit = tuple(Fraction(int(j == i)) for j in range(len(weights)))
        share = aggregate_mean(uniform_subsets(len(weights), k), sampling.normalised_weights, weights, unit)
        if share != weights[i]:
            name = f"N={len(weights)}, K={k}, p={text(weights)}"
            found.append((f"{name}: mean weight {share} of device {i + 1}, not {weights[i]}", share - weights[i]))
    example, bias = found[0] if found else ("", Fraction(0))
    return decide(
        (strict and not equal and not full and bool(found), "no biased cohort"),
        Tried(len(cases) + 1, "" if found else "every enumerated mean weight equals p_k"),
        method="Unbiasedness for all v asks E[1{i in S}/p(S)] = 1 for each device. Pair the cohorts R+{i} and R+{j}: for p_i "
        "> p_j each pair contributes (p_j - p_i)/((p(R)+p_i)(p(R)+p_j)) < 0 to the difference of the two "
        "expectations, and K < N leaves at least one pair, so unequal weights cannot both give one. Enumerated for N "
        "= 2, 3.",
        numbers={"smallest example": example, "bias of its first mean weight": str(bias)},
        valid_for="all 1 <= K < N, positive weights that are not all equal",
    )


@algebra_claim(
    "LI-TRANS-ALG.1",
    headline="Scheme II on rescaled clients is uniform sampling with a simple average",
    statement=r"p_k=\tfrac1N\ \Rightarrow\ \tfrac NK\sum_{k\in S}\tfrac1N\tilde v^k=\tfrac1K\sum_{k\in S}\tilde "
    r"v^k,\quad \mathbb{E}_S\big[\cdot\big]=\tfrac1N\sum_k\tilde v^k",
    summary="Scheme II on the transformed problem is uniform sampling with simple averaging, and its total weight is one.",
    source="Section D.2 with Section 3.3",
    printed=dict(weight="1/N"),
    controls=[Control("the original weights kept in the average", dict(weight="p"))],
)
def transformed_average(weight: str) -> Evidence:
    """N/K times 1/N is 1/K, and the mean of the average over a uniform cohort is that over all clients."""
    p, n, k = sp.symbols("p N K")
    claim = Side("N/K times the weight", n / k * (1 / n if weight == "1/N" else p)), "=", Side("1/K", 1 / k)
    return by_derivation(
        lambda: cohort_steps.transformed_average(weight),
        tried(Witness({n: 2, k: 1, p: Fraction(2, 3)}, *claim)),
        method="Second moment and mean of a uniform cohort's average.",
        valid_for="all 1 <= K <= N, dimensions",
    )


transformed_objective = statement_of_algebra(
    "LI-TRANS-ALG.2",
    Matrices(
        "T(o)*S/N = T(p)*F; T(W)*o/N = w - eta*T(J)*p for D in S(n); o in R(n); p in R(n); F in R(n); J in R(n,d); w in R(d); "
        "N >= 1; eta > 0; S = N*D*F; W = o*T(w) - eta*N*D*J; D*o = p; T(o)*o = N",
        uses={0: [("D*o = p", "T(F)", "1")], 1: [("D*o = p", "-eta*T(J)", "1"), ("T(o)*o = N", "w/N", "1")]},
        at=[
            {"p": "[1/3, 2/3]", "D": "[[1/3, 0], [0, 2/3]]", "o": "[1, 1]", "N": "2", "eta": "1/2"}
            | {"F": "[1, 2]", "J": "[[1, 2], [3, 5]]", "w": "[1, 1]"}
        ],
        names={"o": r"\mathbf 1", "D": r"\operatorname{diag}(p)", "S": r"\tilde F"},
    ),
    says=r"F=(F_1(w),\dots,F_N(w)),\ J=(\nabla F_1(w),\dots)^\top,\ \text{rows }w-\eta\nabla\tilde F_k(w)\text{ of }W:\ "
    r"\tfrac1N\sum_k\tilde F_k=F,\ \tfrac1N\sum_k\big(w-\eta\nabla\tilde F_k(w)\big)=w-\eta\nabla F(w),\ F=\sum_kp_kF_k:\quad ",
    false={
        "scaled by p_k only": ("S = N*D*F; W = o*T(w) - eta*N*D*J", "S = D*F; W = o*T(w) - eta*D*J"),
        "scaled by (N-1) p_k": ("S = N*D*F; W = o*T(w) - eta*N*D*J", "S = (N - 1)*D*F; W = o*T(w) - eta*(N - 1)*D*J"),
    },
    group=identity_claim,
    source="Section D.2 with Section 3.3",
    headline="Rescaled clients keep the global loss, and with one local step its gradient on average",
    summary="Scaling the local objectives keeps the global one; with one local step the mean of a round is a "
    "gradient step on F.",
)


if __name__ == "__main__":
    run_script(__file__)
