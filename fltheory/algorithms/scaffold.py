"""SCAFFOLD (Karimireddy et al. 2020), option II: per-client control variates in the same form as every algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Constant, as_schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector, local_sgd
from fltheory.problems.base import check_count


class ScaffoldState(NamedTuple):
    """Model, server control variate c, client control variates c_k."""

    model: Vector
    control: Vector
    client_control: ClientVector


@dataclass(frozen=True)
class Scaffold:
    """Local steps ``x <- x - eta (g_k(x) - c_k + c)``; ``c_k <- c_k - c + (w - x)/(E eta)``; ``c <- sum p_k c_k``.

    ``step_size`` must be constant, since option II divides by ``E eta``; ``server_step_size`` multiplies the averaged
    update.  Control variates start at zero.
    """

    local_steps: int
    step_size: Any
    server_step_size: Any = 1
    participation: Participation = Full()

    def __post_init__(self) -> None:
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        object.__setattr__(self, "step_size", as_schedule(self.step_size))
        object.__setattr__(self, "server_step_size", as_schedule(self.server_step_size, name="server_step_size"))
        if not isinstance(self.step_size, Constant):
            raise ValueError(f"step_size={self.step_size!r}: option II needs a constant step size")

    def start(self, fed: Federation, w: Vector) -> ScaffoldState:
        return ScaffoldState(w, fed.zero(), fed.zero_clients())

    def round(self, fed: Federation, state: ScaffoldState) -> ScaffoldState:
        w, control, client_control = state
        eta = self.step_size.value
        begin, sent = fed.send(w), fed.send(control)
        x = local_sgd(fed, begin, self.local_steps, lambda step: eta, shift=sent - client_control)
        fresh = client_control - sent + (begin - x) / (self.local_steps * eta)
        kept = fed.only_cohort(fresh, otherwise=client_control)
        update = fed.average(x - begin, absent=fed.zero())
        moved = w + self.server_step_size.at(fed.round, 0, 1) * update
        return ScaffoldState(moved, fed.population_average(kept), kept)
