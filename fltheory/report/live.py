"""Bounds that the page evaluates: the expression that is shown as JavaScript, its conditions, and positions of sliders.

Only displays of numbers are translated: sums, products, powers, roots, exponentials, logarithms, maxima and cases.  A position is
found at which all conditions that are relations hold; a display without one has no sliders.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.relational import Relational

from fltheory.report.maths import mathml
from fltheory.theory.bound import Bound
from fltheory.theory.ranges import Range

#: Heads of expressions that JavaScript has as well.
_KNOWN = (
    sp.Add, sp.Mul, sp.Pow, sp.Max, sp.Min, sp.exp, sp.log, sp.Abs, sp.floor, sp.Symbol, sp.Number, sp.Piecewise,
    sp.functions.elementary.piecewise.ExprCondPair, Relational, sp.And, sp.Or, sp.logic.boolalg.BooleanAtom, sp.NumberSymbol,
)  # fmt: skip
_WHOLE = (1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 200, 500, 1000, 10_000)
_REAL = tuple(m * 10.0**e for e in range(-4, 3) for m in (1, 2, 5))
_TRIALS = 4000


def positions(where: Range) -> list[float]:
    """Positions of a slider within a range: whole numbers, shares of a bounded range, or 1-2-5 steps."""
    if where.whole:
        found = [float(n) for n in (0, *_WHOLE) if bool(where.holds(np.asarray(float(n))))]
    elif math.isfinite(where.low) and math.isfinite(where.high):
        found = [where.low + (where.high - where.low) * k / 20 for k in range(21)]
    else:
        found = [where.low + x if math.isfinite(where.low) else x for x in (0.0, *_REAL)]
    return [round(x, 10) for x in found if bool(where.holds(np.asarray(x)))]


def _translatable(expression: Any) -> bool:
    return all(isinstance(part, _KNOWN) for part in sp.preorder_traversal(expression)) and not expression.has(sp.I)


def _inline(latex: str) -> str:
    return mathml(latex).replace('display="block"', 'display="inline"', 1)


def _code(expression: Any, letters: dict[Any, Any]) -> str:
    text: str = sp.jscode(_tolerant(expression).subs(letters, simultaneous=True))
    return text


def _tolerant(expression: Any) -> Any:
    """Equalities as nearness: floats meet no equality."""
    near = {
        eq: abs(eq.lhs - eq.rhs) <= sp.Float("1e-9") * (abs(eq.lhs) + abs(eq.rhs)) for eq in expression.atoms(sp.Eq)
    }
    return expression.subs(near) if near else expression


def live(bound: Bound) -> dict[str, Any] | None:
    """A bound for the page, or ``None``: not of numbers, an order, or without a position at which its conditions hold."""
    relations = [condition for condition in bound._relations if condition.relation not in (None, sp.true)]
    parts = [bound.expression, *(condition.relation for condition in relations)]
    if bound.relation not in ("<=", ">=", "=") or not bound.arguments:
        return None
    if not all(isinstance(part, sp.Basic) and _translatable(part) for part in parts):
        return None
    symbols = sorted({s for part in parts for s in part.free_symbols}, key=lambda s: s.name)
    if any(not symbol.is_commutative for symbol in symbols):  # letters for matrices and vectors
        return None
    if not symbols or len(symbols) > 14 or len({s.name for s in symbols}) < len(symbols):
        return None
    grids = [positions(bound.domain.get(symbol.name, Range())) for symbol in symbols]
    if any(len(grid) < 2 for grid in grids):
        return None
    start = _start(bound, symbols, grids, relations)
    if start is None:
        return None
    letters = {symbol: sp.Symbol(f"v{k}") for k, symbol in enumerate(symbols)}
    names = {symbol: bound.symbol_names.get(symbol.name, "") or sp.latex(symbol) for symbol in symbols}
    return {
        "code": _code(bound.expression, letters),
        "relation": bound.relation,
        "sliders": [
            {"name": symbol.name, "math": _inline(names[symbol]), "values": grid, "start": place}
            for symbol, grid, place in zip(symbols, grids, start, strict=True)
        ],
        "conditions": [{"words": one.words, "code": _code(one.relation, letters)} for one in relations],
        "supposed": list(bound.premises),
        "exact": _worst_cases(bound),
    }


def _start(bound: Bound, symbols: Any, grids: Any, relations: Any) -> list[int] | None:
    """Places at which all relations hold and the value is a finite number that is not zero; the middle ones first."""
    rng = np.random.default_rng(0)
    middle = np.array([[len(grid) // 2 for grid in grids]])
    drawn = np.stack([rng.integers(0, len(grid), _TRIALS) for grid in grids], axis=1)
    places = np.concatenate([middle, drawn])
    arrays = {s.name: np.asarray(grid)[places[:, k]] for k, (s, grid) in enumerate(zip(symbols, grids, strict=True))}
    good = np.ones(len(places), dtype=bool)
    try:
        for condition in relations:
            good &= np.broadcast_to(condition.holds_at(arrays), len(places))
        value = np.asarray(
            bound.curve(unchecked=True, **{n: a for n, a in arrays.items() if n in bound.arguments}), dtype=float
        )
    except (ValueError, TypeError, OverflowError):
        return None
    value = np.broadcast_to(value, len(places))
    with np.errstate(all="ignore"):
        usable = good & np.isfinite(value) & (np.abs(value) > 1e-9) & (np.abs(value) < 1e12)
        usable = usable if usable.any() else good & np.isfinite(value)
        best = np.where(usable, np.abs(np.log10(np.maximum(np.abs(value), 1e-300))), np.inf)
    if not usable.any():
        return None
    return [int(p) for p in places[int(np.argmin(best))]]


@cache
def _certified() -> dict[tuple[str, Any], list[dict[str, str]]]:
    """Certified worst cases that results hold beside published rates, by the rate's bound."""
    from fltheory.comparison import compare
    from fltheory.comparison.rates import RATES

    bounds = {rate.name: rate.bound() for rate in RATES}
    found: dict[tuple[str, Any], list[dict[str, str]]] = {}
    try:
        rows = [row for rounds in (1, 2) for row in compare(step_size="published", rounds=rounds, progress=False).rows]
    except (ValueError, OSError):  # no kept file, or one that holds other questions
        return found
    for row in rows:
        if row.rate and row.published is not None and row.upper is not None:
            bound = bounds[row.rate]
            at = f"E = {row.local_steps}, R = {row.rounds}, step size {_step(row.step)}, {row.clients}"
            told = {"at": at, "worst": f"{float(row.upper):.6g}", "bound": f"{float(row.published):.6g}"}
            found.setdefault((bound.name, bound.expression), []).append(told)
    return found


def _step(step: Any) -> str:
    return step if isinstance(step, str) else f"{float(step):.4g}"


def _worst_cases(bound: Bound) -> list[dict[str, str]]:
    return _certified().get((bound.name, bound.expression), [])


@cache
def live_bounds() -> dict[str, dict[str, Any]]:
    """Every bound with sliders by the ledger row that speaks of it; of several the first."""
    from fltheory.evidence.displays import bounds_of
    from fltheory.theory.rates import DOCUMENTS, rates

    speaking: dict[str, Bound] = {}
    for theorem in rates():
        if theorem.row:
            speaking.setdefault(theorem.row, theorem.bound)
    for document in DOCUMENTS:
        for bound in bounds_of(document).values():
            for row in bound.ids:
                speaking.setdefault(row, bound)
    found = {row: live(bound) for row, bound in speaking.items()}
    return {row: told for row, told in found.items() if told is not None}
