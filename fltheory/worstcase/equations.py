"""Certified instances of models with equations, such as the orthogonal parts of vectors that FedLAMA averages by layers.

The certifier looks for instances with room in every constraint.  An equation, which a model writes as two opposite inequalities,
leaves none: what it certifies from below is then what parabolas show.  Here equations stay equations, the inequalities alone get
room, and the rounded Gram entries are moved to the nearest rational ones that obey the equations exactly.  The verifier decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.kinds import Number
from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.entry import solve_model
from fltheory.worstcase.kept import shelf
from fltheory.worstcase.model import Form, Model
from fltheory.worstcase.multipliers import round_multipliers
from fltheory.worstcase.sdp import Array, ConicProgram, triangle_of

#: Rooms in the inequalities, and least eigenvalues of the blocks, that are tried.
ROOMS = (1e-7, 1e-6, 1e-5, 1e-4)
#: Gram entries and function values are rounded to multiples of its inverse.
GRID = 10**12
Blocks = dict[str, list[list[Fraction]]]


def equations(model: Model) -> list[int]:
    """Places of assumptions ``f <= 0`` whose opposite is an assumption too, one of each two."""
    forms = [None if item.bound is not None else _text(model.form(item.functional), 1) for item in model.assumptions]
    opposite = {_text(model.form(item.functional), -1): k for k, item in enumerate(model.assumptions)}
    return [k for k, form in enumerate(forms) if form and k < opposite.get(form, -1)]


def _text(form: tuple[Form, dict[int, Fraction]], sign: int) -> str:
    gram, values = ({key: sign * entry for key, entry in part.items() if entry} for part in form)
    return "" if not gram and not values else repr((sorted(gram.items()), sorted(values.items())))


def solve_with_equations(model: Model, quantities: Mapping[str, Number] | None = None) -> WorstCase:
    """:func:`~fltheory.worstcase.entry.solve_model`, both of whose certificates know the model's equations.

    Within :func:`fltheory.worstcase.kept.replaying` nothing is solved, as there.

    Raises
    ------
    ValueError : as :func:`~fltheory.worstcase.entry.solve_model`.
    """
    if shelf() is not None or not equations(model):
        return solve_model(model, quantities)
    answer = solve_model(model, quantities, certify=False)
    sides = {"upper": upper_part, "lower": lower_part}
    found = {side: part for side, find in sides.items() if (part := _first(model, answer.quantities, side, find))}
    if len(found) < len(sides):
        answer = solve_model(model, quantities)
        usual: Mapping[str, Any] = answer.certificate or {}
        found = {side: usual[side] for side in sides if side in usual} | found
    if not found:
        return answer
    data = certificate.statement(model) | found
    proved = verifier.verify(data)
    bound = proved.get("upper", {})
    above = sum((y * answer.quantities[name] for name, y in bound.items()), Fraction(0)) if "upper" in found else None
    below = proved["lower"][1] if "lower" in found else None
    status = "certified" if len(found) == len(sides) else f"{next(iter(found))} only"
    value = math.nan if above is None else float(above if below is None else (above + below) / 2)
    return replace(answer, upper=above, lower=below, bound=bound, certificate=data, status=status, value=value)


def _first(
    model: Model, quantities: Mapping[str, Fraction], side: str, find: Callable[..., dict[str, Any] | None]
) -> dict[str, Any] | None:
    """The first part of a certificate that the verifier accepts, from small rooms to large ones."""
    problem = ConicProgram(model)
    for room in ROOMS:
        part = find(problem, quantities, room)
        try:
            if part is not None:
                verifier.verify({**certificate.statement(model), side: part})
                return part
        except verifier.Rejected:
            continue
    return None


def upper_part(problem: ConicProgram, quantities: Mapping[str, Fraction], room: float) -> dict[str, Any] | None:
    """Multipliers that are meant to prove an upper bound: a reward of ``room`` per unit of trace leaves them room."""
    found = _solved(problem, quantities, reward=room)
    if found is None:
        return None
    pairs, assumptions = found[1]
    digits = 3 - math.floor(math.log10(room))
    units = ([Fraction(1)] * len(pairs), [Fraction(1)] * len(assumptions))
    rounded = round_multipliers(problem.model, pairs, assumptions, digits=digits, drop=0.02 * room, units=units)
    return None if rounded is None else certificate.upper(problem.model, rounded)


def lower_part(problem: ConicProgram, quantities: Mapping[str, Fraction], room: float) -> dict[str, Any] | None:
    """An instance with ``room`` in all inequalities that obeys the equations exactly, and its value."""
    found, model = _solved(problem, quantities, room=room), problem.model
    if found is None:
        return None
    blocks = {
        name: [[Fraction(round(entry * GRID), GRID) for entry in row] for row in matrix.tolist()]
        for name, matrix in problem.matrices(found[0]).items()
    }
    if not _obey(model, blocks):
        return None
    numbers = (Fraction(round(entry * GRID), GRID) for entry in problem.values_of(found[0]).tolist())
    values = dict(zip(model.values, numbers, strict=True))
    gram, single = model.form(model.measure)
    exact = sum((entry * blocks[name][i][j] for (name, i, j), entry in gram.items()), Fraction(0))
    exact += sum((entry * values[register] for register, entry in single.items()), Fraction(0))
    return certificate.lower(blocks, values, quantities, Fraction(math.floor(exact * GRID), GRID))


def _solved(
    problem: ConicProgram, quantities: Mapping[str, Fraction], *, room: float = 0.0, reward: float = 0.0
) -> tuple[Array, tuple[Array, Array]] | None:
    """The best point, with so much room in inequalities and blocks and none in equations, and all multipliers."""
    import clarabel
    from scipy import sparse

    zero = equations(problem.model)
    forms = {k: _text(problem.model.form(problem.model.assumptions[k].functional), -1) for k in zero}
    mirror = {
        next(
            k
            for k, item in enumerate(problem.model.assumptions)
            if _text(problem.model.form(item.functional), 1) == text
        ): place
        for place, text in forms.items()
    }
    others = [k for k in range(len(problem.model.assumptions)) if k not in mirror and k not in forms]
    count, pairs = len(zero), len(problem.pair_rows)
    rows = np.concatenate([problem.assumption_rows[zero], problem.pair_rows, problem.assumption_rows[others]])
    right = np.concatenate([np.zeros(pairs), problem.right(quantities)[others]]) - room
    empty = sparse.csc_matrix((problem.gram_length, problem.length - problem.gram_length))
    cone = sparse.hstack([-sparse.eye(problem.gram_length), empty])
    ones = np.concatenate([np.equal(*triangle_of(size)).astype(float) for _, size in problem.blocks])
    cones = [clarabel.ZeroConeT(count), clarabel.NonnegativeConeT(len(right))]
    cones += [clarabel.PSDTriangleConeT(size) for _, size in problem.blocks]
    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    settings.direct_solve_method = "faer"
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((problem.length, problem.length)),
        -problem.measure - reward * problem.identity,
        sparse.vstack([sparse.csc_matrix(rows), cone]).tocsc(),
        np.concatenate([np.zeros(count), right, -room * ones]),
        cones,
        settings,
    )
    try:
        answer = solver.solve()
    except BaseException as panic:  # a failed factorisation ends in a panic of the native code, which is no Exception
        if type(panic).__name__ != "PanicException":
            raise
        return None
    point, dual = np.array(answer.x), np.array(answer.z)
    if str(answer.status) not in ("Solved", "AlmostSolved") or not bool(np.isfinite(point).all()):
        return None
    multipliers = np.zeros(len(problem.model.assumptions))
    multipliers[zero] = np.maximum(dual[:count], 0)
    for place, twin in mirror.items():
        multipliers[place] = max(-dual[zero.index(twin)], 0.0)
    multipliers[others] = np.maximum(dual[count + pairs : count + len(right)], 0)
    return point, (np.maximum(dual[count : count + pairs], 0), multipliers)


def _obey(model: Model, blocks: Blocks) -> bool:
    """Move the entries of the blocks, as little as can be, to where all equations hold; whether that was possible."""
    forms = [model.form(model.assumptions[place].functional) for place in equations(model)]
    if any(values for _, values in forms):
        return False
    listed = [gram for gram, _ in forms]
    right = [-sum((e * blocks[b][i][j] for (b, i, j), e in gram.items()), Fraction(0)) for gram in listed]
    products = [
        [sum((e * other.get(key, Fraction(0)) for key, e in gram.items()), Fraction(0)) for other in listed]
        for gram in listed
    ]
    shares = _linear(products, right)
    if shares is None:
        return False
    for share, gram in zip(shares, listed, strict=True):
        for (b, i, j), entry in gram.items():
            blocks[b][i][j] += share * entry
            blocks[b][j][i] = blocks[b][i][j]
    return True


def _linear(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """A solution of a linear system in rationals, zero where it is free; ``None`` without one."""
    rows = [[*row, entry] for row, entry in zip(matrix, right, strict=True)]
    count, pivots, top = len(right), [], 0
    for column in range(count):
        place = next((k for k in range(top, count) if rows[k][column]), None)
        if place is None:
            continue
        rows[top], rows[place] = rows[place], rows[top]
        rows[top] = [entry / rows[top][column] for entry in rows[top]]
        for k in range(count):
            if k != top and rows[k][column]:
                rows[k] = [a - rows[k][column] * b for a, b in zip(rows[k], rows[top], strict=True)]
        pivots.append(column)
        top += 1
    if any(row[-1] for row in rows[top:]):
        return None
    found = [Fraction(0)] * count
    for k, column in enumerate(pivots):
        found[column] = rows[k][-1]
    return found
