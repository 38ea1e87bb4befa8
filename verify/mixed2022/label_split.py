"""Eight examples of logistic regression, one label on the clients and the other at the server, run in interval arithmetic.

Mixed FL (Augenstein et al. 2022) without noise: f = f_f + f_c, each the mean logistic loss of four examples plus
0.005 |w|^2, start zero, all step sizes rational.  Every number is an enclosure with outward rounding, so that a comparison
that is decided is proved.
"""

from fractions import Fraction
from functools import cache
from typing import Any

from mpmath.ctx_iv import MPIntervalContext  # type: ignore[import-untyped]

F = Fraction
#: Features of the examples with label 1 (federated) and -1 (central); the first is the intercept.
FEDERATED = ((1, 1, 2), (1, 2, 1), (1, F(1, 2), -1), (1, -1, F(1, 2)))
CENTRAL = ((1, -1, -2), (1, -2, F(-1, 2)), (1, 1, F(-1, 2)), (1, F(1, 2), F(1, 2)))
RIDGE = F(1, 100)
BITS = 240
Vector = tuple[Any, ...]

_iv = MPIntervalContext()
_iv.prec = BITS


def interval(value: Fraction | int) -> Any:
    """The smallest enclosure of a rational."""
    exact = Fraction(value)
    return _iv.mpf(exact.numerator) / _iv.mpf(exact.denominator)


ONES = {
    side: tuple(tuple(interval(x) for x in row) for row in rows)
    for side, rows in (("federated", FEDERATED), ("central", CENTRAL))
}
SIGN = {"federated": 1, "central": -1}
ZERO: Vector = tuple(interval(0) for _ in FEDERATED[0])


def scores(side: str, w: Vector) -> list[Any]:
    """``y_i x_i'w`` of the examples of one side: positive where they are classified rightly."""
    return [SIGN[side] * sum(a * b for a, b in zip(row, w, strict=True)) for row in ONES[side]]


def gradient(side: str, w: Vector) -> Vector:
    """Gradient of ``f_f`` or ``f_c``."""
    factors = [-SIGN[side] / (1 + _iv.exp(margin)) / 4 for margin in scores(side, w)]
    ridge = interval(RIDGE)
    return tuple(
        sum(factor * row[j] for factor, row in zip(factors, ONES[side], strict=True)) + ridge * w[j]
        for j in range(len(w))
    )


def loss(side: str, w: Vector) -> Any:
    """Mean logistic loss of one side, without the ridge."""
    return sum(_iv.log(1 + _iv.exp(-margin)) for margin in scores(side, w)) / 4


def value(w: Vector) -> Any:
    """``f``."""
    return loss("federated", w) + loss("central", w) + interval(RIDGE) * sum(x * x for x in w)


def accuracy(side: str, w: Vector) -> Fraction:
    """Share of one side's examples that are classified rightly.

    Raises
    ------
    ArithmeticError : an enclosure contains zero, so that the answer is open.
    """
    right = 0
    for margin in scores(side, w):
        if not (margin.a > 0 or margin.b < 0):
            raise ArithmeticError(f"a score lies in {margin}: more bits are needed")
        right += bool(margin.a > 0)
    return Fraction(right, 4)


#: Model and the augmenting gradients of 2-way GT, central and federated.
State = tuple[Vector, Vector, Vector]


def _add(u: Vector, v: Vector, factor: Any = 1) -> Vector:
    return tuple(a + factor * b for a, b in zip(u, v, strict=True))


def _steps(side: str, w: Vector, shift: Vector, rate: Any, steps: int) -> Vector:
    """Local steps of one side from w, with a constant shift of the gradient."""
    for _ in range(steps):
        w = _add(w, _add(gradient(side, w), shift), -rate)
    return w


def _round(name: str, state: State, rate: Any, steps: int) -> State:
    """One round of the algorithm with this name in interval arithmetic."""
    w, central, federated = state
    if name in ("federated only", "central only"):
        return _steps(name.split()[0], w, ZERO, rate, steps), ZERO, ZERO
    if name == "1-w GT":
        return _steps("federated", w, gradient("central", w), rate, steps), ZERO, ZERO
    ours = _add(_steps("federated", w, central, rate, steps), w, -1)
    others = _add(_steps("central", w, federated, rate, steps), w, -1)
    merged = _add(_add(w, ours), others)
    if name == "PT":
        return merged, ZERO, ZERO
    taken = (tuple(-x / (rate * steps) for x in moved) for moved in (others, ours))
    return merged, *(_add(mean, shift, -1) for mean, shift in zip(taken, (federated, central), strict=True))


@cache
def run(name: str, rate: Fraction, steps: int, rounds: int, start: Vector | None = None) -> tuple[Vector, ...]:
    """Models after 0, 1, ..., ``rounds`` rounds of "PT", "1-w GT", "2-w GT", "federated only" or "central only"."""
    states: list[State] = [(ZERO if start is None else start, ZERO, ZERO)]
    for _ in range(rounds):
        states.append(_round(name, states[-1], interval(rate), steps))
    return tuple(w for w, *_ in states)


def decimal(number: Any) -> float:
    """The middle of an enclosure."""
    return float(number.mid)
