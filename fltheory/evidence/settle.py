"""Proof first, else a counterexample, else undecided: the common end of checks that can do both.

A check hands over the named steps of a general proof (each one evaluated, true or false) and whatever counterexample
the same formulas gave on small instances.  Both at once would mean that a step is unsound, so that raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fltheory.evidence.model import Evidence, Outcome, Rung, Tightness


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
    """Evidence from the steps of a proof and from a search for a counterexample on exact instances.

    Parameters
    ----------
    steps : named identities and sign conditions, with whether each was verified; all of them together are the proof.
    counterexample : an exact instance that breaks the claim; empty if none was found.
    instances : how many exact instances were searched.
    margin : signed distance from the border; dropped where its sign contradicts an undecided outcome.

    Raises
    ------
    ValueError : no steps, or all steps hold although a counterexample exists.
    """
    if not steps:
        raise ValueError("steps is empty: a proof without steps proves nothing")
    missing = [name for name, holds in steps.items() if not holds]
    if counterexample and not missing:
        raise ValueError(f"every step of the proof holds, and yet there is a counterexample: {counterexample}")
    common: dict[str, Any] = {
        "method": method,
        "examined": len(steps) + instances,
        "numbers": dict(numbers or {}),
        "valid_for": valid_for,
    }
    if counterexample:
        return Evidence(Rung.PROOF, Outcome.REFUTED, counterexample=counterexample, margin=margin, **common)
    if missing:
        reason = would_settle or f"a proof of: {'; '.join(missing)}"
        return Evidence(Rung.EXACT, Outcome.NOT_REFUTED, would_settle=reason, **common)
    certificate = {"steps": list(steps)}
    return Evidence(
        Rung.PROOF,
        Outcome.HOLDS,
        margin=margin,
        tightness=tightness,
        certificate=certificate,
        would_settle=would_settle,
        **common,
    )
