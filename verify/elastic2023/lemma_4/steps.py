"""Lemma 4 of the elastic aggregation supplement, the steps of the printed proof."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy as sp

from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness, tried
from fltheory.evidence.kinds import expectation_claim, identity_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.tight import attained
from fltheory.evidence.witness import Side, Witness
from fltheory.theory.steps import Instance, equality
from fltheory.theory.values import exact_value
from verify.elastic2023 import vectors
from verify.elastic2023.derivations import sums
from verify.elastic2023.vectors import coin_tosses, sum_of_means

ZERO = Fraction(0)
GENERAL = "all tau >= 1, any dimension"


def square_of_expectation(inside: bool) -> Evidence:
    """``E[X^2] = E[(X - E X)^2] + (E X)^2`` (``inside``), or with (E[X - E X])^2 for the first term."""
    x, y = sp.symbols("x y")
    mean = (x + y) / 2
    centred = ((x - mean) ** 2 + (y - mean) ** 2) / 2 if inside else ((x - mean) / 2 + (y - mean) / 2) ** 2
    left, right = Side("E[X^2]", (x**2 + y**2) / 2), Side("right side", centred + mean**2)
    witnesses = [Witness(dict(x=1, y=-1), left, "=", right, setting="X is x or y, equally likely")]
    if not inside:
        return by_witness(witnesses, rung=Rung.PROOF)
    return by_derivation(
        sums.second_moment,
        tried(witnesses),
        method="An expectation is an average: deviations have mean zero.",
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
    headline="The second moment of a sum of random vectors is its squared mean plus its variance",
    statement=r"\mathbb{E}\Big\|\sum_i\Xi_i\Big\|^2=\Big\|\sum_i\xi_i\Big\|^2+\mathbb{E}\Big\|\sum_i(\Xi_i-\xi_i)\Big\|^2,"
    r"\quad\xi_i=\mathbb{E}\,\Xi_i",
    summary="The same for the sum of the Xi_i.",
    printed=dict(unbiased=True),
    controls=[Control("xi_i random: conditional means", dict(unbiased=False))],
)
def for_the_sum(unbiased: bool) -> Evidence:
    def instances() -> Iterator[Instance]:
        spaces = [
            coin_tosses(n, f"tau = {n}, noise +-1, xi_i = 2", lambda _, i: Fraction(2), same=same)
            for n in (1, 2, 3)
            for same in (False, True)
        ]
        spaces += [] if unbiased else [vectors.worst_martingale(2)]
        for p in spaces:
            yield equality(p.text, p.second_moment, p.squared_means["expected"] + p.noise)

    return by_derivation(
        lambda: sums.split_of_the_sum(unbiased=unbiased), instances, method="Mean and deviation.", valid_for=GENERAL
    )


@expectation_claim(
    "EL-L4-S1",
    source="proof of Lemma 4, second display",
    statement=(vectors.CENTRED, r",\quad ", vectors.CENTRED_VARIANCE),
    summary="The relaxed triangle inequality for the centred sum.",
    printed=dict(first="1", second="1"),
    controls=[Control("tau times 0.99", dict(first="99/100")), Control("tau^2 times 0.99", dict(second="99/100"))],
)
def centred_sum(first: str, second: str) -> Evidence:
    scaled = [
        replace(bound, expression=sp.Rational(factor) * bound.expression)
        for bound, factor in ((vectors.CENTRED, first), (vectors.CENTRED_VARIANCE, second))
    ]

    def instances() -> Iterator[Instance]:
        for n in (1, 2, 4):
            space = vectors.same_noise(n)
            middle = n * sum(space.variances)
            yield Instance(f"{space.text}: first", space.noise, Fraction(first) * middle)
            yield Instance(f"{space.text}: second", middle, Fraction(second) * n**2 * max(space.variances))

    return by_derivation(
        lambda: sums.centred_sum(*scaled),
        instances,
        method="Mean and deviation over the variables, then expectation.",
        valid_for=GENERAL,
        tightness=attained("equality when all Xi_i - xi_i are the same"),
    )


def split(first: str, second: str, expected: bool) -> Evidence:
    """``E|S + M|^2 <= first |S|^2 + second E|M|^2``, S = sum xi_i, with E|S|^2 on the right or as it stands."""
    one, two = sp.Rational(first), sp.Rational(second)
    if not expected:
        doubled = replace(vectors.SPLIT, expression=one * sum_of_means + two * vectors.tau * vectors.sigma**2)
        return by_witness(vectors.two_steps(doubled, True, (2, 2)), rung=Rung.PROOF)
    bound = replace(vectors.SPLIT, expression=one * sum_of_means + two * vectors.noise_square)

    def instances() -> Iterator[Instance]:
        for space in (vectors.worst_martingale(n) for n in (2, 3, 5)):
            means = space.squared_means["expected"]
            right = exact_value(bound.expression, {sum_of_means: means, vectors.noise_square: space.noise})
            yield Instance(f"{space.text}; |sum xi_i|^2 expected: {means}", space.second_moment, right)

    return by_derivation(
        lambda: sums.split_in_expectation(bound),
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
    statement=vectors.SPLIT,
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
    statement=vectors.ORTHOGONAL,
    summary="The cross terms of martingale differences vanish.",
    printed=dict(is_martingale=True, factor="1"),
    controls=[
        Control("the same noise in all steps (no martingale)", dict(is_martingale=False)),
        Control("tau sigma^2 times 0.99", dict(factor="99/100")),
    ],
)
def cross_terms(is_martingale: bool, factor: str) -> Evidence:
    bound = replace(vectors.ORTHOGONAL, expression=sp.Rational(factor) * vectors.ORTHOGONAL.expression)

    def instances() -> Iterator[Instance]:
        for n in (1, 2, 4):
            for space in (vectors.worst_martingale(n), *([] if is_martingale else [vectors.same_noise(n)])):
                noise, bound = sum(space.variances, ZERO), Fraction(factor) * n * max(space.variances)
                yield equality(f"{space.text}: E|sum|^2 and sum E|.|^2", space.noise, noise)
                yield Instance(f"{space.text}: against tau sigma^2", noise, bound)

    return by_derivation(
        lambda: sums.no_cross_terms(bound, conditional=is_martingale),
        instances,
        method="Given the past the noise is a deviation; tower property; induction over tau.",
        valid_for=GENERAL,
        tightness=attained("equality for equal variances"),
    )


if __name__ == "__main__":
    run_script(__file__)
