"""Evidence from a proof in steps and from exactly evaluated instances (:mod:`fltheory.theory.steps`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fltheory.evidence.model import Evidence, Outcome, Rung, Tightness
from fltheory.theory.steps import Instance, Proof


@dataclass(frozen=True)
class Report:
    """What the evidence of a statement says besides its outcome."""

    method: str
    valid_for: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)
    tightness: Tightness | None = None
    would_settle: str = ""


def settle(proof: Proof, instances: Callable[[], Iterable[Instance]], report: Report) -> Evidence:
    """Evidence for an inequality: the proof if it is complete, else the first violating instance, else neither.

    The instances are evaluated in every case.

    Raises
    ------
    ValueError : an instance violates a statement whose proof is complete: a step of the proof is unsound.
    """
    tried = list(instances())
    broken = [i for i in tried if i.left > i.right]
    numbers = {"steps of the proof": len(proof.steps), "instances evaluated": len(tried), **report.numbers}
    examined = len(proof.steps) + len(tried)
    if broken and proof.complete:
        raise ValueError(f"every step of the proof holds, and yet there is a violation: {broken[0].text}")
    if broken:
        worst = min(broken, key=lambda i: i.margin)
        text = (
            f"{worst.text}: left {worst.left} > right {worst.right}"
            if _short(worst)
            else (f"{worst.text}: left {float(worst.left):.6g} > right {float(worst.right):.6g} (exact rationals)")
        )
        return Evidence(
            Rung.PROOF,
            Outcome.REFUTED,
            f"A counterexample, evaluated in exact arithmetic. The proof stops at: {proof.gap}.",
            examined,
            margin=min(worst.margin, -1e-300),
            numbers=numbers,
            counterexample=text,
        )
    if proof.complete:
        margin = min((i.margin for i in tried), default=None)
        return Evidence(
            Rung.PROOF,
            Outcome.HOLDS,
            report.method,
            examined,
            margin=margin,
            numbers=numbers,
            valid_for=report.valid_for,
            tightness=report.tightness,
            certificate={"steps": [step.name for step in proof.steps]},
        )
    return Evidence(
        Rung.EXACT,
        Outcome.NOT_REFUTED,
        f"The proof stops at {proof.gap}; no instance tried violates it.",
        max(examined, 1),
        numbers=numbers,
        would_settle=report.would_settle or "a certificate or a violating instance",
    )


def _short(instance: Instance) -> bool:
    return len(str(instance.left)) + len(str(instance.right)) < 60


def read(
    holds: bool,
    *,
    method: str,
    examined: int,
    counterexample: str = "",
    numbers: Mapping[str, Any] | None = None,
    rung: Rung = Rung.PROOF,
    margin: float | None = None,
    valid_for: str = "",
) -> Evidence:
    """Evidence of a decided question: ``holds`` was computed, not written down."""
    outcome = Outcome.HOLDS if holds else Outcome.REFUTED
    return Evidence(
        rung,
        outcome,
        method,
        examined,
        margin=margin,
        numbers=dict(numbers or {}),
        counterexample="" if holds else counterexample,
        valid_for=valid_for if holds else "",
    )
