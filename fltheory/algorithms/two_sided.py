"""FedAvg with two-sided learning rates: clients send updates, the server takes a step along their average."""

from __future__ import annotations

from dataclasses import dataclass

from fltheory.algorithms.local import Rates, Steps, check_rates, local_run
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector
from fltheory.kinds import Number


def two_sided_round(
    fed: Federation, w: Vector, begin: ClientVector, algorithm: Rates, *, shift: ClientVector | None = None
) -> Vector:
    """``w + s * average(x_k - begin)`` with ``x_k`` after local steps from ``begin``; ``shift`` is added to every gradient."""
    server: Schedule = algorithm.server_step_size
    x = local_run(fed, begin, algorithm, shift=shift)
    moved: Vector = w + server.at(fed.round, 0, 1) * fed.average(x - begin, absent=fed.zero())
    return moved


@dataclass(frozen=True)
class TwoSidedFedAvg:
    """``w+ = w + s * average(x_k - w)`` with ``x_k`` after ``local_steps`` steps of size ``s_L``.

    The product ``s * s_L`` is the effective learning rate of the lecture note.  With ``server_step_size = 1`` and
    coefficients that sum to one this is FedAvg; under schemes whose coefficients do not, averaging updates and
    averaging models differ.

    ================= ==== ====================================================
    argument          note meaning
    ================= ==== ====================================================
    local_steps       K    local steps per round, of all clients or (a sequence) of each
    step_size         s_L  local step size
    server_step_size  s    step size at the server
    ================= ==== ====================================================

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive.
    """

    local_steps: Steps
    step_size: Schedule | Number
    server_step_size: Schedule | Number = 1
    participation: Participation = Full()

    def __post_init__(self) -> None:
        check_rates(self, per_client=True)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        return two_sided_round(fed, w, fed.send(w), self)
