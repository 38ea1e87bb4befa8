"""An older name of :func:`fltheory.evidence.decide.decide`, for steps alone and an instance that is asked where they stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fltheory.evidence.decide import Tried
from fltheory.evidence.decide import decide as general
from fltheory.evidence.model import Evidence
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
    """The evidence of :func:`fltheory.evidence.decide.decide`, without a certificate.

    Parameters
    ----------
    counterexample : text of an instance that breaks the claim, empty if there is none; asked only where the proof stops.
    """
    gap = first_gap(steps)
    text = counterexample() if gap is not None else ""
    tried = Tried(1, text, -1.0, f"a counterexample; the proof stops at {gap.name}") if gap and text else Tried()
    words: dict[str, Any] = {"valid_for": valid_for, "numbers": numbers, "would_settle": would_settle}
    return replace(general(tuple(steps), tried, method=method, **words), certificate=None)
