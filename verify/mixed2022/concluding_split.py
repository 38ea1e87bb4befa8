"""Section 6 of Augenstein et al. (2022): what splitting a population does to sigma^2, and to G and B of Definition 4.2.

A client is drawn with its weight, then an answer g of its gradient oracle at x.  Group a of a split has the share pi_a, the
mean m_a(x) and the variance V_a(x) of such answers; m and V are those of the whole population.  Proofs merge the groups one by
one: a merged group of share P, mean M and variance U meets one more of share w, mean z and variance v (or: losses of weight W
and gradient a one of weight c and gradient b), so that every number of groups and clients is covered; |.|^2 is a sum over
coordinates, so that scalars stand for every dimension.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

import sympy as sp

from fltheory.evidence.kinds import identity_claim, inequality_claim, probability_claim, run_script
from fltheory.evidence.model import Control, Evidence, Rung, Tightness
from fltheory.theory.steps import Instance, equality, identity, inequality, sign
from verify.mixed2022.populations import COIN, quadratics, rationals, split, splits
from verify.mixed2022.settled import settle

F = Fraction
P, M, U, w, z, v = sp.symbols("P M U w z v", positive=True)
SHARES = ((P, 0, None), (w, 0, None), (U, 0, None), (v, 0, None))
MEAN = (P * M + w * z) / (P + w)
#: Variance of the merged group, times its share.
MERGED = P * (U + M**2) + w * (v + z**2) - (P + w) * MEAN**2
APART = P * w / (P + w)
of_section_6 = probability_claim.sharing(source="Section 6")


def variance(which: str, constant: str) -> Evidence:
    """``constant`` times the whole variance bounds the mean of the variances within the groups, or each of them."""
    k = sp.Rational(constant)
    whole = P * U + w * v + APART * (M - z) ** 2
    steps = [identity("the merged group: U' (P+w) = P U + w v + Pw/(P+w) |M - z|^2", MERGED, whole)]
    if which == "mean":
        steps += [
            inequality(
                "one more group: P U + w v <= k (P+w) U'",
                P * U + w * v,
                k * MERGED,
                squares=[(k * APART, M - z)],
                ranges=SHARES,
            ),
            sign("the excess is a positive multiple of |M - z|^2: zero for equal means only", APART, SHARES),
        ]
    else:
        ranges = (*SHARES, (M, 0, None), (z, 0, None))
        steps.append(sign("v <= k U', whatever the other group", k * MERGED / (P + w) - v, ranges))

    def instances() -> Iterator[Instance]:
        for one in splits():
            most = F(constant) * one.variance
            if which == "mean":
                yield Instance(f"{one.name}: mean within the groups, whole", one.within, most)
                apart = one.variance - one.within
                yield equality(f"{one.name}: whole - mean within, between the groups", apart, one.between)
            else:
                for a, each in enumerate(one.variances):
                    yield Instance(f"{one.name}: group {a}, whole", each, most)

    return settle(
        steps,
        instances,
        method="law of total variance, groups merged one by one; all answers of named populations enumerated",
        valid_for="every split into any number of groups, every d, weights and law of the answers with a variance, each x",
        tightness=Tightness(1.0, Rung.PROOF, "equal group means") if which == "mean" and k == 1 else None,
    )


mean_variance = of_section_6(
    "MX-CONC-SPLIT.1",
    printed=dict(which="mean", constant="1"),
    statement=r"\sum_a\pi_aV_a(x)=V(x)-\sum_a\pi_a\|m_a(x)-m(x)\|^2\le V(x),\quad\text{equality iff all }m_a(x)=m(x)",
    summary="A split never raises the variance within the groups, averaged by their shares, at any x, and lowers it wherever the "
    "groups' mean gradients differ. (The paper says that sigma^2 'will likely' fall; on average it always does. One group may be "
    "more variable than the whole: MX-CONC-SPLIT-U1 says by how much at most.)",
    controls=[Control("0.99 V(x)", dict(constant="99/100")), Control("every group by itself", dict(which="every"))],
)(variance)


def bumps(count: int) -> tuple[Fraction, Fraction, list[Instance]]:
    """``count`` groups of equal share, two clients each with gradients x +- h_a(x), h_a(x) = max(0, 1 - |x - 2a|).

    Returns sum_a pi_a sup_x V_a, sup_x V, and that all gradients rise with slopes in [0, 2] between the breakpoints.  V_a and V
    are squares of linear functions there, so that their suprema are at breakpoints, which are 1 apart.
    """
    points = [F(i) for i in range(-2, 2 * count + 2)]
    found = []
    height = [[max(F(0), 1 - abs(x - 2 * a)) for x in points] for a in range(count)]
    for a, each in enumerate(height):
        for way in (1, -1):
            values = [x + way * h for x, h in zip(points, each, strict=True)]
            slopes = [after - before for before, after in pairwise(values)]
            found.append(Instance(f"group {a}: minus the least slope of the gradients", -min(slopes), F(0)))
            found.append(Instance(f"group {a}: largest slope", max(slopes), F(2)))
    own = sum((max(h * h for h in each) for each in height), F(0)) / count
    return own, max(sum((h * h for h in column), F(0)) / count for column in zip(*height, strict=True)), found


@of_section_6(
    "MX-CONC-SPLIT-U1",
    printed=dict(factor="1"),
    statement=r"\pi_a\sup_xV_a(x)\le\sup_xV(x),\qquad\sum_{a\le J}\pi_a\sup_xV_a(x)\le J\,\sup_xV(x)",
    headline="How much a split into groups changes the largest variance, with sharp factors",
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

    def instances() -> Iterator[Instance]:
        for one in splits():
            for a, (p, each) in enumerate(zip(one.shares, one.variances, strict=True)):
                yield Instance(f"{one.name}: pi_a V_a of group {a}, V", p * each, F(factor) * one.variance)
        for count in (2, 3):
            own, whole, slopes = bumps(count)
            name = f"J={count} groups of two clients, gradients x +- max(0, 1-|x-2a|): mean of suprema, J sup V"
            yield from (*slopes, Instance(name, own, F(factor) * count * whole))

    return settle(
        steps,
        instances,
        method="law of total variance for one group against the rest, then suprema; attained by J groups with disjoint bumps",
        valid_for="every split, J, d and law",
        tightness=Tightness(1.0, Rung.PROOF, "J disjoint bumps") if k == 1 else None,
    )


@of_section_6(
    "MX-CONC-SPLIT-S2",
    printed=dict(cohorts="in proportion"),
    statement=r"\textstyle\sum_a\pi_a^2V_a/S_a\le V/S,\quad S_a=\pi_aS",
    headline="Stratified cohorts have at most the variance of unsplit ones",
    summary="The variance of a round's federated gradient when each group sends a share pi_a of the S clients of the cohort: at "
    "most that without the split, as in stratified sampling. Equal cohorts instead can raise it.",
    depends=("MX-CONC-SPLIT.1",),
    controls=[Control("equal cohorts", dict(cohorts="equal"))],
)
def cohorts(cohorts: str) -> Evidence:
    S = sp.Symbol("S", positive=True)
    proportional = cohorts == "in proportion"
    first, second = (S * P, S * w) if proportional else (S / 2, S / 2)
    steps = [
        inequality(
            "two groups, P + w = 1",
            P**2 * U / first + w**2 * v / second,
            (P * U + w * v + APART * M**2) / S,
            squares=[(APART / S, M)],
            ranges=(*SHARES, (S, 0, None)),
        ),
        identity("more groups: pi_a^2 V_a/(pi_a S) = pi_a V_a/S term by term", P**2 * U / first, P * U / S),
    ]
    lopsided = quadratics([[1], [1]], [[0], [0]], ["9/10", "1/10"])
    extra = split(lopsided, COIN, (0, 1), rationals([0]), "x^2/2 with shares 9/10 and 1/10, noise +-1")

    def instances() -> Iterator[Instance]:
        for one in (*splits(), extra):
            sent = one.shares if proportional else [F(1, len(one.shares))] * len(one.shares)
            total = sum((p * p * each / s for p, each, s in zip(one.shares, one.variances, sent, strict=True)), F(0))
            yield Instance(f"{one.name}: S times the variance of the round's gradient, V", total, one.variance)

    return settle(
        steps,
        instances,
        method="independent answers given x: the groups' variances add up",
        valid_for="every split, d, S (real cohorts where pi_a S is an integer), answers independent given x",
    )


a, b, W, c = sp.symbols("a b W c", positive=True)


@inequality_claim(
    "MX-CONC-SPLIT.2",
    source="Section 6; Definition 4.2",
    printed=dict(constant="1"),
    statement=r"\nabla f_f=\sum_{a}\nabla f_a,\ \sum_aw_a=w_f:\quad\sum_a\tfrac1{w_a}\|\nabla f_a\|^2+\tfrac1{w_c}\|\nabla f_c\|^2"
    r"\ge\tfrac1{w_f}\|\nabla f_f\|^2+\tfrac1{w_c}\|\nabla f_c\|^2",
    summary="A split never lowers the left side of Definition 4.2 at any x, so that (G, B) admissible afterwards were so before: G "
    "and B can only grow. From one population alone (G = 0, B = 1) they appear unless all grad f_a/w_a agree.",
    depends=("MX-CONC-MULTI.3",),
    controls=[Control("1.01 times the left side before", dict(constant="101/100"))],
)
def dissimilarity(constant: str) -> Evidence:
    k = sp.Rational(constant)
    ranges, apart = ((W, 0, None), (c, 0, None)), W * c / (W + c)
    steps = [
        inequality(
            "one more group of weight c beside merged ones of weight W",
            k * (a + b) ** 2 / (W + c),
            a**2 / W + b**2 / c,
            squares=[(k * apart, a / W - b / c)],
            ranges=ranges,
        ),
        sign("a positive multiple of |grad f_a/w_a - ...|^2: zero for equal scaled gradients only", apart, ranges),
    ]

    def instances() -> Iterator[Instance]:
        for one in splits():
            for weights in (one.shares, tuple(F(i + 1) for i in range(len(one.shares)))):
                total = sum(weights, F(0))
                parts = [p * m for p, m in zip(one.shares, one.means, strict=True)]
                after = sum(((part**2).sum() * total / each for part, each in zip(parts, weights, strict=True)), F(0))
                text = f"{one.name}, weights {[str(each / total) for each in weights]}"
                before = F(constant) * (one.mean**2).sum()
                yield Instance(f"{text}: |grad f|^2, left side after the split", before, after)

    return settle(
        steps,
        instances,
        method="groups merged one by one; the centre's term does not change",
        valid_for="every split, number of groups, d and weights w_a > 0; losses f_a that add up to f_f",
    )


@identity_claim(
    "MX-CONC-SPLIT-S3",
    source="Section 6; Definition 4.2",
    printed=dict(factor="1"),
    statement=r"w_a=w_f\pi_a,\ \nabla f_a=\pi_am_a:\quad\sum_a\tfrac{\|\nabla f_a\|^2}{w_a}-\tfrac{\|\nabla f_f\|^2}{w_f}="
    r"\tfrac1{w_f}\big(V(x)-\sum_a\pi_aV_a(x)\big)",
    headline="A split moves variance into dissimilarity: the two effects are one",
    summary="At every x the dissimilarity gains 1/w_f times what the variance loses: the two effects are one, and neither comes "
    "without the other. Under Assumption 4.1 as printed (all clients with the same mean gradient) both are zero for every split.",
    depends=("MX-CONC-SPLIT.1", "MX-CONC-SPLIT.2"),
    controls=[Control("1.01/w_f", dict(factor="101/100"))],
)
def trade(factor: str) -> Evidence:
    gain = (P * M) ** 2 / P + (w * z) ** 2 / w - (P * M + w * z) ** 2 / (P + w)
    loss = MERGED - P * U - w * v
    steps = [
        identity("one more group: gain and loss", gain, sp.Rational(factor) * loss),
        identity("equal means: no loss", loss.subs(z, M), sp.Integer(0)),
    ]

    def instances() -> Iterator[Instance]:
        for one in splits():
            apart = sum((p * (m**2).sum() for p, m in zip(one.shares, one.means, strict=True)), F(0))
            loss = F(factor) * (one.variance - one.within)
            yield equality(f"{one.name}: gain, loss", apart - (one.mean**2).sum(), loss)

    return settle(
        steps,
        instances,
        method="both are Pw/(P+w) |M - z|^2 for each group that is merged",
        valid_for="every split, number of groups, d and law, weights in proportion to the shares, each x",
    )


if __name__ == "__main__":
    run_script(__file__)
