"""Section 6 of Augenstein et al. (2022): what splitting a population does to sigma^2.

A client is drawn with its weight, then an answer g of its gradient oracle at x.  Group a of a split has the share pi_a, the
mean m_a(x) and the variance V_a(x) of such answers; m and V are those of the whole population.  Proofs merge the groups one by
one: a merged group of share P, mean M and variance U meets one more of share w, mean z and variance v, so that every number of
groups and clients is covered; |.|^2 is a sum over coordinates, so that scalars stand for every dimension.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.steps import Instance, equality, identity, inequality, sign
from verify.mixed2022.declared import probability_claim
from verify.mixed2022.populations import COIN, quadratics, rationals, split, splits
from verify.mixed2022.settled import settle

F = Fraction
P, M, U, w, z, v = sp.symbols("P M U w z v", positive=True)
SHARES = ((P, 0, None), (w, 0, None), (U, 0, None), (v, 0, None))
MEAN = (P * M + w * z) / (P + w)
#: Variance of the merged group, times its share.
MERGED = P * (U + M**2) + w * (v + z**2) - (P + w) * MEAN**2
APART = P * w / (P + w)
PROBABILITY = dict(source="Section 6")


def variance(which: str, constant: str) -> Evidence:
    """``constant`` times the whole variance bounds the mean of the variances within the groups, or each of them."""
    k = sp.Rational(constant)
    merged = identity(
        "the merged group: U' (P+w) = P U + w v + Pw/(P+w) |M - z|^2", MERGED, P * U + w * v + APART * (M - z) ** 2
    )
    if which == "mean":
        steps = [
            merged,
            inequality(
                "one more group: P U + w v <= k (P+w) U'",
                P * U + w * v,
                k * MERGED,
                premises={},
                squares=[(k * APART, M - z)],
                ranges=SHARES,
            ),
            sign("the excess is a positive multiple of |M - z|^2: zero for equal means only", APART, SHARES),
        ]
    else:
        ranges = (*SHARES, (M, 0, None), (z, 0, None))
        steps = [merged, sign("v <= k U', whatever the other group", k * MERGED / (P + w) - v, ranges)]

    def instances() -> list[Instance]:
        found = []
        for one in splits():
            if which == "mean":
                found.append(
                    Instance(f"{one.name}: mean within the groups, whole", one.within, F(constant) * one.variance)
                )
                apart = one.variance - one.within
                found.append(equality(f"{one.name}: whole - mean within, between the groups", apart, one.between))
                continue
            found += [
                Instance(f"{one.name}: group {a}, whole", each, F(constant) * one.variance)
                for a, each in enumerate(one.variances)
            ]
        return found

    return settle(
        steps,
        instances,
        method="law of total variance, groups merged one by one; all answers of named populations enumerated",
        valid_for="every split into any number of groups, every d, weights and law of the answers with a variance, each x",
        tightness=Tightness(1.0, Rung.PROOF, "equal group means") if which == "mean" and k == 1 else None,
    )


@probability_claim(
    "MX-CONC-SPLIT.1",
    **PROBABILITY,
    printed=dict(which="mean", constant="1"),
    statement=r"\sum_a\pi_aV_a(x)=V(x)-\sum_a\pi_a\|m_a(x)-m(x)\|^2\le V(x),\quad\text{equality iff all }m_a(x)=m(x)",
    summary="A split never raises the variance within the groups, averaged by their shares, at any x, and lowers it wherever the "
    "groups' mean gradients differ. (The paper says that sigma^2 'will likely' fall; on average it always does. One group may be "
    "more variable than the whole: MX-CONC-SPLIT-S1 says by how much at most.)",
    controls=[Control("0.99 V(x)", dict(constant="99/100")), Control("every group by itself", dict(which="every"))],
)
def mean_variance(which: str, constant: str) -> Evidence:
    return variance(which, constant)


def bumps(count: int) -> tuple[Fraction, Fraction, list[Instance]]:
    """``count`` groups of equal share, two clients each with gradients x +- h_a(x), h_a(x) = max(0, 1 - |x - 2a|).

    Returns sum_a pi_a sup_x V_a, sup_x V, and that all gradients rise with slopes in [0, 2] between the breakpoints.  V_a and V
    are squares of linear functions there, so that their suprema are at breakpoints.
    """
    points = [F(i) for i in range(-2, 2 * count + 2)]
    share, found = F(1, count), []
    height = [[max(F(0), 1 - abs(x - 2 * a)) for x in points] for a in range(count)]
    for a, each in enumerate(height):
        for way in (1, -1):
            values = [x + way * h for x, h in zip(points, each, strict=True)]
            slopes = [
                after - before for before, after in zip(values[:-1], values[1:], strict=True)
            ]  # points are 1 apart
            found.append(Instance(f"group {a}: minus the least slope of the gradients", -min(slopes), F(0)))
            found.append(Instance(f"group {a}: largest slope", max(slopes), F(2)))
    own = sum((share * max(h * h for h in each) for each in height), F(0))
    whole = max(sum((share * height[a][i] ** 2 for a in range(count)), F(0)) for i in range(len(points)))
    return own, whole, found


@probability_claim(
    "MX-CONC-SPLIT-S1",
    **PROBABILITY,
    printed=dict(factor="1"),
    statement=r"\pi_a\sup_xV_a(x)\le\sup_xV(x),\qquad\sum_{a\le J}\pi_a\sup_xV_a(x)\le J\,\sup_xV(x)",
    summary="With sigma_a^2 the supremum over x of each group, as Assumption 4.1 has it: a group's is at most 1/pi_a times the "
    "whole's, and the mean of the suprema at most J times, both attained by convex smooth losses that vary in different places. So "
    "even on average sigma^2 can rise by a split; for quadratics, whose variances are constant where they are bounded, it cannot.",
    depends=("MX-CONC-SPLIT.1",),
    controls=[Control("0.99 J", dict(factor="99/100"))],
)
def suprema(factor: str) -> Evidence:
    k = sp.Rational(factor)
    steps = [
        sign(
            "one group: w v <= k (P+w) U', so pi_a V_a <= k V at each x, and the suprema; J of these",
            sp.expand(k * (P * U + w * v + APART * z**2) - w * v),
            (*SHARES, (z, 0, None)),
        ),
        identity("(P+w) U' with difference z of the means", MERGED.subs(M, M + z), (P * U + w * v + APART * M**2)),
    ]

    def instances() -> list[Instance]:
        found = []
        for one in splits():
            found += [
                Instance(f"{one.name}: pi_a V_a of group {a}, V", p * each, F(factor) * one.variance)
                for a, (p, each) in enumerate(zip(one.shares, one.variances, strict=True))
            ]
        for count in (2, 3):
            own, whole, slopes = bumps(count)
            name = f"J={count} groups of two clients, gradients x +- max(0, 1-|x-2a|): mean of suprema, J sup V"
            found += [*slopes, Instance(name, own, F(factor) * count * whole)]
        return found

    return settle(
        steps,
        instances,
        method="law of total variance for one group against the rest, then suprema; attained by J groups with disjoint bumps",
        valid_for="every split, J, d and law",
        tightness=Tightness(1.0, Rung.PROOF, "J disjoint bumps") if k == 1 else None,
    )


@probability_claim(
    "MX-CONC-SPLIT-S2",
    **PROBABILITY,
    printed=dict(cohorts="in proportion"),
    statement=r"\textstyle\sum_a\pi_a^2V_a/S_a\le V/S,\quad S_a=\pi_aS",
    summary="The variance of a round's federated gradient when each group sends a share pi_a of the S clients of the cohort: at "
    "most that without the split, as in stratified sampling. Equal cohorts instead can raise it.",
    depends=("MX-CONC-SPLIT.1",),
    controls=[Control("equal cohorts", dict(cohorts="equal"))],
)
def cohorts(cohorts: str) -> Evidence:
    S = sp.Symbol("S", positive=True)
    first, second = (S * P, S * w) if cohorts == "in proportion" else (S / 2, S / 2)
    steps = [
        inequality(
            "two groups, P + w = 1",
            P**2 * U / first + w**2 * v / second,
            (P * U + w * v + APART * M**2) / S,
            premises={},
            squares=[(APART / S, M)],
            ranges=(*SHARES, (S, 0, None)),
        ),
        identity("more groups: pi_a^2 V_a/(pi_a S) = pi_a V_a/S term by term", P**2 * U / first, P * U / S),
    ]

    def instances() -> list[Instance]:
        found = []
        for one in (
            *splits(),
            split(
                quadratics([[1], [1]], [[0], [0]], ["9/10", "1/10"]),
                COIN,
                (0, 1),
                rationals([0]),
                "x^2/2 with shares 9/10 and 1/10, noise +-1",
            ),
        ):
            count = len(one.shares)
            sent = [p if cohorts == "in proportion" else F(1, count) for p in one.shares]
            total = sum((p * p * each / s for p, each, s in zip(one.shares, one.variances, sent, strict=True)), F(0))
            found.append(Instance(f"{one.name}: S times the variance of the round's gradient, V", total, one.variance))
        return found

    return settle(
        steps,
        instances,
        method="independent answers given x: the groups' variances add up",
        valid_for="every split, d, S (real cohorts where pi_a S is an integer), answers independent given x",
    )


if __name__ == "__main__":
    from fltheory.evidence.runner import run_script

    run_script(__file__)
