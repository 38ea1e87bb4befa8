"""Displays inside the proofs of Lemmas D.9, D.10 and D.12 of Mixed FL, each with the constants it is asked with."""

from collections.abc import Mapping

import sympy as sp

from fltheory.derivation.packs import UNBIASED
from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.evidence.things import declare, granted
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import one_round
from verify.mixed2022.derivations.one_function import losses
from verify.mixed2022.derivations.one_round import ALL, AMOUNTS, lemma_d9, near_the_optimum, one_way_round

_DISPLAY = "the display"


def of_numbers(
    title: str, ranges: Mapping[str, tuple[str, str | None]], **pairs: tuple[sp.Expr, sp.Expr]
) -> Mapping[str, JSON]:
    """Inequalities ``left <= right`` between numbers on ranges that may use earlier ones, by name; beta is positive."""
    d = losses(title, modulus=False)
    for name, (low, high) in ranges.items():
        d.parameter(name, low, high)
    for name, (left, right) in pairs.items():
        d.combine(name, text_of(right - left))
    return d.concluding(*pairs)


def expected_update(*, shift: int = 0, unbiased: bool = True, along: str = "v") -> Mapping[str, JSON]:
    """E<v, x' - x> = -e E<v, g_c + grad f_f(y)> for every fixed v, y the points where gradients are taken, or others.

    For v = grad f(x) (``along`` "gradient") with grad f_c(x) in the place of g_c, and what is left when grad f(x) is taken away.
    """
    d = one_way_round("Mixed FL, expected update", unbiased=unbiased)
    d.vector("v", equals="g_x + gc_x" if along == "gradient" else None)
    declare(d, "y_later over k j xi xc; ff at y_later")
    taken, centre = ("g_y_later" if shift else "g_y"), ("gc_x" if along == "gradient" else "gc_x + c")
    unfold = "x1 h v" if along == "gradient" else "x1 h"
    target = f"dot(v, x1 - x) + e*dot(v, {centre} + {taken})"
    d.combine(_DISPLAY, target, over=ALL, relation="=", unfold=unfold)
    d.combine("grad f_c cancels", "sq(g_y + gc_x - (g_x + gc_x) - (g_y - g_x))", over=ALL, relation="=")
    return d.concluding(_DISPLAY, "grad f_c cancels")


def drift_of_the_cohort(factor: str) -> Mapping[str, JSON]:
    """4 E|M|^2 <= factor beta^2 drift."""
    d = one_way_round("Mixed FL, drift of the gradients")
    squares = [[f"({factor} - 4)*beta**2", "y - x"]]
    target = f"{factor}*beta**2*sq(y - x) - 4*sq(M)"
    d.combine(_DISPLAY, target, over=ALL, facts={"cohort's drift": "4"}, squares=squares)
    return d.concluding(_DISPLAY)


def square_with_the_gap(bound: Bound) -> Mapping[str, JSON]:
    """Term D of Lemma D.10: Lemma D.9 with the gap of f by Proposition D.6."""
    d = one_way_round("Mixed FL, Lemma D.10, term D")
    near_the_optimum(d)
    lemma_d9(d, one_round.LEMMA_D9)
    spent = sp.expand(bound.expression).coeff(one_round.gap) / (4 * one_round.beta)
    squares = [[text_of(spent - 2 * one_round.e**2), "g_x + gc_x"]]
    facts = {"Lemma D.9": "1", "D.6": text_of(spent)}
    d.combine(_DISPLAY, f"{text_of(bound.expression, AMOUNTS)} - sq(x1 - x)", over=ALL, facts=facts, squares=squares)
    return d.concluding(_DISPLAY)


def tower(squared: bool) -> Mapping[str, JSON]:
    """A recursion given the past, averaged over the past; W is the squared distance, or that of the mean."""
    d = Derivation("Mixed FL, tower property")
    declare(d, "axes xi past")
    for name in ("alpha", "gamma", "delta"):
        d.parameter(name)
    declare(d, "x over past; xs; value G over past; value Y over xi past")
    granted(d, "recursion given the past", fact="recursion", form="alpha*sq(x - xs) - gamma*G + delta - Y", over="xi")
    far = "sq(x - xs)" if squared else "sq(mean(x, past) - xs)"
    target = f"alpha*{far} - gamma*G + delta - Y"
    d.combine(_DISPLAY, target, over="xi past", facts={"recursion": "1"})
    return d.concluding(_DISPLAY)


def averaged_noise(at: str, factor: str, *, centred: bool) -> Mapping[str, JSON]:
    """The mean of S clients' gradients, about the mean of the exact ones or about the gradient at the mean of their points.

    ``at``: "one point", "own points" or "own points, quadratic"; there the gradient at the mean is the mean of the gradients.
    """
    d = Derivation("Mixed FL, variance of a cohort's gradient")
    declare(d, "axes k xi past; S >= 1; sigma >= 0; function f")
    d.vector("x", "past" if at == "one point" else "k past")
    declare(d, "u over past = mean(x, k); f at x")
    d.point("u", "f", equals="g_x" if at == "one point" else "mean(g_x, k)" if at.endswith("quadratic") else None)
    d.vector("noise", "k xi past", mean=[["xi", "0", UNBIASED]])
    granted(d, "bounded variance", fact="variance", sigma2="sigma**2", noise="noise")
    d.independent("variance of the average", "variance", noise="noise", clients="k", total="V")
    granted(d, "equal weights", V="V", sigma="sigma", N="S")
    centre, unfold = ("g_u", "g_u") if centred else ("mean(g_x, k)", "")
    d.combine(
        _DISPLAY,
        f"({factor})*sigma**2/S - sq(mean(g_x + noise, k) - {centre})",
        over="k xi",
        facts={"variance of the average": "1", "equal weights": "-1"},
        unfold=unfold if at != "own points" else "",
    )
    return d.concluding(_DISPLAY)
