"""The least final error between two runs in rationals: one with step sizes that are named, one below every step size.

Above: (21), or the round of the pair, by its definition at a rational q = 1 - 2 mu eta near the best one.  Below:
for every number y with
(1 + z) y^(K-1) >= 1 a round leaves at least K - 1 - (K - 1) y of z, whatever q in [0, 1] is (``powers.POWERS`` at
the best y, which is
smaller).  Rounds are increasing, so that each run may be rounded outwards.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from fltheory.evidence.model import Evidence, Outcome, Rung

_DIGITS = 40
_SCALE = 10**_DIGITS
Table = Mapping[int, Sequence[str]]


def _near_root(w: Fraction, degree: int) -> Fraction:
    """About w^(-1/degree); nothing rests on how near."""
    with localcontext() as context:
        context.prec = _DIGITS + 5
        root = (Decimal(w.numerator) / Decimal(w.denominator)) ** (-1 / Decimal(degree))
        return Fraction(round(Fraction(root) * _SCALE), _SCALE)


def _by_definition(x: Fraction, q: Fraction, local_steps: int, of_the_pair: bool) -> Fraction:
    """A round with mu = G = 1: (21), or the mean of the two clients after their local steps."""
    eta = (1 - q) / 2
    if not of_the_pair:
        return x * q**local_steps + eta / 2 * sum(1 - q**t for t in range(local_steps))
    first = second = x
    for _ in range(local_steps):
        first, second = first - eta * (2 * first + 1), second + eta
    return (first + second) / 2


def between(rounds: int, local_steps: int, *, of_the_pair: bool = False) -> tuple[Fraction, Fraction]:
    """Ends of the least x^R R from x^0 = 1/R, mu = G = 1.

    Raises
    ------
    ArithmeticError : a number that was to be above the best y is not.
    """
    n, unit = local_steps - 1, 2 if of_the_pair else 4
    above = below = Fraction(1, rounds)
    for _ in range(rounds):
        q = _near_root(1 + unit * above, n)
        above = Fraction((_by_definition(above, q, local_steps, of_the_pair) * _SCALE).__ceil__(), _SCALE)
        z = unit * below
        y = _near_root(1 + z, n) + Fraction(2, _SCALE)
        if (1 + z) * y**n < 1:
            raise ArithmeticError(f"y={y} is below the best one for K={local_steps}, z={z}")
        left = n * (1 - y)
        left = (z + left) / 2 if of_the_pair else left
        below = Fraction((left / unit * _SCALE).__floor__(), _SCALE)
    return below * rounds, above * rounds


def table_matches(
    kept: Table, local_steps: Sequence[int], *, of_the_pair: bool, limits: Sequence[Fraction]
) -> Evidence:
    """Every entry of a table against the two runs, in half a unit of its last digit; and the entries fall towards
    their limits."""
    worst, count, broken = Fraction(0), 0, ""
    for rounds, entries in kept.items():
        for steps, limit, entry in zip(local_steps, limits, entries, strict=True):
            low, high = between(rounds, steps, of_the_pair=of_the_pair)
            half = Fraction(1, 2 * 10 ** (len(entry) - 2))
            worst, count = max(worst, high - low), count + 1
            inside = low - half <= Fraction(entry) <= high + half and limit <= high
            before = kept.get(rounds - 1)
            falling = before is None or Fraction(entry) <= Fraction(before[list(local_steps).index(steps)])
            if not (inside and falling) and not broken:
                broken = (
                    f"R = {rounds}, K = {steps}: {entry} is kept, and the least value lies in "
                    f"[{float(low):.17g}, {float(high):.17g}]"
                )
    outcome = Outcome.REFUTED if broken else Outcome.HOLDS
    return Evidence(
        Rung.EXACT,
        outcome,
        "Two runs in rational arithmetic for every entry: above it one with step sizes that are named, below it one "
        "that is below every choice of step sizes.",
        count,
        counterexample=broken,
        numbers={"entries": count, "largest distance of the two runs": float(worst)},
        valid_for="from x^0 = G/(mu R), in the unit G/(mu R), all mu, G > 0",
    )


def one_digit_off(kept: Table, rounds: int, place: int) -> dict[int, Sequence[str]]:
    """The table with the last digit of one entry changed."""
    entries = list(kept[rounds])
    entries[place] = entries[place][:-1] + str((int(entries[place][-1]) + 2) % 10)
    return {**kept, rounds: entries}
