"""Proofs that consist of several exactly checked steps, and exactly evaluated instances of what they prove."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias

import sympy as sp

from fltheory.theory.proofs import Certificate, equal, nonnegative_on
from fltheory.theory.record import Confirmed, note, recording

Ranges = Sequence[tuple[sp.Symbol, Any, Any | None]]


@dataclass(frozen=True)
class Step:
    """One step of a proof, whether it was verified, and the reason if it was not.

    ``confirmed`` is what the trusted functions said yes to; a step that is no more than a ``hypothesis`` has nothing to
    verify, and says so.
    """

    name: str
    verified: bool
    reason: str = ""
    confirmed: tuple[Confirmed, ...] = field(default=(), compare=False, repr=False)
    hypothesis: bool = False


#: Named tests, each of them what is True where a step holds, or the step itself.
Tests: TypeAlias = dict[str, "bool | Step | Callable[[], bool]"]


def shown(name: str, test: Callable[[], bool | tuple[bool, str]], otherwise: str = "") -> Step:
    """A step that keeps what the trusted functions confirm during ``test``, which answers as they do.

    A ``ValueError`` of theirs (no rational function, a symbol without a range) is a no.
    """
    with recording() as confirmed:
        try:
            answer = test()
        except ValueError as error:
            answer = False, str(error)
    verified, reason = answer if isinstance(answer, tuple) else (bool(answer), otherwise)
    note(confirmed if verified else (), name)
    return Step(name, bool(verified), "" if verified else reason, tuple(confirmed) if verified else ())


def from_tests(tests: Mapping[str, bool | Step | Callable[[], bool]]) -> tuple[Step, ...]:
    """The steps of named tests; of one that is only ``True`` nothing is kept."""

    def step(name: str, test: bool | Step | Callable[[], bool]) -> Step:
        if isinstance(test, Step):
            return replace(test, name=name)
        return shown(name, test) if callable(test) else Step(name, bool(test))

    return tuple(step(name, test) for name, test in tests.items())


def hypothesis(name: str, given: bool, otherwise: str = "") -> Step:
    """A hypothesis of the statement: ``given`` as printed, and not where a control drops it."""
    return Step(name, bool(given), "" if given else otherwise, hypothesis=True)


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
    """``left = right`` as rational functions; both sides are kept as they are written."""
    return shown(name, lambda: equal(left, right), f"{left} - ({right}) is not identically zero")


def sign(name: str, expression: Any, ranges: Ranges) -> Step:
    """``expression >= 0`` on the ranges."""
    return shown(name, lambda: nonnegative_on(expression, ranges), f"{expression} is not shown nonnegative")


def at_least(name: str, left: Any, right: Any, otherwise: str = "") -> Step:
    """``left >= right`` for two exact numbers, which are kept as they are."""
    left, right = sp.sympify(left), sp.sympify(right)
    with recording():
        verified = nonnegative_on(left - right, ())
    confirmed = (Confirmed("at least", (left, right), name),) if verified else ()
    note(confirmed)
    return Step(name, verified, "" if verified else otherwise or f"{left} < {right}", confirmed)


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
    return shown(name, Certificate(left, right, premises, every, ranges).verify)


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
