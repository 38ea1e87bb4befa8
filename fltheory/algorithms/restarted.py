"""The lecture note's "equivalent code" for FedAvg (Parallel Restarted SGD), exactly as printed.

Iteration t = 1, 2, ...: every client draws a stochastic gradient G at its *current local* point; if K divides t the
clients restart from the average of the local points, ``x_i = average - s G_i``, else ``x_i = x_i - s G_i``.  The
gradient of a restart is thus taken at the point before the average.  A round here is K iterations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule, as_schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector
from fltheory.kinds import Number
from fltheory.problems.base import check_count


class RestartedState(NamedTuple):
    """The mean of the local points and the local points."""

    mean: Vector
    local: ClientVector


@dataclass(frozen=True)
class ParallelRestartedSGD:
    """The printed code; ``local_steps`` is the synchronisation interval K, ``step_size`` is s.

    The first round runs t = 1..K from the common start, later rounds continue; full participation only.

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive, another participation than that of all clients.
    """

    local_steps: int
    step_size: Schedule | Number
    participation: Participation = Full()

    def __post_init__(self) -> None:
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        object.__setattr__(self, "step_size", as_schedule(self.step_size))
        if not isinstance(self.participation, Full):
            raise ValueError(f"participation={self.participation!r}: the printed code averages over all clients")

    def start(self, fed: Federation, w: Vector) -> RestartedState:
        return RestartedState(w, fed.send(w))

    def round(self, fed: Federation, state: RestartedState) -> RestartedState:
        schedule: Schedule = self.step_size
        x = state.local
        for step in range(self.local_steps):
            gradient = fed.gradient(x)
            base = fed.send(fed.average(x)) if step == self.local_steps - 1 else x
            x = base - schedule.at(fed.round, step, self.local_steps) * gradient
        return RestartedState(fed.average(x), x)
