r"""Section 2 of Li et al. (2020): the mixture of local laws, first-K cohorts, their weights, and communications.

What holds for uniform cohorts is proved for all N and K by counting; where the text defines the cohort by response
times, both models of response times are judged: exchangeable times, and independent exponential times with rates of
their own, for which the law of the first K is a finite product.
"""

from collections.abc import Mapping
from fractions import Fraction

import sympy as sp

from fltheory.derivation.replay import Underivable
from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.decide import Tried, decide, undecided
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import first_broken
from fltheory.evidence.kinds import algebra_claim, identity_claim, probability_claim, run_script
from fltheory.evidence.model import Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.kinds import JSON
from fltheory.theory import sampling
from fltheory.theory.sampling import K, N, at, first_responders, text, weighted_mean
from verify.li2020.derivations import cohort_steps

WEIGHTS = [
    (Fraction(3, 4), Fraction(1, 4)),
    (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)),
    tuple(Fraction(k, 10) for k in (1, 2, 3, 4)),
]

FASTER = Control("device 1 answers twice as fast", dict(times="own"))


def rates_for(kind: str, n: int) -> tuple[Fraction, ...]:
    """Rates of the exponential response times: all one, or device 1 twice as fast as the others."""
    return tuple(Fraction(2 if kind == "own" and k == 0 else 1) for k in range(n))


# ----------------------------------------------------------------------------- cohorts


def total_weight(times: str, scale: str) -> Evidence:
    """Judge E[scale sum_S p_k] = 1 for the first K of N responses."""
    factor = sp.sympify(scale, locals={"N": N, "K": K})
    cases = []
    for weights in WEIGHTS:
        n = len(weights)
        rates = rates_for(times, n)
        for k in range(1, n + 1):
            mean = sampling.expectation(first_responders(rates, k), lambda c, p=weights: weighted_mean(p, c))
            name = f"N={n}, K={k}, p={text(weights)}, rates {text(rates)}, E of the total weight"
            cases.append((name, Fraction(1), at(factor, dict(N=n, K=k)) * mean))
    found = first_broken((one == two, f"{name}: claimed {one}, exactly {two}") for name, one, two in cases)
    return by_derivation(
        lambda: uniform(times, cohort_steps.total_weight(scale)),
        found,
        method="The mean over a uniform cohort is that over all clients, and the weights add up to one. The law of the first K "
        "of independent exponential times is enumerated exactly.",
        valid_for="all 1 <= K <= N, all weights",
    )


def uniform(times: str, found: Mapping[str, JSON]) -> Mapping[str, JSON]:
    """What follows of a uniform cohort, which the first to answer are if their times are exchangeable."""
    if times != "same":
        raise Underivable("a cohort of the fastest is not uniform")
    return found


EXCHANGEABLE = Unprinted("the response times are exchangeable, so that every K-subset is equally likely", FASTER.name)

nkp = probability_claim(
    "LI-NKP",
    headline="The first devices to answer have the right mean total weight if times are exchangeable",
    source="Section 2",
    statement=r"\mathbb{E}\Big[\tfrac NK\sum_{k\in S_t}p_k\Big]=1",
    printed=dict(times="same", scale="N/K"),
    summary="The total weight of the first K responding devices, times N/K, is one in the mean when every K-subset is equally "
    "likely (or the weights are equal); the sentence assumes nothing on the times, and fast devices with large weights push "
    "the mean above one.",
    unprinted=EXCHANGEABLE,
    controls=[Control("factor (N-1)/K", dict(scale="(N-1)/K")), FASTER],
)(total_weight)


#: One response more: of c subsets of K - 1 of the N - 1 others, and C subsets of K of N; q is the chance to answer first.
ONE_MORE = Relations(
    "P*C = 1 for K >= 1; N >= K; c > 0; q > 0; q*N = 1; P = K*q/c; C = N*c/K",
    uses={0: {"q*N = 1": "1"}},
    at={"K": "1", "N": "2", "c": "1", "q": "1/2"},
)
UNEQUAL = ONE_MORE.with_text(ONE_MORE.text.replace("q*N = 1; ", ""))


def first_responses(times: str) -> Evidence:
    """Judge that the first K responding devices are a uniform K-subset; with times of their own q is not 1/N."""
    cases = []
    for size in (2, 3, 4):
        rates = rates_for(times, size)
        for cohort in range(1, size + 1):
            exact = {counts: probability for probability, counts in first_responders(rates, cohort)}
            for probability, counts in sampling.uniform_subsets(size, cohort):
                chosen = [i + 1 for i, c in enumerate(counts) if c]
                name = f"N={size}, K={cohort}, rates {text(rates)}, P(S={chosen})"
                cases.append((exact[counts] == probability, f"{name}: claimed {probability}, exactly {exact[counts]}"))
    stated = ONE_MORE if times == "same" else UNEQUAL
    return decide(
        stated.proof,
        first_broken(cases),
        certificate=stated.certificate,
        prose="induction on K: of a set of K devices one is the first to answer, each with the same chance q, and the others are "
        "the first K - 1 of the other N - 1, whose times are exchangeable still",
        method="One response after the other. Exponential times with given rates are enumerated (independent memoryless "
        "arrivals); device 1 with twice the rate of the others is the smallest departure.",
        valid_for="all 1 <= K <= N; exchangeable response times without ties, independent of the local models",
    )


first_k = probability_claim(
    "LI-FIRSTK",
    headline="The first devices to answer are a uniform subset if their times are exchangeable",
    source="Section 2 with Sections 3.3 and 3.4",
    statement=(
        r"S_t=\text{first }K\text{ responses}\ \Rightarrow\ S_t\sim\mathcal U(N,K),\quad"
        r"\text{one response after the other, }q=\mathbb P(\text{a given device is first}),\ c=\binom{N-1}{K-1},\ "
        r"C=\binom NK,\ P=\mathbb P(S_t=S)\text{ if the others are one of }c\text{ subsets, equally likely}:\quad ",
        ONE_MORE,
    ),
    printed=dict(times="same"),
    summary="The first K devices to answer are a uniform K-subset when the response times are exchangeable (i.i.d. "
    "times). Section 3.4 says that this can be assumed, and not of which devices: of those with different speed they are none, and "
    "Theorem 3 does not speak of them.",
    controls=[FASTER],
    unprinted=EXCHANGEABLE,
)(first_responses)

# ----------------------------------------------------------------------------- mixture


def mixture(device_law: str) -> Evidence:
    """Judge P(X in A) = sum p_k D_k(A)."""
    cases = []
    # two devices with 1 and 3 data points; D_1 and D_2 are the point masses at 0 and 1
    sizes = (Fraction(1), Fraction(3))
    weights = (Fraction(1, 4), Fraction(3, 4)) if device_law == "n/total = p" else (Fraction(1, 2),) * 2
    chosen = weights if device_law == "p" else tuple(n / sum(sizes) for n in sizes)
    cases.append((f"sizes (1, 3), p={text(weights)}, point masses at 0 and 1: P(X=1)", weights[1], chosen[1]))
    found = first_broken((one == two, f"{name}: claimed {one}, exactly {two}") for name, one, two in cases)
    return by_derivation(
        lambda: drawn_by_weights(device_law),
        found,
        prose="" if device_law == "p" else "a point of the pooled data is of device k with probability n_k/n",
        method="Total probability: a device drawn by the weights, and D_k(A) of it; a uniform point of pooled data belongs to "
        "device k with probability n_k/n.",
        valid_for="all N, all laws D_k",
    )


def drawn_by_weights(device_law: str) -> Mapping[str, JSON]:
    """The mean over the device that is drawn, where it is drawn by the weights."""
    if device_law == "n/total":
        raise Underivable("the device is drawn by its share of the data, which is not its weight")
    return cohort_steps.device_drawn()


mixture_claim = identity_claim.sharing(
    source="Section 2, IID versus non-iid", statement=r"\mathcal D=\sum_{k=1}^Np_k\mathcal D_k"
)
UNRELATED = Control("pooled data with weights p unrelated to the sample counts", dict(device_law="n/total"))

mix_drawn = mixture_claim(
    "LI-MIX[device drawn with probability p]",
    prose="total probability: the chance of A is the mean of D_k(A) over the device drawn; v_k stands for D_k(A), each A",
    headline="A point from a device drawn by weight follows the mixture of the devices' laws",
    statement=r"\mathcal D(A)=\mathbb E_{k\sim p}[\mathcal D_k(A)]=\sum_{k=1}^Np_k\mathcal D_k(A)\text{ for every }A",
    printed=dict(device_law="p"),
    controls=[UNRELATED],
    summary="A point drawn from the data of a device that was itself drawn with law p (the mean of the device's law) follows "
    "the p-mixture of the devices' laws.",
)(mixture)

mix_pooled = mixture_claim(
    "LI-MIX[pooled data]",
    headline="Pooled data follow the mixture of the devices if weights are shares of the data",
    printed=dict(device_law="n/total = p"),
    controls=[UNRELATED],
    unprinted=Unprinted("p_k = n_k/n, the shares of the sample counts", UNRELATED.name),
    summary="A uniform point of the pooled data has the mixture law when p_k = n_k/n, as the balancedness conditions "
    "p_k = 1/N and n_1 = ... = n_N together imply; Section 2 leaves the weights p free.",
)(mixture)

# ----------------------------------------------------------------------------- communications


def communications(formula: str, divisible: bool) -> Evidence:
    """Judge the number of communications in T iterations, if E need not divide T.

    A broadcast opens every started round and an aggregation closes every complete one; where an unfinished round makes a
    difference, the formula is given both conventions (count its broadcast, or complete rounds only) and is refuted when it
    misses each of them at an instance.
    """
    if divisible:
        return by_relations(COUNTED)
    found, at = [], []
    for i, (count, E, T) in enumerate((("b_1 + a_1", 3, 1), ("2*a_2", 2, 1)), 1):
        value = sp.sympify(formula, locals={"T": sp.Integer(T), "E": sp.Integer(E)})
        shown = f"F_{i} <= 2*T_{i}/E_{i} < F_{i} + 1" if "floor" in formula else f"F_{i} = T_{i}/E_{i}"
        found += [f"F_{i} != {count}", shown]
        found += [f"(b_{i} - 1)*E_{i} + 1 <= T_{i} <= b_{i}*E_{i}", f"a_{i}*E_{i} <= T_{i} < (a_{i} + 1)*E_{i}"]
        at += [f"T_{i} = {T}", f"E_{i} = {E}", f"F_{i} = {value}", f"b_{i} = {-(-T // E)}", f"a_{i} = {T // E}"]
    opposite = Relations(f"{'; '.join(found)} for {'; '.join(at)}")
    if not opposite.proof[0]:
        return undecided("One of the two conventions is met where it was tried.", 2)
    letters = f"F = {formula}; b broadcasts before the iterations 1, E + 1, ... up to T, a aggregations after E, 2E, ... up to T"
    tried = Tried(2, f"{letters}: {opposite.text}", certificate=opposite.certificate)
    return decide(
        (False, "one formula for both conventions"), tried, method="Both conventions are counted at an instance each."
    )


TWO = r"\#\{\text{broadcasts and aggregations in }T\text{ iterations}\}=\lfloor 2T/E\rfloor"
messages_claim = algebra_claim.sharing(source="Section 2, communication cost")

_PROTOCOL = (
    r"\ E\mid T;\ \text{broadcasts before the iterations }bE+1\le T,\ b=0,1,\dots;\text{ aggregations after }aE\le T,\ "
    r"a=1,2,\dots:\quad "
)
_ROUNDS = "a <= n; n*E <= T"
_COUNTS = "E >= 1; n >= 1; T = n*E; a*E <= T; E, n, a whole"
COUNTED = Relations(
    f"2*T/E = n + n; {_ROUNDS}; b <= n - 1; (n - 1)*E + 1 <= T for {_COUNTS.removesuffix(' whole')}, b whole; b*E + 1 <= T",
    uses={1: {"a*E <= T": "1/E"}, 3: {"b*E + 1 <= T": "1/E"}},
    at={"E": "1", "T": "1", "n": "1", "a": "1", "b": "0"},
)
_ANY = ("T = n*E", "n*E <= T < (n + 1)*E")

comm_divisible = statement_of_algebra(
    "LI-COMM[2T/E with E dividing T]",
    COUNTED,
    headline="Two messages per round of local steps, if the last round is complete",
    says=TWO + "," + _PROTOCOL,
    false={"T/E in place of 2T/E": ("2*T/E", "T/E"), "any T": _ANY},
    group=messages_claim,
    summary="Two messages per E iterations, when T is a multiple of E as Section 3.2 requires; the floor is then idle.",
)

comm_any = messages_claim(
    "LI-COMM[2T/E for any T]",
    fault="reading",
    statement=TWO,
    headline="The floor misses either count of messages at an instance with an unfinished round",
    summary="With an unfinished round the floor need not be the number of messages sent (T = 1, E = 3: 0, not 1), nor need it be "
    "that of complete rounds (T = 1, E = 2: 1, not 0). Section 3.2 requires that E divides T, where the floor is idle.",
    repair="LI-COMM[2T/E with E dividing T]",
    printed=dict(formula="floor(2*T/E)", divisible=False),
    controls=[Control("E divides T", dict(divisible=True), must="pass"), Control("T/E", dict(formula="T/E"))],
)(communications)

comm_rounds = statement_of_algebra(
    "LI-COMM[T/E as the number of rounds]",
    Relations(
        f"T/E = n; {_ROUNDS} for {_COUNTS}", uses={1: {"a*E <= T": "1/E"}}, at={"E": "1", "T": "1", "n": "1", "a": "1"}
    ),
    headline="The count of the introduction is rounds: half as many as messages",
    says=r"\#\{\text{aggregations in }T\text{ iterations}\}=T/E,\ E\mid T;\text{ they are after }aE\le T,\ a=1,2,\dots:\quad ",
    false={"single messages counted": ("T/E = n", "T/E = n + n"), "any T": _ANY},
    group=algebra_claim,
    source="Section 1, Notation",
    summary="The T/E of the introduction counts rounds (a broadcast with its aggregation), half of Section 2's number.",
)


if __name__ == "__main__":
    run_script(__file__)
