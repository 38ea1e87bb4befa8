"""MimeLite with momentum: the server's momentum guides the local steps and stands still in them (Karimireddy et al. 2020).

"Mime: Mimicking Centralized Stochastic Algorithms in Federated Learning", Algorithm 1 in the form without the correction by
gradients at the server's model; :class:`~fltheory.algorithms.gradient_corrected.GradientCorrected` has that correction and no
momentum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from fltheory.algorithms.local import check_local
from fltheory.algorithms.optimisers import check_decay
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.vocabulary import Federation, Vector, local_sgd
from fltheory.kinds import Number
from fltheory.problems.checks import check_count
from fltheory.problems.numbers import set_numbers


class MimeLiteState(NamedTuple):
    """Model and momentum of the server."""

    model: Vector
    momentum: Vector


@dataclass(frozen=True)
class MimeLite:
    """Local steps ``y <- y - eta ((1 - beta) g_k(y) + beta m)`` with ``m`` of the server, the same in all steps of a round.

    Then ``m <- (1 - beta) average(grad F_k(w)) + beta m`` from gradients at the model ``w`` with which the round began, and
    ``w <- average(y_k)``; ``m`` starts at zero.  Clients receive ``w`` and ``m``, and send ``y_k`` and ``grad F_k(w)``: two
    vectors in each direction.  In the paper ``grad F_k(w)`` is taken over all of the client's data; here it is the mean of
    ``batches`` further draws of the oracle at ``w``, after the local steps, which under exact gradients is the same.

    ================= ===== ====================================================================================
    argument          paper meaning
    ================= ===== ====================================================================================
    ``local_steps``   K     local steps per round
    ``step_size``     eta   number or schedule
    ``momentum``      beta  share of the old momentum, in [0, 1); 0 makes every model that of :class:`FedAvg`
    ``participation`` S     who takes part, and how models and gradients are averaged
    ``batches``             draws of the oracle that stand for the gradient of all of a client's data
    ================= ===== ====================================================================================

    Clients that a scheme gives weight to and that are away count with ``w`` and with the old ``m``.  With one local step, exact
    gradients and all clients this is :class:`FedOpt` with client step size ``(1 - beta) eta`` and ``HeavyBall(beta)``.

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive, a momentum outside [0, 1), ``batches < 1``, a
        participation that is no scheme.
    """

    local_steps: int
    step_size: Schedule | Number
    momentum: Any
    participation: Participation = Full()
    batches: int = 1

    def __post_init__(self) -> None:
        check_local(self)
        set_numbers(self, "momentum")
        check_decay("momentum", self.momentum)
        object.__setattr__(self, "batches", check_count("batches", self.batches))

    def start(self, fed: Federation, w: Vector) -> MimeLiteState:
        return MimeLiteState(w, fed.zero())

    def round(self, fed: Federation, state: MimeLiteState) -> MimeLiteState:
        w, momentum = state
        schedule: Schedule = self.step_size
        kept, fresh = self.momentum, 1 - self.momentum
        begin = fed.send(w)
        x = local_sgd(
            fed,
            begin,
            self.local_steps,
            lambda step: fresh * schedule.at(fed.round, step, self.local_steps),
            shift=fed.send(momentum) * kept / fresh,
        )
        total = fed.gradient(begin)
        for _ in range(self.batches - 1):
            total = total + fed.gradient(begin)
        gradient = fed.average(total / self.batches, absent=momentum)
        return MimeLiteState(fed.average(x, absent=w), fresh * gradient + kept * momentum)
