"""Lemma 1 of the lecture note (client drift): statement, sharp constants, and the inequalities of the printed proof.

Derived in :mod:`verify.lecture2022.derivations.lemma_1`; clients of opposite slopes attain the sharp constants.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from fltheory.derivation.statement import Derived, text_of
from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, expectation_claim, inequality_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import attained
from fltheory.theory.lecture2022.bounds import G, K, N, lemma_1, lemma_1_average, lemma_1_rounds, lemma_1_sharp, s
from fltheory.theory.lecture2022.vocabulary import LectureBound
from fltheory.theory.states import proves
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.lecture2022 import elsewhere
from verify.lecture2022.derivations import lemma_1 as derivation
from verify.lecture2022.displays import proof
from verify.lecture2022.instances import scaled
from verify.lecture2022.orders import refuted_algebra
from verify.lecture2022.proof.displayed import displayed, multiplied
from verify.lecture2022.proof.one_step import at_values

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


def drift(
    id: str,
    stated: LectureBound,
    derived: Callable[[LectureBound, str], Derived],
    false: Mapping[str, LectureBound | str],
    *,
    code: str = "printed",
    halves: bool = False,
    best: str = "",
    valid_for: str = GENERAL,
    **words: Any,
) -> Claim:
    """The claim of a bound of the drift.

    ``false`` names controls, each with its bound or code; instances are clients of slopes 1 and -1 after as many steps of size 1 as
    a code makes at most, one against all others or two ``halves``; ``best`` says where the constant is attained.
    """

    def check(case: str) -> Evidence:
        changed = false.get(case, stated)
        bound, of = (stated, changed) if isinstance(changed, str) else (changed, code)

        def instances() -> Iterator[Instance]:
            for count, interval in ((2, 1), (4, 2), (8, 5), (400, 1)):
                share, steps = Fraction(1, 2 if halves else count), interval - (of == "FedAvg")
                one, others = -steps, steps
                average = share * one + (1 - share) * others
                text = f"{of}: a share of {share} of N={count} clients of slope 1, the others of slope -1, s=1, K={interval}"
                right = exact_value(bound.expression, {s: 1, G: 1, N: count, K: interval})
                yield Instance(text, (average - one) ** 2, right)

        best_of = attained(best) if best else None
        return by_derivation(derived(bound, of), instances, valid_for=valid_for, tightness=best_of)

    controls = [Control(name, dict(case=name)) for name in false]
    group = expectation_claim.sharing(source="Lemma 1", printed=dict(case="printed"), controls=controls)
    claim: Claim = group(id, statement=stated, proves=proves(stated), **words)(check)
    return claim


drift_of_one_client = drift(
    "LEC-LEM1",
    lemma_1,
    lambda bound, code: derivation.every_client(bound),
    {
        "4 -> 3.96": scaled(lemma_1, {G: "99/100"}),
        "K^2 -> K": replace(lemma_1, expression=lemma_1.expression / K),
    },
    best="4(1-1/N)^2 is attained, and tends to 4",
    proof_steps=("LEC-L1-5,6", "LEC-L1-T0", "LEC-L1-CH[sums over tau up to t]"),
    headline="In mean square every client stays within two periods' movement of the average",
    summary="Every client stays within 2sKG of the average, in mean square.",
    assumptions=("second moment of the stochastic gradients at most G^2", "M = N"),
)

drift_sharp = drift(
    "LEC-LEM1-S1",
    lemma_1_sharp,
    lambda bound, code: derivation.sharp(bound),
    {"constant times 0.99": scaled(lemma_1_sharp, {G: "99/100"})},
    best="by one client against all others, LEC-LEM1-S6",
    headline="The drift bound of one client with a constant that depends on the number of clients",
    summary="After at most K steps from a common point every client is in mean square within 2(1 - 1/N)sKG of the average.",
    elsewhere=elsewhere.DRIFT,
    depends=("LEC-L1-5,6", "LEC-L1-T0"),
)

drift_averaged = drift(
    "LEC-LEM1-S2",
    lemma_1_average,
    derivation.averaged,
    {"constant times 0.99": scaled(lemma_1_average, {G: "99/100"})},
    halves=True,
    best="by two opposed halves, LEC-LEM1-S7",
    headline="The drift bound averaged over the clients has constant one",
    summary="After at most K steps from a common point the clients are in mean square over them and the noise within sKG of "
    "their average.",
    elsewhere=elsewhere.DRIFT,
    depends=("LEC-L1-5,6", "LEC-L1-T0"),
)

drift_where_evaluated = drift(
    "LEC-LEM1-S3",
    lemma_1_rounds,
    derivation.averaged,
    {"the printed code, which evaluates before averaging": "printed"},
    code="FedAvg",
    halves=True,
    valid_for="all N, K, t, d; rounds of K local steps",
    headline="Where FedAvg evaluates gradients one local step fewer has been taken",
    summary="At the points where rounds of K local steps evaluate gradients only K-1 gradients have been taken: no "
    "drift for K = 1.",
    elsewhere=elsewhere.DRIFT,
    depends=("LEC-L1-5,6",),
)

of_the_ends = algebra_claim.sharing(source="Lemma 1", elsewhere=elsewhere.DRIFT)
one_against_all = statement_of_algebra(
    "LEC-LEM1-S6",
    ONE_AGAINST_ALL,
    headline="One client against all others attains the drift bound for any number of clients and steps",
    false={"constant times 0.99": ("(c - y)**2 =", "(c - y)**2 = 99/100*")},
    group=of_the_ends,
    says=r"\text{slope }G\text{ of one client, }{-G}\text{ of }N-1\text{: }",
    summary="One client of slope G and N - 1 of slope -G: after K steps from a common point the one is 2(1 - 1/N)sKG away from the "
    "average, as far as the bound for every client allows.",
)

opposed_halves = statement_of_algebra(
    "LEC-LEM1-S7",
    HALVES,
    headline="Two opposed halves of the clients attain the averaged drift bound",
    false={"constant times 0.99": ("/2 =", "/2 = 99/100*")},
    group=of_the_ends,
    says=r"\text{slopes }G\text{ and }{-G}\text{ of a half each: }",
    summary="Half of the clients of slope G and half of slope -G: after K steps from a common point the mean squared "
    "distance to the average is (sKG)^2, as large as the averaged bound allows.",
)


_CHAIN = (proof.l_two, proof.l_steps, proof.l_clients, proof.l_last)
_OPPOSED = dict(h_j=(-1,), G_j=(1,), s=1, G=1, since=2, K=2, N=2)
of_the_chain = inequality_claim.sharing(source="proof of Lemma 1, last display")
chain = displayed(
    "LEC-L1-CH[sums over tau up to t]",
    ("two terms", "over the steps", "over the clients", "second moments"),
    _CHAIN,
    {
        "factor 2 of the split -> 1.98": (multiplied(proof.l_two, "99/100"), *_CHAIN[1:]),
        "constant of the sum over the steps -> 0.99": (_CHAIN[0], multiplied(proof.l_steps, "99/100"), *_CHAIN[2:]),
    },
    derived=derivation.display,
    instances=lambda one: at_values(
        one, derivation.LETTERS, "two steps of size 1, gradients -1 of a client and 1 on average", **_OPPOSED
    ),
    valid_for="all N, n <= K, d",
    group=of_the_chain,
    headline="The drift proof's chain of four inequalities holds with the sums run up to the present",
    summary="The chain has four inequalities: split in two, over the steps, over the clients, and t - t_0 <= K.",
)

_AT_T = "((g_1 + g_2 + g_3)/3 - g_1)**2 <= 2*((z_1 + z_2 + z_3)/3)**2 + 2*z_1**2 "
chain_as_dumped = refuted_algebra(
    "LEC-L1-CH[sums over t up to T, as dumped]",
    Relations(_AT_T),
    (
        "sums over tau up to t, as in the first line",
        Relations(_AT_T.replace("z", "g"), squares={0: [("1", "(g_1 + g_2 + g_3)/3 + g_1")]}),
    ),
    group=of_the_chain,
    setting="one step since the average; gradients g of three clients at t and z at T, i=1, s=1",
    says=r"\Big\|\sum_{\tau=t_0+1}^t(\bar G^\tau-G_i^\tau)\Big\|^2\le2\Big\|\sum_{t=t_0+1}^T\bar G^T\Big\|^2+2\Big\|\sum_{"
    r"t=t_0+1}^TG_i^T\Big\|^2",
    fault="transcription",
    repair="LEC-L1-CH[sums over tau up to t]",
    headline="As transcribed the sums of the drift proof run over the wrong index",
    summary="From the second line on the transcribed handwriting sums over t up to T what carries the index T (and the last brace "
    "has lost its 1/N): tau read as t and t as T, as the first line and the result show; the original would tell.",
)


if __name__ == "__main__":
    run_script(__file__)
