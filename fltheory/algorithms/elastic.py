"""Elastic aggregation in the simplified form that its convergence theory analyses (supplement to Chen et al., CVPR 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.local import check_rates, local_run, set_schedules
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.vocabulary import Federation, Vector
from fltheory.kinds import Number


@dataclass(frozen=True)
class SimplifiedElastic:
    """``x+ = x + phi eta_g average(y_i - x)`` with ``y_i`` after ``K`` local steps of size ``eta_l``: one number ``phi``.

    The full method scales coordinate ``j`` of the averaged update by ``zeta_j = 1 + tau - Omega_j / max Omega``, from the
    clients' parameter sensitivities ``Omega``.  The simplified one (Algorithm 3) has no such coefficients: it averages what
    the clients report as sensitivity to ``phi`` and multiplies the update by it, and the analysis (equation (14), Lemmas 7
    and 8, Theorem I) takes ``phi`` as one number, the same for all coordinates and independent of the cohort; only
    ``phi eta_g`` and the effective step ``K phi eta_g eta_l`` enter.  That is what stands here: FedAvg with two-sided step
    sizes ``eta_l`` and ``phi eta_g``.

    ================= ===== =================================================================
    argument          paper meaning
    ================= ===== =================================================================
    local_steps       K     local steps per round
    step_size         eta_l local step size, number or schedule
    server_step_size  eta_g global step size
    elasticity        phi   elastic factor, number or schedule (it may change between rounds)
    participation     S     who takes part and how the updates are averaged
    ================= ===== =================================================================

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size or an elasticity that is not positive.
    """

    local_steps: int
    step_size: Schedule | Number
    server_step_size: Schedule | Number = 1
    elasticity: Any = 1
    participation: Participation = Full()

    def __post_init__(self) -> None:
        check_rates(self)
        set_schedules(self, "elasticity")

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        factor = self.elasticity.at(fed.round, 0, 1) * self.server_step_size.at(fed.round, 0, 1)
        begin = fed.send(w)
        moved: Vector = w + factor * fed.average(local_run(fed, begin, self) - begin, absent=fed.zero())
        return moved
