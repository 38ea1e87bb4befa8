"""Functionals over the registers of a program: averaged inner products and function values, with rational factors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from fltheory.kinds import Number
from fltheory.problems.numbers import decimal_fraction


@dataclass(frozen=True)
class Functional:
    """``sum c <a, b> + sum c f(r)``; ``<a, b>`` is the average over clients of the expected inner product.

    Parameters
    ----------
    inner : triples ``(c, a, b)`` of a factor and two registers.
    values : pairs ``(c, r)``; ``f(r)`` is the average value, less that at the minimiser, where the gradient ``r`` was
        taken.
    """

    inner: tuple[tuple[Fraction, int, int], ...] = ()
    values: tuple[tuple[Fraction, int], ...] = ()

    def __add__(self, other: Functional) -> Functional:
        return Functional(self.inner + other.inner, self.values + other.values)

    def __sub__(self, other: Functional) -> Functional:
        return self + other * -1

    def __mul__(self, number: Number) -> Functional:
        factor = decimal_fraction(number)
        return Functional(
            tuple((factor * c, a, b) for c, a, b in self.inner), tuple((factor * c, r) for c, r in self.values)
        )

    __rmul__ = __mul__


def inner(a: int, b: int) -> Functional:
    """``<a, b>``."""
    return Functional(((Fraction(1), a, b),))


def square(a: int) -> Functional:
    """``<a, a>``."""
    return inner(a, a)


def value(gradient: int) -> Functional:
    """The average function value at the point where the gradient register was taken."""
    return Functional((), ((Fraction(1), gradient),))


@dataclass(frozen=True)
class Assumption:
    """``functional <= bound * scale`` if ``bound`` names a quantity, ``functional <= 0`` if it does not."""

    functional: Functional
    bound: str | None
    scale: Fraction = Fraction(1)
