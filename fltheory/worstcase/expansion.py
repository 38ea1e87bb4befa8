"""Divergence, shown on one parabola: where the measure ends above where it began, whatever the bounds say.

All losses are ``c |x|^2/2`` with one curvature c at an end of the class, so that no quantity but the start is positive.  The
program of the method is run on them in rationals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from fltheory.worstcase.decimals import root_downward
from fltheory.worstcase.model import Model
from fltheory.worstcase.parabolas import parabolas


@dataclass(frozen=True)
class Expansion:
    """A measure that is ``factor > 1`` times its start after ``rounds`` rounds, for clients ``curvature |x|^2/2``.

    ``curvature`` is one for each class where there are several.
    """

    quantity: str
    factor: Fraction
    rounds: int
    curvature: Fraction | tuple[Fraction, ...]

    def __str__(self) -> str:
        per_round = root_downward(self.factor, self.rounds)
        listed = self.curvature if isinstance(self.curvature, tuple) else (self.curvature,)
        which = " and ".join(map(str, listed))
        return f"diverges: {self.quantity} by at least {per_round} per round on parabolas of curvature {which}"


def expansion(model: Model) -> Expansion | None:
    """The parabola with the largest factor, or ``None`` where none exceeds one or the measure is not that of the start."""
    if model.carried is None or model.measure != model.carried.measure:
        return None
    name, best = model.carried.quantity, None
    for candidate in parabolas(model):
        limits: dict[str | None, Fraction] = {}
        for item in model.assumptions:
            limits[item.bound] = max(
                limits.get(item.bound, Fraction(0)), candidate.evaluate(item.functional) / item.scale
            )
        begin, end = limits.pop(name, Fraction(0)), candidate.evaluate(model.measure)
        if any(limits.values()) or begin <= 0 or end <= begin:
            continue
        if best is None or end / begin > best.factor:
            best = Expansion(name, end / begin, model.carried.rounds, candidate.curvature)
    return best
