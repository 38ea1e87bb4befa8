"""FedDyn: clients' losses with a linear and a proximal term that are renewed each round (Acar et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from fltheory.algorithms.local import check_local
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector
from fltheory.kinds import Number
from fltheory.problems.checks import check_positive
from fltheory.problems.numbers import set_numbers


class FedDynState(NamedTuple):
    """Model, the server's ``h``, and ``h_k``, each client's gradient at its last model as far as it knows it."""

    model: Vector
    server: Vector
    client: ClientVector


@dataclass(frozen=True)
class FedDyn:
    """Local steps on ``F_k - <h_k, .> + (alpha/2)|. - w|^2``, then ``w+ = average(x_k) - h/alpha``.

    A client that has taken part keeps ``h_k <- h_k - alpha (x_k - w)``; the server keeps
    ``h <- h - alpha sum_k p_k (x_k - w)`` with the sum over the cohort, which is ``sum_k p_k h_k``.  The paper has equal weights
    ``p_k = 1/N`` and a local problem that is solved: there ``h_k`` is the client's gradient at its model.  Here the solver makes
    ``local_steps`` (stochastic) gradient steps from the server's model.  Where it stands still, clients agree and
    ``sum_k p_k grad F_k = 0``: no bias, for any number of steps.
    Acar et al., "Federated Learning Based on Dynamic Regularization" (2021), Algorithm 1.

    ============== ====== ================================================
    argument       paper  meaning
    ============== ====== ================================================
    local_steps           gradient steps on the local problem
    step_size             number or schedule
    alpha          alpha  weight of the proximal term, positive
    participation  P_t    who takes part and how models are averaged
    ============== ====== ================================================

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size or an ``alpha`` that is not positive.
    """

    local_steps: int
    step_size: Schedule | Number
    alpha: Any
    participation: Participation = Full()

    def __post_init__(self) -> None:
        check_local(self)
        set_numbers(self, "alpha")
        check_positive("alpha", self.alpha)

    def start(self, fed: Federation, w: Vector) -> FedDynState:
        return FedDynState(w, fed.zero(), fed.zero_clients())

    def round(self, fed: Federation, state: FedDynState) -> FedDynState:
        w, _, linear = state
        schedule: Schedule = self.step_size
        x = begin = fed.send(w)
        for step in range(self.local_steps):
            eta = schedule.at(fed.round, step, self.local_steps)
            x = x - eta * (fed.gradient(x) - linear + self.alpha * (x - begin))
        kept = fed.only_cohort(linear - self.alpha * (x - begin), otherwise=linear)
        server = fed.population_average(kept)
        return FedDynState(fed.average(x, absent=w) - server / self.alpha, server, kept)
