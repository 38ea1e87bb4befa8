"""Numbers of all rounds at once, while an algorithm's text is followed: an array where arithmetic is Python's, entry by entry."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.kinds import Array
from fltheory.readings.round_index import RoundIndexUsed

#: Integers stay below this: their sums and products are exact, and they become floats without rounding.
LARGEST = 2**31


class RoundNumbers:
    """``fed.round`` of the rounds ``0, 1, ...`` at once, or what follows from it by ``+ - * /`` with numbers.

    These four are rounded in an array as they are in Python, so that the numbers of a round are, to the last bit, those of the
    round followed alone.  Whatever else is asked, and a division by zero, is refused.
    """

    __slots__ = ("values",)
    __array_ufunc__ = None

    def __init__(self, values: Array) -> None:
        if values.dtype.kind == "i" and np.abs(values).max(initial=0) > LARGEST:
            raise RoundIndexUsed
        self.values = values

    @classmethod
    def of(cls, rounds: int) -> RoundNumbers:
        """The index of so many rounds."""
        return cls(np.arange(rounds, dtype=np.int64))

    def __add__(self, other: Any) -> Any:
        own = _entries(other)
        return NotImplemented if own is None else self._made(np.add(self.values, own))

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        own = _entries(other)
        return NotImplemented if own is None else self._made(np.multiply(self.values, own))

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> Any:
        own = _entries(other)
        return NotImplemented if own is None else self._made(np.subtract(self.values, own))

    def __rsub__(self, other: Any) -> Any:
        own = _entries(other)
        return NotImplemented if own is None else self._made(np.subtract(own, self.values))

    def __truediv__(self, other: Any) -> Any:
        own = _entries(other)
        return NotImplemented if own is None else self._made(_ratio(self.values, own))

    def __rtruediv__(self, other: Any) -> Any:
        own = _entries(other)
        return NotImplemented if own is None else self._made(_ratio(own, self.values))

    def __neg__(self) -> RoundNumbers:
        return self._made(np.negative(self.values))

    def _made(self, values: Any) -> RoundNumbers:
        return RoundNumbers(np.asarray(values))

    def _refuse(self, *_: Any) -> Any:
        raise RoundIndexUsed

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = _refuse
    __float__ = __int__ = __index__ = __complex__ = __round__ = __abs__ = __pos__ = __invert__ = _refuse
    __pow__ = __rpow__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = _refuse


def _entries(other: Any) -> Any:
    """An operand as NumPy takes it, or ``None`` where it is no plain number."""
    if isinstance(other, RoundNumbers):
        return other.values
    if type(other) is int:
        if abs(other) > LARGEST:
            raise RoundIndexUsed
        return np.int64(other)
    return np.float64(other) if type(other) in (float, np.float64) else None


def _ratio(left: Any, right: Any) -> Any:
    if not np.all(right):
        raise RoundIndexUsed
    return np.true_divide(left, right)
