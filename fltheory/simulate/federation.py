"""The arrays reading with the oracle behind compiled kernels: the same words, draws and order of sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from fltheory.algorithms.participation import Participation
from fltheory.algorithms.vocabulary import ClientVector, Federation
from fltheory.kernels.plan import AnyPlan, Slots
from fltheory.kinds import Array, Integers, Keys, Number
from fltheory.problems.base import Problem
from fltheory.problems.oracles import is_noisy
from fltheory.readings.arrays import ArrayFederation, ClientArray
from fltheory.readings.centre import require_centre
from fltheory.readings.draws import CENTRE_CLIENT, StreamDraws, slot_keys


class KernelFederation(ArrayFederation):
    """Gradients and ``local_sgd`` go to the kernels of ``plan``; everything else is inherited."""

    def __init__(
        self,
        problem: Problem,
        participation: Participation,
        draws: StreamDraws,
        plan: AnyPlan,
        central: AnyPlan | None = None,
    ) -> None:
        super().__init__(problem, participation, draws)
        self._plan = plan
        self._central = central
        self._streams = draws
        scales = participation.gradient_scale(list(self.weights))
        self._scales = np.ones(self.n_clients) if scales is None else np.array(scales, dtype=np.float64)

    def begin(self, round: int) -> None:
        super().begin(round)
        self._clients, self._keys = self._addresses()

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        step = self.batch() if batch is None else batch
        values = self._plan.gradients(self._at_cohort(x.payload), self._slots(step))
        return ClientVector(self, ClientArray(values, self.cohorts.is_population))

    def local_sgd(
        self, x: ClientVector, steps: int, step_size: Callable[[int], Number], shift: ClientVector | None = None
    ) -> ClientVector:
        """Twin: the loop in :func:`fltheory.algorithms.vocabulary.local_sgd`."""
        rates = np.array([float(step_size(step)) for step in range(steps)])
        points = self._at_cohort(x.payload)
        extra = None if shift is None else self._at_cohort(shift.payload)
        values = self._plan.local_sgd(points, self._slots(self._step), rates, extra)
        self._step += steps
        return ClientVector(self, ClientArray(values, self.cohorts.is_population))

    def _centre_gradient(self, y: Array) -> Array:
        if self._central is None:
            return super()._centre_gradient(y)
        require_centre(self.problem)
        self._central_step += 1
        alone = np.zeros((self.runs, 1), dtype=np.int64)
        keys = slot_keys(self._streams.seed, self._streams.run_ids, self.round, CENTRE_CLIENT + alone, alone)
        slots = Slots(alone, np.array(keys, dtype=np.uint64, order="C"), self._central_step - 1, np.ones(1))
        return self._central.gradients(y[:, None], slots)[:, 0]

    def _slots(self, first: int) -> Slots:
        if self.round < 0:
            self._clients, self._keys = self._addresses()
        return Slots(self._clients, self._keys, first, self._scales)

    def _addresses(self) -> tuple[Integers, Keys]:
        """Clients and stream keys of the round's slots, as :class:`StreamDraws` makes them."""
        clients = np.array(self.cohorts.clients, dtype=np.int64, order="C")
        if not is_noisy(self._streams.oracle):
            return clients, np.zeros(clients.shape, dtype=np.uint64)
        keys = slot_keys(self._streams.seed, self._streams.run_ids, self.round, clients, self._occurrence)
        return clients, np.array(keys, dtype=np.uint64, order="C")


if TYPE_CHECKING:
    #: Held against the vocabulary by the type checker.
    _FEDERATION: type[Federation] = KernelFederation
