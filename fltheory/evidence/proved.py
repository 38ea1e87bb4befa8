"""Evidence from steps of a proof that were checked: all of them, else a counterexample, else where the proof stops.

The steps are those of :mod:`fltheory.theory.steps`; for statements without exactly evaluated instances of ``left <= right``,
which :func:`fltheory.evidence.reports.settle` takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fltheory.evidence.model import Evidence, Outcome, Rung
from fltheory.theory.steps import Step


def first_gap(steps: Sequence[Step]) -> Step | None:
    """The first step that was not verified."""
    return next((step for step in steps if not step.verified), None)


def decide(
    steps: Sequence[Step],
    counterexample: Callable[[], str],
    *,
    method: str,
    valid_for: str = "",
    numbers: Mapping[str, Any] | None = None,
    would_settle: str = "a proof",
) -> Evidence:
    """Evidence from all steps of a proof and, where one of them fails, from an instance.

    Parameters
    ----------
    counterexample : text of an instance that breaks the claim, empty if there is none; asked only where the proof stops.

    Raises
    ------
    ValueError : no steps.
    """
    if not steps:
        raise ValueError("steps is empty: a proof without steps proves nothing")
    gap, found = first_gap(steps), dict(numbers or {})
    if gap is None:
        return Evidence(Rung.PROOF, Outcome.HOLDS, method, len(steps), valid_for=valid_for, numbers=found)
    text = counterexample()
    if text:
        stops = f"a counterexample; the proof stops at {gap.name}"
        return Evidence(
            Rung.PROOF, Outcome.REFUTED, stops, len(steps) + 1, margin=-1.0, numbers=found, counterexample=text
        )
    stops = f"the proof stops at {gap.name}: {gap.reason}"
    return Evidence(Rung.EXACT, Outcome.NOT_REFUTED, stops, len(steps), numbers=found, would_settle=would_settle)
