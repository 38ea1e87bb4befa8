"""Proofs that consist of several exactly checked steps, and exactly evaluated instances of what they prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from fltheory.theory.proofs import Certificate, is_zero, nonnegative_on

Ranges = Sequence[tuple[sp.Symbol, Any, Any | None]]


@dataclass(frozen=True)
class Step:
    """One step of a proof, whether it was verified, and the reason if it was not."""

    name: str
    verified: bool
    reason: str = ""


@dataclass(frozen=True)
class Proof:
    """A list of steps; complete when every one of them was verified."""

    steps: tuple[Step, ...]

    @property
    def complete(self) -> bool:
        """All steps verified, and there is at least one."""
        return bool(self.steps) and all(step.verified for step in self.steps)

    @property
    def gap(self) -> str:
        """The first step that was not verified."""
        return next((f"{step.name}: {step.reason}" for step in self.steps if not step.verified), "")


def identity(name: str, left: Any, right: Any) -> Step:
    """``left = right`` as rational functions."""
    verified = is_zero(sp.sympify(left) - sp.sympify(right))
    return Step(name, verified, "" if verified else f"{left} - ({right}) is not identically zero")


def sign(name: str, expression: Any, ranges: Ranges) -> Step:
    """``expression >= 0`` on the ranges."""
    try:
        verified = nonnegative_on(expression, ranges)
    except ValueError as error:
        return Step(name, False, str(error))
    return Step(name, verified, "" if verified else f"{expression} is not shown nonnegative")


def inequality(
    name: str,
    left: Any,
    right: Any,
    *,
    premises: Mapping[str, tuple[Any, Any]] | None = None,
    squares: Sequence[tuple[Any, Any]] = (),
    ranges: Ranges = (),
) -> Step:
    """``left <= right`` from premises times multipliers, squares, and a remainder that is nonnegative on the ranges."""
    premises = premises or {}
    rest = sp.expand(right - left)
    rest -= sum((m * p for m, p in premises.values()), sp.Integer(0))
    rest -= sum((c * z**2 for c, z in squares), sp.Integer(0))
    rest = sp.factor(sp.together(sp.expand(rest)))
    every = list(squares) if rest == 0 else [*squares, (rest, sp.Integer(1))]
    try:
        verified, reason = Certificate(left, right, premises, every, ranges).verify()
    except ValueError as error:
        verified, reason = False, str(error)
    return Step(name, verified, "" if verified else reason)


@dataclass(frozen=True)
class Instance:
    """An exactly evaluated instance of ``left <= right``: a violation has ``left > right``."""

    text: str
    left: Fraction
    right: Fraction

    @property
    def margin(self) -> float:
        """(right - left) relative to the larger of the two."""
        scale = max(abs(self.left), abs(self.right))
        return float((self.right - self.left) / scale) if scale else 0.0


def equality(text: str, left: Fraction, right: Fraction) -> Instance:
    """An instance of ``left = right``: violated when the two differ."""
    return Instance(f"{text}: {left} against {right}, distance", abs(left - right), Fraction(0))
