"""FedAvg with an optimiser at the server: FedOpt of Reddi et al., "Adaptive Federated Optimization" (2021), Algorithm 1."""

from __future__ import annotations

from dataclasses import dataclass

from fltheory.algorithms.optimisers import (
    GradientStep,
    Optimiser,
    Remembering,
    check_optimiser,
    moved_by,
    remembered,
    remembering,
    started,
)
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.two_sided import check_rates
from fltheory.algorithms.vocabulary import Federation, Vector, local_sgd
from fltheory.kinds import Number


@dataclass(frozen=True)
class FedOpt:
    """``Delta = average(x_i - w)`` after ``K`` local SGD steps, then ``w + eta_s`` times what the optimiser makes of it.

    ================== ======== ======================================================
    argument           symbol   meaning
    ================== ======== ======================================================
    ``local_steps``    K        SGD steps between two communications
    ``step_size``      eta_l    client step size, number or schedule
    ``server_step_size`` eta    learning rate of the server, number or schedule
    ``participation``  S        who takes part and how the changes are averaged
    ``server``                  GradientStep(), HeavyBall(...) or Adam(...)
    ================== ======== ======================================================

    With ``GradientStep()`` this is :class:`~fltheory.algorithms.two_sided.TwoSidedFedAvg`.

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive.
    """

    local_steps: int
    step_size: Schedule | Number
    server_step_size: Schedule | Number = 1
    participation: Participation = Full()
    server: Optimiser = GradientStep()

    def __post_init__(self) -> None:
        check_rates(self)
        check_optimiser("server", self.server)

    def start(self, fed: Federation, w: Vector) -> Vector | Remembering:
        return remembering(w, started(fed, server=self.server))

    def round(self, fed: Federation, state: Vector | Remembering) -> Vector | Remembering:
        w, memory = remembered(state)
        local: Schedule = self.step_size
        begin = fed.send(w)
        x = local_sgd(fed, begin, self.local_steps, lambda step: local.at(fed.round, step, self.local_steps))
        direction, memory = moved_by(fed, "server", self.server, fed.average(x - begin, absent=fed.zero()), memory)
        return remembering(w + self.server_step_size.at(fed.round, 0, 1) * direction, memory)
