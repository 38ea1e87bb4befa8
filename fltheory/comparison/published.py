"""Published rates on the grid: what each bound needs of a point, which step sizes it allows, and what it says there.

A rate that allows a range of step sizes is read at the step that makes its bound least, found on a grid of rationals that fall by
at most a thirty-second (the bounds are sums of powers of the step, with one minimum); free
constants of its hypotheses (``a`` of :mod:`fltheory.comparison.setting`) are chosen for the least bound as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from fltheory.comparison.schedules import SCHEDULES
from fltheory.comparison.setting import GridPoint
from fltheory.theory.bound import Bound

#: Step sizes of the search, as parts of the largest one that a rate allows: first a few, then those around the best of them.
PARTS = tuple(Fraction(part, 64 * 2**octave) for octave in range(16) for part in range(64, 32, -1))
COARSE = 16

Values = Callable[[GridPoint, Fraction | None, Fraction], Mapping[str, Any]]


@dataclass(frozen=True)
class ToldRate:
    """What a rate says at a point: its value (``None`` where it does not speak, and ``why``) and the step size it is read at.

    ``step`` is a number, or the words of a schedule.
    """

    rate: PublishedRate
    value: Fraction | float | None
    step: Fraction | str | None = None
    why: str = ""


@dataclass(frozen=True)
class PublishedRate:
    """A published bound of a method at the points of a grid.

    Parameters
    ----------
    name, bound : for tables; the bound itself, made when it is first needed.
    method, measure : keys of :data:`~fltheory.comparison.methods.KNOWN` and :data:`~fltheory.comparison.measures.MEASURES`.
    values : values of the bound's symbols at a point, a step size and a free constant.
    top : the largest step size that it allows, given the constant; or the words of the schedule it prescribes.
    fixed : it allows ``top`` and no other.
    free : values of a free constant of its hypotheses.
    alike : it speaks of clients of one loss only.
    constants : what is known of its constants.
    """

    name: str
    bound: Callable[[], Bound]
    method: str
    measure: str
    values: Values
    top: Callable[[GridPoint, Fraction], Fraction] | str
    constants: str
    fixed: bool = False
    alike: bool = False
    free: Sequence[Fraction] = field(default=(Fraction(1),))

    def at(self, setting: GridPoint, step: Fraction) -> ToldRate:
        """What it says at a step size; the least over the free constants."""
        if isinstance(self.top, str):
            return ToldRate(self, None, step, f"wants eta_t = {self.top}; yours is constant {step}")
        return self._least(setting, [(step, free) for free in self.free])

    def tuned(self, setting: GridPoint) -> ToldRate:
        """What it says at the step size that makes its bound least, or at the one it prescribes."""
        if isinstance(self.top, str):
            return self._least(setting, [(None, free) for free in self.free])
        tops = [(self.top(setting, free), free) for free in self.free]
        if self.fixed:
            return self._least(setting, tops)
        best: tuple[float, tuple[Fraction, Fraction]] | None = None
        for top, free in tops:
            few = range(0, len(PARTS), COARSE)
            near = few[self._lowest(setting, [top * PARTS[place] for place in few], free)[0]]
            steps = [top * part for part in PARTS[max(0, near - COARSE) : near + COARSE + 1]]
            place, value = self._lowest(setting, steps, free)
            if math.isfinite(value) and (best is None or value < best[0]):
                best = (value, (steps[place], free))
        return self._least(setting, [best[1] if best else tops[0]])

    def _lowest(self, setting: GridPoint, steps: Sequence[Fraction], free: Fraction) -> tuple[int, float]:
        """The place of the least bound and its value."""
        found = self._curve(setting, steps, free)
        place = int(np.argmin(np.where(np.isfinite(found), found, np.inf)))
        return place, float(found[place])

    def _curve(self, setting: GridPoint, steps: Sequence[Fraction], free: Fraction) -> Any:
        rows = [self.values(setting, step, free) for step in steps]
        arrays = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
        return np.broadcast_to(self.bound().curve(unchecked=True, **arrays), len(steps))

    def _least(self, setting: GridPoint, choices: Sequence[tuple[Fraction | None, Fraction]]) -> ToldRate:
        """The least value over (step size, free constant) at which all hypotheses hold, else what does not."""
        if self.alike and setting.heterogeneity is not None:
            return ToldRate(self, None, None, f"speaks of clients of one loss; here {setting.likeness}")
        best: ToldRate | None = None
        why = ""
        shown = self.top if isinstance(self.top, str) else None
        for step, free in choices:
            said: Fraction | str | None = shown if step is None else step
            try:
                values = self.values(setting, step, free)
            except ValueError as error:
                why = why or str(error)
                continue
            broken = self.bound().unmet(**self.bound().select(values))
            if broken:
                why = why or _numbers(broken[0], values)
                continue
            if self.bound().relation != "<=":
                why = "an order: no constant is printed"
                continue
            value = _value(self.bound(), values)
            if best is None or best.value is None or value < best.value:
                best = ToldRate(self, value, said)
        return best or ToldRate(self, None, choices[0][0] if len(choices) == 1 else None, why)


def _numbers(words: str, values: Mapping[str, Any]) -> str:
    """A broken condition with the step size at which it is broken."""
    named = [f"{name} = {float(values[name]):.4g}" for name in ("s", "e", "eta") if name in values]
    return f"wants {words}" + (f"; here {named[0]}" if named else "")


def _value(bound: Bound, values: Mapping[str, Any]) -> Fraction | float:
    found = bound.exact(**{name: _exact(value) for name, value in bound.select(values).items()})
    return Fraction(int(found.p), int(found.q)) if isinstance(found, sp.Rational) else float(found)


def _exact(value: Any) -> Any:
    return sp.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else value


def schedule_of(words: str, setting: GridPoint) -> Any:
    """The step sizes that a rate prescribes by these words."""
    return SCHEDULES[words](setting)
