"""Gradient steps of a smooth and strongly convex function ``h`` contract: the lines that derivations of all documents share.

Constants are ``mu``, ``beta`` and the step ``eta``; the derivation has declared them, the function, its hypotheses and points.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

import sympy as sp

from fltheory.derivation.script import Derivation
from fltheory.derivation.statement import text_of
from fltheory.kinds import JSON


def both_ways(d: Derivation, hypothesis: str, points: str = "xy") -> list[str]:
    """A hypothesis from x to y and from y to x."""
    for a, b in permutations(points):
        d.assume(f"{hypothesis} from {a}", hypothesis, [a, b])
    return [f"{hypothesis} from {a}" for a in points]


def interpolated(d: Derivation, modulus: str, points: str = "xy") -> list[str]:
    """h(b) - h(a) - <grad h(a), b - a> for a, b = x, y and y, x, at least as for a ``modulus`` in [0, mu], at a point below b."""
    names = []
    for a, b in permutations(points):
        (h_a, g_a), (h_b, g_b) = (d.state.points["h", point] for point in (a, b))
        excess, below = f"({g_b} - {g_a} - {modulus}*({b} - {a}))", f"below_{b}"
        d.vector(below, equals=f"{b} - {excess}/(beta - {modulus})")
        d.point(below, "h")
        d.assume(f"smooth below {b}", "smooth", [b, below])
        d.assume(f"convex below {b}", "strongly convex", [a, below])
        names.append(f"interpolation from {a}")
        curved = f"{modulus}/2*sq({b} - {a}) - sq({excess})/(2*(beta - {modulus}))"
        target = f"{h_b} - {h_a} - dot({g_a}, {b} - {a}) - {curved}"
        facts = {f"smooth below {b}": "1", f"convex below {b}": "1"}
        squares = [[f"(mu - {modulus})/2", f"{below} - {a}"]]
        d.combine(names[-1], target, facts=facts, squares=squares, unfold=below)
    return names


def contracts(d: Derivation, name: str, factor: sp.Expr, *, short: bool, closed: bool) -> Mapping[str, JSON]:
    """|X - eta h'(X) - Y + eta h'(Y)|^2 <= factor |X - Y|^2 for ``short`` steps, eta <= 2/(mu + beta), or longer ones.

    It divides by beta - mu: beta = mu > 0 follows by continuity (``closed``), and mu = 0 needs no end.
    """
    (_, g_X), (_, g_Y) = (d.state.points["h", point] for point in "XY")
    worst, sign = ("mu", "") if short else ("beta", "-")
    room = text_of(factor - (1 - sp.Symbol(worst) * sp.Symbol("eta")) ** 2)
    facts = dict.fromkeys(interpolated(d, "mu", "XY"), "eta**2*(beta - mu)")
    others = both_ways(d, "strongly convex" if short else "smooth", "XY")
    facts |= dict.fromkeys(others, f"{sign}eta*(2 - eta*(beta + mu))")
    target = f"({text_of(factor)})*sq(X - Y) - sq(X - eta*{g_X} - Y + eta*{g_Y})"
    d.combine("for beta > mu", target, facts=facts, squares=[[room, "X - Y"]])
    if not closed:
        return d.concluding("for beta > mu")
    d.closure(name, "for beta > mu", "beta")
    return d.concluding(name)
