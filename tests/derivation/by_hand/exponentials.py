"""Exact numbers with exponentials, for instances whose derivations suppose some; and a rate that needs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction as Q
from functools import cache, total_ordering
from itertools import count
from typing import Any

from fltheory.derivation.draws import Attempt
from tests.derivation.by_hand.mixed_rates import AT_XS, CURVED, NEAR, ORIGIN, is_quiet, transfer_starts


@cache
def enclosed(exponent: Q, terms: int) -> tuple[Q, Q]:
    """Numbers below and above exp(exponent): so many terms of its series, for half as much until it is at most 1/2."""
    if abs(exponent) > Q(1, 2):
        low, high = enclosed(exponent / 2, terms)
        return low * low, high * high
    term, total = Q(1), Q(0)
    for n in range(1, terms + 1):
        total, term = total + term, term * exponent / n
    return total - 2 * abs(term), total + 2 * abs(term)


@total_ordering
class Exponentials:
    """A sum of numbers c exp(q), as {q: c} with c and q rational.

    By the theorem of Lindemann and Weierstrass it is zero only if every c is: what is equal is known exactly, and enclosures that
    become narrower find the sign of what is not.
    """

    def __init__(self, terms: Mapping[Q, Q]) -> None:
        self.terms = {q: c for q, c in terms.items() if c}

    @classmethod
    def of(cls, x: Any) -> Exponentials:
        return x if isinstance(x, cls) else cls({Q(0): Q(x)})

    @property
    def logarithm(self) -> Q | None:
        """q, if this is exp(q)."""
        return next(iter(self.terms)) if [*self.terms.values()] == [1] else None

    def __add__(self, other: Any) -> Exponentials:
        terms = dict(self.terms)
        for q, c in self.of(other).terms.items():
            terms[q] = terms.get(q, Q(0)) + c
        return Exponentials(terms)

    def __mul__(self, other: Any) -> Exponentials:
        terms: dict[Q, Q] = {}
        for q, c in self.terms.items():
            for p, d in self.of(other).terms.items():
                terms[q + p] = terms.get(q + p, Q(0)) + c * d
        return Exponentials(terms)

    __radd__, __rmul__ = __add__, __mul__

    def __rtruediv__(self, other: Any) -> Exponentials:
        """The quotient by one term."""
        ((q, c),) = self.terms.items()
        return self.of(other) * Exponentials({-q: 1 / c})

    def __eq__(self, other: object) -> bool:
        return self.terms == self.of(other).terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __lt__(self, other: Any) -> bool:
        return (self + self.of(other) * Q(-1)).sign() < 0

    def sign(self) -> int:
        if not self.terms:
            return 0
        for terms in count(8, 8):
            ends = [[c * x for x in enclosed(q, terms)] for q, c in self.terms.items()]
            low, high = (sum(map(end, ends), Q(0)) for end in (min, max))
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
        raise AssertionError


def exp(exponent: Q) -> Exponentials:
    return Exponentials({exponent: Q(1)})


def _two_way_rate(lines: Sequence[Any]) -> tuple[Attempt, ...]:
    """27 rounds after the first at the largest step 1/81, the fewest that the rate speaks of; D0 is as large as exp(ell) says."""
    T, ell, lam, V, C = Q(27), Q(1, 2), Q(3, 5), Q(24), Q(8)
    given: dict[str, Any] = {**AT_XS, "mu": Q(1), "T": T, "a": exp(Q(1, 54)), "Q": exp(T / 54)}
    given["there"] = lambda p: Q(p["t"] == T + 1)
    if is_quiet(lines):
        given["m"] = ORIGIN
    else:
        nu = C / 2 + V / 4
        given |= {"V": V, "C": C, "nu": nu, "e": Q(1, 81), "s": Q(1), "lam": lam, "ell": ell, "P": exp(lam)}
        given["D0"] = 40 * nu / (9 * T) * exp(ell)
    starts = transfer_starts(CURVED, at_zero=False)
    return (Attempt(int(T) + 1, noisy=1, spread=NEAR, given=given, starts=starts, functions=CURVED),)


#: By the title of a derivation, what is tried for its lines.
EXPONENTIALS: Mapping[str, Callable[[Sequence[Any]], tuple[Attempt, ...]]] = {
    "Mixed FL, 2-way Gradient Transfer, strongly convex rate": _two_way_rate,
}
