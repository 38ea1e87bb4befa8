"""FedProx (Li et al., "Federated Optimization in Heterogeneous Networks", 2020) with local problems that are solved exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.local import check_local
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.kinds import Number


@dataclass(frozen=True)
class FedProxExact:
    """``x <- argmin_y F_k(y) + |y - x|^2/(2 eta)``, ``E`` times from the server's model, then the scheme's average.

    With ``E = 1`` every client solves FedProx's local problem to the end (inexactness ``gamma = 0``, weight ``mu = 1/eta`` of the
    proximal term), with one client it is the proximal point method; with ``E > 1`` these are FedAvg's local steps made implicit.
    Solves are exact: an oracle's noise has no part in them.

    ============== ===== ============================================
    argument       usual meaning
    ============== ===== ============================================
    local_steps    E     proximal steps in a row
    step_size      eta   number or schedule; ``1/mu``, the inverse weight of the proximal term
    participation  S_t   who takes part and how models are averaged
    ============== ===== ============================================

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive; in a round, a loss without such a minimiser.
    """

    local_steps: int
    step_size: Schedule | Number
    participation: Participation = Full()

    def __post_init__(self) -> None:
        check_local(self)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        schedule: Any = self.step_size
        x = fed.send(w)
        for step in range(self.local_steps):
            x = fed.prox(x, schedule.at(fed.round, step, self.local_steps))
        return fed.average(x, absent=w)
