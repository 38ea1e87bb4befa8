"""Lemma 1 of the lecture note (client drift): statement, sharp constants, and the steps of the printed proof.

With n <= K gradients since the common point, xbar - x_i = s (1 - 1/N)(S_i - R_i) up to sign, where S_i is the client's
sum of gradients and R_i the mean of the others' sums.  All constants follow from mean/deviation splitting.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.model import Control, Evidence, Kind, Rung, Scope, Tightness, claim
from fltheory.theory.lecture2022.bounds import G, K, N, lemma_1, lemma_1_average, lemma_1_sharp
from fltheory.theory.steps import Instance, Proof, identity, inequality, sign
from verify.lecture2022.averages import client_average
from verify.lecture2022.drift import EVALUATION_SHIFT, averaged, gradients_since_the_average, one_client
from verify.lecture2022.runs import Clipped, mean, run

ONE, FAR = Fraction(1), Fraction(10**4)
METHOD = (
    "Mean/deviation splitting over the n <= K gradients and over clients, and the identity xbar - x_i = s(1-1/N)(R - "
    "S_i); scalars stand for vectors of any dimension (Gram identity), expectations are averages as well."
)
GENERAL = "all N, K, t, d; any gradients with second moment at most G^2; printed code and rounds of K local steps"


def opposed(
    count: int, positive: int, code: str, local_steps: int
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Clients with slopes +1 (the first ``positive``) and -1: squared distances to the mean, after and before steps."""
    clients = [Clipped(ONE, -FAR if i < positive else FAR, ONE) for i in range(count)]
    history = run(code, clients, step_size=ONE, local_steps=local_steps, steps=3 * local_steps, start=Fraction(0))

    def largest(points: tuple[tuple[Fraction, ...], ...]) -> tuple[Fraction, ...]:
        worst = max(points, key=lambda x: (x[0] - mean(x)) ** 2)
        centre = mean(worst)
        return tuple((v - centre) ** 2 for v in worst)

    return largest(history.iterates[1:]), largest(history.points)


@claim(
    "LEC-LEM1",
    kind=Kind.EXPECTATION,
    scope=Scope.GENERAL,
    statement=lemma_1.latex(),
    printed=dict(constant="4", power=2),
    source="Lemma 1",
    proof_steps=("LEC-L1-5,6", "LEC-L1-T0", "LEC-L1-CH"),
    summary="Every client stays within 2sKG of the average, in mean square; 4 is the best constant that serves all N.",
    assumptions=("second moment of the stochastic gradients at most G^2", "M = N"),
    controls=[Control("4 -> 3.96", dict(constant="99/25")), Control("K^2 -> K", dict(power=1))],
)
def drift_of_one_client(constant: str, power: int) -> Evidence:
    value = sp.Rational(constant) * K ** (power - 2)

    def instances() -> list[Instance]:
        found = []
        for count, interval in ((2, 1), (3, 2), (8, 5), (400, 1)):
            for code in ("printed", "FedAvg"):
                after, _ = opposed(count, 1, code, interval)
                found.append(
                    Instance(
                        f"{code}: one client of slope 1, {count - 1} of slope -1, s=1, K={interval}",
                        after[0],
                        Fraction(constant) * interval**power,
                    )
                )
        return found

    return decide(
        one_client(value),
        instances,
        method=METHOD,
        valid_for=GENERAL,
        tightness=Tightness(1.0, Rung.PROOF, "4(1-1/N)^2 is attained, and tends to 4"),
    )


@claim(
    "LEC-LEM1-S1",
    kind=Kind.EXPECTATION,
    scope=Scope.GENERAL,
    statement=lemma_1_sharp.latex(),
    printed=dict(factor="1"),
    source="Lemma 1",
    summary="The constant that is attained for every N and K (linear clients of opposite slopes).",
    controls=[Control("constant times 0.99", dict(factor="99/100"))],
)
def drift_sharp(factor: str) -> Evidence:
    constant = sp.Rational(factor) * 4 * (1 - 1 / N) ** 2

    def instances() -> list[Instance]:
        return [
            Instance(
                f"printed code: slopes 1 and -1 (N-1 times), N={count}, K={interval}, s=1",
                opposed(count, 1, "printed", interval)[0][0],
                Fraction(factor) * 4 * (1 - Fraction(1, count)) ** 2 * interval**2,
            )
            for count in (2, 3, 7)
            for interval in (1, 2, 5)
        ]

    return decide(one_client(constant), instances, method=METHOD, valid_for=GENERAL)


@claim(
    "LEC-LEM1-S2",
    kind=Kind.EXPECTATION,
    scope=Scope.GENERAL,
    statement=lemma_1_average.latex(),
    printed=dict(factor="1"),
    source="Lemma 1",
    summary="Averaged over the clients the constant is 1, attained by two opposed halves.",
    controls=[Control("constant times 0.99", dict(factor="99/100"))],
)
def drift_averaged(factor: str) -> Evidence:
    def instances() -> list[Instance]:
        return [
            Instance(
                f"{code}: half of N={count} clients of slope 1, half of slope -1, K={interval}, s=1",
                mean(opposed(count, count // 2, code, interval)[0]),
                Fraction(factor) * interval**2,
            )
            for count in (2, 6)
            for interval in (1, 4)
            for code in ("printed", "FedAvg")
        ]

    return decide(averaged(sp.Rational(factor)), instances, method=METHOD, valid_for=GENERAL)


@claim(
    "LEC-LEM1-S3",
    kind=Kind.EXPECTATION,
    scope=Scope.GENERAL,
    statement=r"\frac{1}{N}\sum_i\mathbb{E}\|\bar x-x_i\|^2\le s^2(K-1)^2G^2",
    printed=dict(code="FedAvg"),
    source="Lemma 1",
    summary="At the points where rounds of K local steps evaluate gradients only K-1 gradients have been taken: no "
    "drift for K = 1.",
    controls=[Control("the printed code, which evaluates before averaging", dict(code="printed"))],
)
def drift_where_evaluated(code: str) -> Evidence:
    if code not in EVALUATION_SHIFT:
        raise ValueError(f"code={code!r} is unknown")
    limit = K - EVALUATION_SHIFT[code]

    def instances() -> list[Instance]:
        return [
            Instance(
                f"{code}: slopes 1 and -1, N=2, K={interval}, s=1",
                mean(opposed(2, 1, code, interval)[1]),
                Fraction(interval - 1) ** 2,
            )
            for interval in (1, 2, 5)
        ]

    gap = sign("gradients since the common point <= K-1", (K - 1) - limit, [(K, 1, None)])
    steps = (*gradients_since_the_average(code), gap, *averaged(sp.Integer(1), limit=limit).steps)
    return decide(
        Proof(steps),
        instances,
        method=METHOD + " The number of gradients at step t = qK + r + 1 is r for rounds.",
        valid_for="all N, K, t, d; rounds of K local steps",
    )


@claim(
    "LEC-L1-CH",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    statement=r"\|\bar S-S_i\|^2\le 2\|\bar S\|^2+2\|S_i\|^2\le 2n\sum_\tau(\|\bar G^\tau\|^2+\|G_i^\tau\|^2)"
    r"\le 2n\sum_\tau(\tfrac1N\sum_j\|G_j^\tau\|^2+\|G_i^\tau\|^2)\le 4K^2G^2",
    printed=dict(split="2", jensen="1"),
    source="proof of Lemma 1, last display",
    summary="The chain has four inequalities: split in two, over the steps, over the clients, and t - t_0 <= K.",
    controls=[
        Control("factor 2 of the split -> 1.98", dict(split="99/50")),
        Control("constant of the sum over the steps -> 0.99", dict(jensen="99/100")),
    ],
)
def chain(split: str, jensen: str) -> Evidence:
    x, y, z, mean_z, dev_z = sp.symbols("x y z z_mean z_dev", real=True)
    n = sp.Symbol("n", positive=True)
    first, second = sp.Rational(split), sp.Rational(jensen)
    average = client_average(z**2, {z: (mean_z, dev_z)})
    ranges = [(n, 1, None), (K, n, None), (G, 0, None)]
    steps = [
        inequality("split", (x - y) ** 2, first * (x**2 + y**2), premises={}, squares=[(first - 1, x + y)], ranges=[]),
        inequality(
            "over n steps",
            n**2 * mean_z**2,
            second * n**2 * average,
            premises={},
            squares=[(second * n**2, dev_z)],
            ranges=[(n, 1, None)],
        ),
        inequality("over the clients", mean_z**2, second * average, premises={}, squares=[(second, dev_z)], ranges=[]),
        inequality("t - t_0 <= K", 2 * n * (n * G**2 + n * G**2), 4 * K**2 * G**2, premises={}, ranges=ranges),
        identity("E over equal bounds", 2 * n * 2 * n * G**2, 4 * n**2 * G**2),
    ]

    def instances() -> list[Instance]:
        one = Fraction(1)
        return [
            Instance("split: x=1, y=-1", (one + 1) ** 2, Fraction(split) * 2),
            Instance("steps: n=2 equal terms 1", (one + 1) ** 2, Fraction(jensen) * 2 * 2),
            Instance("clients: two equal gradients 1", one, Fraction(jensen)),
        ]

    return decide(Proof(tuple(steps)), instances, method=METHOD, valid_for="all N, n <= K, d")


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
