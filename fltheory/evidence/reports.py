"""Older names of :func:`fltheory.evidence.decide.decide` (for a proof, instances and a report) and of ``read``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fltheory.evidence.decide import decide, read
from fltheory.evidence.model import Evidence, Tightness
from fltheory.theory.steps import Instance, Proof

__all__ = ["Report", "read", "settle"]


@dataclass(frozen=True)
class Report:
    """What the evidence of a statement says besides its outcome."""

    method: str
    valid_for: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    tightness: Tightness | None = None
    would_settle: str = ""


def settle(proof: Proof, instances: Callable[[], Iterable[Instance]], report: Report) -> Evidence:
    """The evidence of :func:`~fltheory.evidence.decide.decide`."""
    return decide(proof, instances, **vars(report))
