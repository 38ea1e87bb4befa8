"""Numbers of a field ``Q(theta)``, theta a real root of a polynomial with rational coefficients, in exact arithmetic.

An element is a polynomial in theta of a degree below that of the field's polynomial.  Its sign is found by an enclosure of theta
that is halved until the element's enclosure does not contain zero.  What is called zero is zero, and what is called positive is
positive, even if the polynomial were reducible; only then might an inverse or a sign not be found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

#: An enclosure is not halved more often than this.
MOST_HALVINGS = 3_000
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass
class Field:
    """``polynomial`` from the constant term upwards; theta is its root between ``low`` and ``high``.

    Raises
    ------
    ValueError : the polynomial does not change its sign there, or its derivative is not shown to keep its own: no single root.
    """

    polynomial: tuple[Fraction, ...]
    low: Fraction
    high: Fraction
    _halvings: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        self.polynomial = tuple(Fraction(c) for c in self.polynomial)
        if len(self.polynomial) < 2 or not self.polynomial[-1] or not self.low < self.high:
            raise ValueError(f"no polynomial with a root between {self.low} and {self.high}")
        slope = [k * c for k, c in enumerate(self.polynomial)][1:]
        bottom, top = enclosure(slope, self.low, self.high)
        self._rises = value(self.polynomial, self.low) < 0
        if value(self.polynomial, self.low) * value(self.polynomial, self.high) >= 0 or bottom <= 0 <= top:
            raise ValueError(f"the polynomial is not shown to have one simple root between {self.low} and {self.high}")
        self._first = self.low, self.high

    @property
    def degree(self) -> int:
        """The degree of the polynomial."""
        return len(self.polynomial) - 1

    @property
    def isolated(self) -> tuple[Fraction, Fraction]:
        """The ends that were given."""
        return self._first

    def element(self, coefficients: Sequence[Any]) -> Element:
        """``sum c_k theta^k``."""
        return Element(self, reduced(list(map(Fraction, coefficients)), self.polynomial))

    @property
    def theta(self) -> Element:
        """The root."""
        return self.element([0, 1])

    def halve(self) -> None:
        """Halve the enclosure of theta.

        Raises
        ------
        ArithmeticError : it was halved too often.
        """
        self._halvings += 1
        if self._halvings > MOST_HALVINGS:
            raise ArithmeticError("a sign is not found: the polynomial may be reducible")
        middle = (self.low + self.high) / 2
        if (value(self.polynomial, middle) < 0) == self._rises:
            self.low = middle
        else:
            self.high = middle


@dataclass(frozen=True, eq=False)
class Element:
    """``sum coefficients[k] theta^k``; mixes with rationals."""

    field: Field
    coefficients: tuple[Fraction, ...]

    def __bool__(self) -> bool:
        return any(self.coefficients)

    def _other(self, other: Any) -> Element:
        return other if isinstance(other, Element) else self.field.element([other])

    def __add__(self, other: Any) -> Element:
        right = self._other(other)
        return Element(self.field, tuple(a + b for a, b in zip(self.coefficients, right.coefficients, strict=True)))

    def __neg__(self) -> Element:
        return Element(self.field, tuple(-a for a in self.coefficients))

    def __sub__(self, other: Any) -> Element:
        return self + -self._other(other)

    def __rsub__(self, other: Any) -> Element:
        return self._other(other) + -self

    def __mul__(self, other: Any) -> Element:
        if not isinstance(other, Element):
            factor = Fraction(other)
            return Element(self.field, tuple(factor * a for a in self.coefficients))
        total = [ZERO] * (2 * self.field.degree - 1)
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                if a and b:
                    total[i + j] += a * b
        return Element(self.field, reduced(total, self.field.polynomial))

    __radd__ = __add__
    __rmul__ = __mul__

    def inverse(self) -> Element:
        """``1/x``, by the extended algorithm of Euclid.

        Raises
        ------
        ZeroDivisionError : the element is zero, or has a factor in common with the field's polynomial.
        """
        a, b = list(self.field.polynomial), _trimmed(list(self.coefficients))
        s, t = [ZERO], [ONE]
        while len(b) > 1:
            quotient, rest = _divided(a, b)
            a, b = b, rest
            s, t = t, _minus(s, _times(quotient, t))
        if not b or not b[0]:
            raise ZeroDivisionError("no inverse in the field")
        return self.field.element([c / b[0] for c in t])

    def __truediv__(self, other: Any) -> Element:
        return self * (other.inverse() if isinstance(other, Element) else 1 / Fraction(other))

    def __rtruediv__(self, other: Any) -> Element:
        return self._other(other) * self.inverse()

    def sign(self) -> int:
        """-1, 0 or 1."""
        if not self:
            return 0
        while True:
            bottom, top = enclosure(self.coefficients, self.field.low, self.field.high)
            if bottom > 0 or top < 0:
                return 1 if bottom > 0 else -1
            self.field.halve()

    def __lt__(self, other: Any) -> bool:
        return bool((self - other).sign() < 0)

    def __gt__(self, other: Any) -> bool:
        return bool((self - other).sign() > 0)

    def __le__(self, other: Any) -> bool:
        return not self > other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def enclosed(self, width: Fraction) -> tuple[Fraction, Fraction]:
        """Rationals around the element, no further apart than ``width``."""
        while True:
            bottom, top = enclosure(self.coefficients, self.field.low, self.field.high)
            if top - bottom <= width:
                return bottom, top
            self.field.halve()

    def __float__(self) -> float:
        bottom, top = self.enclosed(Fraction(1, 10**20))
        return float((bottom + top) / 2)


def value(polynomial: Sequence[Fraction], x: Fraction) -> Fraction:
    """A polynomial at a rational."""
    total = ZERO
    for c in reversed(polynomial):
        total = total * x + c
    return total


def enclosure(polynomial: Sequence[Fraction], low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of a polynomial between two rationals, by Horner's rule on intervals."""
    bottom, top = ZERO, ZERO
    for c in reversed(polynomial):
        ends = [bottom * low, bottom * high, top * low, top * high]
        bottom, top = min(ends) + c, max(ends) + c
    return bottom, top


def reduced(coefficients: list[Fraction], polynomial: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The rest of a division by the polynomial, as long as its degree."""
    degree = len(polynomial) - 1
    _, rest = _divided(coefficients, list(polynomial))
    return tuple(rest + [ZERO] * (degree - len(rest)))


def _trimmed(coefficients: list[Fraction]) -> list[Fraction]:
    while coefficients and not coefficients[-1]:
        coefficients.pop()
    return coefficients


def _divided(a: list[Fraction], b: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """Quotient and rest of a division of polynomials, both trimmed."""
    rest, quotient = _trimmed(list(a)), [ZERO] * max(0, len(a) - len(b) + 1)
    while len(rest) >= len(b):
        shift, factor = len(rest) - len(b), rest[-1] / b[-1]
        quotient[shift] = factor
        for k, c in enumerate(b):
            rest[shift + k] -= factor * c
        rest.pop()
        _trimmed(rest)
    return _trimmed(quotient), rest


def _times(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    total = [ZERO] * max(0, len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            total[i + j] += x * y
    return _trimmed(total)


def _minus(a: list[Fraction], b: list[Fraction]) -> list[Fraction]:
    size = max(len(a), len(b))
    return _trimmed([(a[k] if k < len(a) else ZERO) - (b[k] if k < len(b) else ZERO) for k in range(size)])
