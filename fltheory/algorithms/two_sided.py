"""FedAvg with two-sided learning rates: clients send updates, the server takes a step along their average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from fltheory.algorithms.participation import Full, Participation, check_participation
from fltheory.algorithms.schedules import Schedule, as_schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector, local_sgd
from fltheory.kinds import Number
from fltheory.problems.base import check_count


class Rates(Protocol):
    """What an algorithm with rates on both sides is made of."""

    @property
    def local_steps(self) -> int: ...
    @property
    def step_size(self) -> Any: ...
    @property
    def server_step_size(self) -> Any: ...
    @property
    def participation(self) -> Participation: ...


def check_rates(algorithm: Rates) -> None:
    """Check steps and participation and turn both rates into schedules; for ``__post_init__`` of a frozen dataclass.

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive, a participation that is no scheme.
    """
    for name, value in (
        ("local_steps", check_count("local_steps", algorithm.local_steps)),
        ("step_size", as_schedule(algorithm.step_size)),
        ("server_step_size", as_schedule(algorithm.server_step_size, name="server_step_size")),
    ):
        object.__setattr__(algorithm, name, value)
    check_participation(algorithm.participation)


def two_sided_round(
    fed: Federation, w: Vector, begin: ClientVector, algorithm: Rates, *, shift: ClientVector | None = None
) -> Vector:
    """``w + s * average(x_k - begin)`` with ``x_k`` after local steps from ``begin``; ``shift`` is added to every gradient."""
    local: Schedule = algorithm.step_size
    server: Schedule = algorithm.server_step_size
    steps = algorithm.local_steps
    x = local_sgd(fed, begin, steps, lambda step: local.at(fed.round, step, steps), shift=shift)
    moved: Vector = w + server.at(fed.round, 0, 1) * fed.average(x - begin, absent=fed.zero())
    return moved


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
    step_size: Schedule | Number
    server_step_size: Schedule | Number = 1
    participation: Participation = Full()

    def __post_init__(self) -> None:
        check_rates(self)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        return two_sided_round(fed, w, fed.send(w), self)
