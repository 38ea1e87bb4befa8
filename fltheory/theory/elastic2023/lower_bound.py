r"""Lemma 9 and Theorem II of the elastic aggregation supplement: the least final error over all sequences of step sizes.

| symbol   | meaning                                                                              |
|----------|--------------------------------------------------------------------------------------|
| G, mu    | of the pair f_1 = mu x^2 + G x, f_2 = -G x                                           |
| K, R     | local steps, rounds                                                                  |
| x_0      | the start, positive                                                                  |
| D        | f(x^0) - f*                                                                          |

In the unit G/(4 mu) a round of the recursion (21) is z' = (1 + z) q^K + K (1 - q) - 1, q = 1 - 2 mu eta, and its
least value over q is
M(z) = (K - 1) (1 - (1 + z)^(-1/(K-1))); with two local steps that is z/(1 + z).  In the unit G/(2 mu) a round of
the pair with equal
weights has the least value (v + M(v))/2.  Both are increasing, so that the least final value is the R-fold composition.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from fltheory.theory import ranges
from fltheory.theory.conditions import Condition
from fltheory.theory.elastic2023.vocabulary import Bound

mu, G, K, R, r, x_0, D = sp.symbols("mu G K R r x_0 D")

#: What the print compares x^R with.
LEAST = sp.Min(x_0, G / (mu * R))
LEAST_GAP = sp.Min(D, G**2 / (2 * mu * R**2))
_NAMES = {"x_0": "x^0", "D": r"\left(f(x^0)-f^\star\right)"}
#: What the symbols stand for.
RANGES = {name: ranges.POSITIVE for name in ("mu", "G", "x_0")} | {
    "D": ranges.NONNEGATIVE,
    "R": ranges.COUNT,
    "K": ranges.COUNT,
    "r": ranges.COUNT,
}
_TWO = Condition("K >= 2", sp.Ge(K, 2))
_UP_TO_R = Condition("r <= R", sp.Le(r, R))
RECURSION = Condition("x^1, ..., x^R obey (21), x^0 > 0")
HALF_STEPS = Condition("0 <= eta_r <= 1/(2 mu)")
ANY_STEPS = Condition("0 <= eta_r <= 1/mu")
EVEN = Condition("K even")
PAIR = Condition("the run is that of the pair from x^0 > 0, the linear client has one weight a >= 1/2 in all rounds")


def _bound(name: str, row: str, left: str, right: sp.Expr, *conditions: Condition, relation: str = ">=") -> Bound:
    return Bound(name, name, left, right, (_TWO, *conditions), relation, _NAMES, ids=(row,), ranges=RANGES)


_LEMMA_9 = (K - 1) / (3 * K - 1) * LEAST
_THEOREM_2 = 2 * (K - 1) / (3 * K - 2)
LEMMA_9 = _bound(
    "Lemma 9, with its best constant", "EL-LEM9[step sizes up to 1/(2 mu)]", "x^R", _LEMMA_9, RECURSION, HALF_STEPS
)
LEMMA_9_EVEN = _bound("Lemma 9, even numbers of steps", "EL-LEM9-R1", "x^R", _LEMMA_9, RECURSION, ANY_STEPS, EVEN)
FROM_ANY_START = _bound(
    "Lemma 9 from any start",
    "EL-LEM9-S1",
    "x^r",
    x_0 / (1 + 2 * K / (K - 1) * mu * r * x_0 / G),
    RECURSION,
    HALF_STEPS,
)
NEARLY = _bound(
    "steps that nearly attain Lemma 9",
    "EL-LEM9-S2",
    "x^r",
    G / (mu * R) / (1 + 2 * K / (K - 1) * (1 - 4 / R) * r / R),
    Condition("R >= 4", sp.Ge(R, 4)),
    _UP_TO_R,
    Condition("(21) with equality, x^0 = G/(mu R)"),
    relation="<=",
)
THEOREM_2 = _bound(
    "proof of Theorem II, with its best constant", "EL-THM2-S1", "x^R", _THEOREM_2 * LEAST, PAIR, ANY_STEPS
)
THEOREM_2_GAP = _bound(
    "Theorem II with a constant", "EL-THM2-S1", r"f(x^R)-f^\star", _THEOREM_2**2 * LEAST_GAP, PAIR, ANY_STEPS
)
NEARLY_OF_THE_PAIR = _bound(
    "steps that nearly attain Theorem II",
    "EL-THM2-S3",
    "x^r",
    G / (mu * R) / (1 + K / (2 * (K - 1)) * (1 - 2 / R) * r / R),
    Condition("R >= 2", sp.Ge(R, 2)),
    _UP_TO_R,
    Condition("the run of the pair with equal weights from x^0 = G/(mu R)"),
    relation="<=",
)
VARIANT = _bound(
    "Theorem II for two strongly convex clients",
    "EL-T2-ALT[step sizes up to 1/(2 mu)]",
    "x^R",
    sp.Rational(2, 11) * LEAST,
    Condition(
        "the run is that of f_1 = mu x^2 + G x, f_2 = mu x^2/2 - G x from x^0 > 0, f_2 has one weight a >= 1/2 in all rounds"
    ),
    Condition("0 <= eta_r <= 1/(2 mu), or up to 1/mu if K is even"),
)

Interval = tuple[Fraction, Fraction]
_DIGITS = 60
_SCALE = 10**_DIGITS


def _outwards(low: Fraction, high: Fraction) -> Interval:
    """Short numbers at or below the one and at or above the other."""
    return Fraction((low * _SCALE).__floor__(), _SCALE), Fraction((high * _SCALE).__ceil__(), _SCALE)


def root_between(w: Fraction, degree: int) -> Interval:
    """Rational numbers at or below and above ``w^(-1/degree)`` for w >= 1."""
    below = sp.integer_nthroot(w.denominator * _SCALE**degree // w.numerator, degree)[0]
    return Fraction(int(below), _SCALE), Fraction(int(below) + 1, _SCALE)


def least_round(z: Interval, local_steps: int) -> Interval:
    """``M(z) = (K - 1) (1 - (1 + z)^(-1/(K-1)))``, which is increasing: from the ends of an enclosure of z >= 0."""
    n = local_steps - 1
    return _outwards(n * (1 - root_between(1 + z[0], n)[1]), n * (1 - root_between(1 + z[1], n)[0]))


def least_round_of_the_pair(v: Interval, local_steps: int) -> Interval:
    """``(v + M(v))/2``: a round of the pair with equal weights."""
    low, high = least_round(v, local_steps)
    return _outwards((v[0] + low) / 2, (v[1] + high) / 2)


def least_final(
    start: Fraction, rounds: int, local_steps: int, one_round: Callable[[Interval, int], Interval]
) -> Interval:
    """The R-fold composition of a round, enclosed.

    Raises
    ------
    ValueError : fewer than one round or two local steps, or a start that is not positive.
    """
    if rounds < 1 or local_steps < 2 or start <= 0:
        raise ValueError(f"rounds={rounds}, local_steps={local_steps}, start={start}; expected >= 1, >= 2, > 0")
    found = (start, start)
    for _ in range(rounds):
        found = one_round(found, local_steps)
    return found


def best_constant(rounds: int, local_steps: int, *, of_the_pair: bool = False) -> Interval:
    """The largest c with ``x^R >= c min(x^0, G/(mu R))`` for every start and every sequence: x^R mu R/G from x^0 =
    G/(mu R).

    That start is the worst: a round maps s z to at least s times its value at z, 0 <= s <= 1, and is increasing.
    """
    unit, one_round = (2, least_round_of_the_pair) if of_the_pair else (4, least_round)
    low, high = least_final(Fraction(unit, rounds), rounds, local_steps, one_round)
    return low * rounds / unit, high * rounds / unit


def limit_of_the_constant(local_steps: int, *, of_the_pair: bool = False) -> Fraction:
    """Its limit for many rounds, which is below every one of them: (K-1)/(3K-1), of the pair 2(K-1)/(3K-2)."""
    n = local_steps - 1
    return Fraction(2 * n, 3 * n + 1) if of_the_pair else Fraction(n, 3 * n + 2)
