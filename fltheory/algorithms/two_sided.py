"""FedAvg with two-sided learning rates: clients send updates, the server takes a step along their average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule, as_schedule
from fltheory.algorithms.vocabulary import Federation, Vector, local_sgd
from fltheory.problems.base import check_count


@dataclass(frozen=True)
class TwoSidedFedAvg:
    """``w+ = w + s * average(x_k - w)`` with ``x_k`` after ``local_steps`` steps of size ``s_L``.

    The product ``s * s_L`` is the effective learning rate of the lecture note.  With ``server_step_size = 1`` and
    coefficients that sum to one this is FedAvg; under schemes whose coefficients do not, averaging updates and
    averaging models differ.

    ================= ==== =========================
    argument          note meaning
    ================= ==== =========================
    local_steps       K    local steps per round
    step_size         s_L  local step size
    server_step_size  s    step size at the server
    ================= ==== =========================
    """

    local_steps: int
    step_size: Any
    server_step_size: Any = 1
    participation: Participation = Full()

    def __post_init__(self) -> None:
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        object.__setattr__(self, "step_size", as_schedule(self.step_size))
        object.__setattr__(self, "server_step_size", as_schedule(self.server_step_size, name="server_step_size"))

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        local: Schedule = self.step_size
        server: Schedule = self.server_step_size
        begin = fed.send(w)
        x = local_sgd(fed, begin, self.local_steps, lambda step: local.at(fed.round, step, self.local_steps))
        moved: Vector = w + server.at(fed.round, 0, 1) * fed.average(x - begin, absent=fed.zero())
        return moved
