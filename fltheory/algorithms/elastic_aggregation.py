"""Elastic aggregation on FedAvg with momentum and on FedProx (supplement to Chen et al., CVPR 2023, Algorithms 1 and 2).

The averaged update is multiplied by ``zeta``, coordinate by coordinate: by numbers that are given, which every reading with
coordinates can have, or by what the clients' sensitivities say in the round, which only readings that know values can.  Signs and
the factor of the proximal term are those that minimise; :mod:`fltheory.algorithms.elastic_full` has the others, and why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fltheory.algorithms.fedprox import proximal_run
from fltheory.algorithms.local import check_local, check_rates, local_run
from fltheory.algorithms.optimisers import check_decay
from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.schedules import Schedule
from fltheory.algorithms.sensitivities import accumulated
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector
from fltheory.kinds import Array, Number
from fltheory.problems.checks import check_count, check_instance, check_nonnegative, check_sequence
from fltheory.problems.numbers import as_number, set_numbers


@dataclass(frozen=True)
class GivenElasticity:
    """``zeta``: one number per coordinate, or one per block.

    Raises
    ------
    ValueError : ``zeta`` is empty or no sequence, or one of its numbers is negative; with a problem, as many numbers as neither
        coordinates nor blocks.
    """

    zeta: tuple[Any, ...]

    def __post_init__(self) -> None:
        numbers = check_sequence("zeta", self.zeta, "one number >= 0 per coordinate, or one per block")
        if not numbers:
            raise ValueError("zeta is empty; expected one number >= 0 per coordinate, or one per block")
        numbers = [as_number(f"zeta[{place}]", number) for place, number in enumerate(numbers)]
        for place, number in enumerate(numbers):
            check_nonnegative(f"zeta[{place}]", number)
        object.__setattr__(self, "zeta", tuple(numbers))

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

    Raises
    ------
    ValueError : ``tau < 0``, ``batches < 1``, a decay outside [0, 1).
    """

    tau: Any
    batches: int = 1
    decay: Any = None

    def __post_init__(self) -> None:
        set_numbers(self, "tau", "decay")
        check_nonnegative("tau", self.tau)
        object.__setattr__(self, "batches", check_count("batches", self.batches))
        if self.decay is not None:
            check_decay("decay", self.decay)

    def applied(self, fed: Federation, begin: ClientVector, change: Vector) -> Vector:
        """The change times ``zeta`` of this round."""
        sizes = (fed.decide(np.abs, fed.gradient(begin)) for _ in range(self.batches))
        found = accumulated(sizes, self.decay)
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

    Clients send their update, and their sensitivities where these are measured.  With ``zeta`` of ones this is
    :class:`FedOpt` with ``HeavyBall(mu')`` at the server step size ``(1 - mu') eta``; without momentum it is
    :class:`FedAvg`.  A ``zeta`` of one number for all is :class:`SimplifiedElastic`.

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive, a momentum outside [0, 1), an elasticity that is none.
    """

    local_steps: int
    step_size: Schedule | Number
    elasticity: GivenElasticity | SensitivityElasticity
    server_step_size: Schedule | Number = 1
    momentum: Any = 0
    participation: Participation = Full()

    def __post_init__(self) -> None:
        check_rates(self)
        set_numbers(self, "momentum")
        check_decay("momentum", self.momentum)
        _check_elasticity(self.elasticity)

    def start(self, fed: Federation, w: Vector) -> Moving:
        return Moving(w, fed.zero())

    def round(self, fed: Federation, state: Moving) -> Moving:
        begin = fed.send(state.model)
        update = fed.average(local_run(fed, begin, self) - begin, absent=fed.zero())
        change = self.elasticity.applied(fed, begin, update)
        memory = self.momentum * state.memory + (1 - self.momentum) * change
        return Moving(state.model + self.server_step_size.at(fed.round, 0, 1) * memory, memory)


@dataclass(frozen=True)
class ElasticFedProx:
    """Algorithm 2: local gradient steps on ``L_k + (prox/2)|. - theta|^2``, then ``theta + zeta sum_k w_k (theta_k - theta)``.

    Arguments as in :class:`~fltheory.algorithms.fedprox.FedProx`, and ``elasticity`` as in :class:`ElasticFedAvgM`.  The print has
    ``rho = eta' prox`` in the place of ``prox`` times the step size.  With ``zeta`` of ones this is ``FedProx``.

    Raises
    ------
    ValueError : ``local_steps < 1``, a step size that is not positive, ``prox < 0``, an elasticity that is none.
    """

    local_steps: int
    step_size: Schedule | Number
    prox: Any
    elasticity: GivenElasticity | SensitivityElasticity
    participation: Participation = Full()

    def __post_init__(self) -> None:
        check_local(self)
        set_numbers(self, "prox")
        check_nonnegative("prox", self.prox)
        _check_elasticity(self.elasticity)

    def start(self, fed: Federation, w: Vector) -> Vector:
        return w

    def round(self, fed: Federation, w: Vector) -> Vector:
        begin = fed.send(w)
        update = fed.average(proximal_run(fed, begin, self) - begin, absent=fed.zero())
        moved: Vector = w + self.elasticity.applied(fed, begin, update)
        return moved


def _check_elasticity(elasticity: Any) -> None:
    kinds = (GivenElasticity, SensitivityElasticity)
    check_instance("elasticity", elasticity, kinds, "GivenElasticity(zeta) or SensitivityElasticity(tau)")
