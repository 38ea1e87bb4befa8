"""Exact search for counterexamples next to a proof attempt, and the evidence that follows from both.

A check hands over what the trusted proof routine said and the worst of the instances that were evaluated.  A proof
next to a counterexample is a contradiction and raises: it would mean that a premise or the evaluation is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from fltheory.evidence.model import Evidence, Outcome, Rung, Tightness

Instance = TypeVar("Instance")


@dataclass(frozen=True)
class Search:
    """Result of evaluating a statement exactly on instances.

    ``worst`` is the smallest relative slack, negative where the statement fails; ``counterexample`` describes the
    first instance on which it fails (instances come smallest first), empty if there is none.
    """

    examined: int
    worst: Fraction
    counterexample: str = ""


def slack(left: Fraction, right: Fraction, relation: str) -> Fraction:
    """Relative slack of ``left relation right``: (right - left)/max(|left|, |right|), and -|.| of it for ``=``."""
    size = max(abs(left), abs(right))
    relative = Fraction(0) if size == 0 else Fraction(right - left) / size
    if relation == "<=":
        return relative
    if relation == ">=":
        return -relative
    if relation == "=":
        return -abs(relative)
    raise ValueError(f"relation={relation!r} is none of '<=', '>=', '='")


def _short(number: Fraction) -> str:
    """The exact number, or a decimal where the fraction is too long to read."""
    text = str(number)
    return text if len(text) <= 60 else f"{float(number):.15g} (rounded here, compared exactly)"


def search(
    instances: Iterable[Instance],
    sides: Callable[[Instance], tuple[Fraction, Fraction]],
    *,
    relation: str = "<=",
    describe: Callable[[Instance], str] = str,
) -> Search:
    """Evaluate ``sides(instance) = (left, right)`` on all instances and keep the worst relative slack."""
    examined, worst, text = 0, Fraction(10**9), ""
    for instance in instances:
        left, right = sides(instance)
        value = slack(left, right, relation)
        if value < 0 and not text:
            sides_text = f"left = {_short(left)}, right = {_short(right)}"
            text = f"{describe(instance)}: {sides_text}, so that left {relation} right is false"
        worst = min(worst, value)
        examined += 1
    if examined == 0:
        raise ValueError("examined=0: a search needs at least one instance")
    return Search(examined, worst, text)


def conclude(
    proof: tuple[bool, str],
    found: Search,
    *,
    method: str,
    valid_for: str = "",
    numbers: Mapping[str, Any] | None = None,
    tightness: Tightness | None = None,
    certificate: Mapping[str, Any] | None = None,
    would_settle: str = "a certificate, or a counterexample outside the instances evaluated",
) -> Evidence:
    """Evidence from a proof attempt ``(proved, reason)`` and a search.

    Raises
    ------
    RuntimeError : the statement was proved and an instance violates it.
    """
    proved, reason = proof
    if proved and found.counterexample:
        raise RuntimeError(f"proved ({reason}) although an instance violates it: {found.counterexample}")
    margin = float(found.worst)
    if found.counterexample:
        return Evidence(
            Rung.PROOF,
            Outcome.REFUTED,
            "counterexample, evaluated in rational arithmetic on small instances, smallest first",
            found.examined,
            margin=margin,
            numbers=numbers or {},
            counterexample=found.counterexample,
        )
    if proved:
        return Evidence(
            Rung.PROOF,
            Outcome.HOLDS,
            method,
            found.examined,
            margin=margin,
            numbers=numbers or {},
            valid_for=valid_for,
            tightness=tightness,
            certificate=certificate,
        )
    return Evidence(
        Rung.EXACT,
        Outcome.NOT_REFUTED,
        f"no proof ({reason}) and no counterexample among the instances evaluated",
        found.examined,
        margin=margin,
        numbers=numbers or {},
        would_settle=would_settle,
    )
