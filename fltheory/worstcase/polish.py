"""More digits of a solution: Newton's method on the equations that an instance and its multipliers obey together.

Unknown are the multipliers y of the constraints without room, and the instance ``sum X_ab n_a n_b^T`` in each block, where the rows
``n_a`` span the block's range in reduced form.  The slack takes every row to zero, function values cancel, and the constraints
without room are equalities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from fltheory.worstcase.faces import Face
from fltheory.worstcase.forms import Form, Forms
from fltheory.worstcase.recognise import BlockRange, Middle

#: Steps that are taken at most; each doubles the digits.
MOST_STEPS = 14


@dataclass
class _Point:
    """Numbers of many digits: multipliers, rows of the ranges, blocks over them, function values."""

    y: list[Any]
    rows: dict[str, list[list[Any]]]
    x: dict[str, list[list[Any]]]
    f: dict[int, Any]


def polished(
    forms: Forms, found: Middle, seen: Mapping[str, BlockRange], quantities: Mapping[str, Fraction], digits: int
) -> tuple[Middle, dict[str, BlockRange]] | None:
    """The solution and its ranges to more digits; ``None`` where Newton's method does not get there."""
    import mpmath

    face = Face(forms, found.tight_pairs, found.tight_assumptions, {})
    with mpmath.workdps(digits + 30):
        guess = [found.pairs[k] for k in face.pairs] + [found.assumptions[k] for k in face.assumptions]
        point = _Point(
            [_real(y) for y in guess],
            {name: [[_real(e) for e in row] for row in item.rows] for name, item in seen.items()},
            {
                name: [[_real(found.instance[0][name][a][b]) for b in item.places] for a in item.places]
                for name, item in seen.items()
            },
            {register: _real(entry) for register, entry in found.instance[1].items()},
        )
        system = _System(face, seen, quantities)
        before = None
        for _ in range(MOST_STEPS):
            residual, jacobian = system.at(point)
            try:
                step = mpmath.lu_solve(jacobian, residual)
            except (ZeroDivisionError, TypeError, ValueError):  # a singular system
                return None
            size = max(abs(e) for e in step)
            if before is not None and size > before and size > mpmath.mpf(10) ** -(digits // 2):
                return None
            system.move(point, step)
            before = size
            if size < mpmath.mpf(10) ** -(digits + 5):
                break
        else:
            return None
        return _as_rationals(face, found, seen, point, digits)


def _real(number: Fraction) -> Any:
    import mpmath

    return mpmath.mpf(number.numerator) / number.denominator


def _as_rationals(
    face: Face, found: Middle, seen: Mapping[str, BlockRange], point: _Point, digits: int
) -> tuple[Middle, dict[str, BlockRange]]:
    import mpmath

    grid = 10 ** (digits + 10)

    def rational(number: Any) -> Fraction:
        return Fraction(int(mpmath.nint(number * grid)), grid)

    pairs, assumptions = face.whole([rational(y) for y in point.y])
    better = {
        name: BlockRange([[rational(e) for e in row] for row in point.rows[name]], item.places)
        for name, item in seen.items()
    }
    blocks = {}
    for name, size in face.forms.sizes.items():
        rows, inner = better[name].rows, [[rational(e) for e in row] for row in point.x[name]]
        blocks[name] = [
            [
                sum(
                    (inner[a][b] * rows[a][i] * rows[b][j] for a in range(len(rows)) for b in range(len(rows))),
                    Fraction(0),
                )
                for j in range(size)
            ]
            for i in range(size)
        ]
    values = {register: rational(entry) for register, entry in point.f.items()}
    moved = replace(found, instance=(blocks, values), pairs=pairs, assumptions=assumptions, digits=digits)
    return moved, better


class _System:
    """The equations and their derivatives."""

    def __init__(self, face: Face, seen: Mapping[str, BlockRange], quantities: Mapping[str, Fraction]) -> None:
        forms = face.forms
        self.seen = seen
        self.columns = [_parts(forms, form) for form in face.columns]
        self.measure = _parts(forms, forms.measure)
        limits = forms.limits(quantities)
        self.limits = [_real(Fraction(0)) for _ in face.pairs] + [_real(limits[k]) for k in face.assumptions]
        self.signs = [-1] * len(face.pairs) + [1] * len(face.assumptions)
        names: list[tuple[Any, ...]] = [("y", k) for k in range(len(self.columns))]
        names += [("f", register) for register in forms.model.values]
        for name, item in seen.items():
            for a, row in enumerate(item.rows):
                names += [("n", name, a, k) for k in range(len(row)) if k not in item.places]
                names += [("x", name, a, b) for b in range(a + 1)]
        self.index = {name: place for place, name in enumerate(names)}

    def at(self, point: _Point) -> tuple[Any, Any]:
        """Residuals, and the matrix of derivatives."""
        import mpmath

        rows: list[tuple[Any, dict[int, Any]]] = []
        for register in point.f:  # function values cancel
            line = {k: column[1].get(register, 0) for k, column in enumerate(self.columns)}
            total = sum(point.y[k] * e for k, e in line.items()) - self.measure[1].get(register, 0)
            rows.append((total, line))
        for name, item in self.seen.items():
            size = len(self.measure[0][name])
            slack = [
                [
                    sum(
                        (y * column[0][name][i][j] for y, column in zip(point.y, self.columns, strict=True)),
                        mpmath.mpf(0),
                    )
                    - self.measure[0][name][i][j]
                    for j in range(size)
                ]
                for i in range(size)
            ]
            for a, vector in enumerate(point.rows[name]):
                for i in range(size):  # the slack takes the row to zero
                    line = {k: _dot(column[0][name][i], vector) for k, column in enumerate(self.columns)}
                    for k in range(size):
                        if k not in item.places:
                            line[self.index["n", name, a, k]] = slack[i][k]
                    rows.append((_dot(slack[i], vector), line))
        for column, limit, sign in zip(self.columns, self.limits, self.signs, strict=True):
            total, line = -limit, {}
            for register, entry in column[1].items():
                total += sign * entry * point.f[register]
                line[self.index["f", register]] = sign * entry
            for name, item in self.seen.items():
                images = [[sign * _dot(row, vector) for row in column[0][name]] for vector in point.rows[name]]
                for a in range(len(images)):
                    for b in range(len(images)):
                        inner = _dot(images[a], point.rows[name][b])
                        total += point.x[name][a][b] * inner
                        place = self.index["x", name, max(a, b), min(a, b)]
                        line[place] = line.get(place, 0) + inner
                        for k in range(len(images[a])):
                            if k not in item.places:
                                turned = self.index["n", name, b, k]
                                line[turned] = line.get(turned, 0) + 2 * point.x[name][a][b] * images[a][k]
            rows.append((total, line))
        residual = mpmath.matrix([total for total, _ in rows])
        jacobian = mpmath.matrix(len(rows), len(self.index))
        for i, (_, line) in enumerate(rows):
            for place, entry in line.items():
                jacobian[i, place] = entry
        return residual, jacobian

    def move(self, point: _Point, step: Any) -> None:
        """The point after a step."""
        for (kind, *where), place in self.index.items():
            change = step[place]
            if kind == "y":
                point.y[where[0]] -= change
            elif kind == "f":
                point.f[where[0]] -= change
            elif kind == "n":
                point.rows[where[0]][where[1]][where[2]] -= change
            else:
                name, a, b = where
                point.x[name][a][b] -= change
                if a != b:
                    point.x[name][b][a] -= change


def _parts(forms: Forms, form: Form) -> tuple[dict[str, list[list[Any]]], dict[int, Any]]:
    """A form's matrices and factors of values, to the digits of the context."""
    matrices = {
        name: [[_real(Fraction(e)) for e in row] for row in rows] for name, rows in forms.matrices(form).items()
    }
    return matrices, {register: _real(entry) for register, entry in forms.values_in(form).items()}


def _dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum((a * b for a, b in zip(left, right, strict=True) if a and b), 0)
