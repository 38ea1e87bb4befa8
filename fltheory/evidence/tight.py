"""How sharp a constant is that was proved: the ratio of the stated one and the best one, with how that is known."""

from __future__ import annotations

from typing import Any

from fltheory.evidence.model import Rung, Tightness


def attained(how: str) -> Tightness:
    """The stated constant is the best one, by a proof: ``how`` says where it is attained."""
    return Tightness(1.0, Rung.PROOF, how)


def against_the_best(ratio: Any, best: str) -> Tightness | None:
    """``ratio`` = stated constant / best one, which a proof gives; ``None`` below 1, where the statement is false."""
    return Tightness(float(ratio), Rung.PROOF, best) if ratio >= 1 else None
