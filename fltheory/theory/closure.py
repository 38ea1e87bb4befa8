r"""The one rule that is no identity or sign: what holds beside the end of a range holds at the end, by continuity.

A certificate that divides by L - mu proves ``left <= right`` for L > mu.  For L = mu the statement follows if

1. ``left`` and ``right`` are continuous up to L = mu: no denominator vanishes there;
2. the hypotheses at L imply those at every L' > L: a function that is L-smooth is L'-smooth.  In formulas: the form of each
   hypothesis (A1 at (y, x), say, nonnegative at all points y, x) only gains nonnegative squares when L grows;
3. the premises of the certificate that contain L (or a parameter whose range follows, such as a step size eta <= 1/(4L), which
   has to move along) are sums of these hypotheses; all other premises do not change.

For then take an instance with L = mu, and parameters L' > mu and eta' in the open ranges that tend to L and eta, which exist,
since the ends of ranges are continuous.  By 2 and 3 the same instance meets the premises at (L', eta'), so that
``left(L', eta') <= right(L', eta')``, and by 1 the limit is the statement.  Upper ends likewise (mu < L, with smaller mu).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from fltheory.theory.proofs import Certificate, is_zero
from fltheory.theory.record import records
from fltheory.theory.signs import Open, Range, Ranges, nonnegative_on, pole

#: How far the parameter is moved into its range.
MOVE = sp.Symbol("move_")


def closed_at(symbol: sp.Symbol, ranges: Ranges) -> tuple[list[Range], int]:
    """The ranges with the open end of ``symbol`` added, and +1 if the range lies above that end, -1 if below.

    Raises
    ------
    ValueError : the symbol does not have exactly one open end.
    """
    for place, (one, low, high) in enumerate(ranges):
        if one == symbol and isinstance(low, Open) != isinstance(high, Open):
            above = isinstance(low, Open)
            closed = (
                (one, low.end, high) if isinstance(low, Open) else (one, low, high.end if high is not None else None)
            )
            return [*ranges[:place], closed, *ranges[place + 1 :]], 1 if above else -1
    raise ValueError(f"{symbol} has no open end, or two: there is nothing to close, or two ends to tell apart")


@dataclass(frozen=True)
class Closure:
    """``left <= right`` of a certificate, also at the open end of the range of ``symbol``.

    Parameters
    ----------
    certificate : the statement beside the end.
    hypotheses : name -> (form that the assumptions make nonnegative at all points, its gain when ``symbol`` moves into the
        range by :data:`MOVE`, as (weight, square)).
    sources : premise -> (multiplier, hypothesis, points that its symbols stand for): the premise is their sum.
    average : applied to that sum; a linear map that keeps nonnegative forms, such as an average over clients.
    """

    certificate: Certificate
    symbol: sp.Symbol
    hypotheses: Mapping[str, tuple[sp.Expr, Sequence[tuple[Any, Any]]]]
    sources: Mapping[str, Sequence[tuple[Any, str, Mapping[sp.Symbol, Any]]]]
    average: Callable[[sp.Expr], sp.Expr] = lambda form: form

    @property
    def ranges(self) -> list[Range]:
        """The ranges with the end."""
        return closed_at(self.symbol, self.certificate.ranges)[0]

    def gains(self) -> dict[str, Certificate]:
        """Each hypothesis at the moved parameter is at least the hypothesis."""
        closed, side = closed_at(self.symbol, self.certificate.ranges)
        return {
            name: Certificate(
                form, form.subs(self.symbol, self.symbol + side * MOVE), {}, squares, [*closed, (MOVE, 0, None)]
            )
            for name, (form, squares) in self.hypotheses.items()
        }

    def residuals(self) -> dict[str, sp.Expr]:
        """Premises less the sums of hypotheses that they are."""
        return {
            name: self.certificate.premises[name][1]
            - self.average(
                sum((m * self.hypotheses[h][0].subs(at, simultaneous=True) for m, h, at in listed), sp.Integer(0))
            )
            for name, listed in self.sources.items()
        }

    @records("closure")
    def verify(self) -> tuple[bool, str]:
        """Whether the statement is proved on the ranges with the end, and the first reason if it is not."""
        try:
            return self._verify()
        except ValueError as error:
            return False, str(error)

    def _verify(self) -> tuple[bool, str]:
        proved, reason = self.certificate.verify()
        if not proved:
            return False, reason
        for side in (self.certificate.left, self.certificate.right):
            bad = pole(side, self.ranges)
            if bad is not None:
                return False, f"{bad} may vanish at the end of {self.symbol}: no continuity"
        symbols = [symbol for symbol, _, _ in self.certificate.ranges]
        moving = set(symbols[symbols.index(self.symbol) :])
        for name, (_, premise) in self.certificate.premises.items():
            changes = sorted(map(str, moving & sp.sympify(premise).free_symbols))
            if changes and name not in self.sources:
                return False, f"premise {name} changes with {', '.join(changes)} and is no sum of hypotheses"
        for name, listed in self.sources.items():
            for multiplier, _, at in listed:
                if set(at) & set(symbols):
                    return False, f"a hypothesis of {name} is taken at another parameter"
                if not nonnegative_on(multiplier, self.certificate.ranges):
                    return False, f"the multiplier {multiplier} of a hypothesis of {name} is not shown nonnegative"
        for name, residual in self.residuals().items():
            if pole(residual, self.certificate.ranges) is not None or not is_zero(residual):
                return False, f"premise {name} is not the sum of its hypotheses"
        for name, (form, _) in self.hypotheses.items():
            if MOVE in form.free_symbols:
                return False, f"hypothesis {name} uses {MOVE}, the name of the move"
        for name, gain in self.gains().items():
            if moving & gain.left.free_symbols - {self.symbol}:
                return False, f"hypothesis {name} changes with another parameter that moves"
            grows, reason = gain.verify()
            if not grows:
                return False, f"hypothesis {name} is not shown to stay true beside the end: {reason}"
        return True, "proved beside the end, and at the end by continuity"
