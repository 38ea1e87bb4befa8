"""Lemma 1 of the lecture note (client drift): statement, sharp constants, and the inequalities of the printed proof.

Derived in :mod:`verify.lecture2022.derivations.lemma_1`; clients of opposite slopes attain the sharp constants.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.derivation.statement import Derived, text_of
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import tried
from fltheory.evidence.kinds import algebra_claim, expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from fltheory.evidence.witness import Witness
from fltheory.theory.lecture2022.bounds import G, K, N, lemma_1, lemma_1_average, lemma_1_rounds, lemma_1_sharp, s
from fltheory.theory.lecture2022.vocabulary import LectureBound
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.lecture2022 import elsewhere
from verify.lecture2022.derivations import lemma_1 as derivation
from verify.lecture2022.displays import proof
from verify.lecture2022.instances import scaled
from verify.lecture2022.runs import Clipped, mean, run

of_lemma_1 = expectation_claim.sharing(source="Lemma 1")

ONE, FAR = Fraction(1), Fraction(10**4)
#: K steps after a common point x: one client of slope G, at y, and N - 1 of slope -G, at z, or a half each; c is their average.
_STEPS = "first_K = 0; next_K = K + 1; first_y = x; next_y = y - s*G; first_z = x; next_z = z + s*G"
_AWAY = "c - y = 2*s*K*G*(1 - 1/N)"
ONE_AGAINST_ALL = Relations(
    f"(c - y)**2 = {text_of(lemma_1_sharp.expression)}; {_AWAY} for N >= 1; s > 0; G >= 0; {_STEPS}; c = (y + (N - 1)*z)/N",
    uses={0: {_AWAY: "c - y + 2*s*(K + 2)*G*(1 - 1/N)"}, 1: {_AWAY: "1"}},
)
HALVES = Relations(
    f"((c - y)**2 + (c - z)**2)/2 = {text_of(lemma_1_average.expression)}; z - y = 2*s*K*G "
    f"for s > 0; G >= 0; {_STEPS}; c = (y + z)/2",
    uses={0: {"z - y = 2*s*K*G": "(s*K*G + (z - y)/2 + 2*s*G)/2"}, 1: {"z - y = 2*s*K*G": "1"}},
)
GENERAL = "all N, K, t, d; any gradients with second moment at most G^2; printed code and rounds of K local steps"


def at(bound: LectureBound, count: int, interval: int) -> Fraction:
    """The bound for clients of slopes 1 and -1, which have G = 1, at the step size 1."""
    return exact_value(bound.expression, {s: 1, G: 1, N: count, K: interval})


def opposed(
    count: int, positive: int, code: str, local_steps: int
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Clients with slopes +1 (the first ``positive``) and -1: squared distances to the mean, after and before steps."""
    clients = [Clipped(ONE, -FAR if i < positive else FAR, ONE) for i in range(count)]
    history = run(code, clients, step_size=ONE, local_steps=local_steps, steps=3 * local_steps)

    def largest(points: tuple[tuple[Fraction, ...], ...]) -> tuple[Fraction, ...]:
        worst = max(points, key=lambda x: (x[0] - mean(x)) ** 2)
        centre = mean(worst)
        return tuple((v - centre) ** 2 for v in worst)

    return largest(history.iterates[1:]), largest(history.points)


@of_lemma_1(
    "LEC-LEM1",
    statement=lemma_1,
    proves=proves(lemma_1),
    printed=dict(factor="1", power=2),
    proof_steps=("LEC-L1-5,6", "LEC-L1-T0", "LEC-L1-CH[sums over tau up to t]"),
    headline="In mean square every client stays within two periods' movement of the average",
    summary="Every client stays within 2sKG of the average, in mean square.",
    assumptions=("second moment of the stochastic gradients at most G^2", "M = N"),
    controls=[Control("4 -> 3.96", dict(factor="99/100")), Control("K^2 -> K", dict(power=1))],
)
def drift_of_one_client(factor: str, power: int) -> Evidence:
    bound = scaled(lemma_1, {G: factor})
    bound = replace(bound, expression=bound.expression * K ** (power - 2))

    def instances() -> Iterator[Instance]:
        for count, interval in ((2, 1), (3, 2), (8, 5), (400, 1)):
            for code in ("printed", "FedAvg"):
                after, _ = opposed(count, 1, code, interval)
                text = f"{code}: one client of slope 1, {count - 1} of slope -1, s=1, K={interval}"
                yield Instance(text, after[0], at(bound, count, interval))

    return by_derivation(
        derivation.every_client(bound),
        instances,
        valid_for=GENERAL,
        tightness=attained("4(1-1/N)^2 is attained, and tends to 4"),
    )


@of_lemma_1(
    "LEC-LEM1-S1",
    statement=lemma_1_sharp,
    proves=proves(lemma_1_sharp),
    printed=dict(factor="1"),
    headline="The drift bound of one client with a constant that depends on the number of clients",
    summary="After at most K steps from a common point every client is in mean square within 2(1 - 1/N)sKG of the average.",
    elsewhere=elsewhere.DRIFT,
    depends=("LEC-L1-5,6", "LEC-L1-T0"),
    controls=[Control("constant times 0.99", dict(factor="99/100"))],
)
def drift_sharp(factor: str) -> Evidence:
    bound = scaled(lemma_1_sharp, {G: factor})

    def instances() -> Iterator[Instance]:
        for count, interval in product((2, 3, 7), (1, 2, 5)):
            text = f"printed code: slopes 1 and -1 (N-1 times), N={count}, K={interval}, s=1"
            yield Instance(text, opposed(count, 1, "printed", interval)[0][0], at(bound, count, interval))

    return by_derivation(
        derivation.sharp(bound),
        instances,
        valid_for=GENERAL,
        tightness=attained("by one client against all others, LEC-LEM1-S6"),
    )


one_against_all = statement_of_algebra(
    "LEC-LEM1-S6",
    ONE_AGAINST_ALL,
    headline="One client against all others attains the drift bound for any number of clients and steps",
    false={"constant times 0.99": ("(c - y)**2 =", "(c - y)**2 = 99/100*")},
    group=algebra_claim,
    elsewhere=elsewhere.DRIFT,
    says=r"\text{slope }G\text{ of one client, }{-G}\text{ of }N-1\text{: }",
    source="Lemma 1",
    summary="One client of slope G and N - 1 of slope -G: after K steps from a common point the one is 2(1 - 1/N)sKG away from the "
    "average, as far as the bound for every client allows.",
)


@of_lemma_1(
    "LEC-LEM1-S2",
    statement=lemma_1_average,
    proves=proves(lemma_1_average),
    printed=dict(factor="1"),
    headline="The drift bound averaged over the clients has constant one",
    summary="After at most K steps from a common point the clients are in mean square over them and the noise within sKG of "
    "their average.",
    elsewhere=elsewhere.DRIFT,
    depends=("LEC-L1-5,6", "LEC-L1-T0"),
    controls=[Control("constant times 0.99", dict(factor="99/100"))],
)
def drift_averaged(factor: str) -> Evidence:
    bound = scaled(lemma_1_average, {G: factor})

    def instances() -> Iterator[Instance]:
        for count, interval, code in product((2, 6), (1, 4), ("printed", "FedAvg")):
            text = f"{code}: half of N={count} clients of slope 1, half of slope -1, K={interval}, s=1"
            drift = mean(opposed(count, count // 2, code, interval)[0])
            yield Instance(text, drift, at(bound, count, interval))

    found = derivation.averaged(bound, "printed")
    return by_derivation(found, instances, valid_for=GENERAL, tightness=attained("by two opposed halves, LEC-LEM1-S7"))


opposed_halves = statement_of_algebra(
    "LEC-LEM1-S7",
    HALVES,
    headline="Two opposed halves of the clients attain the averaged drift bound",
    false={"constant times 0.99": ("/2 =", "/2 = 99/100*")},
    group=algebra_claim,
    elsewhere=elsewhere.DRIFT,
    says=r"\text{slopes }G\text{ and }{-G}\text{ of a half each: }",
    source="Lemma 1",
    summary="Half of the clients of slope G and half of slope -G: after K steps from a common point the mean squared "
    "distance to the average is (sKG)^2, as large as the averaged bound allows.",
)


@of_lemma_1(
    "LEC-LEM1-S3",
    statement=lemma_1_rounds,
    proves=proves(lemma_1_rounds),
    printed=dict(code="FedAvg"),
    headline="Where FedAvg evaluates gradients one local step fewer has been taken",
    summary="At the points where rounds of K local steps evaluate gradients only K-1 gradients have been taken: no "
    "drift for K = 1.",
    elsewhere=elsewhere.DRIFT,
    depends=("LEC-L1-5,6",),
    controls=[Control("the printed code, which evaluates before averaging", dict(code="printed"))],
)
def drift_where_evaluated(code: str) -> Evidence:
    def instances() -> Iterator[Instance]:
        for interval in (1, 2, 5):
            text = f"{code}: slopes 1 and -1, N=2, K={interval}, s=1"
            yield Instance(text, mean(opposed(2, 1, code, interval)[1]), at(lemma_1_rounds, 2, interval))

    return by_derivation(
        derivation.averaged(lemma_1_rounds, code), instances, valid_for="all N, K, t, d; rounds of K local steps"
    )


of_the_chain = inequality_claim.sharing(source="proof of Lemma 1, last display")


@of_the_chain(
    "LEC-L1-CH[sums over tau up to t]",
    headline="The drift proof's chain of four inequalities holds with the sums run up to the present",
    statement=(proof.l_two, r",\quad ", proof.l_steps, r",\quad ", proof.l_clients, r",\quad ", proof.l_last),
    printed=dict(split="1", jensen="1"),
    summary="The chain has four inequalities: split in two, over the steps, over the clients, and t - t_0 <= K.",
    controls=[
        Control("factor 2 of the split -> 1.98", dict(split="99/100")),
        Control("constant of the sum over the steps -> 0.99", dict(jensen="99/100")),
    ],
)
def chain(split: str, jensen: str) -> Evidence:
    displays = {"two terms": proof.l_two, "over the steps": proof.l_steps}
    displays |= {"over the clients": proof.l_clients, "second moments": proof.l_last}
    for name, factor in (("two terms", split), ("over the steps", jensen)):
        displays[name] = replace(displays[name], expression=sp.Rational(factor) * displays[name].expression)
    split_, steps = (Fraction(factor) for factor in (split, jensen))
    return by_derivation(
        [derivation.display(name, one) for name, one in displays.items()],
        lambda: [
            Instance("two terms: sums 1 and -1, s=1", 4 * ONE, split_ * 4),
            Instance("over the steps: n=2 equal gradients 1 of all clients, s=1", 16 * ONE, steps * 16),
        ],
        valid_for="all N, n <= K, d",
    )


@of_the_chain(
    "LEC-L1-CH[sums over t up to T, as dumped]",
    headline="As transcribed the sums of the drift proof run over the wrong index",
    fault="transcription",
    statement=r"\Big\|\sum_{\tau=t_0+1}^t(\bar G^\tau-G_i^\tau)\Big\|^2\le2\Big\|\sum_{t=t_0+1}^T\bar G^T\Big\|^2+2\Big\|\sum_{"
    r"t=t_0+1}^TG_i^T\Big\|^2",
    summary="From the second line on the transcribed handwriting sums over t up to T what carries the index T (and the last brace "
    "has lost its 1/N): tau read as t and t as T, as the first line and the result show; the original would tell.",
    repair="LEC-L1-CH[sums over tau up to t]",
    printed=dict(letters="T"),
    controls=[Control("sums over tau up to t, as in the first line", dict(letters="tau"), must="pass")],
)
def chain_as_dumped(letters: str) -> Evidence:
    g_1, g_2, g_3, z_1, z_2, z_3 = sp.symbols("g_1 g_2 g_3 z_1 z_2 z_3")
    later = (z_1, z_2, z_3) if letters == "T" else (g_1, g_2, g_3)
    right = 2 * (sp.Add(*later) / 3) ** 2 + 2 * later[0] ** 2
    at = {"g_1": -1, "g_2": 2, "g_3": 2, "z_1": 0, "z_2": 0, "z_3": 0}
    setting = "one step since the average; gradients g of three clients at t and z at T, i=1, s=1"
    found = tried(Witness(at, ((g_1 + g_2 + g_3) / 3 - g_1) ** 2, "<=", right, (), setting))
    nothing = Derived(None, reason="the sums at T are others")
    return by_derivation(nothing if letters == "T" else derivation.display("two terms", proof.l_two), found)


if __name__ == "__main__":
    run_script(__file__)
