"""Proof first, else a counterexample, else undecided: the one end of checks that can do both.

A check hands over the named steps of a general proof, each one verified or not, and what the same formulas gave on exact
instances.  Both at once, a proof and an instance that breaks the claim, would mean that a step or the evaluation is wrong:
that raises.  The words of the check say the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from fltheory.evidence.exact_search import Search
from fltheory.evidence.model import Evidence, Outcome, Rung, Tightness
from fltheory.theory.steps import Instance, Proof, Step, from_tests


@dataclass(frozen=True)
class Tried:
    """What was evaluated exactly.

    Parameters
    ----------
    examined : how many instances.
    counterexample : an instance that breaks the claim; empty if there is none.
    margin : signed distance from the border of the claim.
    how : how the counterexample was found (``{gap}`` stands for where the proof stops), empty where the words say it.
    certificate : the counterexample as data that the package verifies, where it is a witness of plain arithmetic.
    prose : what joins that certificate to the counterexample, where it is words, such as numbers that only the script computes.
    """

    examined: int = 0
    counterexample: str = ""
    margin: float | None = None
    how: str = ""
    certificate: Mapping[str, object] | None = None
    prose: str = ""


#: A proof: named steps with whether each one holds, or a single certificate with the reason if it does not.
Steps: TypeAlias = Proof | Sequence[Step] | Mapping[str, bool | Step | Callable[[], bool]] | tuple[bool, str]
Instances: TypeAlias = Tried | Search | Callable[[], Iterable[Instance]]


def decide(
    steps: Steps,
    instances: Instances,
    *,
    method: str,
    valid_for: str = "",
    numbers: Mapping[str, object] | None = None,
    tightness: Tightness | None = None,
    certificate: Mapping[str, object] | None = None,
    would_settle: str = "",
    prose: str = "",
) -> Evidence:
    """Evidence for a statement: the proof if it is complete, else the counterexample, else neither.

    Parameters
    ----------
    steps : all of them together are the proof.
    instances : exactly evaluated ``left <= right``, the result of a search, or what was found elsewhere.
    method, valid_for : how the proof goes and what it covers; of a refutation too, where that has no words of its own.
    certificate : data of the whole statement that the package can verify; without it the row keeps the steps.
    would_settle : what is missing where neither a proof nor a counterexample was found.
    prose : what joins the certificate, or the witness, to the statement, where that is words.

    Raises
    ------
    ValueError : no steps; or the proof is complete although an instance breaks the statement.
    """
    each, gap = _proof(steps)
    tried = _tried(instances)
    if tried.counterexample and not gap:
        raise ValueError(f"every step of the proof holds, and yet there is a counterexample: {tried.counterexample}")
    numbers = dict(numbers or {})
    if isinstance(steps, Proof):
        numbers = {"steps of the proof": len(each), "instances evaluated": tried.examined, **numbers}
    found = Evidence(
        Rung.PROOF,
        Outcome.HOLDS,
        method,
        len(each) + tried.examined,
        margin=tried.margin,
        numbers=numbers,
        valid_for=valid_for,
    )
    if tried.counterexample:
        refuted = replace(found, outcome=Outcome.REFUTED, counterexample=tried.counterexample)
        refuted = replace(refuted, certificate=tried.certificate, prose=tried.prose or prose)
        return replace(refuted, method=tried.how.replace("{gap}", gap), valid_for="") if tried.how else refuted
    if gap:
        return replace(
            found,
            rung=Rung.EXACT,
            outcome=Outcome.NOT_REFUTED,
            method=f"The proof stops at {gap}; no instance tried breaks the statement.",
            examined=max(found.examined, 1),
            margin=None if tried.margin is None or tried.margin < 0 else tried.margin,
            would_settle=would_settle or f"a proof of: {gap}",
        )
    return replace(found, tightness=tightness, certificate=certificate, steps=each, prose=prose)


def _proof(steps: Steps) -> tuple[tuple[Step, ...], str]:
    """The steps and what is missing, empty if nothing is."""
    if isinstance(steps, tuple) and len(steps) == 2 and isinstance(steps[1], str):
        return (), "" if steps[0] else steps[1] or "the certificate"
    if isinstance(steps, Mapping):
        steps = from_tests(steps)
    each: Sequence[Any] = steps.steps if isinstance(steps, Proof) else steps
    if not each:
        raise ValueError("steps is empty: a proof without steps proves nothing")
    missing = [f"{step.name}: {step.reason}" if step.reason else step.name for step in each if not step.verified]
    return tuple(each), "; ".join(missing[:1] if isinstance(steps, Proof) else missing)


def _tried(instances: Instances) -> Tried:
    """The worst of the instances."""
    if isinstance(instances, Tried):
        return instances
    if isinstance(instances, Search):
        return Tried(instances.examined, instances.counterexample, float(instances.worst), _SEARCHED)
    every = list(instances())
    broken = [instance for instance in every if instance.left > instance.right]
    if not broken:
        return Tried(len(every), margin=min((instance.margin for instance in every), default=None))
    worst = min(broken, key=lambda instance: instance.margin)
    sides, note = (str(worst.left), str(worst.right)), ""
    if len("".join(sides)) >= 60:
        sides, note = (f"{float(worst.left):.6g}", f"{float(worst.right):.6g}"), " (exact rationals)"
    text = f"{worst.text}: left {sides[0]} > right {sides[1]}{note}"
    return Tried(len(every), text, min(worst.margin, -1e-300), _EVALUATED)


_SEARCHED = "counterexample, evaluated in rational arithmetic on small instances, smallest first"
_EVALUATED = "A counterexample, evaluated in exact arithmetic. The proof stops at: {gap}."


def read(
    holds: bool,
    *,
    method: str,
    examined: int,
    counterexample: str = "",
    numbers: Mapping[str, object] | None = None,
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


def undecided(why: str, examined: int = 1, would_settle: str = "a proof", rung: Rung = Rung.SEARCH) -> Evidence:
    """Evidence that neither a proof nor a counterexample was found."""
    return Evidence(rung, Outcome.NOT_REFUTED, why, examined, would_settle=would_settle)
