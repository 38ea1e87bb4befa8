"""One round of the recursion (21) with equality, mu = G = 1, as instances that statements are tried on."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.decide import Tried
from fltheory.evidence.ends import tried
from fltheory.evidence.witness import Side, Witness

x_0, eta = sp.symbols("x_0 eta")
HALF = Fraction(1, 2)
#: The inequality (21) of a round, up to the largest step size, which is to follow.
DISPLAY_21 = (
    r"x^r\ge x^{r-1}(1-2\mu\eta_r)^K+\tfrac{\eta_rG}2\sum_{\tau<K}\left(1-(1-2\mu\eta_r)^\tau\right),\ 0\le\eta_r\le"
)
SETTING = "mu = G = R = 1, K = {}, (21) with equality"


def round_of_21(local_steps: int, x: Any = x_0, step: Any = eta) -> sp.Expr:
    """``x q^K + (eta/2) sum (1 - q^t)``, q = 1 - 2 eta, by its definition."""
    q = 1 - 2 * step
    return x * q**local_steps + step / 2 * sum((1 - q**t for t in range(local_steps)), sp.Integer(0))


#: (K, x^0, eta): two steps with the best step size, three and five with the largest one.
ONE_ROUND = (
    (2, 1, Fraction(2, 5)),
    (2, 1, 1),
    (3, 1, HALF),
    (3, 1, 1),
    (3, Fraction(1, 2), HALF),
    (5, 2, 1),
    (4, 1, 1),
    (4, 3, HALF),
)


def broken_by_a_round(least: Mapping[int, Any], largest: Fraction, *, odd: bool = True) -> Tried:
    """x^1 at least ``least[K]`` times min(x^0, 1) at each of the rounds with a step up to ``largest``."""
    return tried(_rounds(least, largest, odd))


def _rounds(least: Mapping[int, Any], largest: Fraction, odd: bool) -> Iterator[Witness]:
    for local_steps, start, step in ONE_ROUND:
        if step <= largest and (odd or local_steps % 2 == 0):
            yield Witness(
                {x_0: start, eta: step},
                Side("x^1", round_of_21(local_steps)),
                ">=",
                Side("what is claimed", sp.sympify(least[local_steps]) * sp.Min(x_0, 1)),
                given=[(x_0, ">", 0), (eta, ">=", 0), (eta, "<=", largest)],
                setting=SETTING.format(local_steps),
            )


def of_each(constant: sp.Expr, symbol: sp.Symbol, counts: Iterable[int] = (2, 3, 4, 5)) -> dict[int, sp.Expr]:
    """An expression in K at each number of local steps."""
    return {k: constant.subs(symbol, k) for k in counts}
