"""Two sides that are one expression, or differ at an instance."""

from collections.abc import Mapping, Sequence
from typing import Any

from fltheory.evidence.ends import identical, tried
from fltheory.evidence.model import Evidence
from fltheory.evidence.witness import Side, Witness


def compared(left: Side, right: Side, at: Mapping[Any, Any], given: Sequence[Any] = (), setting: str = "") -> Evidence:
    """``left = right`` for all values of their letters, or not at ``at``, where what is given holds."""
    found = tried(Witness(at, left, "=", right, given, setting))
    return identical([(left.value, right.value)], found, method="Both sides as expressions, and at an instance.")
