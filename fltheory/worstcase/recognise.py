"""The worst instance in exact numbers, recognised from the blocks of a solution in many decimals.

A solution of :mod:`fltheory.worstcase.precise` lies in the middle of all optimal ones: its blocks have the largest rank, and of
each constraint either the room or the multiplier is small.  If the range of every block has a basis in numbers of one field, then
blocks over these bases and function values with which the constraints without room are equalities are of that field too, by
linear equations.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from fltheory.kinds import Array
from fltheory.worstcase import linear
from fltheory.worstcase.forms import Form, Forms, Instance
from fltheory.worstcase.linear import Row
from fltheory.worstcase.normalised import Normalised
from fltheory.worstcase.precise import decimal_number, interior

#: Correct digits that are asked for, what is taken for zero beside the largest entry, and denominators of rationals.
DIGITS, SMALL, LARGEST = 20, Fraction(1, 10**9), 10**6
#: Decimals that no equation pins down are rounded to this.
GRID = 10**9


class Unrecognised(ArithmeticError):
    """The solution has no worst instance that was recognised; the message says what was seen."""


@dataclass(frozen=True)
class Middle:
    """A solution in decimals as rationals: an instance, multipliers, and the places of constraints without room.

    ``digits`` of them are correct, or a few less.
    """

    instance: Instance
    pairs: list[Fraction]
    assumptions: list[Fraction]
    tight_pairs: tuple[int, ...]
    tight_assumptions: tuple[int, ...]
    digits: int


def middle(
    problem: Normalised, quantities: Mapping[str, Fraction], left: Callable[[], float], digits: int = DIGITS
) -> Middle | None:
    """The solution of a normalised problem to so many digits, or ``None``."""
    working = 4 * digits + 40
    with decimal.localcontext(prec=working):
        frame = problem.frame
        sharp = Normalised(problem.model, quantities, frame.zero, number=decimal_number, frame=frame)
        sharp = sharp.restricted(set(problem.dropped))
        # ranges are known to half of the gap's digits
        gap = Decimal(10) ** -(2 * digits + 5)
        found = interior(sharp, quantities, gap=gap, steps=150 + 2 * digits, digits=working, left=left)
        if found is None:
            return None
        rooms = -(sharp.pair_rows @ found.point), sharp.right(quantities) - sharp.assumption_rows @ found.point
        tight = [_tight(y, room) for y, room in zip((found.pairs, found.assumptions), rooms, strict=True)]
        units = [
            [Fraction(y) * problem.measure_factor / factor for y, factor in zip(ys, factors, strict=True)]
            for ys, factors in (
                (found.pairs, problem.pair_factors),
                (found.assumptions, problem.assumption_factors),
            )
        ]
        instance = sharp.instance(found.point, 10 ** (digits + 15))
        return Middle(instance, units[0], units[1], tight[0], tight[1], digits)


def _tight(multipliers: Array, rooms: Array) -> tuple[int, ...]:
    return tuple(k for k, (y, room) in enumerate(zip(multipliers, rooms, strict=True)) if y > room)


@dataclass(frozen=True)
class BlockRange:
    """The range of a block: rows in reduced form, in decimals, with the places where each has its one."""

    rows: list[list[Fraction]]
    places: list[int]


def ranges(found: Middle) -> dict[str, BlockRange]:
    """The range of every block of a solution."""
    return {name: _range(rows, found.digits) for name, rows in found.instance[0].items()}


def _range(rows: Sequence[Row], digits: int) -> BlockRange:
    work = [list(row) for row in rows]
    places: list[int] = []
    largest, grid = max((abs(e) for row in work for e in row), default=Fraction(0)), 10 ** (digits + 15)
    while len(places) < len(work) and largest:
        done = len(places)
        size, i, k = max((abs(e), i, k) for i, row in enumerate(work[done:], done) for k, e in enumerate(row))
        if size < SMALL * largest:
            break
        work[done], work[i] = work[i], work[done]
        head = work[done][k]
        work[done] = [Fraction(round(e / head * grid), grid) for e in work[done]]
        for other in range(len(work)):
            if other != done and work[other][k]:
                factor = work[other][k]
                work[other] = [e - factor * h for e, h in zip(work[other], work[done], strict=True)]
        places.append(k)
    return BlockRange(work[: len(places)], places)


def rational_bases(seen: Mapping[str, BlockRange], digits: int) -> dict[str, list[Row]]:
    """The rows of all ranges as rationals of small denominators.

    Raises
    ------
    Unrecognised : an entry is near none.
    """
    near, found = Fraction(1, 10 ** (digits * 4 // 5)), {}
    for name, item in seen.items():
        found[name] = [[e.limit_denominator(LARGEST) for e in row] for row in item.rows]
        for row, exact in zip(item.rows, found[name], strict=True):
            far = next(
                (e for e, x in zip(row, exact, strict=True) if abs(e - x) > near * max(Fraction(1), abs(e))), None
            )
            if far is not None:
                raise Unrecognised(
                    f"its worst instance has an entry {float(far):.12g}, which is no rational of a denominator up to {LARGEST}"
                )
    return found


def exact_instance(
    forms: Forms,
    found: Middle,
    quantities: Mapping[str, Fraction],
    seen: Mapping[str, BlockRange],
    bases: Mapping[str, Sequence[Row]],
) -> Instance:
    """An exact instance with these bases of the blocks' ranges and the constraints without room of a solution.

    Raises
    ------
    Unrecognised : the equations contradict each other, or lead away from the solution.
    """
    blocks, values = found.instance
    unknowns: list[tuple[Any, ...]] = [("f", register) for register in forms.model.values]
    guess = [values[register] for register in forms.model.values]
    for name, item in seen.items():
        for a, left in enumerate(item.places):
            for b, right in enumerate(item.places[: a + 1]):
                unknowns.append((name, a, b))
                guess.append(blocks[name][left][right])
    index, limits = {name: place for place, name in enumerate(unknowns)}, forms.limits(quantities)
    tight = [(forms.pairs[k], Fraction(0)) for k in found.tight_pairs]
    tight += [(forms.assumptions[k], limits[k]) for k in found.tight_assumptions]
    rows = [[*_row(form, bases, index), limit] for form, limit in tight]
    # what is pinned down by the equations is solved for; the others keep a rounded value
    chosen = [Fraction(round(entry * GRID), GRID) for entry in guess]
    try:
        solved = linear.completed(rows, range(len(unknowns)), chosen)
    except ArithmeticError:
        raise Unrecognised("the constraints without room contradict each other on the recognised ranges") from None
    near = max((abs(float(a) - float(b)) for a, b in zip(solved, guess, strict=True)), default=0.0)
    if near > 1e-6:
        raise Unrecognised(f"the exact instance is {near:.1e} away from the solution")
    exact: dict[str, list[Row]] = {
        name: [[Fraction(0)] * size for _ in range(size)] for name, size in forms.sizes.items()
    }
    for name, basis in bases.items():
        for a, left_row in enumerate(basis):
            for b, right_row in enumerate(basis):
                entry = solved[index[name, max(a, b), min(a, b)]]
                for i, x in enumerate(left_row):
                    for j, y in enumerate(right_row):
                        if x and y:
                            exact[name][i][j] = exact[name][i][j] + entry * x * y
    return exact, {register: solved[index["f", register]] for register in forms.model.values}


def _row(form: Form, bases: Mapping[str, Sequence[Row]], index: Mapping[Any, int]) -> Row:
    """A form in the unknowns."""
    row: Row = [Fraction(0)] * len(index)
    for key, entry in form.items():
        if key[0] == "f":
            row[index[key]] = row[index[key]] + entry
            continue
        name, i, j = key
        for a, left in enumerate(bases[name]):
            for b, right in enumerate(bases[name]):
                if left[i] and right[j]:
                    place = index[name, max(a, b), min(a, b)]
                    row[place] = row[place] + entry * left[i] * right[j]
    return row
