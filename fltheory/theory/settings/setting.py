"""What is known of a problem, a method and a number of rounds: every number with the way it is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.kinds import Floats
from fltheory.problems.checks import (
    check_count,
    check_finite,
    check_point,
    check_positive,
    check_problem,
    is_real,
    real_array,
    shown,
)
from fltheory.problems.oracles import AnyOracle, Exact
from fltheory.problems.oracles.protocol import check_oracle
from fltheory.theory.hypotheses.decisions import KnownNumber as KnownNumber
from fltheory.theory.hypotheses.decisions import NotKnown as NotKnown
from fltheory.theory.hypotheses.quantities import QUANTITIES, check_name

#: How far a number that is given may lie on the wrong side of the computed one: rounding.
ROUNDING = 1e-9
Answer = KnownNumber | NotKnown


@dataclass(frozen=True, eq=False)
class RateSetting:
    """A problem, an algorithm and a number of rounds, of which hypotheses are decided.

    ================= ======================================================================================================
    argument          meaning
    ================= ======================================================================================================
    ``rounds``        R, the rounds after which the bound speaks
    ``oracle``        what clients see instead of gradients; default: exact gradients
    ``centre_oracle`` the same for the server's own loss
    ``start``         the first model, ``(d,)``; default: zero
    ``radius``        of a ball around the minimiser in which, as you say, all local points stay: bounds that do not exist at
                      every point are then taken over the ball
    ``given``         numbers by their names in :data:`~fltheory.theory.hypotheses.quantities.QUANTITIES` that you know, where
                      none can be computed or a better one is known
    ================= ======================================================================================================

    Raises
    ------
    ValueError : no problem, rounds below 1, an oracle or a start that does not fit, a name that the vocabulary does not have;
        when it is read: a given number that contradicts a computed one.
    """

    problem: Any
    algorithm: Any
    rounds: int
    oracle: AnyOracle = field(default_factory=Exact)
    centre_oracle: AnyOracle = field(default_factory=Exact)
    start: Any = None
    radius: float | None = None
    given: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_problem("problem", self.problem)
        object.__setattr__(self, "rounds", check_count("rounds", self.rounds))
        check_oracle(self.problem, self.oracle)
        if hasattr(self.problem, "centre"):
            check_oracle(self.problem.centre, self.centre_oracle)
        if self.radius is not None:
            check_positive("radius", self.radius)
        for name, number in self.given.items():
            check_name(name)
            if not is_real(number):
                raise ValueError(f"given {name}={shown(number)} is no finite real number")
        assert self.origin is not None

    @cached_property
    def origin(self) -> Floats:
        """The first model in floats."""
        d = self.problem.dimension
        point = np.zeros(d) if self.start is None else real_array("start", self.start).astype(np.float64)
        check_point(point, (d,), name="start")
        check_finite("start", point)
        return np.asarray(point, dtype=np.float64)

    @cached_property
    def _known(self) -> dict[str, Answer]:
        return {}

    @cached_property
    def shared(self) -> dict[str, Any]:
        """What several numbers are computed from, kept by name; nothing that depends on ``given``."""
        return {}

    def know(self, name: str) -> Answer:
        """The number of this name, or why it is not known; computed when it is first asked for."""
        if name not in self._known:
            self._known[check_name(name)] = self._computed(name)
        return self._known[name]

    def with_given(self, numbers: Mapping[str, float]) -> RateSetting:
        """The same with more numbers given; what is expensive and does not depend on them is shared."""
        other = replace(self, given={**self.given, **numbers})
        other.__dict__["shared"] = self.shared
        return other

    def number(self, name: str) -> float:
        """Its value; ``ValueError`` with the reason where it is not known."""
        found = self.know(name)
        if isinstance(found, NotKnown):
            raise ValueError(f"{name}: {found.reason}")
        return found.value

    def _computed(self, name: str) -> Answer:
        from fltheory.theory.settings.computed import COMPUTED

        own = _tried(COMPUTED[name], self)
        if name not in self.given:
            return own
        value = float(self.given[name])
        _require_possible(name, value, own)
        return KnownNumber(value, "given", exact=True)

    def step_sizes(self, count: int) -> list[float]:
        """The first ``count`` local step sizes in order.

        Raises
        ------
        ValueError : a method without a number of local steps or without a schedule.
        """
        steps, schedule = self.number("E"), getattr(self.algorithm, "step_size", None)
        if schedule is None:
            raise ValueError(f"{type(self.algorithm).__name__} has no step_size")
        per_round = int(steps)
        if schedule.constant:
            return [self.number("eta")] * count
        key = f"step_sizes {count}"
        if key not in self.shared:
            made = (schedule.at(t // per_round, t % per_round, per_round) for t in range(count))
            self.shared[key] = [float(step) for step in made]
        found: list[float] = self.shared[key]
        return found


def _tried(compute: Callable[[RateSetting], Answer], setting: RateSetting) -> Answer:
    """A number that is finite, or the words of what stood in the way."""
    try:
        found = compute(setting)
    except (ValueError, ArithmeticError, MemoryError) as error:
        return NotKnown(str(error))
    if isinstance(found, KnownNumber) and not math.isfinite(found.value):
        return NotKnown(f"it is {found.value} in float64")
    return found


def _require_possible(name: str, value: float, own: Answer) -> None:
    """Raise ``ValueError`` where a given number is contradicted by what is known."""
    if isinstance(own, NotKnown):
        if own.never:
            raise ValueError(f"given {name}={value:.6g}: {own.reason}")
        return
    if not own.exact:
        return
    room, side = ROUNDING * abs(own.value), QUANTITIES[name].side
    wrong = {
        "upper": value < own.value - room,
        "lower": value > own.value + room,
        "exact": abs(value - own.value) > room,
    }[side]
    if wrong:
        sign = {"upper": "at least", "lower": "at most", "exact": ""}[side]
        raise ValueError(f"given {name}={value:.6g}; expected {sign} {own.value:.6g} ({own.how})".replace("  ", " "))
