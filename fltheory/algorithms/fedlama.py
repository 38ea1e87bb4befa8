"""FedLAMA: layers are averaged at intervals of their own (Lee, Zhang, Avestimehr 2021, Algorithms 1 and 2).

A round has ``phi tau'`` local steps.  After every ``tau_l`` of them layer ``l`` is averaged over the cohort and sent back, and
the round ends with the average of the whole model, which every ``tau_l`` allows: it is ``tau'`` or ``phi tau'``.  Then the
intervals of the next round are set by Algorithm 2 from the unit discrepancies of the layers, equation (2),

    d_l = sum_k p_k |u_l - x_l^k|^2 / (tau_l dim u_l),

taken when layer ``l`` was last averaged, before it was.  The cohort is drawn anew for every round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fltheory.algorithms.intervals import DEFAULT, RULES, intervals
from fltheory.algorithms.layer_schedule import LayerIntervals, is_due
from fltheory.algorithms.participation import Full, Participation, check_participation
from fltheory.algorithms.schedules import Schedule, as_schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector, local_sgd
from fltheory.kinds import Array, Floats, Number
from fltheory.problems.base import check_choice, check_count
from fltheory.problems.blocks import Blocks
from fltheory.problems.checks import check_function

INDICES = ("after the interval", "printed")


class Adaptive(NamedTuple):
    """State of the adaptive form: the model; at each coordinate its layer's interval in the coming round; and how often the
    coordinate has been averaged so far."""

    model: Vector
    intervals: Vector
    averaged: Vector


@dataclass(frozen=True)
class FedLAMA:
    """Layer-wise averaging, with intervals that adapt or with given ones.

    ================= ====== ======================================================================================
    argument          paper  meaning
    ================= ====== ======================================================================================
    ``base``          tau'   base interval
    ``factor``        phi    increase factor; 1 is :class:`FedAvg` with ``tau'`` local steps
    ``step_size``     eta    number or schedule
    ``participation``        who takes part in a round and how the layers are averaged
    ``intervals``     tau_l  intervals of the layers for good: counts in their order, or :class:`LayerIntervals`.  Rounds are
                             then linear on a quadratic problem, and every reading takes them.  Default: they adapt
    ``rule``                 the reading of Algorithm 2, one of :data:`fltheory.algorithms.intervals.RULES`, or a function
                             ``rule(d, sizes, base, factor)`` that returns the intervals
    ``index``                "after the interval": averaged after ``tau_l, 2 tau_l, ...`` steps, as the text says;
                             "printed": after steps ``1, 1 + tau_l, ...``, the loop of Algorithm 1 from ``j = 0`` with what
                             the step has made averaged at ``j mod tau_l = 0``
    ================= ====== ======================================================================================

    With ``index="printed"`` the round still ends with the whole model, and ``d_l`` is that of the layer's last averaging
    within the round.  Intervals that adapt look at values, so that only runs in floats (``simulate``, ``trajectory``) take
    them; a run whose discrepancies overflow keeps its intervals.

    Raises
    ------
    ValueError : ``base`` or ``factor`` below 1, a step size that is not positive, an unknown rule or index; "accelerated" with a
        factor that does not divide the base.
    """

    base: int
    factor: int
    step_size: Schedule | Number
    participation: Participation = Full()
    intervals: LayerIntervals | tuple[int, ...] | None = None
    rule: str | Callable[..., Any] = DEFAULT
    index: str = INDICES[0]

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", check_count("base", self.base))
        object.__setattr__(self, "factor", check_count("factor", self.factor))
        object.__setattr__(self, "step_size", as_schedule(self.step_size))
        check_participation(self.participation)
        check_choice("index", self.index, INDICES)
        if isinstance(self.rule, str):
            check_choice("rule", self.rule, RULES)
        else:
            check_function("rule", self.rule, "rule(d, sizes, base, factor)")
        if self.rule == "accelerated" and self.base % self.factor:
            raise ValueError(f"base={self.base} is no multiple of factor={self.factor}; expected one, to accelerate")
        if self.intervals is not None and not isinstance(self.intervals, LayerIntervals):
            object.__setattr__(self, "intervals", LayerIntervals(self.intervals, self._first))

    @property
    def local_steps(self) -> int:
        """``phi tau'``, the steps of a round."""
        return self.base * self.factor

    @property
    def adaptive(self) -> bool:
        """Whether the intervals follow the discrepancies; with ``phi = 1`` there is nothing to choose."""
        return self.intervals is None and self.factor > 1

    @property
    def _first(self) -> int | None:
        return 1 if self.index == "printed" else None

    def start(self, fed: Federation, w: Vector) -> Vector | Adaptive:
        if not self.adaptive:
            return w
        return Adaptive(w, fed.decide(lambda values: np.full_like(values, self.base), w), fed.zero())

    def round(self, fed: Federation, state: Any) -> Vector | Adaptive:
        return self._adapted(fed, state) if self.adaptive else self._fixed(fed, state)

    def _fixed(self, fed: Federation, w: Vector) -> Vector:
        """A round whose intervals are known."""
        x, done = fed.send(w), 0
        plan = self.intervals
        if isinstance(plan, LayerIntervals):
            for step in plan.steps(self.local_steps):
                x = fed.layers(plan.due(step), self._steps(fed, x, done, step))
                done = step
        return fed.average(self._steps(fed, x, done, self.local_steps), absent=w)

    def _adapted(self, fed: Federation, state: Adaptive) -> Adaptive:
        """A round whose intervals are values, then those of the next round."""
        waits, averaged = state.intervals, state.averaged
        x, gaps = fed.send(state.model), fed.zero()
        done, end = 0, self.local_steps
        for step in [*self._events(), end]:
            x = self._steps(fed, x, done, step)
            done = step
            if step == end and self._first is not None and (end - 1) % self._unit:
                break
            due = self._due(fed, waits, step)
            middle = fed.send(fed.average(x))
            apart = fed.average(fed.decide(np.square, x - middle))
            gaps = fed.decide(lambda mask, new, old: np.where(mask != 0, new, old), due, apart, gaps)
            if step < end:
                x, averaged = fed.layers(due, x), averaged + due
        model = fed.average(x, absent=state.model)
        following = fed.decide(lambda squares, old: self._following(fed.blocks, squares, old), gaps, waits)
        return Adaptive(model, following, averaged + fed.decide(np.ones_like, averaged))

    @property
    def _unit(self) -> int:
        """The shortest interval that a rule gives."""
        return self.base // self.factor if self.rule == "accelerated" else self.base

    def _events(self) -> list[int]:
        """After how many steps, before the last, some layer may be due; a rule of the user's may choose any interval."""
        unit = self._unit if isinstance(self.rule, str) else 1
        return [step for step in range(1, self.local_steps) if is_due(step, unit, self._first)]

    def _due(self, fed: Federation, waits: Vector, step: int) -> Vector:
        """Where the layer is due after so many steps."""
        since = step if self._first is None else step - self._first
        return fed.decide(lambda values: (since % np.maximum(values, 1) == 0).astype(np.float64), waits)

    def _steps(self, fed: Federation, x: ClientVector, first: int, last: int) -> ClientVector:
        """Local steps ``first .. last - 1`` of the round."""
        schedule: Schedule = self.step_size
        return local_sgd(fed, x, last - first, lambda step: schedule.at(fed.round, first + step, self.local_steps))

    def _following(self, blocks: Blocks, squares: Floats, waits: Floats) -> Array:
        """Intervals of the next round at every coordinate, ``(runs, d)``, from squares and intervals there."""
        given = waits[:, [int(blocks.indices(layer)[0]) for layer in range(len(blocks))]]
        with np.errstate(over="ignore", invalid="ignore"):
            units = blocks.sums(squares) / (np.maximum(given, 1) * np.array(blocks.sizes))
        chosen = np.array([self._chosen(own, blocks, old) for own, old in zip(units, given, strict=True)], dtype=float)
        return chosen[:, blocks.block_of]

    def _chosen(self, units: Floats, blocks: Blocks, old: Floats) -> Any:
        if not bool(np.isfinite(units).all()):
            return old
        rule = self.rule
        if isinstance(rule, str):
            return intervals(units.tolist(), blocks.sizes, self.base, self.factor, rule)
        return rule(units.tolist(), blocks.sizes, self.base, self.factor)
