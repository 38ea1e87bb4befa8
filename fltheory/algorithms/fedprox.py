"""FedProx (Li et al., "Federated Optimization in Heterogeneous Networks", 2020) with gradient steps on the local problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.participation import Full, Participation, check_participation
from fltheory.algorithms.schedules import Schedule, as_schedule
from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.kinds import Number
from fltheory.problems.base import check_count, check_nonnegative


@dataclass(frozen=True)
class FedProx:
    """Local steps ``x <- x - eta (g_k(x) + prox (x - w))`` on ``F_k + (prox/2) |. - w|^2``, then the scheme's average.

    The paper leaves the local solver open and lets it be inexact; here it takes ``local_steps`` (stochastic) gradient steps
    from the server's model ``w``.  With ``prox = 0`` this is FedAvg.

    ============== ===== ============================================
    argument       usual meaning
    ============== ===== ============================================
    local_steps    E     gradient steps on the local problem
    step_size      eta   number or schedule
    prox           mu    weight of the proximal term, not negative
    participation  S_t   who takes part and how models are averaged
    ============== ===== ============================================

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive, ``prox < 0``.
    """

    local_steps: int
    step_size: Schedule | Number
    prox: Any
    participation: Participation = Full()

    def __post_init__(self) -> None:
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        object.__setattr__(self, "step_size", as_schedule(self.step_size))
        check_nonnegative("prox", self.prox)
        check_participation(self.participation)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        schedule: Schedule = self.step_size
        begin = x = fed.send(w)
        for step in range(self.local_steps):
            eta = schedule.at(fed.round, step, self.local_steps)
            x = x - eta * (fed.gradient(x) + self.prox * (x - begin))
        return fed.average(x, absent=w)
