"""FedAvg: E local steps on each client of the cohort, then the scheme's average (McMahan et al. 2017; Li et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass

from fltheory.algorithms.participation import Full, Participation, check_participation
from fltheory.algorithms.schedules import Schedule, as_schedule
from fltheory.algorithms.vocabulary import Federation, Vector, local_sgd
from fltheory.kinds import Number
from fltheory.problems.base import check_count


@dataclass(frozen=True)
class FedAvg:
    """Federated averaging with one step size.

    ============== ===== ==========================================
    argument       paper meaning
    ============== ===== ==========================================
    local_steps    E     SGD steps between two communications
    step_size      eta_t number (constant) or schedule
    participation  S_t   who takes part and how the models are averaged
    ============== ===== ==========================================

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive.
    """

    local_steps: int
    step_size: Schedule | Number
    participation: Participation = Full()

    def __post_init__(self) -> None:
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        object.__setattr__(self, "step_size", as_schedule(self.step_size))
        check_participation(self.participation)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        schedule: Schedule = self.step_size
        x = local_sgd(fed, fed.send(w), self.local_steps, lambda step: schedule.at(fed.round, step, self.local_steps))
        return fed.average(x, absent=w)
