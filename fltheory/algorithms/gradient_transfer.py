"""Gradient Transfer of mixed FL, 1-way and 2-way: gradients of one side augment the steps of the other.

Augenstein et al., "Mixed Federated Learning" (2022): Algorithm 2, and Algorithm 1 with all its steps.  Where the print
leaves room, the readings are options; the printed form is the default.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fltheory.algorithms.local import check_rates, set_schedules
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
from fltheory.algorithms.parallel_training import central_sgd
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Constant, Schedule
from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.kinds import Number
from fltheory.problems.base import check_choice, check_count

#: By which rate the renewal divides the central update.
DIVISORS = ("as printed", "central step size")
#: What the augmenting gradients are before the first round, which the paper leaves to the user.
INITIAL = ("zero", "gradients")


@dataclass(frozen=True)
class OneWayGradientTransfer:
    """Local steps ``x <- x - eta (g_i(x) + g_c(w))`` with one central gradient per round, ``w+ = w + eta_s average(x_i - w)``.

    ================= ===== ================================================================================
    argument          paper meaning
    ================= ===== ================================================================================
    local_steps       K     client steps per round, of all clients or the most of them
    step_size         eta   client step size, number or schedule
    server_step_size  eta_s factor of the averaged client update
    participation     S     who takes part and how the updates are averaged
    client_steps      K_i   unequal numbers of client steps (not in the Gram reading); under sampling see StepWeighted
    client_weights    p_i   with unequal steps: "steps", p_i ~ K_i as printed, or the "problem"'s weights
    server                  GradientStep(), HeavyBall(momentum) or Adam(...) as ServerOpt
    ================= ===== ================================================================================

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive; in a round, a problem without a central loss.
    """

    local_steps: int
    step_size: Schedule | Number
    server_step_size: Schedule | Number = 1
    participation: Participation = Full()
    client_steps: tuple[int, ...] | None = None
    client_weights: str = "steps"
    server: Optimiser = GradientStep()

    def __post_init__(self) -> None:
        check_rates(self)
        check_optimiser("server", self.server)
        clients = ClientSteps(self.local_steps, self.client_steps, self.client_weights)
        object.__setattr__(self, "participation", clients.scheme(self.participation))

    def start(self, fed: Federation, w: Vector) -> Vector | Remembering:
        return remembering(w, started(fed, server=self.server))

    def round(self, fed: Federation, state: Vector | Remembering) -> Vector | Remembering:
        w, memory = remembered(state)
        local: Schedule = self.step_size
        begin, central = fed.send(w), fed.send(fed.centre.gradient(w))
        clients = ClientSteps(self.local_steps, self.client_steps, self.client_weights)
        change = clients.change(fed, begin, lambda step: local.at(fed.round, step, self.local_steps), shift=central)
        direction, memory = moved_by(fed, "server", self.server, clients.average(fed, change), memory)
        return remembering(w + self.server_step_size.at(fed.round, 0, 1) * direction, memory)


class TwoWayState(NamedTuple):
    """Model and the augmenting gradients of the server's loss and of the clients', two directions at the server."""

    model: Vector
    central_gradient: Vector
    federated_gradient: Vector


@dataclass(frozen=True)
class TwoWayGradientTransfer:
    """Parallel Training whose central steps add ``gt_f`` and whose client steps add ``gt_c``, both from the round before.

    With the central update ``Delta_c`` of ``J`` steps and the clients' updates ``Delta_i`` the printed renewal is

        gt_c+ = -Delta_c / (eta J) - gt_f,        gt_f+ = -sum_i Delta_i / (eta sum_i K_i) - gt_c.

    The first formula divides by the *client* step size ``eta``, as printed; only for ``eta_c = eta`` is ``gt_c`` then the
    average central gradient of the round.  The sums over clients are weighted by the scheme, uniform in the paper.

    =================== ===== =================================================================================
    argument            paper meaning
    =================== ===== =================================================================================
    local_steps         K     client steps per round, of all clients or the most of them
    step_size           eta   client step size; constant, since the renewal divides by it
    central_step_size   eta_c step size on the server's loss, number or schedule
    server_step_size    eta_s factor of the averaged client update
    merge_step_size     eta_m factor of the sum of both updates
    central_steps       J     central steps per round; ``None``: K, as the paper's central loop has it
    participation       S     who takes part, by a scheme whose coefficients sum to one
    divisor                   "as printed" (eta), or "central step size" (eta_c, constant) in the first formula
    initial                   augmenting gradients at the start: "zero", or the exact "gradients" at the model
    merge                     "sum" as Algorithm 1, or "average" of the two updates
    client_steps        K_i   unequal numbers of client steps (not in the Gram reading); under sampling see StepWeighted
    client_weights      p_i   with unequal steps: "steps", p_i ~ K_i as printed, or the "problem"'s weights
    server                    GradientStep(), HeavyBall(momentum) or Adam(...) as ServerOpt
    central                   GradientStep() as CentralOpt, and nothing else: see below
    merger                    GradientStep(), HeavyBall(momentum) or Adam(...) as MergeOpt
    =================== ===== =================================================================================

    The renewal reads ``-Delta_c/(eta J)`` as the mean direction of the central steps, and the clients' changes in the same
    way.  That is so for SGD; with any other CentralOpt (memory, scaled coordinates) the formula would transfer something
    that is no gradient, so it is refused.  ServerOpt and MergeOpt do not enter the formulas.

    Raises
    ------
    ValueError : counts below one, a step size that is not positive, a rate that changes and is divided by, a CentralOpt other
        than SGD; unequal counts of a sampled cohort with the problem's weights; in a round, a problem without a central loss.
    """

    local_steps: int
    step_size: Constant | Number
    central_step_size: Constant | Number
    server_step_size: Constant | Number = 1
    merge_step_size: Constant | Number = 1
    central_steps: int | None = None
    participation: Participation = Full()
    divisor: str = "as printed"
    initial: str = "zero"
    merge: str = "sum"
    client_steps: tuple[int, ...] | None = None
    client_weights: str = "steps"
    server: Optimiser = GradientStep()
    central: Optimiser = GradientStep()
    merger: Optimiser = GradientStep()

    def __post_init__(self) -> None:
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        for name in ("server", "central", "merger"):
            check_optimiser(name, getattr(self, name))
        if not isinstance(self.central, GradientStep):
            raise ValueError(
                f"central={self.central!r}: the renewal of the augmenting gradients takes the central update for a sum of "
                "gradients, as SGD makes it; expected GradientStep()"
            )
        if self.central_steps is not None:
            object.__setattr__(self, "central_steps", check_count("central_steps", self.central_steps))
        set_schedules(self, "step_size", "central_step_size", "server_step_size", "merge_step_size")
        for name, allowed in (("divisor", DIVISORS), ("initial", INITIAL), ("merge", MERGES)):
            check_choice(name, getattr(self, name), allowed)
        divided = ("step_size",) if self.divisor == "as printed" else ("step_size", "central_step_size")
        for name in divided:
            if not isinstance(getattr(self, name), Constant):
                raise ValueError(f"{name}={getattr(self, name)!r}: the augmenting gradients need a constant step size")
        clients = ClientSteps(self.local_steps, self.client_steps, self.client_weights)
        object.__setattr__(self, "participation", clients.scheme(self.participation, renewal=True))

    def start(self, fed: Federation, w: Vector) -> TwoWayState | Remembering:
        memory = started(fed, server=self.server, merger=self.merger)
        if self.initial == "zero":
            return _state(w, fed.zero(), fed.zero(), memory)
        return _state(w, fed.centre.gradient(w), fed.population_average(fed.gradient(fed.send(w))), memory)

    def round(self, fed: Federation, state: TwoWayState | Remembering) -> TwoWayState | Remembering:
        w, from_centre, from_clients = state[:3]
        first = 3 + self.server.vectors
        of_server, of_merger = tuple(state[3:first]), tuple(state[first:])
        eta = self.step_size.value
        central: Schedule = self.central_step_size
        steps = self.local_steps if self.central_steps is None else self.central_steps
        y = central_sgd(fed, w, steps, lambda step: central.at(fed.round, step, steps), shift=from_clients)
        clients = ClientSteps(self.local_steps, self.client_steps, self.client_weights)
        change = clients.change(fed, fed.send(w), lambda step: eta, shift=fed.send(from_centre))
        moved_centre, moved_clients = y - w, clients.average(fed, change)
        direction, of_server = moved_by(fed, "server", self.server, moved_clients, of_server)
        update = merged(fed, self.merge, moved_centre, self.server_step_size.at(fed.round, 0, 1) * direction)
        direction, of_merger = moved_by(fed, "merger", self.merger, update, of_merger)
        divided_by = eta if self.divisor == "as printed" else self.central_step_size.value
        return _state(
            w + self.merge_step_size.at(fed.round, 0, 1) * direction,
            -moved_centre / (steps * divided_by) - from_clients,
            clients.gradient_mean(fed, change, moved_clients, eta) - from_centre,
            of_server + of_merger,
        )


def _state(
    model: Vector, from_centre: Vector, from_clients: Vector, memory: tuple[Vector, ...]
) -> TwoWayState | Remembering:
    """A state with the memories of optimisers, where there are any."""
    plain = TwoWayState(model, from_centre, from_clients)
    return Remembering(*plain, *memory) if memory else plain
