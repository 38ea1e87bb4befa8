"""FedNova: averages of updates per step, for clients that make unlike numbers of steps (Wang et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from fltheory.algorithms.local import Steps, check_local, local_run, mean_steps
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.kinds import Number


@dataclass(frozen=True)
class FedNova:
    """``w+ = w + tau average((x_k - w)/E_k)`` with ``tau = sum_k p_k E_k`` and ``x_k`` after ``E_k`` plain gradient steps.

    Where the ``E_k`` differ, the average of models leans towards clients with many steps, also with small step sizes; that of
    updates per step does not.  With equal ``E_k`` this is FedAvg.  Wang et al., "Tackling the Objective Inconsistency Problem in
    Heterogeneous Federated Optimization" (2020), equation 6, for local gradient steps of one size.

    ============== ============ ==============================================================
    argument       paper        meaning
    ============== ============ ==============================================================
    local_steps    tau_i        local steps per round, of all clients or (a sequence) of each
    step_size      eta          number (constant) or schedule
    participation               who takes part and how the updates are averaged
    ============== ============ ==============================================================

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive; in a round, another count of numbers than clients.
    """

    local_steps: Steps
    step_size: Schedule | Number
    participation: Participation = Full()

    def __post_init__(self) -> None:
        check_local(self, per_client=True)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        begin, counts = fed.send(w), self.local_steps
        change = local_run(fed, begin, self) - begin
        if not isinstance(counts, tuple):
            alike: Vector = w + fed.average(change, absent=fed.zero())
            return alike
        update = fed.average(change * fed.per_client([Fraction(1, count) for count in counts]), absent=fed.zero())
        moved: Vector = w + mean_steps(fed, counts) * update
        return moved
