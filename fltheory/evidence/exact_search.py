"""Exact search for counterexamples: a statement is evaluated on small instances, and the worst of them is kept.

:func:`fltheory.evidence.decide.decide` takes the result next to a proof attempt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

Instance = TypeVar("Instance")


@dataclass(frozen=True)
class Search:
    """Result of evaluating a statement exactly on instances.

    ``worst`` is the smallest relative slack, negative where the statement fails; ``counterexample`` describes the
    first instance on which it fails (instances come smallest first), empty if there is none.
    """

    examined: int
    worst: Fraction
    counterexample: str = ""


def slack(left: Fraction, right: Fraction, relation: str) -> Fraction:
    """Relative slack of ``left relation right``: (right - left)/max(|left|, |right|), and -|.| of it for ``=``."""
    size = max(abs(left), abs(right))
    relative = Fraction(0) if size == 0 else Fraction(right - left) / size
    if relation == "<=":
        return relative
    if relation == ">=":
        return -relative
    if relation == "=":
        return -abs(relative)
    raise ValueError(f"relation={relation!r} is none of '<=', '>=', '='")


def _short(number: Fraction) -> str:
    """The exact number, or a decimal where the fraction is too long to read."""
    text = str(number)
    return text if len(text) <= 60 else f"{float(number):.15g} (rounded here, compared exactly)"


def search(
    instances: Iterable[Instance],
    sides: Callable[[Instance], tuple[Fraction, Fraction]],
    *,
    relation: str = "<=",
    describe: Callable[[Instance], str] = str,
) -> Search:
    """Evaluate ``sides(instance) = (left, right)`` on all instances and keep the worst relative slack."""
    examined, worst, text = 0, Fraction(10**9), ""
    for instance in instances:
        left, right = sides(instance)
        value = slack(left, right, relation)
        if value < 0 and not text:
            sides_text = f"left = {_short(left)}, right = {_short(right)}"
            text = f"{describe(instance)}: {sides_text}, so that left {relation} right is false"
        worst = min(worst, value)
        examined += 1
    if examined == 0:
        raise ValueError("examined=0: a search needs at least one instance")
    return Search(examined, worst, text)
