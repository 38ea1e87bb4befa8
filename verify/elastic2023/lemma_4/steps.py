"""Lemma 4 of the elastic aggregation supplement, the steps of the printed proof."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import sympy as sp

from fltheory.evidence.decide import decide
from fltheory.evidence.kinds import expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence
from fltheory.evidence.tight import attained
from fltheory.theory.steps import Instance, Proof, equality, hypothesis, identity, inequality
from verify.elastic2023 import vectors
from verify.elastic2023.vectors import GIVEN_THE_PAST, M, Q, S, X, X_mean, coin_tosses, martingale_steps, sigma, tau

ZERO = Fraction(0)
GENERAL = "all tau >= 1, any dimension"


def square_of_expectation(inside: bool) -> Evidence:
    """``E[X^2] = E[(X - E X)^2] + (E X)^2`` (``inside``), or with (E[X - E X])^2 for the first term."""
    centred = vectors.EXPECTATION.of((X - X_mean) ** 2) if inside else (X_mean - X_mean) ** 2
    step = identity("mean and deviation", vectors.EXPECTATION.of(X**2), centred + X_mean**2)

    def instances() -> Iterator[Instance]:
        for values in ((1, -1), (0, 1), (3, 1, 2)):
            n, average = len(values), Fraction(sum(values), len(values))
            centre = (
                sum((k - average) ** 2 for k in values) / n if inside else (sum(k - average for k in values) / n) ** 2
            )
            yield equality(f"X uniform on {values}", Fraction(sum(k * k for k in values), n), centre + average**2)

    return decide(
        Proof((step,)),
        instances,
        method="An expectation is an average: deviations have mean zero (Gram identity for vectors).",
        valid_for="all X with E X^2 finite",
    )


first_line = identity_claim.sharing(source="proof of Lemma 4, first line")


inside_the_expectation = first_line(
    "EL-L4-ID.1[square inside the expectation]",
    statement=r"\mathbb{E}[X^2]=\mathbb{E}\big[(X-\mathbb{E}X)^2\big]+(\mathbb{E}X)^2",
    summary="Second moment as variance plus squared mean.",
    printed=dict(inside=True),
    controls=[Control("square outside the expectation", dict(inside=False))],
)(square_of_expectation)

outside_the_expectation = first_line(
    "EL-L4-ID.1[square outside the expectation]",
    fault="transcription",
    repair="EL-L4-ID.1[square inside the expectation]",
    statement=r"\mathbb{E}[X^2]=\big(\mathbb{E}[X-\mathbb{E}X]\big)^2+(\mathbb{E}X)^2",
    headline="As scanned a variance identity has its square outside the expectation",
    summary="As the scan reads: the first term is then always 0, and the identity says that X is constant.",
    printed=dict(inside=False),
    controls=[Control("square inside the expectation", dict(inside=True), must="pass")],
)(square_of_expectation)


@first_line(
    "EL-L4-ID.2",
    statement=r"\mathbb{E}\Big\|\sum_i\Xi_i\Big\|^2=\Big\|\sum_i\xi_i\Big\|^2+\mathbb{E}\Big\|\sum_i(\Xi_i-\xi_i)\Big\|^2,"
    r"\quad\xi_i=\mathbb{E}\,\Xi_i",
    summary="The same for the sum of the Xi_i.",
    printed=dict(unbiased=True),
    controls=[Control("xi_i random: conditional means", dict(unbiased=False))],
)
def for_the_sum(unbiased: bool) -> Evidence:
    steps = (
        hypothesis("xi_i are the means", unbiased, "the cross term does not vanish"),
        identity(
            "mean and deviation of the sum",
            vectors.EXPECTATION.of(X**2),
            X_mean**2 + vectors.EXPECTATION.of((X - X_mean) ** 2),
        ),
    )

    def instances() -> Iterator[Instance]:
        spaces = [
            coin_tosses(n, f"tau = {n}, noise +-1, xi_i = 2", lambda _, i: Fraction(2), same=same)
            for n in (1, 2, 3)
            for same in (False, True)
        ]
        spaces += [] if unbiased else [vectors.worst_martingale(2)]
        for p in spaces:
            yield equality(p.text, p.second_moment, p.squared_means["expected"] + p.noise)

    return decide(Proof(steps), instances, method="Mean and deviation; Gram identity.", valid_for=GENERAL)


@expectation_claim(
    "EL-L4-S1",
    source="proof of Lemma 4, second display",
    statement=r"\mathbb{E}\Big\|\sum_i(\Xi_i-\xi_i)\Big\|^2\le\tau\sum_i\mathbb{E}\|\Xi_i-\xi_i\|^2\le\tau^2\sigma^2",
    summary="The relaxed triangle inequality for the centred sum.",
    printed=dict(first="1", second="1"),
    controls=[Control("tau times 0.99", dict(first="99/100")), Control("tau^2 times 0.99", dict(second="99/100"))],
)
def centred_sum(first: str, second: str) -> Evidence:
    one, two = sp.Rational(first), sp.Rational(second)
    steps = (
        vectors.mean_of_squares("mean and deviation over the tau variables, times tau^2", one, tau**2),
        inequality(
            "variances",
            tau * Q,
            two * tau**2 * sigma**2,
            premises={"sum <= tau sigma^2": (tau, tau * sigma**2 - Q)},
            ranges=[(tau, 1, None), (sigma, 0, None)],
        ),
    )

    def instances() -> Iterator[Instance]:
        for n in (1, 2, 4):
            space = vectors.same_noise(n)
            middle = n * sum(space.variances)
            yield Instance(f"{space.text}: first", space.noise, Fraction(first) * middle)
            yield Instance(f"{space.text}: second", middle, Fraction(second) * n**2 * max(space.variances))

    return decide(
        Proof(steps),
        instances,
        method="Mean and deviation over the variables, then expectation.",
        valid_for=GENERAL,
        tightness=attained("equality when all Xi_i - xi_i are the same"),
    )


def split(first: str, second: str, expected: bool) -> Evidence:
    """``E|S + M|^2 <= first |S|^2 + second E|M|^2``, S = sum xi_i, with E|S|^2 on the right or as it stands."""
    one, two = sp.Rational(first), sp.Rational(second)
    steps = (
        hypothesis("the first term is an expectation", expected, "a number against a random variable"),
        inequality(
            "square of S - M", (S + M) ** 2, one * S**2 + two * M**2, squares=[(1, S - M), (one - 2, S), (two - 2, M)]
        ),
        identity(
            "xi_tau = sum of the noise before: left side 4(tau-1) + 1, right side with factors 2 larger by 1",
            2 * (tau - 1) + 2 * tau,
            4 * (tau - 1) + 1 + 1,
        ),
    )

    def instances() -> Iterator[Instance]:
        spaces = [vectors.worst_martingale(n) for n in (2, 3, 5)]
        spaces += [] if expected else [vectors.second_mean("2(1 + noise of step 1)", lambda noise: 2 * (1 + noise))]
        kind = "expected" if expected else "smallest"
        for p in spaces:
            text = f"{p.text}; |sum xi_i|^2 {kind}: {p.squared_means[kind]}"
            yield Instance(text, p.second_moment, Fraction(first) * p.squared_means[kind] + Fraction(second) * p.noise)

    return decide(
        Proof(steps),
        instances,
        method="Square of S - M, in expectation.",
        valid_for=GENERAL,
        tightness=attained("(2, 2) is the limit for large tau of xi_tau = sum of the noise before"),
    )


third_display = expectation_claim.sharing(
    source="proof of Lemma 4, third display", assumptions=("xi_i = E[Xi_i | Xi_{i-1}, ..., Xi_1], random",)
)


split_expected = third_display(
    "EL-L4-S2[expectation of the first term]",
    statement=r"\mathbb{E}\Big\|\sum_i\Xi_i\Big\|^2\le2\,\mathbb{E}\Big\|\sum_i\xi_i\Big\|^2+2\,\mathbb{E}"
    r"\Big\|\sum_i(\Xi_i-\xi_i)\Big\|^2",
    summary="The cruder split for random conditional means.",
    printed=dict(first="2", second="2", expected=True),
    controls=[
        Control("2 -> 1.7 on the means", dict(first="17/10")),
        Control("2 -> 1.7 on the noise", dict(second="17/10")),
        Control("no expectation on the first term", dict(expected=False)),
    ],
)(split)

split_printed = third_display(
    "EL-L4-S2[first term as printed]",
    fault="slip",
    repair="EL-L4-S2[expectation of the first term]",
    statement=r"\mathbb{E}\Big\|\sum_i\Xi_i\Big\|^2\le2\Big\|\sum_i\xi_i\Big\|^2+2\,\mathbb{E}"
    r"\Big\|\sum_i(\Xi_i-\xi_i)\Big\|^2\quad\text{almost surely}",
    headline="Without an expectation a number is compared with a random variable",
    summary="Without an expectation a number is compared with a random variable, and the inequality fails.",
    printed=dict(first="2", second="2", expected=False),
    controls=[
        Control("expectation of the first term", dict(expected=True), must="pass"),
        Control("both factors 4", dict(first="4", second="4")),
    ],
)(split)


@expectation_claim(
    "EL-L4-CROSS",
    source="proof of Lemma 4, last display",
    statement=r"\mathbb{E}\Big\|\sum_i(\Xi_i-\xi_i)\Big\|^2=\sum_{i,j}\mathbb{E}\langle\Xi_i-\xi_i,\Xi_j-\xi_j\rangle="
    r"\sum_i\mathbb{E}\|\Xi_i-\xi_i\|^2\le\tau\sigma^2",
    summary="The cross terms of martingale differences vanish.",
    printed=dict(is_martingale=True, factor="1"),
    controls=[
        Control("the same noise in all steps (no martingale)", dict(is_martingale=False)),
        Control("tau sigma^2 times 0.99", dict(factor="99/100")),
    ],
)
def cross_terms(is_martingale: bool, factor: str) -> Evidence:
    k = sp.Rational(factor)
    steps = (
        hypothesis("the noise has mean zero given the past", is_martingale, "no martingale difference sequence"),
        *martingale_steps(),
        identity("cross term given the past", GIVEN_THE_PAST.of(vectors.past * vectors.noise), 0),
        inequality(
            "variances",
            Q,
            k * tau * sigma**2,
            premises={"sum": (1, tau * sigma**2 - Q)},
            ranges=[(tau, 1, None), (sigma, 0, None)],
        ),
    )

    def instances() -> Iterator[Instance]:
        for n in (1, 2, 4):
            for space in (vectors.worst_martingale(n), *([] if is_martingale else [vectors.same_noise(n)])):
                noise, bound = sum(space.variances, ZERO), Fraction(factor) * n * max(space.variances)
                yield equality(f"{space.text}: E|sum|^2 and sum E|.|^2", space.noise, noise)
                yield Instance(f"{space.text}: against tau sigma^2", noise, bound)

    return decide(
        Proof(steps),
        instances,
        method="Given the past the noise is a deviation; tower property; induction over tau.",
        valid_for=GENERAL,
        tightness=attained("equality for equal variances"),
    )


if __name__ == "__main__":
    run_script(__file__)
