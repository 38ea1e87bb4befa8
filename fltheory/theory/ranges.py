"""Where a symbol of a bound may lie, and real numbers and arrays as they come from a user.

A document declares its symbols once (``vocabulary.py`` of its package): a :class:`Range` by name, and the relations that
its symbols always have, such as mu <= L.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
import sympy as sp

from fltheory.kinds import Floats, Truths
from fltheory.theory.conditions import ROUNDING, Condition


@dataclass(frozen=True)
class Range:
    """The numbers from ``low`` to ``high``, without an end that is ``open``; the whole ones only if ``whole``.

    A float may miss a closed end other than zero by 1e-12 of it: 1 + 1e-16 counts as 1.
    """

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    whole: bool = False

    def words(self, name: str) -> str:
        """The condition on the symbol ``name`` in words; empty where every real number will do."""
        low = f"{name} {'>' if self.open_low else '>='} {self.low:g}" if math.isfinite(self.low) else ""
        high = f"{name} {'<' if self.open_high else '<='} {self.high:g}" if math.isfinite(self.high) else ""
        if low and high:
            sign = "<" if self.open_low else "<="
            low, high = f"{self.low:g} {sign} {high}", ""
        return ", ".join(filter(None, [low, high, f"{name} whole" if self.whole else ""]))

    def holds(self, values: Any) -> Truths:
        """Which of the numbers lie in the range; ``nan`` and infinities lie in none.  A sympy rational is compared exactly."""
        if isinstance(values, sp.Rational):
            above = values > self.low if self.open_low else values >= self.low
            below = values < self.high if self.open_high else values <= self.high
            return np.asarray(bool(above and below) and (values.q == 1 or not self.whole))
        slack_low, slack_high = (ROUNDING * abs(end) if math.isfinite(end) else 0.0 for end in (self.low, self.high))
        good = np.isfinite(values)
        good &= values > self.low if self.open_low else values >= self.low - slack_low
        good &= values < self.high if self.open_high else values <= self.high + slack_high
        return np.asarray(good & (values == np.floor(values)) if self.whole else good)


REAL = Range()
POSITIVE = Range(0, open_low=True)
NONNEGATIVE = Range(0)
#: Numbers of clients, of local steps.
COUNT = Range(1, whole=True)
#: Times and numbers of what may be none.
WHOLE = Range(0, whole=True)
#: Weights and probabilities.
SHARE = Range(0, 1)
AT_LEAST_ONE = Range(1)


@dataclass(frozen=True)
class Vocabulary:
    """Ranges of a document's scalars by name, and what always holds between them (where a bound has all of them)."""

    ranges: Mapping[str, Range] = field(default_factory=dict)
    relations: tuple[Condition, ...] = ()

    def of(self, symbol: Any) -> Range:
        """The range of a sympy symbol: declared by name, otherwise as far as its assumptions say.

        A matrix (a non-commutative symbol) may have any entries.
        """
        if not symbol.is_commutative:
            return REAL
        if symbol.name in self.ranges:
            return self.ranges[symbol.name]
        low = 0.0 if symbol.is_nonnegative else -math.inf
        return Range(low, open_low=bool(symbol.is_positive), whole=bool(symbol.is_integer))


def among(**groups: tuple[Range, str]) -> dict[str, Range]:
    """Ranges by name from groups ``(range, "name name ...")``; the keys only say what the group is.

    Raises
    ------
    ValueError : a name stands in two groups.
    """
    found: dict[str, Range] = {}
    for group, (where, names) in groups.items():
        for name in names.split():
            if name in found:
                raise ValueError(f"symbol {name!r} of group {group!r} has a range already")
            found[name] = where
    return found


def symbol_values(name: str, value: object, owner: str, *, finite: bool = True) -> Floats:
    """The value of a symbol in float64.

    Raises
    ------
    ValueError : text, ``None``, truth values, complex numbers, ragged lists, ``nan`` and (with ``finite``) infinities.
    """
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}={short(value)}: {owner} needs an array with rows of equal length") from None
    if array.dtype.kind == "O":
        wrong = next((x for x in array.flat if not _is_real(x)), None)
        if wrong is not None or any(x is None for x in array.flat):
            raise ValueError(f"{name}={short(wrong)} is no real number; {owner} needs numbers")
    elif array.dtype.kind not in "iuf":
        raise ValueError(f"{name}={short(value)} is no real number; {owner} needs numbers")
    try:
        floats = np.asarray(array, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"{name}={short(value)} is too large for a float; {owner} needs smaller numbers") from None
    if finite and not np.all(np.isfinite(floats)):
        index = first_index(~np.isfinite(floats))
        raise ValueError(f"{name}={floats[index]:g}{place(index)} is not finite; {owner} needs finite numbers")
    return floats


def first_index(chosen: Truths) -> tuple[int, ...]:
    """Index of the first true entry."""
    return tuple(int(i) for i in np.argwhere(chosen)[0])


def place(index: tuple[int, ...]) -> str:
    """``" at index 3"``, ``" at index (1, 2)"``; nothing for a single number."""
    return "" if not index else f" at index {index[0] if len(index) == 1 else index}"


def _is_real(x: Any) -> bool:
    if isinstance(x, bool | np.bool_):
        return False
    return isinstance(x, Real | Fraction | Decimal) or bool(getattr(x, "is_number", False) and x.is_extended_real)


def short(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
