"""The displays of the proof of Lemma 7: expansion, products, second moment, and what they make together."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

import sympy as sp

from fltheory.evidence.algebra import statement_of_algebra
from fltheory.evidence.derive import by_derivation
from fltheory.evidence.kinds import algebra_claim, expectation_claim, run_script
from fltheory.evidence.model import Claim, Control, Evidence, Unprinted
from fltheory.evidence.relations import Relations
from fltheory.evidence.tight import against_the_best
from fltheory.theory.bound import Bound
from fltheory.theory.steps import Instance, equality
from verify.elastic2023.derivations import lemma_7 as derived
from verify.elastic2023.derivations import local_runs
from verify.elastic2023.lemma_7 import displays
from verify.elastic2023.lemma_7.displays import D, E, E_taken, G, H, P, X, e, mean_square, mu, sigma
from verify.elastic2023.lemma_7.displays import squared_gradient as q
from verify.elastic2023.lemma_7.rounds import (
    ONE,
    ZERO,
    CohortRound,
    HuberLine,
    LineLoss,
    mean_of,
    opposed,
    rounds,
    sampled,
)
from verify.elastic2023.lemma_7.statement import ALL_STEPS, INDEPENDENT, SAME, changed
from verify.elastic2023.smooth import KinkedLine

Q = Fraction
GENERAL = "every N >= 1, cohort, K >= 1, dimension, all noise laws, every e >= 0"
of_the_proof = expectation_claim.sharing(source="proof of Lemma 7")


def taken(item: CohortRound) -> Callable[[LineLoss, list[Fraction]], Fraction]:
    """A client's mean gradient over the points at which it takes its gradients."""
    return lambda loss, points: mean_of(loss.gradient(y) for y in points[:-1])


def of_gradients(item: CohortRound) -> Fraction:
    """E|cohort's mean of the gradients at its local points|^2."""
    return item.cohort_moments(taken(item))[1]


def at_the_model(item: CohortRound) -> Fraction:
    """E|cohort's mean of the gradients at x|^2."""
    return item.cohort_moments(lambda loss, _: loss.gradient(item.point))[1]


def sides(item: CohortRound, bound: Bound, left: Fraction) -> Instance:
    """A display at a round: its left side was measured."""
    return item.sides(bound.expression, left, {H: of_gradients(item), X: at_the_model(item)})


def by_display(
    name: str, bound: Bound, left: Callable[[CohortRound], Fraction], items: Iterator[CohortRound], **words: object
) -> Evidence:
    """A display that is derived for cohorts and for all clients, and its sides at rounds."""
    scripts = {
        kind: partial(derived.display, name, bound, everyone=everyone) for kind, everyone in derived.SCHEMES.items()
    }
    found = lambda: (sides(item, bound, left(item)) for item in items)  # noqa: E731
    return by_derivation(scripts, found, **{"valid_for": GENERAL, **words})  # type: ignore[arg-type]


def small(*, convex: bool = True) -> list[CohortRound]:
    """Rounds of all families, and long local steps towards the optimum."""
    found = sampled(rounds(convex=convex), 11)
    parabola = KinkedLine(ONE, ONE)
    return [*found, CohortRound((parabola,), ONE, 12, 1, Q(1, 16), Q(1, 160), modulus=ONE)]


@of_the_proof(
    "EL-L7-EXP",
    statement=r"\mathbb{E}\|x+\Delta x-x^\star\|^2=\|x-x^\star\|^2-\tfrac{2\tilde\eta}{KN}\sum_{k,i}\mathbb{E}\langle\nabla "
    r"f_i(y_{i,k-1}),x-x^\star\rangle+\tilde\eta^2\,\mathbb{E}\|\tfrac1{KS}\sum_{k,i\in\mathcal{S}}g_i(y_{i,k-1})\|^2",
    headline="The squared distance after a round, expanded: exact gradients in the inner product",
    summary="The square is expanded; in the inner product the noise and the choice of the cohort average out, with "
    "an expectation over the local points, which the print leaves to E_{r-1}.",
    printed=dict(factor="2"),
    controls=[Control("2 -> 1.98 in front of the inner product", dict(factor="99/50"))],
)
def expanded(factor: str) -> Evidence:
    """By the means of the noise and of the cohort."""

    def instances() -> Iterator[Instance]:
        for item in sampled(rounds(), 11):
            inner = item.average(lambda loss, points: taken(item)(loss, points)) * item.point  # noqa: B023
            second = item.moved()[1]
            right = item.point**2 - Q(factor) * item.effective * inner + second
            yield equality(str(item), item.distance_after(), right)

    scripts = {
        name: partial(derived.expansion, factor=factor, everyone=everyone) for name, everyone in derived.SCHEMES.items()
    }
    return by_derivation(
        scripts, instances, method="Means of the noise and of a cohort drawn without replacement.", valid_for=GENERAL
    )


@of_the_proof(
    "EL-L7-A1",
    statement=displays.PRODUCTS,
    headline="Local gradients point to the optimum as the gap says, up to the drift",
    depends=("EL-LEM5.1", "EL-ER.1"),
    summary="Lemma 5 for every client at its own local points; the drift may be that as defined or that of the "
    "points where gradients are taken.",
    printed=dict(gap="1", drift="1", distance="1"),
    controls=[
        Control("gap times 1.01", dict(gap="101/100")),
        Control("4 times the distance", dict(distance="4")),
        Control("drift times 1/4", dict(drift="1/4")),
    ],
)
def products(gap: str, drift: str, distance: str) -> Evidence:
    """2 e <grad f_i(y), x* - x>, averaged."""
    bound = changed(displays.PRODUCTS, {D: gap, E: drift})
    bound = replace(bound, expression=bound.expression - (sp.Rational(distance) - 1) * e * mu / 2 * P)

    def left(item: CohortRound) -> Fraction:
        inner = item.average(lambda loss, points: taken(item)(loss, points))
        return -2 * item.effective * inner * item.point

    items = [*small(), *(CohortRound((HuberLine(),), Q(400), K, 1, Q(1, 16)) for K in (1, 2))]
    return by_display("products", bound, left, iter(items), method="Lemma 5 with x* and x for its y and z.")


@of_the_proof(
    "EL-L7-A2",
    quick=False,
    statement=displays.SECOND,
    proof_steps=("EL-L7-A2a", "EL-L7-A2b"),
    depends=("EL-HET1[f convex]", "EL-ER.1"),
    headline="The second moment of the averaged local gradients: drift, gap and unsampled clients",
    summary="The second moment of the cohort's mean gradient is bounded by drift, gap and the share of clients that "
    "are not sampled. 8 beta (B^2 + 1) could be 4 beta + 8 beta B^2.",
    printed=dict(drift="1", gap="1", spread="1"),
    controls=[
        Control("drift times 1/300", dict(drift="1/300")),
        Control("gap times 0.12", dict(gap="12/100")),
        Control("G^2 times 0.49", dict(spread="49/100")),
    ],
)
def second_moment(drift: str, gap: str, spread: str) -> Evidence:
    bound = changed(displays.SECOND, {E: drift, D: gap, G**2: spread})
    runaway = CohortRound((KinkedLine(ONE, ONE),), ONE, 3, 1, Q(1, 16), Q(1, 480), modulus=ONE)
    ratio = sp.Integer(1) * 16 / 12
    return by_display(
        "second moment",
        bound,
        lambda item: item.effective**2 * of_gradients(item),
        iter([*small(), runaway]),
        method="Gradients moved to x, exact variance of sampling without replacement, A1 and smoothness.",
        tightness=against_the_best(ratio, "12 in place of 16 at B = 1: 4 beta (1 + 2 B^2) suffices for the gap"),
    )


@of_the_proof(
    "EL-L7-A2a",
    statement=displays.APART,
    headline="Local gradients moved to the model cost twice the squared smoothness times the drift",
    summary="The relaxed triangle inequality for the cohort's mean, then smoothness for every client; only points "
    "at which gradients are taken count, so that the drift as defined bounds it as well.",
    printed=dict(drift="1", moment="1"),
    controls=[
        Control("drift times 0.01", dict(drift="1/100")),
        Control("second term times 0.49", dict(moment="49/100")),
    ],
)
def gradients_moved(drift: str, moment: str) -> Evidence:
    bound = changed(displays.APART, {E_taken: drift, X: moment})
    runaway = CohortRound((KinkedLine(ONE, ONE),), ONE, 3, 1, Q(1, 16), Q(1, 480), modulus=ONE)
    return by_display(
        "gradients apart",
        bound,
        lambda item: item.effective**2 * of_gradients(item),
        iter([*small(), runaway]),
        method="|h|^2 <= 2 |h - g|^2 + 2 |g|^2 for the cohort's means, Jensen's inequality, A4.",
    )


def cohorts(first: str, second: str, *, factor: int) -> Evidence:
    """The second part of A_2, with its terms multiplied."""
    bound = changed(displays.COHORTS[factor], {q: first, mean_square: second})
    return by_display(
        "without replacement",
        bound,
        lambda item: 2 * item.effective**2 * at_the_model(item),
        iter(small()),
        method="The variance of the mean of S of N numbers drawn without replacement is (N - S)/(S (N - 1)) of theirs.",
        tightness=against_the_best(Q(factor, 2), "2 and 4 are attained: all clients, and one of two"),
    )


def of_cohorts(factor: int, summary: str, *more: Control) -> Claim:
    """A reading of the factor before the squared gradient."""
    made: Claim = of_the_proof(
        f"EL-L7-A2b[{factor} before the squared gradient]",
        statement=displays.COHORTS[factor],
        headline=f"The mean gradient of a sampled cohort: {factor} before the squared gradient",
        summary=summary,
        printed=dict(first="1", second="1"),
        controls=[*more, Control("4 e^2/S times 0.49 (one of two clients)", dict(second="49/100"))],
    )(partial(cohorts, factor=factor))
    return made


of_two = of_cohorts(
    2,
    "Read with 2 the inequality holds, and 2 is needed where all clients take part; 4 is needed for one of two clients.",
    Control("2 -> 1.98", dict(first="99/100")),
)
of_four = of_cohorts(
    4,
    "Read with 4 it holds as well, with twice what is needed, and gives 8 beta e^2 (B^2 + 1) in the next line exactly.",
    Control("4 -> 1.96", dict(first="49/100")),
)


@of_the_proof(
    "EL-L7-COMB",
    quick=False,
    depends=("EL-ER.1",),
    statement=displays.COMBINED,
    unprinted=Unprinted(INDEPENDENT, SAME),
    proof_steps=("EL-L7-VAR", "EL-L7-A1", "EL-L7-A2"),
    headline="The bounds of a round put together, before the step size is used",
    summary="The three bounds put together. The drift part cannot be read in the scan; the parts above add up to (1 "
    "+ beta e) 2 beta e times the drift. No condition on e is used.",
    printed=dict(noise="1", drift="1", gap="1", spread="1", shared=False),
    controls=[
        Control(SAME, dict(shared=True)),
        Control("noise term times 0.99", dict(noise="99/100")),
        Control("drift times 1/4", dict(drift="1/4")),
        Control("gap term times 1.2", dict(gap="6/5")),
        Control("G^2 times 0.49", dict(spread="49/100")),
    ],
)
def combined(noise: str, drift: str, gap: str, spread: str, shared: bool) -> Evidence:
    bound = changed(displays.COMBINED, {sigma**2: noise, E: drift, D: gap, G**2: spread})

    def instances() -> Iterator[Instance]:
        items = [*sampled(rounds(shared=shared, shares=(ONE, Q(1, 64))), 11), small()[-1]]
        items += [CohortRound((HuberLine(),), Q(400), 1, 1, step) for step in (Q(1, 16), Q(1, 1600))]
        items += [CohortRound(opposed(ZERO, ONE), ONE, 1, size, Q(1, 256), Q(16), ONE, shared, ONE) for size in (1, 2)]
        return (item.sides(bound.expression, item.distance_after()) for item in items)

    scripts = {
        f"{name}{words}": partial(derived.lemma_7, bound, everyone=everyone, long=far, top=None, independent=not shared)
        for name, everyone in derived.SCHEMES.items()
        for words, far in (("", False), (", local steps beyond 2/beta", True))
    }
    return by_derivation(
        {"distance from a run without noise": local_runs.local_run, **scripts},
        instances,
        method="EL-L7-EXP, EL-L7-VAR, EL-L7-A1 and EL-L7-A2 in one derivation.",
        prose=ALL_STEPS,
        valid_for="every N >= 1, cohort, K >= 1, dimension, all noise laws, every e >= 0 and phi eta_g > 0",
    )


of_numbers = statement_of_algebra(
    "EL-L7-FIN",
    Relations(
        "(1 + beta*e)*2*beta*e*E - (2*e - 8*beta*e**2*(B**2 + 1))*D <= 3*beta*e*E - e*D for beta > 0; B >= 0; 0 <= "
        "e <= 1/(8*(B**2 + 1)*beta); D >= 0; E >= 0",
        names={"e": r"\tilde\eta", "E": r"\mathcal{E}_r", "D": r"(f(x)-f(x^\star))", "beta": r"\beta"},
    ),
    false={
        "steps twice as long": ("1/(8*(B**2 + 1)*beta)", "1/(4*(B**2 + 1)*beta)"),
        "3 beta -> 2.2 beta": ("3*beta*e*E", "11/5*beta*e*E"),
    },
    group=algebra_claim,
    source="proof of Lemma 7, last line",
    headline="The step size turns the end of the one-round proof into the stated constants",
    summary="The step size gives both: 8 beta e (B^2 + 1) <= 1 turns the gap's coefficient into -e, and with B >= 0 "
    "it makes beta e at most 1/8, so that 2 beta e (1 + beta e) <= 3 beta e. Only the premises are printed.",
    tightness=against_the_best(Q(4, 3), "9/4 suffices for B >= 0 (17/8 for B >= 1, as A1 has it)"),
)


if __name__ == "__main__":
    run_script(__file__)
