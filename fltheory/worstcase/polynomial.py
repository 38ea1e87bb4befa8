"""Polynomials in the step size ``eta`` and the modulus ``mu`` with rational coefficients, and their Bernstein form.

A method may divide by its step size what it has multiplied by it: powers may be negative on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb
from typing import Any

from fltheory.problems.numbers import decimal_fraction
from fltheory.readings.numbers import Numbers

Powers = tuple[int, int]
Box = tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]


class Polynomial:
    """``sum c eta^i mu^j``; immutable; mixes with rationals."""

    __slots__ = ("terms",)
    __array_ufunc__ = None

    def __init__(self, terms: Mapping[Powers, Fraction]) -> None:
        self.terms = {powers: c for powers, c in terms.items() if c}

    @classmethod
    def of(cls, value: Any) -> Polynomial:
        """A rational as a constant; a polynomial as it is."""
        return value if isinstance(value, Polynomial) else cls({(0, 0): decimal_fraction(value)})

    def _other(self, other: object) -> Polynomial | None:
        if isinstance(other, Polynomial):
            return other
        return Polynomial.of(other) if isinstance(other, (int, Fraction)) else None

    def __add__(self, other: Any) -> Any:
        right = self._other(other)
        if right is None:
            return NotImplemented
        total = dict(self.terms)
        for powers, c in right.terms.items():
            total[powers] = total.get(powers, Fraction(0)) + c
        return Polynomial(total)

    def __mul__(self, other: Any) -> Any:
        right = self._other(other)
        if right is None:
            return NotImplemented
        total: dict[Powers, Fraction] = {}
        for (i, j), a in self.terms.items():
            for (k, n), b in right.terms.items():
                total[i + k, j + n] = total.get((i + k, j + n), Fraction(0)) + a * b
        return Polynomial(total)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Polynomial:
        return Polynomial({powers: -c for powers, c in self.terms.items()})

    def __sub__(self, other: Any) -> Any:
        right = self._other(other)
        return NotImplemented if right is None else self + -right

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, other: Any) -> Any:
        right = self._other(other)
        if right is None or len(right.terms) != 1:
            raise TypeError("a quotient of polynomials is no polynomial: only one with a single term divides")
        (((i, j), c),) = right.terms.items()
        return self * Polynomial({(-i, -j): 1 / c})

    def __rtruediv__(self, other: Any) -> Any:
        return Polynomial.of(other) / self

    def __pow__(self, exponent: int) -> Polynomial:
        total = Polynomial.of(1)
        for _ in range(exponent):
            total = total * self
        return total

    def __eq__(self, other: object) -> bool:
        right = self._other(other)
        return right is not None and self.terms == right.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __repr__(self) -> str:
        return f"Polynomial({self.terms})"

    @property
    def degrees(self) -> Powers:
        """Degrees in ``eta`` and ``mu``."""
        return max((i for i, _ in self.terms), default=0), max((j for _, j in self.terms), default=0)

    def value_at(self, eta: Fraction, mu: Fraction) -> Fraction:
        """The value at a point."""
        return sum((c * eta**i * mu**j for (i, j), c in self.terms.items()), Fraction(0))

    def bernstein(self, box: Box, degrees: Powers) -> list[Fraction]:
        """Coefficients in the Bernstein basis of the box, index ``k (degree_mu + 1) + l``.

        With ``eta = a + (b - a) s``: ``s^i = sum_{k>=i} C(k, i)/C(n, i) B_k^n(s)``.
        """
        if any(i < 0 or j < 0 for i, j in self.terms):
            raise ValueError(f"{self!r} has a negative power: it is no polynomial, and has no Bernstein form")
        (a, b), (c, d) = box
        powers: dict[Powers, Fraction] = {}
        for (i, j), factor in self.terms.items():
            for p in range(i + 1):
                for q in range(j + 1):
                    entry = factor * comb(i, p) * a ** (i - p) * (b - a) ** p * comb(j, q) * c ** (j - q) * (d - c) ** q
                    powers[p, q] = powers.get((p, q), Fraction(0)) + entry
        n, m = degrees
        if self.degrees[0] > n or self.degrees[1] > m:
            raise ValueError(f"degrees={degrees} are below those of the polynomial, {self.degrees}")
        return [
            sum(
                (
                    e * Fraction(comb(k, p), comb(n, p)) * Fraction(comb(j, q), comb(m, q))
                    for (p, q), e in powers.items()
                ),
                Fraction(0),
            )
            for k in range(n + 1)
            for j in range(m + 1)
        ]


ETA = Polynomial({(1, 0): Fraction(1)})
MU = Polynomial({(0, 1): Fraction(1)})
POLYNOMIALS = Numbers("polynomial", Polynomial.of, object)
