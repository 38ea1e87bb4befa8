"""The number of a round in exact readings: quotients of it are rationals, and a float names its cure."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.kinds import Number
from fltheory.problems.numbers import decimal_fraction

#: A float whose nearest fraction has a smaller denominator than this was meant to be that fraction: 1/3 for 0.333...
_DENOMINATORS = 10_000


class ExactRound(int):
    """An integer whose sums and products with integers are of its kind, and whose quotients are ``Fraction``.

    So ``1 / (fed.round + 2)`` and ``t / (t + 1)`` with ``t = fed.round + 1`` are the rationals that are meant, where
    plain integers would give floats.  All else is as for ``int``: it is an index, a length, equal to the integer it
    is.
    """

    __slots__ = ()

    def _closed(self, name: str, other: Any) -> Any:
        """An integer's operation with an integer, kept in this kind; others answer for themselves."""
        if not isinstance(other, (int, np.integer)):
            return NotImplemented
        found = getattr(int, name)(self, int(other))
        return ExactRound(found) if type(found) is int else found

    def __add__(self, other: Any) -> Any:
        return self._closed("__add__", other)

    def __radd__(self, other: Any) -> Any:
        return self._closed("__radd__", other)

    def __sub__(self, other: Any) -> Any:
        return self._closed("__sub__", other)

    def __rsub__(self, other: Any) -> Any:
        return self._closed("__rsub__", other)

    def __mul__(self, other: Any) -> Any:
        return self._closed("__mul__", other)

    def __rmul__(self, other: Any) -> Any:
        return self._closed("__rmul__", other)

    def __floordiv__(self, other: Any) -> Any:
        return self._closed("__floordiv__", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._closed("__rfloordiv__", other)

    def __mod__(self, other: Any) -> Any:
        return self._closed("__mod__", other)

    def __rmod__(self, other: Any) -> Any:
        return self._closed("__rmod__", other)

    def __neg__(self) -> Any:
        return ExactRound(-int(self))

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is not None or not isinstance(other, (int, np.integer)):
            return int.__pow__(self, other, modulus)
        return _power(int(self), int(other))

    def __rpow__(self, other: Any, modulus: Any = None) -> Any:
        if modulus is not None or not isinstance(other, (int, np.integer)):
            return NotImplemented
        return _power(int(other), int(self))

    def __truediv__(self, other: Any) -> Any:
        return Fraction(int(self), int(other)) if isinstance(other, (int, np.integer)) else NotImplemented

    def __rtruediv__(self, other: Any) -> Any:
        return Fraction(int(other), int(self)) if isinstance(other, (int, np.integer)) else NotImplemented


def _power(base: int, exponent: int) -> Any:
    return ExactRound(base**exponent) if exponent >= 0 else Fraction(base) ** exponent


def with_cure(convert: Callable[[Number], Any], number: Number) -> Any:
    """``convert(number)``; where a float is refused, the rational to write in its place is named.

    Raises
    ------
    TypeError : a float, with the cure: a rounded number is not the one that was meant, and nothing exact follows from
        it.
    """
    try:
        return convert(number)
    except TypeError as error:
        if not isinstance(number, (float, np.floating)) or not np.isfinite(number):
            raise
        meant = decimal_fraction(number)
        near = meant.limit_denominator(_DENOMINATORS)
        meant = near if float(near) == float(number) else meant
        raise TypeError(
            f"{error} (there a float is read as its shortest decimal), or write Fraction({meant.numerator}, "
            f"{meant.denominator}) in the round; a quotient of integers is Fraction(a, b), or one of fed.round"
        ) from None
