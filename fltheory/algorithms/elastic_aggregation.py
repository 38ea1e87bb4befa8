"""Elastic aggregation on FedAvg with momentum and on FedProx (supplement to Chen et al., CVPR 2023, Algorithms 1 and 2).

The averaged update is multiplied by ``zeta``, coordinate by coordinate: by numbers that are given, which every reading with
coordinates can have, or by what the clients' sensitivities say in the round, which only readings that know values can.  Signs and
the factor of the proximal term are those that minimise; :mod:`fltheory.algorithms.elastic_full` has the others, and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fltheory.algorithms.optimisers import check_decay
from fltheory.algorithms.participation import Full, Participation, check_participation
from fltheory.algorithms.schedules import Schedule, as_schedule
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector, local_sgd
from fltheory.kinds import Number
from fltheory.problems.base import Array, check_count, check_nonnegative


@dataclass(frozen=True)
class GivenElasticity:
    """``zeta``: one number per coordinate, or one per block."""

    zeta: tuple[Any, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "zeta", tuple(self.zeta))

    def applied(self, fed: Federation, begin: ClientVector, change: Vector) -> Vector:
        """``zeta`` times the change."""
        return fed.scale(self.zeta, change)


@dataclass(frozen=True)
class SensitivityElasticity:
    """``zeta = 1 + tau - Omega/max Omega`` from gradients at the server's model, of ``batches`` draws by every client in the round.

    ``decay=None``: ``Omega_k`` is the mean of ``|g|`` over the batches, equation (1); otherwise the momentum form of Algorithms 1
    and 2, started from zero.  ``g`` is the gradient of the client's *loss* on a labelled batch, the only one that the oracle has;
    the supplement takes that of the squared norm of the model's output.  Clients send ``Omega_k`` beside their update.  Runs in
    which all sensitivities are zero move by ``tau``.
    """

    tau: Any
    batches: int = 1
    decay: Any = None

    def __post_init__(self) -> None:
        check_nonnegative("tau", self.tau)
        object.__setattr__(self, "batches", check_count("batches", self.batches))
        if self.decay is not None:
            check_decay("decay", self.decay)

    def applied(self, fed: Federation, begin: ClientVector, change: Vector) -> Vector:
        """The change times ``zeta`` of this round."""
        total = None
        for _ in range(self.batches):
            size = fed.decide(np.abs, fed.gradient(begin))
            if self.decay is not None:
                total = (1 - self.decay) * size if total is None else self.decay * total + (1 - self.decay) * size
            else:
                total = size if total is None else total + size
        found: ClientVector = total / self.batches if self.decay is None else total  # type: ignore[operator,assignment]
        return fed.decide(self._moved, change, fed.average(found, absent=fed.zero()))

    def _moved(self, change: Array, sensitivity: Array) -> Array:
        largest = sensitivity.max(axis=-1, keepdims=True)
        share = np.divide(sensitivity, largest, out=np.ones_like(sensitivity), where=largest > 0)
        return np.asarray((1 + float(self.tau) - share) * change)


class Moving(NamedTuple):
    """The model and the momentum of the server."""

    model: Vector
    memory: Vector


@dataclass(frozen=True)
class ElasticFedAvgM:
    """Algorithm 1: ``m <- mu' m + (1 - mu') zeta sum_k w_k (theta_k - theta)``, ``theta <- theta + eta m``.

    ================== ======= ================================================================
    argument           symbol  meaning
    ================== ======= ================================================================
    ``local_steps``            gradient steps between two communications
    ``step_size``      eta'    of the clients, number or schedule
    ``elasticity``     zeta    :class:`GivenElasticity` or :class:`SensitivityElasticity`
    ``server_step_size`` eta   of the server, number or schedule
    ``momentum``       mu'     of the server, in [0, 1)
    ``participation``          who takes part and how the updates are averaged
    ================== ======= ================================================================
    """

    local_steps: int
    step_size: Schedule | Number
    elasticity: GivenElasticity | SensitivityElasticity
    server_step_size: Schedule | Number = 1
    momentum: Any = 0
    participation: Participation = Full()

    def __post_init__(self) -> None:
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        check_participation(self.participation)
        check_decay("momentum", self.momentum)
        _check_elasticity(self.elasticity)
        for name in ("step_size", "server_step_size"):
            object.__setattr__(self, name, as_schedule(getattr(self, name), name=name))

    def start(self, fed: Federation, w: Vector) -> Moving:
        return Moving(w, fed.zero())

    def round(self, fed: Federation, state: Moving) -> Moving:
        local: Schedule = self.step_size
        begin = fed.send(state.model)
        x = local_sgd(fed, begin, self.local_steps, lambda step: local.at(fed.round, step, self.local_steps))
        change = self.elasticity.applied(fed, begin, fed.average(x - begin, absent=fed.zero()))
        memory = self.momentum * state.memory + (1 - self.momentum) * change
        return Moving(state.model + self.server_step_size.at(fed.round, 0, 1) * memory, memory)


@dataclass(frozen=True)
class ElasticFedProx:
    """Algorithm 2: local gradient steps on ``L_k + (prox/2)|. - theta|^2``, then ``theta + zeta sum_k w_k (theta_k - theta)``.

    Arguments as in :class:`~fltheory.algorithms.fedprox.FedProx`, and ``elasticity`` as in :class:`ElasticFedAvgM`.  The print has
    ``rho = eta' prox`` in the place of ``prox`` times the step size.
    """

    local_steps: int
    step_size: Schedule | Number
    prox: Any
    elasticity: GivenElasticity | SensitivityElasticity
    participation: Participation = Full()

    def __post_init__(self) -> None:
        object.__setattr__(self, "local_steps", check_count("local_steps", self.local_steps))
        object.__setattr__(self, "step_size", as_schedule(self.step_size))
        check_nonnegative("prox", self.prox)
        check_participation(self.participation)
        _check_elasticity(self.elasticity)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        schedule: Schedule = self.step_size
        begin = x = fed.send(w)
        for step in range(self.local_steps):
            eta = schedule.at(fed.round, step, self.local_steps)
            x = x - eta * (fed.gradient(x) + self.prox * (x - begin))
        moved: Vector = w + self.elasticity.applied(fed, begin, fed.average(x - begin, absent=fed.zero()))
        return moved


def _check_elasticity(elasticity: Any) -> None:
    if not isinstance(elasticity, (GivenElasticity, SensitivityElasticity)):
        raise ValueError(
            f"elasticity={elasticity!r} is not valid; expected GivenElasticity(zeta) or SensitivityElasticity(tau)"
        )
