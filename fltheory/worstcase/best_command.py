"""What the command ``best-step`` does: words of the command line to a best step size and back."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.worstcase.best import best_step_size
from fltheory.worstcase.best_answer import BestStep
from fltheory.worstcase.command import CERTIFIED, NOT_CERTIFIED, question
from fltheory.worstcase.decimals import downward, upward


def ask(
    algorithm: Algorithm,
    mu: str,
    smooth: str,
    measure: str,
    heterogeneity: str,
    *,
    quantities: dict[str, Fraction],
    progress: Callable[[str], None],
    field: str,
    gap: float,
    time_limit: float | None,
    **options: Any,
) -> BestStep:
    """:func:`best_step_size` with its classes and heterogeneity in words."""
    chosen, asked = question(mu, smooth, measure, heterogeneity, **options)
    return best_step_size(
        algorithm,
        chosen,
        field=field,
        quantities=quantities,
        gap=gap,
        time_limit=time_limit,
        progress=progress,
        **asked,
    )


def describe(found: BestStep) -> str:
    """The answer in lines; certified bounds are rounded outward: what is printed is a bound too."""
    at = ", ".join(f"{name} = {entry}" for name, entry in found.worst.quantities.items())
    terms = " + ".join(f"{upward(factor)} {name}" for name, factor in found.bound.items())
    lines = [
        f"step size     {found.step}",
        f"at most       {upward(found.upper)} at {at} (certified)",
        f"theorem       measure <= {terms or '0'}",
    ]
    if found.lower is None:
        return "\n".join([*lines, "no bound      of other step sizes from below was certified"])
    lines += [
        f"at least      {downward(found.lower)} at {found.reach()} (certified)",
        f"width         {found.width:.1e} relative",
        f"best within   {found.places()}",
    ]
    return "\n".join(lines)


def exit_code(found: BestStep) -> int:
    """0 if both sides are certified, else 3."""
    return CERTIFIED if found.lower is not None else NOT_CERTIFIED
