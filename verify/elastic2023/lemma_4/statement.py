"""Lemma 4 of the elastic aggregation supplement: sums of random vectors, (10) and (11), and which of the two is tighter.

In (11) the conditional means xi_i are random.  With an expectation on the right it holds, with 2 tau - 1 in place of
2 tau; read as printed, a number on the left against a random variable on the right, it fails.  Expectations are averages
with the noise as deviation; given the past the noise of the next step has mean zero (tower property, induction over tau).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import algebra_claim, expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import against_the_best, attained
from fltheory.theory.steps import Instance, Proof, hypothesis, identity, inequality, sign
from fltheory.theory.values import exact_value
from verify.elastic2023 import elsewhere, vectors
from verify.elastic2023.vectors import GIVEN_THE_PAST, Finite, M, Q, S, X, X_dev, X_mean, coin_tosses, past, sigma, tau

before_11 = algebra_claim.sharing(source="Lemma 4, before (11)")

ONE, ZERO = Fraction(1), Fraction(0)
GENERAL = "all tau >= 1, any dimension"
q_last, s_squared = sp.symbols("q_last S_squared", nonnegative=True)
RANGES = [(tau, 1, None), (sigma, 0, None), (Q, 0, None), (q_last, 0, None), (s_squared, 0, None)]


def text_of(space: Finite) -> str:
    """The space, with sigma^2 as its largest variance."""
    return f"{space.text}, sigma^2 = {max(space.variances)}"


#: One variable that is off its claimed mean by 1.
BIASED = Finite("tau = 1, Xi_1 = 2, xi_1 = 1 is not its mean", ((Fraction(2),),), ((ONE,),))


@expectation_claim(
    "EL-LEM4.1",
    source="Lemma 4, (10)",
    statement=vectors.MEAN_VARIANCE,
    headline="A sum of dependent random vectors: means and variances separate",
    summary="Means and variances separate, for any dependence between the variables.",
    assumptions=("E[Xi_i] = xi_i", "E|Xi_i - xi_i|^2 <= sigma^2"),
    proof_steps=("EL-L4-ID", "EL-L4-S1"),
    depends=("EL-LEM3.2",),
    printed=dict(factor="1", power=2, unbiased=True),
    controls=[
        Control("tau^2 times 0.99", dict(factor="99/100")),
        Control("tau in place of tau^2", dict(power=1)),
        Control("xi_i not the mean of Xi_i", dict(unbiased=False)),
    ],
)
def mean_and_variance(factor: str, power: int, unbiased: bool) -> Evidence:
    noise = sp.Rational(factor) * tau**power * sigma**2
    steps = (
        hypothesis("xi_i is the mean of Xi_i", unbiased, "the cross terms stay"),
        identity("E|X|^2 = |mean|^2 + E|deviation|^2", vectors.EXPECTATION.of(X**2), X_mean**2 + X_dev**2),
        inequality(
            "tau sum E|.|^2 <= factor tau^power sigma^2",
            tau * Q,
            noise,
            premises={"sum E|Xi_i - xi_i|^2 <= tau sigma^2": (tau, tau * sigma**2 - Q)},
            ranges=RANGES,
        ),
    )

    def instances() -> Iterator[Instance]:
        spaces = [vectors.same_noise(n, c, f", xi_i = {c}") for n in (1, 2, 4) for c in (ZERO, ONE)]
        spaces += [] if unbiased else [BIASED]
        for space in spaces:
            yield Instance(
                text_of(space),
                space.second_moment,
                space.squared_means["of the means"] + Fraction(factor) * space.count**power * max(space.variances),
            )

    return decide(
        Proof(steps),
        instances,
        method="Mean and deviation of the sum; EL-LEM3.2 for the tau deviations.",
        valid_for=GENERAL,
        tightness=attained("equality when all Xi_i - xi_i are the same"),
    )


def martingale(factor: sp.Expr, noise: sp.Expr, right: str, is_martingale: bool) -> Evidence:
    """``E|sum Xi|^2 <= factor R + noise sigma^2`` with R the squared sum of conditional means, read as ``right``.

    S, the sum of the xi_i, depends on Xi_1, ..., Xi_{tau-1} only, so that the last noise is orthogonal to S + M_{tau-1}.
    """
    orthogonal, reading = vectors.means * vectors.noise, f"the right side is read as '{right}'"
    steps = (
        hypothesis("the xi_i are conditional means", is_martingale, "the noise has a mean given the past"),
        hypothesis(
            "the right side is an expectation, or the xi_i are not random", right in ("expected", "not random"), reading
        ),
        *vectors.martingale_steps(),
        identity(
            "given the past: |S + M_{tau-1} + m|^2",
            GIVEN_THE_PAST.of((vectors.means + past + vectors.noise) ** 2),
            (vectors.means + past) ** 2 + vectors.deviation**2,
        ),
        identity("mean of the noise given the past: <S, m> averages to 0", GIVEN_THE_PAST.of(orthogonal), 0),
    )
    if right == "not random":
        steps += (
            inequality(
                "E|S + M|^2 = |S|^2 + E|M|^2, S fixed",
                s_squared + Q,
                factor * s_squared + noise * sigma**2,
                premises={"E|M|^2": (1, tau * sigma**2 - Q)},
                ranges=RANGES,
            ),
        )
    else:
        steps += (
            inequality(
                "|S + M|^2 <= 2|S|^2 + 2|M|^2, and the noise",
                (S + M) ** 2 + q_last,
                factor * S**2 + noise * sigma**2,
                premises={
                    "E|M_{tau-1}|^2 <= (tau-1) sigma^2": (2, (tau - 1) * sigma**2 - M**2),
                    "E|m_tau|^2 <= sigma^2": (1, sigma**2 - q_last),
                },
                squares=[(1, S - M), (factor - 2, S)],
                ranges=RANGES,
            ),
            identity(
                "attained: S = M_{tau-1} gives 4(tau-1) + 1 = 2(tau-1) + (2 tau - 1)",
                4 * (tau - 1) + 1,
                2 * (tau - 1) + 2 * tau - 1,
            ),
        )

    def instances() -> Iterator[Instance]:
        if right == "not random":
            text, pairs = "tau = {}, noise +-1 independent, xi_i = {}", product((1, 2, 4), (ZERO, ONE))
            spaces = [coin_tosses(n, text.format(n, c), lambda _, i, c=c: c) for n, c in pairs]
        elif right == "expected":
            spaces = [vectors.worst_martingale(n) for n in (1, 2, 3, 5)]
        else:
            spaces = [
                vectors.second_mean("1 + (noise of step 1)", lambda noise: 1 + noise),
                vectors.second_mean("2 (noise of step 1)", lambda noise: 2 * noise),
            ]
        if not is_martingale:
            spaces.append(vectors.same_noise(3, text=", xi_i = 0"))
        wrong = [space.text for space in spaces if is_martingale and not space.is_martingale]
        if wrong:
            raise ValueError(f"instance {wrong[0]!r} is no martingale")
        kind = "expected" if right == "not random" else right
        for space in spaces:
            yield Instance(
                f"{text_of(space)}; |sum xi_i|^2 {kind}: {space.squared_means[kind]}",
                space.second_moment,
                exact_value(factor) * space.squared_means[kind]
                + exact_value(noise, {tau: space.count}) * max(space.variances),
            )

    sharp = {"not random": tau}.get(right, 2 * tau - 1)
    ratio, limit = (noise / sharp).subs(tau, 1), sp.limit(noise / sharp, tau, sp.oo)
    return decide(
        Proof(steps),
        instances,
        method="Given the past the noise is a deviation; induction over tau; |S - M|^2 >= 0.",
        valid_for=GENERAL,
        tightness=against_the_best(
            ratio,
            f"({sharp}) sigma^2, attained for every tau; printed/sharp is {ratio} at tau = 1 and {limit} in the limit",
        ),
    )


of_martingales = expectation_claim.sharing(
    source="Lemma 4, (11)", assumptions=("E[Xi_i | Xi_{i-1}, ..., Xi_1] = xi_i", "E|Xi_i - xi_i|^2 <= sigma^2")
)
_STEPS = ("EL-L4-ID", "EL-L4-S2", "EL-L4-CROSS")


def _check(factor: str, noise: str, right: str, is_martingale: bool) -> Evidence:
    return martingale(sp.Rational(factor), sp.sympify(noise, locals={"tau": tau}), right, is_martingale)


with_expectation = of_martingales(
    "EL-LEM4.2[expectation on the right]",
    statement=vectors.MARTINGALE,
    proof_steps=_STEPS,
    headline="With conditional means the noise adds up like independent noise",
    summary="With conditional means the noise adds up like independent noise; the squared sum of the means is taken in "
    "expectation.",
    printed=dict(factor="2", noise="2*tau", right="expected", is_martingale=True),
    controls=[
        Control("2 tau -> 2 tau - 1.01 (2 tau - 1 is sharp)", dict(noise="2*tau - 101/100")),
        Control("factor 2 -> 1.7 on the means", dict(factor="17/10")),
        Control("xi_i not the conditional means", dict(is_martingale=False)),
        Control("no expectation on the right", dict(right="smallest")),
    ],
)(_check)

almost_surely = of_martingales(
    "EL-LEM4.2[almost surely]",
    statement=(vectors.MARTINGALE_AS_PRINTED, r"\quad\text{almost surely}"),
    fault="slip",
    headline="Without an expectation the bound compares a number with a random variable",
    summary="As printed there is no expectation on the right, where the xi_i are random: then the right side can be "
    "smaller than the left one.",
    repair="EL-LEM4.2[expectation on the right]",
    printed=dict(factor="2", noise="2*tau", right="smallest", is_martingale=True),
    controls=[
        Control("expectation on the right", dict(right="expected"), must="pass"),
        Control("means of the xi_i on the right", dict(right="of the means")),
    ],
)(_check)

not_random = of_martingales(
    "EL-LEM4.2[conditional means not random]",
    statement=r"\mathbb{E}\Big\|\sum_i\Xi_i\Big\|^2\le\Big\|\sum_i\xi_i\Big\|^2+\tau\sigma^2\le2\Big\|\sum_i\xi_i\Big\|^2+"
    r"2\tau\sigma^2\quad(\xi_i\text{ deterministic})",
    headline="With fixed conditional means both factors two can be dropped",
    summary="Where the conditional means do not depend on the past the printed form makes sense, and both factors 2 can be "
    "dropped.",
    printed=dict(factor="1", noise="tau", right="not random", is_martingale=True),
    controls=[
        Control("tau times 0.99", dict(noise="99/100*tau")),
        Control("xi_i random, means on the right", dict(right="of the means")),
    ],
)(_check)

sharpened = of_martingales(
    "EL-LEM4-S1",
    statement=vectors.MARTINGALE_SHARP,
    headline="A sum with conditional means: one noise term fewer counts twice, and it is sharp",
    summary="The last noise is orthogonal to everything before it: 2 tau - 1 in place of 2 tau, attained for every tau.",
    elsewhere=elsewhere.SUMS,
    depends=("EL-L4-CROSS",),
    printed=dict(factor="2", noise="2*tau - 1", right="expected", is_martingale=True),
    controls=[
        Control("2 tau - 1.01", dict(noise="2*tau - 101/100")),
        Control("xi_i not the conditional means", dict(is_martingale=False)),
    ],
)(_check)


def compare(part: str, least: int) -> Evidence:
    """Whether the right side of (11) is at most that of (10) for all tau >= least: whole, or the noise term alone."""
    means = sp.Integer(1 if part == "whole" else 0)
    shift = sp.Symbol("t", nonnegative=True)
    gap = (least + shift) ** 2 * sigma**2 - means * s_squared - 2 * (least + shift) * sigma**2
    ranges = [(s_squared, 0, None), (shift, 0, None), (sigma, 0, None)]
    step = sign("right side of (10) minus that of (11)", gap, ranges)

    def instances() -> Iterator[Instance]:
        for n, (square, variance) in product((least, least + 1, 10), ((0, 1), (1, 0), (1, 1))):
            k, text = square if part == "whole" else 0, f"tau = {n}, |sum xi_i|^2 = {square}, sigma^2 = {variance}"
            left, right = Fraction(2 * k + 2 * n * variance), Fraction(k + n**2 * variance)
            yield Instance(f"{text}: {part} of (11), of (10)", left, right)

    return decide(Proof((step,)), instances, method="Difference of the right sides.", valid_for=f"all tau >= {least}")


tighter = before_11(
    "EL-L4-TIGHTER[whole right side]",
    fault="reading",
    statement=r"2\|\sum_i\xi_i\|^2+2\tau\sigma^2\le\|\sum_i\xi_i\|^2+\tau^2\sigma^2",
    headline="The second bound is not always smaller than the first",
    summary="(11) is not smaller than (10) in general: not for tau <= 2, and not where the means dominate.",
    repair="EL-L4-TIGHTER[noise term, tau at least 2]",
    printed=dict(part="whole", least=1),
    controls=[
        Control("noise term alone, tau >= 2", dict(part="noise", least=2), must="pass"),
        Control("tau >= 2", dict(least=2)),
    ],
)(compare)

tighter_noise = before_11(
    "EL-L4-TIGHTER[noise term, tau at least 2]",
    statement=r"2\tau\sigma^2\le\tau^2\sigma^2\quad(\tau\ge2)",
    headline="The second bound has the smaller noise term from two vectors on",
    summary="The noise term of (11) is the smaller one from tau = 2 on (equal at 2, twice as large at tau = 1).",
    printed=dict(part="noise", least=2),
    controls=[Control("tau >= 1", dict(least=1))],
)(compare)


@before_11(
    "EL-L4-TIGHTER-S1",
    statement=r"2S+2\tau\sigma^2\le S+\tau^2\sigma^2\iff S\le\tau(\tau-2)\sigma^2,\quad S=\|\sum_i\xi_i\|^2",
    headline="When exactly the second bound is at most the first",
    summary="When exactly the right side of (11) is at most that of (10).",
    printed=dict(shift=2),
    controls=[Control("tau(tau - 1) sigma^2", dict(shift=1))],
)
def when_tighter(shift: int) -> Evidence:
    gap = (s_squared + tau**2 * sigma**2) - (2 * s_squared + 2 * tau * sigma**2)
    step = identity("the two differences", gap, tau * (tau - shift) * sigma**2 - s_squared)

    def instances() -> Iterator[Instance]:
        for n in (2, 3, 5):
            square = n * (n - shift)
            yield Instance(f"tau = {n}, sigma = 1, S = {square}", Fraction(2 * square + 2 * n), Fraction(square + n**2))

    return decide(Proof((step,)), instances, method="Identity of the differences.", valid_for="all tau, xi_i, sigma")


if __name__ == "__main__":
    run_script(__file__)
