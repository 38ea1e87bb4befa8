"""Parallel Training of mixed FL: FedAvg on the clients beside gradient steps on the server's own loss.

Augenstein et al., "Mixed Federated Learning" (2022), Algorithm 1 without its gradient sharing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fltheory.algorithms.local import set_schedules
from fltheory.algorithms.optimisers import (
    MERGES,
    ClientSteps,
    GradientStep,
    Optimiser,
    Remembering,
    check_optimiser,
    merged,
    moved_by,
    remembered,
    remembering,
    started,
)
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.kinds import Number
from fltheory.problems.base import check_choice, check_count


@dataclass(frozen=True)
class ParallelTraining:
    """``x+ = x + eta_m (Delta_c + eta_s Delta)``: central steps and a round of FedAvg from the same model, merged.

    ``Delta_c`` is what ``J`` steps ``y <- y - eta_c g_c(y)`` on the server's loss move, ``Delta`` the average of what the
    clients' local steps move.  By default each client makes the same number of steps on batches of the same size, so that
    the paper's weights ``p_i`` (examples seen) are those of the participation scheme.

    =================== ===== ========================================================================
    argument            paper meaning
    =================== ===== ========================================================================
    local_steps         K     client steps per round, of all clients or the most of them
    step_size           eta   client step size, number or schedule
    central_step_size   eta_c step size on the server's loss
    server_step_size    eta_s factor of the averaged client update
    merge_step_size     eta_m factor of the sum of both updates
    central_steps       J     central steps per round; ``None``: K, as the paper's central loop has it
    participation       S     who takes part and how the updates are averaged
    merge                     "sum" as Algorithm 1, or "average" of the two updates
    client_steps        K_i   unequal numbers of client steps (not in the Gram reading); under sampling see StepWeighted
    client_weights      p_i   with unequal steps: "steps", p_i ~ K_i as printed, or the "problem"'s weights
    server                    GradientStep(), HeavyBall(momentum) or Adam(...) as ServerOpt
    central                   the same as CentralOpt; its memory is kept from round to round
    merger                    the same as MergeOpt, on the sum (or average) of both updates
    =================== ===== ========================================================================

    Raises
    ------
    ValueError : counts below one, a step size that is not positive, a server, central or merger that is no optimiser; in a
        round, a problem without a central loss.
    """

    local_steps: int
    step_size: Schedule | Number
    central_step_size: Schedule | Number
    server_step_size: Schedule | Number = 1
    merge_step_size: Schedule | Number = 1
    central_steps: int | None = None
    participation: Participation = Full()
    merge: str = "sum"
    client_steps: tuple[int, ...] | None = None
    client_weights: str = "steps"
    server: Optimiser = GradientStep()
    central: Optimiser = GradientStep()
    merger: Optimiser = GradientStep()

    def __post_init__(self) -> None:
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        if self.central_steps is not None:
            object.__setattr__(self, "central_steps", check_count("central_steps", self.central_steps))
        set_schedules(self, "step_size", "central_step_size", "server_step_size", "merge_step_size")
        check_choice("merge", self.merge, MERGES)
        for name in ("server", "central", "merger"):
            check_optimiser(name, getattr(self, name))
        clients = ClientSteps(self.local_steps, self.client_steps, self.client_weights)
        object.__setattr__(self, "participation", clients.scheme(self.participation))

    def start(self, fed: Federation, w: Vector) -> Vector | Remembering:
        return remembering(w, started(fed, server=self.server, central=self.central, merger=self.merger))

    def round(self, fed: Federation, state: Vector | Remembering) -> Vector | Remembering:
        w, memory = remembered(state)
        first = self.server.vectors
        second = first + self.central.vectors
        of_server, of_central, of_merger = memory[:first], memory[first:second], memory[second:]
        local: Schedule = self.step_size
        rate: Schedule = self.central_step_size
        steps = self.local_steps if self.central_steps is None else self.central_steps
        y, of_central = central_descent(
            fed, w, steps, lambda step: rate.at(fed.round, step, steps), self.central, of_central
        )
        moved_centre = y - w
        clients = ClientSteps(self.local_steps, self.client_steps, self.client_weights)
        change = clients.change(fed, fed.send(w), lambda step: local.at(fed.round, step, self.local_steps))
        direction, of_server = moved_by(fed, "server", self.server, clients.average(fed, change), of_server)
        moved_clients = self.server_step_size.at(fed.round, 0, 1) * direction
        update, of_merger = moved_by(
            fed, "merger", self.merger, merged(fed, self.merge, moved_centre, moved_clients), of_merger
        )
        model: Vector = w + self.merge_step_size.at(fed.round, 0, 1) * update
        return remembering(model, of_server + of_central + of_merger)


def central_descent(
    fed: Federation,
    y: Vector,
    steps: int,
    step_size: Callable[[int], Number],
    optimiser: Optimiser,
    memory: tuple[Vector, ...],
) -> tuple[Vector, tuple[Vector, ...]]:
    """``steps`` steps of an optimiser on the server's own loss: the end point and the memory."""
    if isinstance(optimiser, GradientStep):
        return central_sgd(fed, y, steps, step_size), memory
    for step in range(steps):
        direction, memory = moved_by(fed, "central", optimiser, -fed.centre.gradient(y), memory, step, steps)
        y = y + step_size(step) * direction
    return y, memory


def central_sgd(
    fed: Federation, y: Vector, steps: int, step_size: Callable[[int], Number], shift: Vector | None = None
) -> Vector:
    """``steps`` steps ``y <- y - step_size(i) (g_c(y) + shift)`` on the server's own loss."""
    for step in range(steps):
        direction = fed.centre.gradient(y)
        if shift is not None:
            direction = direction + shift
        y = y - step_size(step) * direction
    return y
