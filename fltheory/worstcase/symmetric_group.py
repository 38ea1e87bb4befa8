"""Polynomials whose Galois group is the full symmetric one, shown by two primes.

Let p divide neither the leading coefficient nor the discriminant of an irreducible polynomial of degree n.  By Dedekind, its Galois
group has an element whose cycles, on the roots, are as long as the degrees of the factors modulo p.  Irreducible: the group is
transitive.  A cycle of length n - 1 and a fixed root: it is transitive on pairs, so that it is primitive.  A cycle of length 2
beside cycles of odd lengths: a power of the element is a transposition, and a primitive group with one is symmetric (Jordan).
From degree 5 on that group is not solvable: no root can be written with rationals, the four operations and roots.
"""

from __future__ import annotations

from collections.abc import Sequence

#: Primes that are tried.
MOST_PRIME = 2000


def degrees_modulo(polynomial: Sequence[int], prime: int) -> list[int] | None:
    """Degrees of the factors modulo a prime, constant term first; ``None`` where the prime divides what it must not."""
    import sympy as sp

    if polynomial[-1] % prime == 0:
        return None
    factors = sp.Poly(list(polynomial)[::-1], sp.Symbol("v"), modulus=prime).factor_list()[1]
    return sorted(factor.degree() for factor, _ in factors) if all(power == 1 for _, power in factors) else None


def symmetric_witness(polynomial: Sequence[int], most: int = MOST_PRIME) -> tuple[int, int] | None:
    """Primes with an (n-1)-cycle and with a transposition's multiple, for an irreducible polynomial of degree n >= 3."""
    import sympy as sp

    cycle = swap = None
    size = len(polynomial) - 1
    if size < 3:
        return None
    for prime in sp.primerange(2, most):
        degrees = degrees_modulo(polynomial, prime)
        if degrees is None:
            continue
        cycle = prime if cycle is None and degrees == [1, size - 1] else cycle
        swap = prime if swap is None and [d for d in degrees if d % 2 == 0] == [2] else swap
        if cycle and swap:
            return int(cycle), int(swap)
    return None
