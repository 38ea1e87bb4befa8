"""An older name of :func:`fltheory.evidence.decide.decide`, for steps as a mapping and a counterexample as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fltheory.evidence.decide import Tried, decide
from fltheory.evidence.model import Evidence, Tightness


def settle(
    steps: Mapping[str, bool],
    counterexample: str = "",
    *,
    method: str,
    instances: int = 0,
    margin: float | None = None,
    numbers: Mapping[str, Any] | None = None,
    valid_for: str = "",
    tightness: Tightness | None = None,
    would_settle: str = "",
) -> Evidence:
    """The evidence of :func:`~fltheory.evidence.decide.decide`."""
    words: dict[str, Any] = {
        "valid_for": valid_for,
        "numbers": numbers,
        "tightness": tightness,
        "would_settle": would_settle,
    }
    return decide(steps, Tried(instances, counterexample, margin), method=method, **words)
