"""What the rows of Appendix D.2 share: steps from the lemmas to recursions and rates of 1-way GT, and runs on the line.

The bounds are those of :mod:`fltheory.theory.mixed2022.assembly`.  The runs have K = 1 and f_f = f_c = x^2/2, by their exact
second moments: x_{t+1} = (1 - 2 e) x_t - e xi_t, where xi_t is central noise of mean zero and variance sigma_c^2; beta = 1.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.evidence.derive import Script
from fltheory.evidence.reads import reading
from fltheory.evidence.witness import Side, Witness
from fltheory.kinds import JSON
from fltheory.theory.bound import Bound
from fltheory.theory.mixed2022 import assembly, one_round, parallel, two_way_bounds
from fltheory.theory.mixed2022 import drift as drifts
from fltheory.theory.mixed2022.one_round import C, e
from verify.mixed2022.one_way_words import SAMPLING

#: What every explicit rate of Appendix D.2 supposes, in words, and what it is shown for.
HYPOTHESES = (
    *SAMPLING,
    "f_f, f_c beta-smooth",
    "x* a minimiser of f",
)
VALID = "every N, S <= N, K >= 1, T >= 0, dimension, all noise laws; eta with K eta eta_s equal to the step named"


@dataclass(frozen=True)
class ChainOfRounds:
    """``start`` x_0, effective ``step``, ``variance`` of the central noise."""

    start: Any
    step: Any
    variance: Any

    def average_gap(self, weights: Sequence[Any], first: int) -> Any:
        """E f(xbar) - f* for xbar = weighted average of x_first, x_{first+1}, ..."""
        keep, total = 1 - 2 * self.step, sum(weights, start=Fraction(0))
        mean = sum((w * keep ** (first + j) for j, w in enumerate(weights)), start=Fraction(0)) * self.start / total
        square = mean**2
        for s in range(first + len(weights) - 1):  # noise of round s enters x_t with -e keep^(t-1-s), t > s
            share = sum(
                (w * keep ** (first + j - 1 - s) for j, w in enumerate(weights) if first + j > s), start=Fraction(0)
            )
            square += (self.step * share / total) ** 2 * self.variance
        return square

    def squared_gradient(self, t: int) -> Any:
        """E|grad f(x_t)|^2."""
        keep, square = 1 - 2 * self.step, self.start**2
        for _ in range(t):
            square = keep**2 * square + self.step**2 * self.variance
        return 4 * square


def at_scale(bound: Bound, scale: str) -> Bound:
    """The bound times a number."""
    return replace(bound, expression=sp.Rational(scale) * bound.expression)


def line(
    bound: Bound,
    quantity: str,
    first: int,
    *,
    start: str,
    step: sp.Expr,
    level: sp.Expr | None = None,
    T: int = 0,
    **at: Any,
) -> Witness:
    """f_f = f_c = x^2/2, beta = K = 1, S = 1000, central noise only, against a bound: the gap at the average of
    x^(first)..x^(first+T), or E|grad f(x^(first))|^2.

    ``start``: the name of D^2 or F; ``level``: e is at most the balanced step of this noise, and one of both; else it is fixed.
    """
    begin, each = sp.Symbol(start), dict(beta=1, K=1, S=1000, V=0, T=T, e=step, **at)
    chain = ChainOfRounds(sp.sqrt(begin), e, C)
    if quantity == "gap":
        left, name = chain.average_gap([Fraction(1)] * (T + 1), first), "E f(average) - f*"
    else:
        left, name = chain.squared_gradient(first), f"E |grad f(x^({first}))|^2"
    rest = begin - (level or 0) * (T + 1) * e**2
    given = [(e, "=", step)] if level is None else [(e, "<=", step), (rest, ">=", 0), ((step - e) * rest, "=", 0)]
    setting = "f_f = f_c = x^2/2, central noise only"
    return Witness(each, Side(name, sp.expand(left)), "<=", Side("the bound", bound.expression), given, setting)


def for_every_noise(rate: Callable[..., Mapping[str, JSON]], *given: Any, **options: Any) -> dict[str, Script]:
    """A rate with noise, and without, where the step is the largest one."""
    return {"with noise": once(rate, *given, **options), "without noise": once(rate, *given, **options, noisy=False)}


def once(script: Callable[..., Mapping[str, JSON]], *given: Any, **options: Any) -> Script:
    """A script that runs once for its arguments, as long as no bound of the document changes.

    Whoever runs it reads the bounds among its arguments, whether it runs or is remembered.
    """

    def run() -> Mapping[str, JSON]:
        read = [one.expression for one in (*given, *options.values()) if isinstance(one, Bound)]
        bounds = [one for module in _STATED for one in vars(module).values() if isinstance(one, Bound)]
        key = (
            script.__name__,
            *map(_plain, given),
            *((n, _plain(x)) for n, x in options.items()),
            *map(_plain, bounds),
            *read,
        )
        if key not in _DERIVED:
            with reading():
                _DERIVED[key] = script(*given, **options)
        return _DERIVED[key]

    return run


def _plain(argument: Any) -> Any:
    return (argument.name, vars(argument)["expression"]) if isinstance(argument, Bound) else argument


_DERIVED: dict[tuple[Any, ...], Mapping[str, JSON]] = {}
_STATED = (assembly, drifts, one_round, parallel, two_way_bounds)
