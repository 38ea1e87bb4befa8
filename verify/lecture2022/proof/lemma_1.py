"""Proof of Lemma 1: the unrolled iterates (5), (6), the index t_0, and the averaged recursion (2)."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import definition_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.relations import Relations
from fltheory.theory.steps import Instance, equality
from verify.lecture2022.derivations.lemma_1 import averages, since_the_average
from verify.lecture2022.displays import proof
from verify.lecture2022.runs import DIFFERENT, RunOfCode, mean, run

HALF = Fraction(1, 2)


def unrolled(history: RunOfCode, anchors: tuple[int, ...], first: int, text: str) -> Iterator[Instance]:
    """(5) and (6) at every t: start at the average of index t0 and subtract the gradients of steps t0+first .. t."""
    for t in range(1, len(history.iterates)):
        t0 = anchors[t]
        anchor = history.means[t0]
        for i in range(len(history.iterates[t])):
            later = sum((history.gradients[step - 1][i] for step in range(max(t0 + first, 1), t + 1)), Fraction(0))
            yield equality(f"{text}: client {i + 1}, t={t}, t0={t0}", history.iterates[t][i], anchor - HALF * later)
        mean_sum = sum((mean(history.gradients[step - 1]) for step in range(max(t0 + first, 1), t + 1)), Fraction(0))
        yield equality(f"{text}: average, t={t}, t0={t0}", history.means[t], anchor - HALF * mean_sum)


def histories() -> Iterator[tuple[str, int, RunOfCode]]:
    """Printed code and rounds on two clients for K = 1, 2, 3: text, K, run."""
    for code, k in product(("printed", "FedAvg"), (1, 2, 3)):
        text = f"{code}, different clients, s=1/2, K={k}, start 0"
        yield text, k, run(code, DIFFERENT, step_size=HALF, local_steps=k, steps=2 * k + 2)


@identity_claim(
    "LEC-MEAN",
    headline="With all clients the average moves by the mean gradient in every step",
    statement=proof.p_2,
    printed=dict(cohort=2),
    source="proof of Theorem 1, (2)",
    summary="The average moves by the mean gradient in every step, averaging step or not; it needs all clients.",
    assumptions=("M = N",),
    controls=[Control("only one of two clients averaged", dict(cohort=1))],
)
def averaged_recursion(cohort: int) -> Evidence:
    def instances() -> Iterator[Instance]:
        for text, _, path in histories():
            for t, gradients in enumerate(path.gradients, start=1):
                moved = mean(path.iterates[t - 1]) - HALF * mean(gradients)
                yield equality(f"{text}, t={t}", mean(path.iterates[t][:cohort]), moved)

    return by_derivation(averages(proof.p_2, cohort == 1), instances, valid_for="all N = M, K, d, t; both codes")


@identity_claim(
    "LEC-L1-5,6",
    statement=(proof.l_5, r",\qquad ", proof.l_6),
    printed=dict(first=1),
    source="proof of Lemma 1, (5) and (6)",
    summary="The iterates are unrolled since the last averaging.",
    controls=[Control("sum from t_0 + 2", dict(first=2))],
)
def unrolling(first: int) -> Evidence:
    return by_derivation(
        since_the_average(proof.l_5, proof.l_6, first),
        lambda: [x for text, _, h in histories() for x in unrolled(h, h.anchors, first, text)],
        valid_for="all N, K, d, t; both codes",
    )


def since(t: str, t_0: str) -> str:
    """The display for these t and t_0."""
    left = re.sub(r"\bt(_0)?\b", lambda name: f"({t_0 if name[1] else t})", str(proof.l_steps_since.left))
    return f"1 <= {left} <= {proof.l_steps_since.expression}"


since_the_last = statement_of_algebra(
    "LEC-L1-T0",
    Relations(
        f"{since('t', 'a - 1')}; a <= t < a + K; {since('u', 'b')}; b < u <= b + K; {since('p + 1', '0')} "
        "for K >= 1; q >= 1; 0 <= r <= K - 1; a = q*K; t = a + r; n >= 0; b = n*K; u = b + r + 1; p >= 0; p <= K - 1",
        uses={9: {"p <= K - 1": "1"}},
        at={"K": "2", "r": "0", "p": "1", "q": "1", "n": "0"},
    ),
    headline="With time counted from the last average taken the drift lasts at most a period",
    says=r"1\le t-t_0\le K,\text{ of the printed code, which averages the points before steps }a=qK,\ q\ge1,\text{ for }"
    r"t=a+r,\ t_0=a-1;\text{ of rounds, which average after steps }b=nK,\text{ for }u=b+r+1,\ t_0=b;"
    r"\text{ of the printed code up to step }K,\ t=p+1,\ t_0=0:\quad ",
    false={
        "a later index of the same value as the average, t itself": ("(t) - (a - 1)", "(t) - (t)"),
        "the averaging before the last one": ("(t) - (a - 1)", "(t) - (a - K - 1)"),
    },
    group=definition_claim,
    source="proof of Lemma 1",
    summary='With t_0 the index of the last average taken ("most recent global update") t - t_0 is at least 1 and at most '
    "K: in the printed code from step K on, where the last average is that before step a = qK, in rounds, where it is that "
    "after step b = nK, and in the printed code up to step K from the start, t = 1 included, which the proof leaves out.",
    depends=("LEC-L1-5,6",),
)


if __name__ == "__main__":
    run_script(__file__)
