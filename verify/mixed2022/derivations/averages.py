"""Averages and sums of losses, cohorts and batches (Section 4.1 of Mixed FL): moduli and variances."""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import UNBIASED
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022.convex import beta, gx, gy, hx, hy, mu, x, y
from fltheory.theory.mixed2022.one_round import S, V
from fltheory.theory.notation import Inner, NormSq
from verify.mixed2022.derivations.one_function import losses


def moduli_of_a_sum(bound: Bound) -> Mapping[str, JSON]:
    """Smoothness or convexity of f_f + f_c, from that of both."""
    d = losses(bound.name)
    smooth = not bound.expression.has(hy)
    declare(d, "x, y")
    for of in ("f", "fc"):
        d.function(of)
        for point in ("x", "y"):
            d.point(point, of, value=f"{of}_{point}", gradient=f"g{of}_{point}")
        constant = dict(L="beta") if smooth else dict(mu="mu")
        granted(d, "Lipschitz gradients" if smooth else "strongly convex", "x y", of=of, name=of, **constant)
    names = {NormSq(gy - gx): "sq(gf_y + gfc_y - gf_x - gfc_x)", NormSq(y - x): "sq(y - x)", hx: "(f_x + fc_x)"}
    names |= {Inner(gx, y - x): "dot(gf_x + gfc_x, y - x)", hy: "(f_y + fc_y)"}
    far = NormSq(y - x)
    spare = bound.expression.coeff(far) - 4 * beta**2 if smooth else mu - sp.expand(bound.left).coeff(far)
    squares = [["1", "gf_y - gf_x - gfc_y + gfc_x"]] if smooth else []
    target = f"{text_of(bound.expression, names)} - ({text_of(sp.expand(bound.left), names)})"
    facts = dict.fromkeys(("f", "fc"), "2" if smooth else "1")
    d.combine("the sum", target, facts=facts, squares=[*squares, [text_of(spare), "y - x"]])
    return d.concluding("the sum")


def variance_of_a_cohort(bound: Bound, *, fresh: bool = True) -> Mapping[str, JSON]:
    """Answers that are independent given x, each with variance at most s^2, averaged with equal weights."""
    d = Derivation(bound.name)
    declare(d, "axes i:clients xi; size >= 1; s >= 0")
    d.vector("n", "i xi" if fresh else "xi", mean=[["xi", "0", UNBIASED]])
    granted(d, "bounded variance", fact="variance", sigma2="s**2", noise="n")
    d.independent("cohort", "variance", "n", "i", "W")
    granted(d, "equal weights", V="W", sigma="s", N="size")
    target = f"{text_of(bound.expression, {V: '(s**2)', S: 'size'})} - sq(mean(n, i))"
    d.combine("the cohort", target, over="xi", facts={"cohort": "1", "equal weights": "-1"})
    return d.concluding("the cohort")


def variance_of_draws(bound: Bound, scheme: str, *, difference: bool = True) -> Mapping[str, JSON]:
    """Variance of the mean of m draws, or what it is lower for m + 1 (``difference``), in that of one draw."""
    d = Derivation(bound.name)
    declare(d, "axes k; m >= 1; n >= m + 1; g over k")
    for name, size in (("few", "m"), ("more", "m + 1")):
        d.axis(f"B_{name}", "cohort")
        d.cohort(name, of="g", clients="k", axis=f"B_{name}", scheme=scheme, size=size, count="n")
    left, facts = "sq(few - mean(g, k))", {"few": "-1"}
    if difference:
        left, facts = f"{left} - sq(more - mean(g, k))", {"few": "-1", "more": "1"}
    target = f"{text_of(bound.expression, {V: 'sq(g - mean(g, k))'})} - ({left})"
    d.combine("variance", target, over="B_few B_more k", facts=facts, relation="=")
    return d.concluding("variance")
