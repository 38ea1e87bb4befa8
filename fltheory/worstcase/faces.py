"""Certificates without any room: multipliers whose slack vanishes on the range of a worst-case instance, exactly.

Let U be an instance and y multipliers with equal values.  Then y is zero where the instance has room, and the slack S(y) takes
every block of U to zero: with U in rationals these, and the balance of function values, are linear equations for y with
rational coefficients.  Multipliers with a margin across the range of U are rounded, and a few of them, the largest, are solved
for exactly; what is left of the margin keeps S positive semidefinite.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.worstcase import certificate, linear, verifier
from fltheory.worstcase.certificate import Data
from fltheory.worstcase.forms import Form, Forms, Instance
from fltheory.worstcase.linear import Row
from fltheory.worstcase.multipliers import Multipliers

#: Multipliers are rounded to so many decimals of their largest before some are solved for; below the second they are dropped.
DECIMALS, DROP = 10, 1e-7


@dataclass(frozen=True)
class Face:
    """Constraints without room, by place, and what every slack takes to zero in each block."""

    forms: Forms
    pairs: tuple[int, ...]
    assumptions: tuple[int, ...]
    kernel: Mapping[str, Sequence[Row]]

    @property
    def columns(self) -> list[Form]:
        """The slack's form for each multiplier."""
        found = [{key: -entry for key, entry in self.forms.pairs[a].items()} for a in self.pairs]
        return found + [self.forms.assumptions[b] for b in self.assumptions]

    def equations(self) -> list[Row]:
        """Rows ``(a | b)``: function values cancel, and the slack takes the kernel to zero."""
        rows: dict[Any, Row] = {}
        width = len(self.pairs) + len(self.assumptions)
        for place, form in enumerate([*self.columns, self.forms.measure]):
            for name, entry in self._images(form).items():
                row = rows.setdefault(name, [Fraction(0)] * (width + 1))
                row[place] = row[place] + entry
        return [row for row in rows.values() if any(row)]

    def _images(self, form: Form) -> dict[Any, Any]:
        """Values of a form, and its matrices times the kernel."""
        found: dict[Any, Any] = {}
        for key, entry in form.items():
            if key[0] == "f":
                found[key] = entry
                continue
            block, i, j = key
            for number, vector in enumerate(self.kernel.get(block, ())):
                for a, b in ((i, j), (j, i)):
                    if vector[b]:
                        name = (block, number, a)
                        found[name] = found.get(name, 0) + entry * vector[b] / 2
        return found

    def whole(self, chosen: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Multipliers of all pairs and all assumptions from those of the face."""
        pairs: list[Any] = [Fraction(0)] * len(self.forms.pairs)
        assumptions: list[Any] = [Fraction(0)] * len(self.forms.assumptions)
        for place, y in zip(self.pairs, chosen, strict=False):
            pairs[place] = y
        for place, y in zip(self.assumptions, chosen[len(self.pairs) :], strict=True):
            assumptions[place] = y
        return pairs, assumptions


def face_of(forms: Forms, instance: Instance, quantities: Mapping[str, Fraction]) -> Face | None:
    """The face of an instance's constraints without room; ``None`` where it breaks one."""
    gaps = [forms.evaluate(form, instance) for form in forms.pairs]
    rooms = [
        limit - forms.evaluate(form, instance)
        for form, limit in zip(forms.assumptions, forms.limits(quantities), strict=True)
    ]
    if min([*gaps, *rooms], default=Fraction(0)) < 0:
        return None
    kernel = {name: linear.independent([row for row in rows if any(row)]) for name, rows in instance[0].items()}
    tight = [tuple(k for k, room in enumerate(found) if not room) for found in (gaps, rooms)]
    return Face(forms, tight[0], tight[1], kernel)


def exact_upper(face: Face, guess: Sequence[Any]) -> Data | None:
    """The certificate of multipliers near ``guess`` on the face, if the verifier accepts it."""
    largest = max((abs(float(y)) for y in guess), default=0.0)
    if not largest or not math.isfinite(largest):
        return None
    grid = Fraction(10) ** (DECIMALS - math.floor(math.log10(largest)))
    rounded = [Fraction(round(Fraction(y) * grid)) / grid if y > DROP * largest else Fraction(0) for y in guess]
    order = sorted(range(len(guess)), key=lambda k: -guess[k])
    try:
        chosen = linear.completed(face.equations(), order, rounded)
    except ArithmeticError:
        return None
    if min(chosen) < 0:
        return None
    pairs, assumptions = face.whole(chosen)
    multipliers = Multipliers({key: y for key, y in zip(face.forms.keys, pairs, strict=True) if y}, tuple(assumptions))
    part = certificate.upper(face.forms.model, multipliers)
    try:
        verifier.verify({**certificate.statement(face.forms.model), "upper": part})
    except verifier.Rejected:
        return None
    return part
