"""Integer relations between real numbers that are known to many digits: the lattice reduction of Lenstra, Lenstra and Lovasz.

What is found is a guess: a relation that holds to all digits known and whose integers are much smaller than chance would have
them.  Nobody should believe it before it is proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

#: A relation is one if its integers have at most this share of the digits that chance would give them.
SHARE = 0.8


def shortened(basis: Sequence[Sequence[int]]) -> list[list[int]]:
    """A reduced basis of the lattice that independent integer rows span (all numbers stay integers; delta = 3/4)."""
    rows = [list(row) for row in basis]
    size = len(rows)
    d = [1] + [0] * size
    lam = [[0] * size for _ in range(size)]

    def orthogonalise(k: int) -> None:
        for j in range(k + 1):
            u = sum(a * b for a, b in zip(rows[k], rows[j], strict=True))
            for i in range(j):
                u = (d[i + 1] * u - lam[k][i] * lam[j][i]) // d[i]
            if j < k:
                lam[k][j] = u
            else:
                d[k + 1] = u

    def reduce(k: int, i: int) -> None:
        if 2 * abs(lam[k][i]) <= d[i + 1]:
            return
        q = (2 * lam[k][i] + d[i + 1]) // (2 * d[i + 1])
        rows[k] = [a - q * b for a, b in zip(rows[k], rows[i], strict=True)]
        lam[k][i] -= q * d[i + 1]
        for j in range(i):
            lam[k][j] -= q * lam[i][j]

    def swap(k: int, last: int) -> None:
        rows[k], rows[k - 1] = rows[k - 1], rows[k]
        for j in range(k - 1):
            lam[k][j], lam[k - 1][j] = lam[k - 1][j], lam[k][j]
        x = lam[k][k - 1]
        b = (d[k - 1] * d[k + 1] + x * x) // d[k]
        for i in range(k + 1, last + 1):
            t = lam[i][k]
            lam[i][k] = (d[k + 1] * lam[i][k - 1] - x * t) // d[k]
            lam[i][k - 1] = (b * t + x * lam[i][k]) // d[k + 1]
        d[k] = b

    orthogonalise(0)
    k = last = 1
    if size > 1:
        orthogonalise(1)
    while k < size:
        reduce(k, k - 1)
        if 4 * (d[k + 1] * d[k - 1] + lam[k][k - 1] ** 2) < 3 * d[k] ** 2:
            swap(k, last)
            k = max(1, k - 1)
            continue
        for i in range(k - 2, -1, -1):
            reduce(k, i)
        k += 1
        if last < k < size:
            last = k
            orthogonalise(k)
    return rows


def relation(numbers: Sequence[Fraction], digits: int) -> list[int] | None:
    """Integers c, not all zero, with ``sum c_i x_i = 0`` to so many digits, much smaller than chance; ``None`` if none are seen."""
    scale = 10**digits
    rows = [[int(i == j) for j in range(len(numbers))] + [round(x * scale)] for i, x in enumerate(numbers)]
    found = min(shortened(rows), key=lambda row: sum(entry * entry for entry in row))
    chance = digits / len(numbers)
    return found[:-1] if len(str(max(map(abs, found)))) <= SHARE * chance else None


def minimal_polynomial(number: Fraction, digits: int, most: int) -> list[int] | None:
    """The polynomial of least degree, at most ``most``, that seems to have this root; constant term first, content one."""
    for degree in range(1, most + 1):
        found = relation([number**k for k in range(degree + 1)], digits)
        if found is not None and any(found[1:]):
            while not found[-1]:
                found.pop()
            return found if found[-1] > 0 else [-c for c in found]
    return None


def in_powers(number: Fraction, theta: Fraction, polynomial: Sequence[int], digits: int) -> list[Fraction] | None:
    """Coefficients of ``number`` in the powers of theta, a root of the polynomial, if it seems to be in its field.

    ``number`` times the polynomial's derivative at theta has smaller ones.
    """
    degree = len(polynomial) - 1
    slope = sum((k * c * theta ** (k - 1) for k, c in enumerate(polynomial) if k), Fraction(0))
    found = relation([*(theta**k for k in range(degree)), number * slope], digits)
    if found is None or not found[-1]:
        return None
    return [Fraction(-c, found[-1]) for c in found[:-1]]
