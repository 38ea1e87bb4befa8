"""Proof of Lemma 1: the unrolled iterates (5), (6), the index t_0, and the averaged recursion (2)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import definition_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.theory.steps import Instance, Proof, equality, hypothesis, sign
from verify.lecture2022.codes import CLIENTS
from verify.lecture2022.derivations.lemma_1 import averages, since_the_average
from verify.lecture2022.displays import proof
from verify.lecture2022.proof.one_step import line
from verify.lecture2022.runs import RunOfCode, mean, run

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
    kind = "different clients"
    for code, k in product(("printed", "FedAvg"), (1, 2, 3)):
        text = f"{code}, {kind}, s=1/2, K={k}, start 0"
        yield text, k, run(code, CLIENTS[kind], step_size=HALF, local_steps=k, steps=2 * k + 2)


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


@definition_claim(
    "LEC-L1-T0",
    statement=r"1\le t-t_0\le K",
    printed=dict(rule="most recent averaging"),
    source="proof of Lemma 1",
    summary='With t_0 the index of the last average taken ("most recent global update"), (5) holds and t - t_0 is at '
    "most K, also for t = 1.",
    controls=[Control("largest index with the same value", dict(rule="largest index with an equal value"))],
)
def recent(rule: str) -> Evidence:
    """t - t_0 <= K and the unrolled drift, for t_0 the last averaging step or a later index of equal value."""
    r, interval = sp.symbols("r K", integer=True)
    ranges = [(r, 0, None), (interval, r + 1, None)]
    otherwise = "an equal value at a later index may be taken instead"
    steps = (
        sign("after the first averaging: t - t_0 = (t mod K) + 1 <= K", interval - (r + 1), ranges),
        sign("before it: t_0 = 0 and t <= K - 1", interval - r, ranges),
        hypothesis("t_0 is the index of the averaging itself", rule == "most recent averaging", otherwise),
    )

    def instances() -> Iterator[Instance]:
        at_rest = run("printed", (line(-100, 1), line(100, 1)), step_size=HALF, local_steps=2, steps=6)
        text_at_rest = "printed, f_1'=1, f_2'=-1 near 0, s=1/2, K=2, start 0"
        for text, local_steps, path in (*histories(), (text_at_rest, 2, at_rest)):
            anchors = path.anchors
            if rule != "most recent averaging":
                equal = [[j for j in range(t + 1) if path.means[j] == path.means[a]] for t, a in enumerate(anchors)]
                anchors = tuple(max(indices) for indices in equal)
            for t, anchor in enumerate(anchors):
                yield Instance(f"{text}: t={t}, t - t_0 against K", Fraction(t - anchor), Fraction(local_steps))
            yield from unrolled(path, anchors, 1, text)

    return decide(
        Proof(steps),
        instances,
        method="Write t = qK + r with 0 <= r < K; the last averaging step is qK (printed code), so t_0 = qK - 1. The "
        "case t = 1, which the proof leaves out, is covered.",
        valid_for="all K, t >= 1; printed code (rounds: t - t_0 = ((t-1) mod K) + 1)",
    )


if __name__ == "__main__":
    run_script(__file__)
