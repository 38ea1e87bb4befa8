"""Rational bounds as decimals that remain bounds: upper ones are rounded up, lower ones down.

``float(bound):.9g`` rounds to the nearest: an upper bound of 1/3 would print as 0.333333333, which is below it, and 1e-400 as 0.
"""

from __future__ import annotations

import math
from fractions import Fraction

#: Significant digits that are printed.
DIGITS = 9
#: Bits before the point of a power that is bounded; those kept of its factors.
MOST_BITS, _POWER_BITS = 2**16, 256
#: Powers of two below which a power counts as nothing or as ``LEAST``.
LEAST_PLACE = 4096
LEAST = Fraction(1, 2**LEAST_PLACE)


def upward(number: Fraction, digits: int = DIGITS) -> str:
    """The smallest decimal of so many significant digits that is at least ``number``; exact where it is one of them."""
    return _decimal(Fraction(number), digits, up=True)


def downward(number: Fraction, digits: int = DIGITS) -> str:
    """The largest decimal of so many significant digits that is at most ``number``; exact where it is one of them."""
    return _decimal(Fraction(number), digits, up=False)


def root_upward(number: Fraction, degree: int, digits: int = DIGITS) -> str:
    """A decimal that is at least the ``degree``-th root of a number that is not negative, less than a unit of it above."""
    return _root(Fraction(number), degree, digits, up=True)


def root_downward(number: Fraction, degree: int, digits: int = DIGITS) -> str:
    """A decimal that is at most the ``degree``-th root of a number that is not negative, less than a unit of it below."""
    return _root(Fraction(number), degree, digits, up=False)


def power_bounds(base: Fraction, exponent: int) -> tuple[Fraction, Fraction]:
    """A lower and an upper bound, equal in their first 60 decimals, of a power of a number that is not negative.

    A power below ``LEAST``, which is far below all floats, lies between 0 and that.

    Raises
    ------
    ValueError : a power of more than ``MOST_BITS`` bits before the point.
    """
    found = []
    for up in (False, True):
        power, square = (1, 0), _rounded(Fraction(base), up)
        for bit in reversed(f"{exponent:b}"):
            power = _cut(power[0] * square[0], power[1] + square[1], up) if bit == "1" else power
            square = _cut(square[0] ** 2, 2 * square[1], up)
        mantissa, place = power
        size = mantissa.bit_length() + place
        if mantissa and size > MOST_BITS:
            raise ValueError(f"the power has more than {MOST_BITS} bits before the point")
        if not mantissa or size < -LEAST_PLACE:
            found.append(LEAST if mantissa and up else Fraction(0))
        else:
            found.append(mantissa * Fraction(2) ** place)
    return found[0], found[1]


def _rounded(number: Fraction, up: bool) -> tuple[int, int]:
    """A number as a whole number times a power of two, rounded up or down to ``_POWER_BITS`` bits or one more."""
    place = number.numerator.bit_length() - number.denominator.bit_length() - _POWER_BITS
    scaled = number / Fraction(2) ** place
    whole = scaled.numerator // scaled.denominator
    return whole + (up and scaled != whole), place


def _cut(mantissa: int, place: int, up: bool) -> tuple[int, int]:
    """The same with a shorter whole number, rounded up or down."""
    beyond = mantissa.bit_length() - _POWER_BITS
    if beyond <= 0:
        return mantissa, place
    return (-((-mantissa) >> beyond) if up else mantissa >> beyond), place + beyond


def _root(number: Fraction, degree: int, digits: int, *, up: bool) -> str:
    if degree == 1 or not number:
        return _decimal(number, digits, up=up)
    # digits of the root: an integer root of number * scale^degree, with two more than are printed
    places = digits + 2 - _leading(number) // degree
    scale = Fraction(10) ** places
    top = number * scale**degree
    low, high = 0, 10 ** (digits + 6)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= top else (low, middle)
    found = low if not up or Fraction(low) ** degree == top else high
    return _decimal(Fraction(found) / scale, digits, up=up)


def _leading(number: Fraction) -> int:
    """The exponent of the first significant digit."""
    size = abs(number)
    exponent = math.floor((size.numerator.bit_length() - size.denominator.bit_length() - 1) * math.log10(2))
    while size >= Fraction(10) ** (exponent + 1):  # at most two steps: a power of two above or below, and the logarithm
        exponent += 1
    while size < Fraction(10) ** exponent:
        exponent -= 1
    return exponent


def _decimal(number: Fraction, digits: int, *, up: bool) -> str:
    if not number:
        return "0"
    exponent = _leading(number)
    scaled = number / Fraction(10) ** (exponent - digits + 1)
    whole = -((-scaled.numerator) // scaled.denominator) if up else scaled.numerator // scaled.denominator
    sign, text = "-" if whole < 0 else "", str(abs(whole))
    if len(text) > digits:  # rounded to the next power of ten
        exponent += 1
    text = text.rstrip("0")
    if -5 <= exponent < digits:
        if exponent < 0:
            return f"{sign}0.{'0' * (-exponent - 1)}{text}"
        text = text.ljust(exponent + 1, "0")
        return sign + text[: exponent + 1] + (f".{text[exponent + 1 :]}" if len(text) > exponent + 1 else "")
    return (
        f"{sign}{text[0]}{'.' + text[1:] if len(text) > 1 else ''}e{'+' if exponent >= 0 else '-'}{abs(exponent):02d}"
    )


def as_float(number: Fraction | None, direction: int) -> float | None:
    """The float next to a rational above (``direction`` 1) or below (-1) it, the number itself if it is one; ``None`` stays."""
    if number is None:
        return None
    try:
        near = float(number)
    except OverflowError:
        largest = math.nextafter(math.inf, 0)
        outside = math.inf if number > 0 else -math.inf
        return outside if (number > 0) == (direction > 0) else math.copysign(largest, outside)
    exact = Fraction(near)
    if exact == number or (exact > number) == (direction > 0):
        return near
    return math.nextafter(near, math.inf * direction)
