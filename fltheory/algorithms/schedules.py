"""Step-size schedules.  A schedule is a value: it maps (round, local step) to a number, exactly if its fields are exact."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol

from fltheory.kinds import Number
from fltheory.problems.checks import (
    check_count,
    check_flag,
    check_integer,
    check_nonnegative,
    check_number,
    check_positive,
    is_real,
    is_symbolic,
    shown,
)
from fltheory.problems.numbers import as_number, set_numbers


class Schedule(Protocol):
    """What every schedule can do."""

    @property
    def constant(self) -> bool:
        """Whether all step sizes are equal, so that fixed points and stationary laws have a meaning."""
        ...

    def at(self, round: int, step: int, local_steps: int) -> Number:
        """Step size of local step ``step`` (from 0) in round ``round`` (from 0) of ``local_steps`` steps each."""
        ...


@dataclass(frozen=True)
class Constant:
    """``eta_t = value``."""

    value: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_number("step_size", self.value))
        check_positive("step_size", self.value)

    @property
    def constant(self) -> bool:
        return True

    def at(self, round: int, step: int, local_steps: int) -> Number:
        return self.value


@dataclass(frozen=True)
class Harmonic:
    """``eta_t = beta / (gamma + t)`` with ``t = first + round * local_steps + step``.

    ``first`` is the index of the very first step.  Li et al. print two indexings; see :func:`li_main_text` and
    :func:`li_appendix`.
    """

    beta: Number
    gamma: Number
    first: int = 0

    def __post_init__(self) -> None:
        set_numbers(self, "beta", "gamma")
        check_positive("beta", self.beta)
        check_number("gamma", self.gamma)
        check_integer("first", self.first)
        check_positive("gamma + first", self.gamma + self.first)

    @property
    def constant(self) -> bool:
        return False

    def at(self, round: int, step: int, local_steps: int) -> Number:
        return self.beta / (self.gamma + self.first + round * local_steps + step)


@dataclass(frozen=True)
class HarmonicPerRound:
    """``eta = beta / (gamma + round)`` within a whole round; ``beta=eta0, gamma=1`` is eta0/(1+t) decayed per round."""

    beta: Number
    gamma: Number = 1

    def __post_init__(self) -> None:
        set_numbers(self, "beta", "gamma")
        check_positive("beta", self.beta)
        check_positive("gamma", self.gamma)

    @property
    def constant(self) -> bool:
        return False

    def at(self, round: int, step: int, local_steps: int) -> Number:
        return self.beta / (self.gamma + round)


@dataclass(frozen=True)
class Annealed:
    """``eta_t = scale / (offset + t * rate)``: the schedule (1/5)/(5 + t a) of Figure 2(b) of Li et al.

    ``per_round`` chooses whether ``t`` counts rounds or local steps; the paper does not say which.
    """

    scale: Number
    offset: Number
    rate: Number
    per_round: bool = False

    def __post_init__(self) -> None:
        set_numbers(self, "scale", "offset", "rate")
        check_positive("scale", self.scale)
        check_positive("offset", self.offset)
        check_nonnegative("rate", self.rate)
        check_flag("per_round", self.per_round)

    @property
    def constant(self) -> bool:
        return bool(self.rate == 0)

    def at(self, round: int, step: int, local_steps: int) -> Number:
        t = round if self.per_round else round * local_steps + step
        return self.scale / (self.offset + t * self.rate)


def as_schedule(value: Any, *, name: str = "step_size") -> Schedule:
    """A schedule from a schedule or from a number (read as constant); ``ValueError`` unless the number is positive."""
    if callable(getattr(value, "at", None)) and not isinstance(value, type):
        schedule: Schedule = value
        return schedule
    value = as_number(name, value)
    if not is_real(value) and not is_symbolic(value):
        raise ValueError(f"{name}={shown(value)} is no finite real number; expected one, or a schedule of them")
    check_positive(name, value)
    return Constant(value)


def li_main_text(mu: Number, L: Number, local_steps: int) -> Harmonic:
    """``eta_t = 2/(mu (gamma + t))``, ``gamma = max(8 L/mu, E)``, first step ``t = 0`` (Theorem 1 of Li et al.).

    Raises
    ------
    ValueError : ``mu <= 0``, ``L < mu`` (there is no such function), ``E < 1``.
    """
    mu, L = _constants(mu, L, local_steps)
    gamma = max(8 * L / mu, local_steps)
    return Harmonic(2 / mu, gamma, first=0)


def li_appendix(mu: Number, L: Number, local_steps: int, *, first: int = 1) -> Harmonic:
    """``eta_t = 2/(mu (gamma + t))``, ``gamma = max(8 L/mu, E) - 1``, first step ``t = first`` (Appendix A.3).

    The induction of the appendix starts at ``t = 1``; ``first=0`` reads the printed schedule from ``t = 0``.

    Raises
    ------
    ValueError : ``mu <= 0``, ``L < mu`` (there is no such function), ``E < 1``, ``first < 0``.
    """
    mu, L = _constants(mu, L, local_steps)
    check_count("first", first, least=0)
    gamma = max(8 * L / mu, local_steps) - 1
    return Harmonic(2 / mu, gamma, first=first)


def _constants(mu: Any, L: Any, local_steps: object) -> tuple[Any, Any]:
    mu, L = as_number("mu", mu), as_number("L", L)
    check_positive("mu", mu)
    check_positive("L", L)
    check_count("local_steps", local_steps)
    if isinstance(mu, Real) and isinstance(L, Real) and mu > L:
        raise ValueError(f"mu={mu} exceeds L={L}; expected mu <= L")
    return mu, L
