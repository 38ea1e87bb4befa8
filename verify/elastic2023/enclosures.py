"""Rational enclosures of exp, log and cube roots, so that instances with them can be compared exactly."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

Enclosure = tuple[Fraction, Fraction]

_DIGITS = 60


def _context(rounding: str) -> Context:
    return Context(prec=_DIGITS, rounding=rounding, Emin=-999_999, Emax=999_999)


def _decimal(x: Fraction, rounding: str) -> Decimal:
    context = _context(rounding)
    return context.divide(Decimal(x.numerator), Decimal(x.denominator))


def exp_between(x: Fraction) -> Enclosure:
    """Rational numbers below and above ``exp(x)``.

    The decimal exponential is correctly rounded, so that its neighbours enclose the value; exp is increasing.
    """
    low, high = _context(ROUND_FLOOR), _context(ROUND_CEILING)
    below = low.next_minus(low.exp(_decimal(x, ROUND_FLOOR)))
    above = high.next_plus(high.exp(_decimal(x, ROUND_CEILING)))
    return Fraction(below), Fraction(above)


def log_between(x: Fraction) -> Enclosure:
    """Rational numbers below and above ``log(x)``.

    Raises
    ------
    ValueError : x is not positive.
    """
    if x <= 0:
        raise ValueError(f"x={x} is not positive, so that it has no logarithm")
    low, high = _context(ROUND_FLOOR), _context(ROUND_CEILING)
    below = low.next_minus(low.ln(_decimal(x, ROUND_FLOOR)))
    above = high.next_plus(high.ln(_decimal(x, ROUND_CEILING)))
    return Fraction(below), Fraction(above)


def rounded_up(x: Fraction, *, digits: int = 8) -> Fraction:
    """The smallest multiple of ``10^-digits`` at or above ``x``: a short number for use in high powers."""
    return Fraction((x * 10**digits).__ceil__(), 10**digits)


def cube_root_between(x: Fraction, *, digits: int = 30) -> Enclosure:
    """Rational numbers at or below and above the cube root of ``x >= 0``, ``10^-digits`` apart.

    Raises
    ------
    ValueError : x is negative.
    """
    if x < 0:
        raise ValueError(f"x={x} is negative")
    scale = 10**digits
    target, low, high = x * scale**3, 0, scale * (1 + x.__ceil__())
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**3 <= target else (low, middle)
    return Fraction(low, scale), Fraction(high, scale)
