"""FedProx (Li et al., "Federated Optimization in Heterogeneous Networks", 2020) with gradient steps on the local problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from fltheory.algorithms.local import Local, check_local
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector
from fltheory.kinds import Number
from fltheory.problems.checks import check_nonnegative
from fltheory.problems.numbers import set_numbers


class Proximal(Local, Protocol):
    """What an algorithm with proximal local steps is made of."""

    @property
    def prox(self) -> Any: ...


def proximal_run(fed: Federation, begin: ClientVector, algorithm: Proximal) -> ClientVector:
    """Each client's vector after the local steps ``x <- x - eta (g_k(x) + prox (x - begin))`` of a round."""
    schedule: Schedule = algorithm.step_size
    x = begin
    for step in range(algorithm.local_steps):
        eta = schedule.at(fed.round, step, algorithm.local_steps)
        x = x - eta * (fed.gradient(x) + algorithm.prox * (x - begin))
    return x


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
        check_local(self)
        set_numbers(self, "prox")
        check_nonnegative("prox", self.prox)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        return fed.average(proximal_run(fed, fed.send(w), self), absent=w)
