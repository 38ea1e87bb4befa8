"""What published theorems prescribe for a method: the step sizes that they were stated for, and what they promise there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Participation
from fltheory.algorithms.schedules import Harmonic
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import PointLike
from fltheory.problems.base import Problem
from fltheory.problems.oracles import AnyOracle, Exact
from fltheory.questions.families import Family
from fltheory.theory.hypotheses import ConstantStep, HarmonicStep, KnownNumber, PrescribedStep
from fltheory.theory.hypotheses.steps import evaluated
from fltheory.theory.rates import Assessment, RateTheorem, rates
from fltheory.theory.settings import RateSetting

#: Constant step sizes that a theorem with an upper limit is tried at, as powers of ten times 1/L.
POWERS = np.linspace(-4, math.log10(2), 27)
_ANY_SHIFT = "max(8*L/mu, E)"


@dataclass(frozen=True, eq=False)
class Choice:
    """Local steps, a scheme, the rounds that the budget pays for there."""

    local_steps: int
    scheme: Participation
    rounds: int


@dataclass(frozen=True, eq=False)
class Prescription:
    """A theorem at the choice and the step sizes at which its bound is least; ``value`` is that bound."""

    theorem: RateTheorem
    choice: Choice
    step_size: Any
    algorithm: Algorithm
    value: float


@dataclass(frozen=True, eq=False)
class Prescriber:
    """Holds theorems against choices for one problem."""

    problem: Problem
    family: Family
    oracle: AnyOracle | None
    centre_oracle: AnyOracle | None
    start: PointLike | None

    def all(self, choices: list[Choice]) -> tuple[list[Prescription], int]:
        """The prescription of each theorem that applies somewhere, and how many of the method's theorems never do."""
        found, never = [], 0
        for theorem in rates():
            if self._assess(theorem, choices[0], 1.0).other_method:
                continue
            best = min((p for c in choices for p in self._of(theorem, c)), key=lambda p: p.value, default=None)
            if best is None:
                never += 1
            else:
                found.append(best)
        return found, never

    def _of(self, theorem: RateTheorem, choice: Choice) -> Iterator[Prescription]:
        """The prescriptions of a theorem at a choice whose every hypothesis holds."""
        for step_size in self._steps(theorem, choice):
            held = self._assess(theorem, choice, step_size)
            if held.status == "holds" and held.value is not None and math.isfinite(held.value):
                algorithm = self.family.make(choice.local_steps, step_size, choice.scheme)
                yield Prescription(theorem, choice, step_size, algorithm, held.value)

    def _steps(self, theorem: RateTheorem, choice: Choice) -> list[Any]:
        """The steps that the theorem's hypotheses name; where they give a limit only, steps up to it."""
        setting = self._setting(choice, 1.0)
        for one in theorem.hypotheses:
            if isinstance(one, HarmonicStep):
                gamma = evaluated(_ANY_SHIFT if one.gamma == "gamma" else one.gamma, setting)
                mu = setting.know("mu")
                if not isinstance(gamma, KnownNumber) or not isinstance(mu, KnownNumber) or mu.value <= 0:
                    return []
                return [Harmonic(2 / mu.value, gamma.value, first=1)]
        for one in theorem.hypotheses:
            if isinstance(one, PrescribedStep) and one.rate in ("eta", "e"):
                wanted, unit = one.prescribed(setting), setting.know(one.rate)  # at a step of one
                if isinstance(wanted, KnownNumber) and isinstance(unit, KnownNumber) and wanted.value > 0:
                    return [wanted.value / unit.value]
                return []
        smooth = setting.know("L")
        if not isinstance(smooth, KnownNumber) or not any(isinstance(one, ConstantStep) for one in theorem.hypotheses):
            return []
        return [float(10.0**power / smooth.value) for power in POWERS]

    def _assess(self, theorem: RateTheorem, choice: Choice, step_size: Any) -> Assessment:
        return theorem.assess(self._setting(choice, step_size))

    @cached_property
    def _settings(self) -> dict[tuple[Choice, Any], RateSetting]:
        return {}

    def _setting(self, choice: Choice, step_size: Any) -> RateSetting:
        """One for all theorems, so that each number is computed once."""
        key = (choice, step_size)
        if key not in self._settings:
            self._settings[key] = self._made(choice, step_size)
        return self._settings[key]

    def _made(self, choice: Choice, step_size: Any) -> RateSetting:
        return RateSetting(
            self.problem,
            self.family.make(choice.local_steps, step_size, choice.scheme),
            choice.rounds,
            Exact() if self.oracle is None else self.oracle,
            Exact() if self.centre_oracle is None else self.centre_oracle,
            self.start,
        )
