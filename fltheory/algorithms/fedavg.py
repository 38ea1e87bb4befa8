"""FedAvg: E local steps on each client of the cohort, then the scheme's average (McMahan et al. 2017; Li et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass

from fltheory.algorithms.local import Steps, check_local, local_run
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.kinds import Number


@dataclass(frozen=True)
class FedAvg:
    """Federated averaging with one step size.

    With unequal numbers of steps a schedule counts the largest one.

    ============== ===== ==========================================
    argument       paper meaning
    ============== ===== ==========================================
    local_steps    E     SGD steps between two communications; a sequence names each client's own number, in their order
    step_size      eta_t number (constant) or schedule
    participation  S_t   who takes part and how the models are averaged
    ============== ===== ==========================================

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive; in a round, another count of numbers than clients.
    """

    local_steps: Steps
    step_size: Schedule | Number
    participation: Participation = Full()

    def __post_init__(self) -> None:
        check_local(self, per_client=True)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        return fed.average(local_run(fed, fed.send(w), self), absent=w)
