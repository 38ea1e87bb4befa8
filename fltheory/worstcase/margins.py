"""Multipliers with the largest margin on a face, in floats, and smaller faces where there is none.

Where every slack on a face takes more to zero than the instance's range, such as a common shift of all gradients, the null vectors
that the solver sees are recognised as rationals with small denominators and join the kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.kinds import Array
from fltheory.worstcase import linear
from fltheory.worstcase.certificate import Data
from fltheory.worstcase.faces import Face, exact_upper
from fltheory.worstcase.forms import Form
from fltheory.worstcase.linear import Row

#: A margin above this is one; eigenvalues below the second are zero where there is none.
MARGIN, ZERO = 1e-6, 1e-5
#: Null vectors of a slack in floats are recognised by denominators up to this, which leaves less room than the second.
SMALL, NEAR = 400, 2e-5
#: So many times a kernel is enlarged by null vectors that are recognised.
TRIES = 4


def from_margin(face: Face) -> Data | None:
    """A certificate on the face, or on the smaller one of all that slacks are seen to take to zero; ``None`` without one."""
    for _ in range(TRIES):
        asked = _widest(face)
        if asked is None:
            return None
        multipliers, margin, slacks = asked
        if margin > MARGIN:
            return exact_upper(face, list(multipliers))
        more = _enlarged(face, slacks)
        if more is None:
            return None
        face = more
    return None


def _scales(face: Face) -> dict[str, Array]:
    """A unit for each basis vector: a gradient is worth L points."""
    smooth = float(max(group.functions.L for group in face.forms.model.groups))
    space, found = face.forms.model.space, {name: np.ones(size) for name, size in face.forms.sizes.items()}
    for place, item in enumerate(face.forms.model.instructions):
        if item[0] in ("gradient", "centre", "noise") or (item[0] == "given" and item[2] == 0):
            for name, basis in space.coordinates[place]:
                if name in found:
                    found[name][basis] = smooth
    return found


def _widest(face: Face) -> tuple[Array, float, dict[str, tuple[Array, Array]]] | None:
    """Multipliers on the face with the largest margin across the kernel, that margin, and the slacks there with their bases.

    In floats; numbers are those of vectors in units of points, and forms of their largest entry.
    """
    import clarabel
    from scipy import sparse

    units = _scales(face)
    columns = [_scaled(face, form, units) for form in [*face.columns, face.forms.measure]]
    sizes = np.array(
        [max((float(np.abs(m).max(initial=0.0)) for m in column.values()), default=0.0) or 1.0 for column in columns]
    )
    unit = sizes[-1]
    try:
        rows, _ = linear.eliminate(face.equations(), range(len(columns) - 1))
    except ArithmeticError:
        return None
    count = len(columns) - 1
    factor = unit / sizes[:-1]  # a multiplier is so many times its unknown
    entries = np.array([[float(e) for e in row] for row in rows]).reshape(len(rows), count + 1)
    left, right = entries[:, :-1] * factor, entries[:, -1]
    norms = np.abs(left).max(axis=1, initial=1e-300)
    left, right = left / norms[:, None], right / norms
    bases = {name: _complement(face.kernel.get(name, ()), units[name]) for name in face.forms.sizes}
    matrix = [np.hstack([left, np.zeros((len(left), 1))]), -np.eye(count + 1)]
    offsets = [right, np.zeros(count + 1)]
    offsets[1][-1] = 1.0
    cones: list[Any] = [clarabel.ZeroConeT(len(left)), clarabel.NonnegativeConeT(count + 1)]
    limits = np.zeros((2, count + 1))
    limits[0, :count], limits[1, count] = 1.0, 1.0
    matrix.append(limits)
    offsets.append(np.array([1e4, 0.01]))
    cones.append(clarabel.NonnegativeConeT(2))
    for name, basis in bases.items():
        if not basis.shape[1]:
            continue
        i, j = _triangle(basis.shape[1])
        weight = np.where(i == j, 1.0, math.sqrt(2.0))
        parts = [(basis.T @ column[name] @ basis)[i, j] * weight for column in columns]
        block = np.column_stack([-p * f / unit for p, f in zip(parts[:-1], factor, strict=True)] + [(i == j) * 1.0])
        matrix.append(block)
        offsets.append(-parts[-1] / unit)
        cones.append(clarabel.PSDTriangleConeT(basis.shape[1]))
    settings: Any = clarabel.DefaultSettings()
    settings.verbose, settings.max_iter = False, 200
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    settings.direct_solve_method = "faer"
    objective = np.zeros(count + 1)
    objective[-1] = -1.0
    objective[:count] = 1e-9
    answer = clarabel.DefaultSolver(
        sparse.csc_matrix((count + 1, count + 1)),
        objective,
        sparse.csc_matrix(np.vstack(matrix)),
        np.concatenate(offsets),
        cones,
        settings,
    ).solve()
    point = np.array(answer.x)
    if not np.isfinite(point).all() or str(answer.status) not in ("Solved", "AlmostSolved", "InsufficientProgress"):
        return None
    slacks = {}
    for name, basis in bases.items():
        total = -columns[-1][name] / unit
        for y, column, f in zip(point[:-1], columns[:-1], factor, strict=True):
            total = total + y * f / unit * column[name]
        slacks[name] = (basis.T @ total @ basis, basis)
    return point[:-1] * factor, float(point[-1]), slacks


def _scaled(face: Face, form: Form, units: Mapping[str, Array]) -> dict[str, Array]:
    """A form's matrices for vectors in their units, in floats."""
    found = {}
    for name, rows in face.forms.matrices(form).items():
        matrix = np.array([[float(e) for e in row] for row in rows]).reshape(len(rows), len(rows))
        found[name] = matrix * np.outer(units[name], units[name])
    return found


def _complement(vectors: Sequence[Row], units: Array) -> Array:
    """An orthonormal basis across some vectors, in units."""
    if not vectors:
        return np.eye(len(units))
    given = np.array([[float(e) for e in vector] for vector in vectors]) / units
    given = given / np.linalg.norm(given, axis=1, keepdims=True)
    _, _, right = np.linalg.svd(given, full_matrices=True)
    return np.asarray(right[len(given) :].T)


def _triangle(size: int) -> tuple[Array, Array]:
    j, i = np.tril_indices(size)
    return i, j


def _enlarged(face: Face, slacks: Mapping[str, tuple[Array, Array]]) -> Face | None:
    """The face with null vectors of these slacks, recognised as rationals; ``None`` where none is."""
    kernel, more = dict(face.kernel), False
    units = _scales(face)
    for name, (matrix, basis) in slacks.items():
        if not len(matrix):
            continue
        values, vectors = np.linalg.eigh(matrix)
        null = vectors[:, values < ZERO * max(1.0, float(values[-1]))]
        if not null.shape[1]:
            continue
        known = np.array([[float(e) for e in vector] for vector in kernel.get(name, ())]).reshape(-1, len(basis))
        directions = np.vstack([known / units[name], (basis @ null).T])
        found = recognised(directions, SMALL, NEAR)
        if found is None:
            return None
        exact = [[e * Fraction(units[name][k]) for k, e in enumerate(vector)] for vector in found]
        kernel[name], more = linear.independent(exact), True
    return Face(face.forms, face.pairs, face.assumptions, kernel) if more else None


def recognised(vectors: Array, largest: int, near: float) -> list[Row] | None:
    """A basis in rationals of the span of some rows, in reduced form; ``None`` where an entry is near none."""
    work, found = np.array(vectors, dtype=float), []
    rows = len(work)
    places = []
    for done in range(rows):
        part = np.abs(work[done:])
        i, k = divmod(int(part.argmax()), part.shape[1])
        if part[i, k] < 1e-6:
            return None
        work[done], work[done + i] = work[done + i].copy(), work[done].copy()
        work[done] /= work[done, k]
        for other in range(rows):
            if other != done:
                work[other] -= work[other, k] * work[done]
        places.append(k)
    for row in work:
        exact = [Fraction(float(e)).limit_denominator(largest) for e in row]
        if any(abs(float(e) - float(x)) > near for e, x in zip(exact, row, strict=True)):
            return None
        found.append(exact)
    return found


def support(face: Face) -> Iterator[tuple[int, ...]]:
    """Few pairs that are enough for a certificate on the face, by place: small multipliers are left out first.

    Then the same with pairs that do not speak of the minimiser first, and with pairs that do.
    """
    asked = _widest(face)
    if asked is None or from_margin(face) is None:
        return
    instructions = face.forms.model.instructions
    weight = dict(zip(face.pairs, asked[0], strict=False))
    origin = {
        place
        for place, item in enumerate(instructions)
        if item[0] == "gradient" and instructions[item[1]][0] == "optimum"
    }

    def at_origin(k: int) -> bool:
        return bool(origin & set(face.forms.keys[k][1:3]))

    seen = set()
    orders = [
        sorted(face.pairs, key=lambda k: (at_origin(k), weight[k])),
        sorted(face.pairs, key=lambda k: weight[k]),
        sorted(face.pairs, key=lambda k: (not at_origin(k), weight[k])),
    ]
    for order in orders:
        kept = face
        for k in order:
            fewer = replace(kept, pairs=tuple(p for p in kept.pairs if p != k))
            if from_margin(fewer) is not None:
                kept = fewer
        if kept.pairs not in seen:
            seen.add(kept.pairs)
            yield kept.pairs
