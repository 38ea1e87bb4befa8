"""A plan from constants alone: over a class of functions, by certified worst cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from fltheory.algorithms.participation import Full
from fltheory.questions.budget import Budget
from fltheory.questions.families import Family
from fltheory.questions.plan_answer import Plan, PlanRow
from fltheory.worstcase.best import best_step_size
from fltheory.worstcase.classes import FunctionClass

CERTIFIED = "certified worst cases of F(w_R) - F*"


def class_plan(
    function_class: FunctionClass,
    family: Family,
    budget: Budget,
    counts: list[int],
    quantities: Mapping[str, object] | None,
    progress: Callable[[str], None],
) -> Plan:
    """For every number of local steps the step size whose certified worst case of the gap is least, for any clients.

    Every row's ``gap`` is certified at its step size; that no other step size is better is
    :func:`~fltheory.worstcase.best.best_step_size`'s to prove.

    Raises
    ------
    ValueError : a budget of gradients or bytes, which need a problem; one that pays for no round; as ``best_step_size``.
    """
    if budget.unit not in ("rounds", "local_steps"):
        raise ValueError(
            f"a budget of {budget} needs a problem with clients; expected rounds= or local_steps= for a class"
        )
    rows = []
    for count in counts:
        rounds = int(budget.amount) if budget.unit == "rounds" else int(budget.amount // count)
        if not rounds:
            continue
        progress(f"E={count}, {rounds} rounds")

        def made(step_size: Any, steps: int = count) -> Any:
            return family.make(steps, step_size, Full())

        found = best_step_size(
            made, function_class, rounds=rounds, measure="gap", quantities=quantities, pieces=1, progress=progress
        )
        step = float(found.step)
        upper = float(found.upper) if Fraction(float(found.upper)) >= found.upper else _above(found.upper)
        rows.append(PlanRow(count, Full(), 0, rounds, step, upper, family.make(count, found.step, Full())))
    if not rows:
        raise ValueError(f"a budget of {budget} pays for no round of {family.name} with {counts[0]} local steps")
    rows.sort(key=lambda row: row.gap)
    said = {name: str(value) for name, value in (quantities or {}).items()}
    at = f" at {', '.join(f'{name}={value}' for name, value in said.items())}" if said else " at quantities of 1"
    return Plan(family.name, repr(function_class), str(budget), CERTIFIED + at, tuple(rows), (), 0)


def _above(value: Fraction) -> float:
    """The float next above."""
    return math.nextafter(float(value), math.inf)
