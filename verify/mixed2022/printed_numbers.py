"""Evidence by reading: printed numbers recomputed."""

from collections.abc import Sequence
from typing import Any

from fltheory.evidence.decide import read
from fltheory.evidence.model import Evidence, Rung


def as_printed(wrong: Sequence[str], method: str, examined: int, **words: Any) -> Evidence:
    """Holds if nothing is ``wrong``, each in words; ``words`` as in :func:`fltheory.evidence.decide.read`."""
    return read(
        not wrong, rung=Rung.READING, method=method, examined=examined, counterexample="; ".join(wrong), **words
    )
