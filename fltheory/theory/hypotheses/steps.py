"""Hypotheses on the step sizes: constant, harmonic, or one prescribed number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from fltheory.algorithms.schedules import Harmonic
from fltheory.theory.hypotheses.decisions import (
    Decision,
    Hypothesis,
    KnownNumber,
    NotKnown,
    WhatIsKnown,
    fails,
    holds,
    unknown,
    without,
)
from fltheory.theory.hypotheses.quantities import QUANTITIES, check_name, latex_of, names_in, value_of

#: Step sizes that agree to this share of themselves are equal.
ROUNDING = 1e-12
#: A tuned step is a number with roots and logarithms, which a user computes in another order.
TUNED_ROUNDING = 1e-9


def numbers_of(text: str, setting: WhatIsKnown) -> dict[str, KnownNumber] | NotKnown:
    """What an expression asks for, or the first that is not known."""
    found: dict[str, KnownNumber] = {}
    for name in names_in(text):
        number = setting.know(name)
        if isinstance(number, NotKnown):
            return number
        found[name] = number
    return found


def evaluated(text: str, setting: WhatIsKnown) -> KnownNumber | NotKnown:
    """An expression in the vocabulary at a setting."""
    numbers = numbers_of(text, setting)
    if isinstance(numbers, NotKnown):
        return numbers
    value = value_of(text, {name: number.value for name, number in numbers.items()})
    if not math.isfinite(value):
        own = ", ".join(f"{name} = {number.value:.6g}" for name, number in numbers.items())
        return NotKnown(f"{text} is no finite number at {own}")
    said = ", ".join(f"{name} = {number.value:.6g}" for name, number in numbers.items())
    return KnownNumber(value, said or text, all(number.exact for number in numbers.values()))


@dataclass(frozen=True)
class ConstantStep(Hypothesis):
    """A rate that does not change; ``rate`` is its name in the vocabulary.  Its upper limit is an :class:`Inequality`."""

    rate: str = "eta"
    kind: ClassVar[str] = "step size"

    def __post_init__(self) -> None:
        check_name(self.rate)

    @property
    def words(self) -> str:
        return f"constant {QUANTITIES[self.rate].words.removeprefix('constant ')}"

    @property
    def latex(self) -> str:
        return rf"{QUANTITIES[self.rate].latex}\ \text{{constant}}"

    def decide(self, setting: WhatIsKnown) -> Decision:
        found = setting.know(self.rate)
        if isinstance(found, KnownNumber):
            return holds(f"{self.rate} = {found.value:.6g}")
        return without(found, f"wants a {self.words}; {found.reason}" if found.never else "")


#: What is added to max(8 L/mu, E) in the shifts that theorems have.
_OFFSETS = {"max(8*L/mu, E)": 0, "max(8*L/mu, E) - 1": -1}


@dataclass(frozen=True)
class HarmonicStep(Hypothesis):
    """``eta_t = factor/(mu (gamma + t))`` for every local step t = 1, 2, ..., with ``gamma`` an expression in the vocabulary.

    "gamma" itself stands for the shift that the schedule has, whatever it is.  A theorem for L-smooth and mu-strongly convex losses
    holds with a larger L and a smaller mu too, and so for the harmonic steps made from them (:meth:`constants_for`).
    """

    gamma: str = "max(8*L/mu, E)"
    factor: int = 2
    kind: ClassVar[str] = "step size"

    def constants_for(self, setting: WhatIsKnown) -> dict[str, float]:
        """For steps beta/(shift + t): mu = factor/beta, where that is a modulus, and L = mu gamma/8, where that is one."""
        schedule = getattr(setting.algorithm, "step_size", None)
        best = [setting.know(name) for name in ("mu", "L", "E")]
        if not isinstance(schedule, Harmonic) or not all(isinstance(one, KnownNumber) for one in best):
            return {}
        mu, smooth, steps = (one.value for one in best if isinstance(one, KnownNumber))
        own = self.factor / float(schedule.beta)
        found = {} if abs(own - mu) <= ROUNDING * mu else {"mu": own}
        if not 0 < own <= mu * (1 + ROUNDING):
            return {}
        if self.gamma in _OFFSETS:
            shift = float(schedule.gamma + schedule.first - 1) - _OFFSETS[self.gamma]
            least = 8 * smooth / own
            if shift > steps and shift > least * (1 + ROUNDING):
                found["L"] = own * shift / 8
        return found

    @property
    def words(self) -> str:
        shift = "" if self.gamma == "gamma" else f", gamma = {self.gamma}"
        return f"eta_t = {self.factor}/(mu (gamma + t)) for t = 1, 2, ...{shift}"

    @property
    def latex(self) -> str:
        return rf"\eta_t=\frac{{{self.factor}}}{{\mu(\gamma+t)}},\ \gamma={latex_of(self.gamma)}"

    def decide(self, setting: WhatIsKnown) -> Decision:
        mu, gamma, steps = setting.know("mu"), evaluated(self.gamma, setting), setting.know("steps")
        for number in (mu, gamma, steps):
            if isinstance(number, NotKnown):
                return without(number)
        assert isinstance(mu, KnownNumber) and isinstance(gamma, KnownNumber) and isinstance(steps, KnownNumber)
        if mu.value <= 0:
            return fails(f"wants {self.words}, for mu > 0; mu = {mu.value:.6g}")
        own = setting.step_sizes(int(steps.value))
        scale = f"{self.factor}/({mu.value:.6g} ({gamma.value:.6g} + t))"
        for t, step in enumerate(own, start=1):
            wanted = self.factor / (mu.value * (gamma.value + t))
            if abs(step - wanted) > ROUNDING * wanted:
                yours = f"constant {step:.6g}" if len(set(own)) == 1 else f"{step:.6g}"
                said = (
                    f"wants eta_t = {self.factor}/(mu (gamma + t)) = {scale}, {wanted:.6g} at t = {t}; yours is {yours}"
                )
                bounds = isinstance(setting.know("gamma"), KnownNumber) and not (mu.exact and gamma.exact)
                return unknown(f"{said} (mu and L are bounds, not exact)") if bounds else fails(said)
        return holds(f"eta_t = {scale}")

    def implies(self, other: Hypothesis) -> bool:
        return self == other or (isinstance(other, HarmonicStep) and other == HarmonicStep("gamma", self.factor))


@dataclass(frozen=True)
class ShortFirstRound(Hypothesis):
    """Clients synchronise when E divides t + 1, t = 1, 2, ...: the first round has E - 1 steps.

    A method of this package makes E steps in every round, the first included; with E = 1 that is the same.
    """

    kind: ClassVar[str] = "rounds"

    @property
    def words(self) -> str:
        return "clients synchronise when E divides t + 1"

    @property
    def latex(self) -> str:
        return r"E\mid t+1"

    def decide(self, setting: WhatIsKnown) -> Decision:
        found = setting.know("E")
        if isinstance(found, NotKnown):
            return without(found)
        if found.value == 1:
            return holds("E = 1")
        return fails(
            f"wants a first round of E - 1 = {found.value - 1:g} steps, synchronising when E divides t + 1; yours has "
            f"E = {found.value:g} in every round"
        )


@dataclass(frozen=True)
class PrescribedStep(Hypothesis):
    """The rate ``rate`` is the number ``value``, an expression in the vocabulary: what a theorem was tuned for.

    ``said`` names it where the expression is long.
    """

    rate: str
    value: str
    said: str = ""
    kind: ClassVar[str] = "step size"

    def __post_init__(self) -> None:
        check_name(self.rate)
        names_in(self.value)

    @property
    def words(self) -> str:
        return f"{self.rate} = {self.said or self.value}"

    @property
    def latex(self) -> str:
        return f"{QUANTITIES[self.rate].latex}={latex_of(self.value)}"

    def prescribed(self, setting: WhatIsKnown) -> KnownNumber | NotKnown:
        """The number that the theorem wants."""
        found = evaluated(self.value, setting)
        if isinstance(found, NotKnown) and self.said:
            return NotKnown(found.reason.replace(self.value, f"{self.rate} = {self.said}"), found.never)
        return found

    def decide(self, setting: WhatIsKnown) -> Decision:
        wanted, own = self.prescribed(setting), setting.know(self.rate)
        if isinstance(wanted, NotKnown):
            return without(wanted)
        if isinstance(own, NotKnown):
            return without(own, f"wants {self.words} = {wanted.value:.6g}; {own.reason}" if own.never else "")
        if abs(own.value - wanted.value) <= TUNED_ROUNDING * abs(wanted.value):
            return holds(f"{self.rate} = {own.value:.6g}")
        return fails(f"wants {self.words} = {wanted.value:.6g}; yours is {own.value:.6g}")
