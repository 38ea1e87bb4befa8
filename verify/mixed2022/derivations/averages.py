"""Averages and sums of losses, cohorts and batches (Section 4.1 of Mixed FL): moduli and variances."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import UNBIASED, suppose
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022.convex import beta, gx, gy, hx, hy, mu, x, y
from fltheory.theory.mixed2022.one_round import S, V
from fltheory.theory.notation import Inner, NormSq
from verify.mixed2022.derivations.one_function import losses


def moduli(bound: Bound, *parts: str, axes: str = "", scale: str = "1") -> Mapping[str, JSON]:
    """Smoothness or convexity of ``scale`` times the sum of the parts, averaged over ``axes``, from that of each of them."""
    d = losses(bound.name)
    d.axis("k", "clients")
    d.parameter("N", 1)
    smooth = not bound.expression.has(hy)
    for point in ("x", "y"):
        d.vector(point)
    for of in parts:
        d.function(of, axes)
        for point in ("x", "y"):
            d.point(point, of, value=f"{of}_{point}", gradient=f"g{of}_{point}")
        constant = dict(L="beta") if smooth else dict(mu="mu")
        suppose(d, "Lipschitz gradients" if smooth else "strongly convex", of=of, name=of, **constant)
        d.assume(of, of, ["x", "y"])

    def total(what: str) -> str:
        return f"{scale}*mean({' + '.join(what.format(of) for of in parts)}, k)"

    change = total("g{0}_y - g{0}_x")
    names = {
        NormSq(gy - gx): f"sq({change})",
        NormSq(y - x): "sq(y - x)",
        Inner(gx, y - x): f"dot({total('g{}_x')}, y - x)",
    }
    names |= {hx: total("{}_x"), hy: total("{}_y")}
    count, facts = len(parts), dict.fromkeys(parts, "1")
    if smooth:
        spare = text_of(bound.expression.coeff(NormSq(y - x)) - count**2 * beta**2)
        facts = dict.fromkeys(parts, str(count))
        squares = [["1", f"g{of}_y - g{of}_x - mean(g{of}_y - g{of}_x, k)"] for of in parts if axes]
        squares += [["1", f"g{a}_y - g{a}_x - g{b}_y + g{b}_x"] for a, b in zip(parts, parts[1:], strict=False)]
    else:
        spare, squares = text_of(count * mu / 2 - sp.expand(bound.left).coeff(NormSq(y - x))), []
    target = f"{text_of(bound.expression, names)} - ({text_of(sp.expand(bound.left), names)})"
    d.combine("the sum", target, over="k", facts=facts, squares=[*squares, [spare, "y - x"]])
    return d.concluding("the sum")


def variance_of_a_cohort(bound: Bound, *, fresh: bool = True) -> Mapping[str, JSON]:
    """Answers that are independent given x, each with variance at most s^2, averaged with equal weights."""
    d = Derivation(bound.name)
    for axis, kind in (("i", "clients"), ("xi", "noise")):
        d.axis(axis, kind)
    d.parameter("size", 1)
    d.parameter("s", 0)
    d.vector("n", "i xi" if fresh else "xi", mean=[["xi", "0", UNBIASED]])
    suppose(d, "bounded variance", sigma2="s**2", noise="n")
    d.assume("variance", "bounded variance")
    d.independent("cohort", "variance", "n", "i", "W")
    suppose(d, "equal weights", V="W", sigma="s", N="size")
    d.assume("equal weights", "equal weights")
    target = f"{text_of(bound.expression, {V: '(s**2)', S: 'size'})} - sq(mean(n, i))"
    d.combine("the cohort", target, over="xi", facts={"cohort": "1", "equal weights": "-1"})
    return d.concluding("the cohort")


def variance_of_draws(bound: Bound, scheme: str, *, difference: bool = True) -> Mapping[str, JSON]:
    """Variance of the mean of m draws, or what it is lower for m + 1 (``difference``), in that of one draw."""
    d = Derivation(bound.name)
    d.axis("k", "clients")
    d.parameter("m", 1)
    d.parameter("n", "m + 1")
    d.vector("g", "k")
    for name, size in (("few", "m"), ("more", "m + 1")):
        d.axis(f"B_{name}", "cohort")
        d.cohort(name, of="g", clients="k", axis=f"B_{name}", scheme=scheme, size=size, count="n")
    left, facts = "sq(few - mean(g, k))", {"few": "-1"}
    if difference:
        left, facts = f"{left} - sq(more - mean(g, k))", {"few": "-1", "more": "1"}
    target = f"{text_of(bound.expression, {V: 'sq(g - mean(g, k))'})} - ({left})"
    d.combine("variance", target, over="B_few B_more k", facts=facts, relation="=")
    return d.concluding("variance")
