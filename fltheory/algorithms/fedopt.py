"""FedAvg with an optimiser at the server: FedOpt of Reddi et al., "Adaptive Federated Optimization" (2021), Algorithm 1."""

from __future__ import annotations

from dataclasses import dataclass

from fltheory.algorithms.local import check_rates, local_run
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
from fltheory.algorithms.vocabulary import Federation, Vector
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

    With ``GradientStep()`` this is :class:`~fltheory.algorithms.two_sided.TwoSidedFedAvg`, with ``HeavyBall(beta)`` FedAvgM
    (Hsu, Qi and Brown 2019), with ``Adam()`` FedAdam.

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive, a server that is no optimiser.
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
        begin = fed.send(w)
        change = fed.average(local_run(fed, begin, self) - begin, absent=fed.zero())
        direction, memory = moved_by(fed, "server", self.server, change, memory)
        return remembering(w + self.server_step_size.at(fed.round, 0, 1) * direction, memory)
