"""Elastic aggregation in the simplified form that its convergence theory analyses (supplement to Chen et al., CVPR 2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.participation import Full, Participation, check_participation
from fltheory.algorithms.schedules import Schedule, as_schedule
from fltheory.algorithms.vocabulary import Federation, Vector, local_sgd
from fltheory.kinds import Number
from fltheory.problems.base import check_count


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
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        check_participation(self.participation)
        for name in ("step_size", "server_step_size", "elasticity"):
            object.__setattr__(self, name, as_schedule(getattr(self, name), name=name))

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        local: Schedule = self.step_size
        factor = self.elasticity.at(fed.round, 0, 1) * self.server_step_size.at(fed.round, 0, 1)
        begin = fed.send(w)
        x = local_sgd(fed, begin, self.local_steps, lambda step: local.at(fed.round, step, self.local_steps))
        moved: Vector = w + factor * fed.average(x - begin, absent=fed.zero())
        return moved
