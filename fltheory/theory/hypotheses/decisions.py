"""What a hypothesis is: something that can say itself and be decided for what is known of a problem, a method and a run.

A decision is one of three.  ``unknown`` is the answer wherever neither truth nor falsehood follows from what is known:
nothing is taken for true because it could not be refuted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

Status = Literal["holds", "fails", "unknown"]


@dataclass(frozen=True)
class Decision:
    """``status`` and the reason, with the numbers on both sides where there are two.

    ``cause`` is the root of the reason where it is that of a number which several hypotheses ask for.
    """

    status: Status
    reason: str
    cause: str = ""

    @property
    def holds(self) -> bool:
        """Whether it is decided, and true."""
        return self.status == "holds"

    def __str__(self) -> str:
        return f"{self.status}: {self.reason}" if self.reason else self.status


def holds(reason: str = "") -> Decision:
    """The hypothesis is true; ``reason`` says how that is known."""
    return Decision("holds", reason)


def fails(reason: str) -> Decision:
    """It is false; ``reason`` names what it wants and what is there."""
    return Decision("fails", reason)


def unknown(reason: str) -> Decision:
    """It is not decided; ``reason`` says what would have to be known."""
    return Decision("unknown", reason)


@dataclass(frozen=True)
class KnownNumber:
    """A number and how it is known; ``exact`` if it is the best one, not a bound on its safe side."""

    value: float
    how: str
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.value:.6g} ({self.how})"


@dataclass(frozen=True)
class NotKnown:
    """No number: why, and whether it is proved that there is none (``never``)."""

    reason: str
    never: bool = False


class WhatIsKnown(Protocol):
    """What a hypothesis may ask of a setting (:class:`~fltheory.theory.settings.RateSetting` answers all of it)."""

    @property
    def problem(self) -> Any: ...
    @property
    def algorithm(self) -> Any: ...
    @property
    def oracle(self) -> Any: ...
    @property
    def centre_oracle(self) -> Any: ...
    def know(self, name: str) -> KnownNumber | NotKnown:
        """A quantity of the vocabulary."""
        ...

    def step_sizes(self, count: int) -> list[float]:
        """The first ``count`` local step sizes, in order; ``ValueError`` for a method without."""
        ...


class Hypothesis(ABC):
    """One hypothesis, as data: equal hypotheses of two theorems compare equal.

    ``kind`` names what it is about, so that theorems can be compared kind by kind.
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def words(self) -> str:
        """It in words."""

    @property
    @abstractmethod
    def latex(self) -> str:
        """It in LaTeX."""

    @abstractmethod
    def decide(self, setting: WhatIsKnown) -> Decision:
        """Whether it is true of the setting."""

    def constants_for(self, setting: WhatIsKnown) -> dict[str, float]:
        """Valid constants beside the best ones with which the hypothesis holds, such as a larger L; empty for none."""
        return {}

    def implies(self, other: Hypothesis) -> bool:
        """Whether it is known that ``other`` follows, for all settings; ``False`` where it is not known."""
        return self == other


def without(found: NotKnown, reason: str = "") -> Decision:
    """The decision where a number is missing: false if there is proved to be none, else unknown."""
    return Decision("fails" if found.never else "unknown", reason or found.reason, found.reason)


def from_number(found: KnownNumber | NotKnown, what: str) -> Decision:
    """A hypothesis that asks for a finite number: true with it, false if there is none, unknown if it is not known."""
    if isinstance(found, KnownNumber):
        return holds(f"{what} = {found}")
    return without(found)
