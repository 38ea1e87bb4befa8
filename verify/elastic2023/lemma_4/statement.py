"""Lemma 4 of the elastic aggregation supplement: sums of random vectors, (10) and (11), and which of the two is tighter.

In (11) the conditional means xi_i are random.  With an expectation on the right it holds, with 2 tau - 1 in place of
2 tau; read as printed, a number on the left against a random variable on the right, it fails.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy as sp

from fltheory.evidence.algebra import by_relations, statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.ends import by_witness
from fltheory.evidence.kinds import algebra_claim, expectation_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import against_the_best, attained
from fltheory.theory.bound import Bound
from fltheory.theory.steps import Instance
from fltheory.theory.values import exact_value
from verify.elastic2023 import elsewhere, vectors
from verify.elastic2023.derivations import sums
from verify.elastic2023.vectors import Finite, coin_tosses, sigma, sum_of_means, tau

before_11 = algebra_claim.sharing(source="Lemma 4, before (11)")

ONE, ZERO = Fraction(1), Fraction(0)
GENERAL = "all tau >= 1, any dimension"


def text_of(space: Finite) -> str:
    """The space, with sigma^2 as its largest variance."""
    return f"{space.text}, sigma^2 = {max(space.variances)}"


def value(bound: Bound, space: Finite, means: str = "expected") -> Fraction:
    """The right side on a space whose largest variance is sigma^2, a square of a rational number."""
    size = sp.sqrt(sp.Rational(max(space.variances)))
    return exact_value(bound.expression, {sum_of_means: space.squared_means[means], tau: space.count, sigma: size})


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
    bound = replace(vectors.MEAN_VARIANCE, expression=sum_of_means + noise)

    def instances() -> Iterator[Instance]:
        spaces = [vectors.same_noise(n, c, f", xi_i = {c}") for n in (1, 2, 4) for c in (ZERO, ONE)]
        spaces += [] if unbiased else [BIASED]
        for space in spaces:
            yield Instance(text_of(space), space.second_moment, value(bound, space, "of the means"))

    return by_derivation(
        lambda: sums.about_means(bound, unbiased=unbiased),
        instances,
        method="Mean and deviation of the sum; EL-LEM3.2 for the tau deviations.",
        valid_for=GENERAL,
        tightness=attained("equality when all Xi_i - xi_i are the same"),
    )


def martingale(factor: str, noise: str, right: str, is_martingale: bool) -> Evidence:
    """``E|sum Xi|^2 <= factor R + noise sigma^2`` with R the squared sum of conditional means, read as ``right``."""
    one, two = sp.Rational(factor), sp.sympify(noise, locals={"tau": tau})
    if right in ("smallest", "of the means"):
        bound = replace(vectors.MARTINGALE_AS_PRINTED, expression=one * sum_of_means + two * sigma**2)
        witnesses = vectors.two_steps(bound, right == "smallest", (1, 1), (0, 2))
        return by_witness(witnesses, rung=Rung.PROOF)
    fixed = right == "not random"
    bound = replace(
        vectors.MARTINGALE_FIXED if fixed else vectors.MARTINGALE, expression=one * sum_of_means + two * sigma**2
    )

    def instances() -> Iterator[Instance]:
        spaces = [vectors.worst_martingale(n) for n in (1, 2, 3, 5)]
        if fixed:
            text, pairs = "tau = {}, noise +-1 independent, xi_i = {}", product((1, 2, 4), (ZERO, ONE))
            spaces = [coin_tosses(n, text.format(n, c), lambda _, i, c=c: c) for n, c in pairs]
        wrong = [space.text for space in spaces if not space.is_martingale]
        if wrong:
            raise ValueError(f"instance {wrong[0]!r} is no martingale")
        for space in [*spaces, *([] if is_martingale else [vectors.same_noise(3, text=", xi_i = 0")])]:
            text = f"{text_of(space)}; |sum xi_i|^2 expected: {space.squared_means['expected']}"
            yield Instance(text, space.second_moment, value(bound, space))

    sharp = tau if fixed else 2 * tau - 1
    ratio, limit = (two / sharp).subs(tau, 1), sp.limit(two / sharp, tau, sp.oo)
    return by_derivation(
        lambda: (
            sums.about_fixed_means(bound) if fixed else sums.about_conditional_means(bound, conditional=is_martingale)
        ),
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
)(martingale)

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
)(martingale)

not_random = of_martingales(
    "EL-LEM4.2[conditional means not random]",
    statement=(vectors.MARTINGALE_FIXED, r"\le2\Big\|\sum_i\xi_i\Big\|^2+2\tau\sigma^2"),
    headline="With fixed conditional means both factors two can be dropped",
    summary="Where the conditional means do not depend on the past the printed form makes sense, and both factors 2 can be "
    "dropped.",
    printed=dict(factor="1", noise="tau", right="not random", is_martingale=True),
    controls=[
        Control("tau times 0.99", dict(noise="99/100*tau")),
        Control("xi_i random, means on the right", dict(right="of the means")),
    ],
)(martingale)

sharpened = of_martingales(
    "EL-LEM4-S1",
    statement=vectors.MARTINGALE_SHARP,
    headline="A sum with conditional means: one noise term fewer counts twice",
    summary="The last noise is orthogonal to everything before it: 2 tau - 1 in place of 2 tau.",
    elsewhere=elsewhere.SUMS,
    depends=("EL-L4-CROSS",),
    printed=dict(factor="2", noise="2*tau - 1", right="expected", is_martingale=True),
    controls=[
        Control("2 tau - 1.01", dict(noise="2*tau - 101/100")),
        Control("xi_i not the conditional means", dict(is_martingale=False)),
    ],
)(martingale)


#: Names of what stands in both bounds.
MEANS = {"S": r"\|\sum_i\xi_i\|^2"}
WHOLE = "2*S + 2*tau*sigma**2 <= S + tau**2*sigma**2 for tau >= 1; S >= 0; sigma >= 0"
NOISE = "2*tau*sigma**2 <= tau**2*sigma**2 for tau >= 2; sigma >= 0"


@before_11(
    "EL-L4-TIGHTER[whole right side]",
    fault="reading",
    statement=Relations(WHOLE, names=MEANS),
    headline="The second bound is not always smaller than the first",
    summary="(11) is not smaller than (10) in general: not for tau <= 2, and not where the means dominate.",
    repair="EL-L4-TIGHTER[noise term, tau at least 2]",
    printed=dict(text=WHOLE),
    controls=[
        Control("noise term alone, tau >= 2", dict(text=NOISE), must="pass"),
        Control("tau >= 2", dict(text=WHOLE.replace("tau >= 1", "tau >= 2"))),
    ],
)
def tighter(text: str) -> Evidence:
    return by_relations(Relations(text))


tighter_noise = statement_of_algebra(
    "EL-L4-TIGHTER[noise term, tau at least 2]",
    Relations(NOISE),
    false={"tau >= 1": ("tau >= 2", "tau >= 1")},
    group=before_11,
    headline="The second bound has the smaller noise term from two vectors on",
    summary="The noise term of (11) is the smaller one from tau = 2 on (equal at 2, twice as large at tau = 1).",
)

when_tighter = statement_of_algebra(
    "EL-L4-TIGHTER-S1",
    Relations("S + tau**2*sigma**2 - (2*S + 2*tau*sigma**2) = tau*(tau - 2)*sigma**2 - S", names=MEANS),
    says=r"2S+2\tau\sigma^2\le S+\tau^2\sigma^2\iff S\le\tau(\tau-2)\sigma^2:\quad ",
    false={"tau(tau - 1) sigma^2": ("(tau - 2)", "(tau - 1)")},
    group=before_11,
    headline="When exactly the second bound is at most the first",
    summary="When exactly the right side of (11) is at most that of (10): the two differences are the same.",
)


if __name__ == "__main__":
    run_script(__file__)
