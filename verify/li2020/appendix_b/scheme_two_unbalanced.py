r"""Scheme II of Li et al. (2020) with unequal weights: its total weight Z = (N/K) sum_S p_k is random.

E Z = 1 and E Z^2 - 1 = N(N-K)/(K(N-1)) sum_k (p_k - 1/N)^2, for any N, K and p.  Each round multiplies the common part
of the model by Z.  With identical devices F_k = |w|^2/2 and the theorems' decreasing steps the second moment is a
closed form and diverges for all unequal weights.
"""

from fractions import Fraction
from math import log, prod

import sympy as sp

from fltheory.derivation.statement import Derived
from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import probability_claim, qualitative_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory import proofs, sampling
from fltheory.theory.proofs import Open, is_zero, nonnegative_on
from fltheory.theory.sampling import K, N, scaled_weights, scaling_second_moment, text, uniform_subsets
from fltheory.theory.steps import hypothesis
from verify.li2020.cohorts import shrinkage, shrinkage_step
from verify.li2020.derivations.sampling import of_cohorts

q = sp.Symbol("q", positive=True)
GAMMA = 8  # max{8 kappa, E} with kappa = 1 and E <= 8


#: E Z^2 - 1 is this times sum p^2 - 1/N.
EXCESS = N * (N - K) / (K * (N - 1))


def totals(weights: tuple[Fraction, ...], k: int) -> list[tuple[Fraction, Fraction]]:
    """(probability, Z) of every cohort."""
    n = len(weights)
    return [(p, sum(scaled_weights(c, weights)[0], start=Fraction(0))) for p, c in uniform_subsets(n, k)]


def second_moment(weights: tuple[Fraction, ...], k: int) -> Fraction:
    """E Z^2 by enumeration."""
    return sum((p * z**2 for p, z in totals(weights, k)), start=Fraction(0))


def check_enumeration() -> int:
    """Compare the formula for E Z^2 with all cohorts of small systems; returns the number of comparisons."""
    unequal = (Fraction(2, 3), Fraction(1, 3)), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    every = [(weights, k) for weights in (*unequal, (Fraction(1, 4),) * 4) for k in range(1, len(weights) + 1)]
    for weights, k in every:
        at = dict(N=len(weights), K=k, q=sum(w**2 for w in weights))
        if sampling.at(scaling_second_moment(squares=q), at) != second_moment(weights, k):
            raise RuntimeError(f"E Z^2 of p={text(weights)}, K={k} is not its formula")
    return len(every)


@probability_claim(
    "LI-IINORM",
    headline="How far the rescaled weights of a partial cohort move a model that clients share",
    statement=r"K<N:\quad \mathbb{E}_S\Big\|\sum_{k\in S}p_k\tfrac NKw-w\Big\|^2=\tfrac{N-K}{K(N-1)}\,\tfrac1N\sum_k\|Np_kw-w\|^2"
    r"\ge\tfrac1{K(N-1)}\,\tfrac1N\sum_k\|Np_kw-w\|^2",
    summary="How far the weights N p_k/K of a partial cohort are from adding up to one, seen at a model w that all clients share: "
    "they change it, in the mean square, by (N-K)/(K(N-1)) times the mean of |N p_k w - w|^2, at least 1/(K(N-1)) of it.",
    source="Section B.2, Scheme II",
    printed=dict(equal=False, full=False),
    controls=[Control("K = N", dict(full=True)), Control("equal weights", dict(equal=True))],
)
def not_normalised(equal: bool, full: bool) -> Evidence:
    weights = (Fraction(1, 2),) * 2 if equal else (Fraction(2, 3), Fraction(1, 3))
    k = 2 if full else 1
    values = [z for _, z in totals(weights, k)]
    always_one = all(z == 1 for z in values)
    # Z times a vector w is the average of N p_k w over the cohort
    moment, facts = "sq(drawn - w)", {"drawn": "1"}
    squares = [["(N - K - 1)/(K*(N - 1))", "pw - w"]]
    least = {"form": f"{moment} - 1/(K*(N - 1))*sq(pw - w)", "relation": ">=", "facts": facts, "squares": squares}
    exact = {"form": f"{moment} - (N - K)/(K*(N - 1))*sq(pw - w)", "facts": facts}
    found = of_cohorts("II", exact, least, of="pw", absent=0 if full else 1)
    return by_derivation(
        Derived(None, reason="all p_k = 1/N") if equal else found,
        Tried(len(values), f"N=2, K={k}, p={text(weights)}: every cohort has total weight 1" if always_one else ""),
        numbers={"Z at p=(2/3,1/3), K=1": str(values)},
        valid_for="all 1 <= K < N, all weights",
    )


def distance(weights: tuple[Fraction, ...], k: int, rounds: int) -> Fraction:
    """E w_T^2/w_0^2 for F_k = w^2/2, E = 1, eta_t = 2/(8+t), T = rounds, from the law of Z round by round."""
    shrink = prod((1 - Fraction(2, GAMMA + t) for t in range(rounds)), start=Fraction(1))
    return second_moment(weights, k) ** rounds * shrink**2


@qualitative_claim(
    "LI-IIDIV",
    headline="Scheme II can diverge with unequal weights: two identical devices, one of them active",
    statement=r"\text{Scheme II, } p=(\tfrac23,\tfrac13),\ K=1,\ F_k=\tfrac12w^2,\ E=1,\ w_0\ne0,\ \eta_t=\tfrac2{8+t}:\quad "
    r"\mathbb{E}F(w_T)=\tfrac{w_0^2}2\Big(\tfrac{10}9\Big)^T\Big(\tfrac{42}{(T+6)(T+7)}\Big)^2\to\infty",
    summary="Scheme II can diverge (in the mean square) when the weights are unequal: smallest example, two identical "
    "devices, one of them active, with the steps of Theorem 3.",
    source="Section D.2",
    printed=dict(first_weight="2/3", k=1),
    controls=[Control("equal weights", dict(first_weight="1/2")), Control("K = N", dict(k=2))],
)
def diverges(first_weight: str, k: int) -> Evidence:
    weights = (Fraction(first_weight), 1 - Fraction(first_weight))
    growth = second_moment(weights, k)
    g, rounds = sp.Integer(GAMMA), sp.Symbol("T", positive=True)
    ratio = sp.Rational(str(growth)) * (shrinkage(g, rounds + 1) / shrinkage(g, rounds)) ** 2
    steps = {
        "the closed form begins with 1": lambda: proofs.equal(shrinkage(g, sp.Integer(0)), 1),
        "and one more round multiplies it by (1 - eta_t)": lambda: proofs.equal(
            shrinkage(g, rounds + 1), shrinkage(g, rounds) * (1 - 2 / (g + rounds))
        ),
        "from T = 70 on E F(w_T) grows by 21/20 in each round": lambda: nonnegative_on(
            ratio - sp.Rational(21, 20), [(rounds, 70, None)]
        ),
    }
    closed = sp.Rational(str(growth)) ** 12 * shrinkage(g, sp.Integer(12)) ** 2
    if sp.Rational(str(distance(weights, k, 12))) != closed:
        raise RuntimeError("the closed form and the recursion disagree after 12 rounds")
    drift = sum(float(p) * log(float(z)) for p, z in totals(weights, k))
    horizon = next((t for t in range(1, 400) if growth > 1 and distance(weights, k, t) > 1), None)
    vanishing = f"p={text(weights)}, K={k}: Z=1 in every round and E F(w_T) = F(w_0) (42/((T+6)(T+7)))^2 tends to 0"
    return decide(
        steps,
        Tried(12, vanishing if growth == 1 else ""),
        method="E w_{t+1}^2 = E Z^2 (1 - eta_t)^2 E w_t^2 with the enumerated law of Z; the product of the contractions "
        "telescopes, and consecutive values of E w_T^2 have a ratio above 21/20 from T = 70 on.",
        numbers={
            "E Z^2": str(growth),
            "first T with E F(w_T) > F(w_0)": str(horizon),
            "E log Z (negative: a single run still tends to 0)": round(drift, 6),
            "constant step eta is mean-square stable iff (1-eta)^(2E) <": str(1 / growth),
        },
        valid_for="the instance, all T",
    )


@qualitative_claim(
    "LI-IIDIV-S1",
    statement=r"K<N,\ p\ \text{not uniform},\ F_k=\tfrac12\|w\|^2,\ w_0\ne0,\ \eta_t=\tfrac2{\gamma+t}:\quad "
    r"\mathbb{E}F(w_T)=F(w_0)\big(\mathbb{E}Z^2\big)^{T/E}\Big(\tfrac{(\gamma-1)(\gamma-2)}{(\gamma+T-1)(\gamma+T-2)}\Big)^2"
    r"\to\infty",
    headline="Identical devices, unequal weights, some absent: Scheme II diverges at the theorems' steps",
    summary="It is not a matter of how unequal the weights are: at the steps 2/(gamma+t) every unequal p with K < N diverges "
    "in the mean square already for the identical devices |w|^2/2, from w_0 other than 0; steps that do not tend to zero can "
    "balance a small E Z^2 - 1.",
    source="Section D.2, sharpened",
    printed=dict(equal=False, full=False),
    controls=[Control("equal weights", dict(equal=True)), Control("K = N", dict(full=True))],
)
def always_diverges(equal: bool, full: bool) -> Evidence:
    g, rounds, absent = sp.symbols("gamma T m", positive=True)
    factor = EXCESS.subs(N, K + absent)
    growing, partial = "the weights are not all equal", "a client is absent"
    steps = {
        growing: hypothesis(growing, not equal),
        partial: hypothesis(partial, not full),
        "E Z^2 - 1 in closed form": lambda: proofs.equal(scaling_second_moment(squares=q) - 1, EXCESS * (q - 1 / N)),
        "sum (p_k - 1/N)^2 = sum p_k^2 - 1/N": lambda: proofs.equal(q - 2 * (1 / N) * 1 + N * (1 / N) ** 2, q - 1 / N),
        "its factor is at least 1/K where m >= 1 clients are absent": lambda: nonnegative_on(
            factor - 1 / K, [(K, 1, None), (absent, 1, None)]
        ),
        "the contractions telescope": lambda: (
            proofs.equal(shrinkage(g, sp.Integer(0)), 1) and is_zero(shrinkage_step(g, rounds))
        ),
        "their product falls no faster than 1/(gamma + T)^2": lambda: nonnegative_on(
            shrinkage(g, rounds) - (g - 1) * (g - 2) / (g + rounds) ** 2, [(g, Open(2), None), (rounds, 0, None)]
        ),
    }
    weights = (Fraction(1, 2),) * 2 if equal else (Fraction(51, 100), Fraction(49, 100))
    k = 2 if full else 1
    growth = second_moment(weights, k)
    vanishing = "" if growth != 1 else f"p={text(weights)}, K={k}: E Z^2 = 1 and E F(w_T) tends to 0"
    return decide(
        steps,
        Tried(check_enumeration(), vanishing),
        method="Identical devices stay together, so w_{t+1} = Z (1 - eta_t) w_t at synchronisations; E Z^2 - 1 = "
        "N(N-K)/(K(N-1)) sum (p_k - 1/N)^2 > 0 (symbolic N, K, p), the contractions telescope to a polynomial decay "
        "(induction step checked), and a power of a number above one outgrows it.",
        numbers={"E Z^2 at p=(51/100,49/100), K=1": str(growth)},
        valid_for="all 1 <= K < N, all weights that are not all equal, E >= 1 dividing T, gamma > 2, all dimensions",
    )


if __name__ == "__main__":
    run_script(__file__)
