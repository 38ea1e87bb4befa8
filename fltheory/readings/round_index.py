"""The index of a round while an algorithm's text is followed: what is asked of it is written down."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any


class RoundIndexUsed(Exception):
    """The index of a round entered a computation whose result differs from round to round."""


class RoundIndex:
    """``fed.round + offset``, which answers what repeats itself and refuses the rest.

    Remainders are answered and their divisors kept in ``asked``; comparisons with constants are answered and the last
    round at which an answer may change is kept.  Whoever asks nothing else does the same in all later rounds with the
    same remainders.
    """

    __slots__ = ("asked", "value", "offset")
    __array_ufunc__ = None

    def __init__(self, value: int, asked: Asked, offset: int = 0) -> None:
        self.value = value
        self.asked = asked
        self.offset = offset

    def __mod__(self, divisor: Any) -> int:
        if not isinstance(divisor, int) or divisor < 1:
            raise RoundIndexUsed
        self.asked.divisors.add(divisor)
        return (self.value + self.offset) % divisor

    def __add__(self, other: Any) -> RoundIndex:
        if not isinstance(other, int):
            raise RoundIndexUsed
        return RoundIndex(self.value, self.asked, self.offset + other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> RoundIndex:
        if not isinstance(other, int):
            raise RoundIndexUsed
        return self + -other

    def _compared(self, other: object) -> int:
        if isinstance(other, RoundIndex) or not isinstance(other, Real) or math.isnan(other) or math.isinf(other):
            raise RoundIndexUsed
        self.asked.last = max(self.asked.last, int(float(other)) + 1 - self.offset)
        return self.value + self.offset

    def __eq__(self, other: object) -> bool:
        return bool(self._compared(other) == other)

    def __ne__(self, other: object) -> bool:
        return bool(self._compared(other) != other)

    def __lt__(self, other: Any) -> bool:
        return bool(self._compared(other) < other)

    def __le__(self, other: Any) -> bool:
        return bool(self._compared(other) <= other)

    def __gt__(self, other: Any) -> bool:
        return bool(self._compared(other) > other)

    def __ge__(self, other: Any) -> bool:
        return bool(self._compared(other) >= other)

    def __bool__(self) -> bool:
        return self != 0

    def _refuse(self, *_: Any) -> Any:
        raise RoundIndexUsed

    __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __rmod__ = _refuse
    __pow__ = __rpow__ = __divmod__ = __rdivmod__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refuse
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __neg__ = __pos__ = __abs__ = __invert__ = _refuse
    __index__ = __int__ = __float__ = __hash__ = __str__ = __repr__ = __format__ = _refuse


class Asked:
    """What was asked of round indices: divisors of remainders, and the last round that a comparison tells apart."""

    def __init__(self) -> None:
        self.divisors: set[int] = set()
        self.last = -1
