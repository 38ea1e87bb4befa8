"""Instances on a line with symbols in the place of numbers: which losses may be the worst, and on which step sizes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.worstcase.line import Bend, LineRun, walk
from fltheory.worstcase.model import Model

#: The step size and the class: curvature between mu and L.
ETA, MU, SMOOTH = sp.symbols("eta mu L")


@dataclass(frozen=True)
class LineFamily:
    """A loss on a line for all clients, in numbers or in symbols."""

    name: str
    loss: Bend


def at_rationals(loss: Bend, given: dict[sp.Symbol, Any]) -> Bend | None:
    """A loss at rational parameters; ``None`` where it has no bend before the start."""
    numbers = [sp.sympify(entry).subs(given) for entry in (loss.flat, loss.steep, loss.tau)]
    if not all(entry.is_Rational for entry in numbers):
        return None
    flat, steep, tau = (Fraction(int(entry.p), int(entry.q)) for entry in numbers)
    return Bend(flat, steep, tau) if flat == steep or 0 < tau < 1 else None


def families(model: Model, mu: sp.Expr, smooth: sp.Expr) -> Iterator[LineFamily]:
    """Parabolas at the ends of the class, and losses with the best bend or the largest that the method does not pass."""
    zero = sp.Integer(0)
    if mu != 0:
        yield LineFamily("all clients mu x^2/2", Bend(mu, mu, zero))
    yield LineFamily("all clients L x^2/2", Bend(smooth, smooth, zero))
    tau = sp.Symbol("tau")
    ran = walk(model, Bend(mu, smooth, tau, far=True))
    if ran is None:
        return
    quotient = ran.evaluate(model.measure) / ran.evaluate(model.assumptions[0].functional)
    top = sp.factor(sp.numer(sp.together(sp.diff(quotient, tau))))
    found = [root_of(factor.as_base_exp()[0], tau) for factor in sp.Mul.make_args(top) if factor.has(tau)]
    for query in model.groups[0].queries[::-1]:
        found.append(root_of(ran.registers[model.instructions[query.register][1]] - tau, tau))
    for place, bend in enumerate(dict.fromkeys(entry for entry in found if entry is not None)):
        words = "L h(x)" if mu == 0 else "mu x^2/2 + (L - mu) h(x)"
        yield LineFamily(f"all clients {words}, h bent at {bend} of the start", Bend(mu, smooth, bend))
        if place > 4:
            return


def root_of(expression: sp.Expr, symbol: sp.Symbol) -> sp.Expr | None:
    """The root of what is linear in a symbol."""
    poly = sp.Poly(sp.numer(sp.together(expression)), symbol)
    return sp.factor(-poly.nth(0) / poly.nth(1)) if poly.degree() == 1 else None


def stays(model: Model, ran: LineRun, family: LineFamily) -> Iterator[sp.Expr]:
    """What must not be negative: the bend lies between the origin and the start, and the method's points are beyond it."""
    if family.loss.flat == family.loss.steep:
        return
    yield family.loss.tau
    for query in model.groups[0].queries:
        point = model.instructions[query.register][1]
        if model.instructions[point][0] != "optimum":
            yield sp.factor(ran.registers[point] - family.loss.tau)


def ends(model: Model, value: sp.Expr, given: dict[sp.Symbol, Any]) -> Iterator[tuple[Any, Any]]:
    """Ranges of the step size around a sample: ends where another family has the same value, or the method leaves its place."""
    marks, others = [sp.Integer(0)], []
    for other_family in families(model, sp.Integer(0) if given[MU] == 0 else MU, SMOOTH):
        loss = other_family.loss
        ran = walk(model, Bend(loss.flat, loss.steep, loss.tau, far=True))
        if ran is not None:
            begin = sp.cancel(ran.evaluate(model.assumptions[0].functional))
            others += [sp.cancel(ran.evaluate(model.measure) / begin)] if begin != 0 else []
    for other in others:
        apart = sp.factor(sp.numer(sp.together(value - other)))
        for factor in sp.Mul.make_args(apart):
            root = root_of(factor.as_base_exp()[0], ETA) if factor.has(ETA) else None
            marks += [] if root is None else [root]
    at = [(mark.subs(given), mark) for mark in dict.fromkeys(marks)]
    below = max((pair for pair in at if pair[0] <= given[ETA]), key=lambda pair: pair[0], default=(0, sp.Integer(0)))[1]
    above = [pair[1] for pair in sorted((pair for pair in at if pair[0] > given[ETA]), key=lambda pair: pair[0])]
    for high in [*(above[:1] or [None]), 1 / SMOOTH]:
        if high is None or given[ETA] <= high.subs(given):
            yield below, high
