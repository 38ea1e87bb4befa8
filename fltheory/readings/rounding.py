"""What rounding may have made of second moments that expanding rounds hold in place: a perturbation sent along with them.

Where local steps are beyond stability the round map ``T`` is huge, and a start at which its terms nearly cancel keeps the moments
small: ``E z+ z+'`` is then a difference of numbers as large as ``|T|^2 E z z'``, whose roundings every later round multiplies.
Their size is followed by a vector ``q`` of the state,

    q+ = T q + signs * sqrt(units of rounding of E z+ z+'),      E z z' is off by about q q',

with random signs; and by a second one, ``e+ = T e``, for the half unit in the last place that the reference, such as the
minimiser, is known to.  Every entry scales with its own entry of the state: units do not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory.kinds import Array, Floats
from fltheory.readings.forms import RoundForm
from fltheory.readings.limit_state import ROUNDING

#: Relative errors above this are warned of; from this share of an answer on nothing of it is right.
WARNED, LOST = 1e-8, 0.1
#: Maps with eigenvalues up to this modulus do not expand: floats take a conserved direction for one that does by some 1e-8.
STILL = 1 + 1e-6
#: States of more entries are watched without asking for eigenvalues first.
SMALL = 32
UNIT = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class RoundSize:
    """The mean map ``T`` of a round, and what is needed of the sizes of its terms."""

    form: RoundForm

    @cached_property
    def mean(self) -> Floats:
        """``T``, ``(D, D)``."""
        return np.ascontiguousarray(self.form.mean_map()[0], dtype=np.float64)

    @cached_property
    def squares(self) -> Floats:
        """Squares of the entries of ``(T, c)`` before anything cancels among the labels, ``(D, D + 1)``."""
        size = len(self.mean)
        maps = np.concatenate([self.form.maps[:, :size, :size], self.form.maps[:, :size, -1:]], axis=2)
        largest: Floats = np.tensordot(np.abs(self.form.first.astype(np.float64)), np.abs(maps), axes=(0, 0)) ** 2
        return largest

    @cached_property
    def expands(self) -> bool:
        """Whether an eigenvalue of ``T`` is beyond the unit circle."""
        matrix = self.mean
        if not np.isfinite(matrix).all():
            return True
        if len(matrix) == 1:
            return bool(abs(matrix[0, 0]) > STILL)
        if np.abs(matrix).sum(axis=1).max() <= 1.0:
            return False
        symmetric = np.array_equal(matrix, matrix.T)
        values = np.linalg.eigvalsh(matrix) if symmetric else np.linalg.eigvals(matrix)
        return bool(np.abs(values).max() > STILL)


class Rounding:
    """The perturbations of a walk, and the errors of its traces that they stand for; ``worst`` is the largest relative one.

    ``model`` ``(d, D)`` picks the server's model out of the state, ``hessian`` is that of the loss, deviations are from the state
    ``reference`` ``(D,)``; ``constant`` says that one map serves all rounds.
    """

    def __init__(self, model: Floats, hessian: Floats, reference: Floats, *, constant: bool) -> None:
        self.model, self.hessian, self.constant = model, hessian, constant
        self.worst = 0.0
        self._size: RoundSize | None = None
        self._random = np.random.default_rng(np.random.SeedSequence(0))
        self._floor = UNIT / 2 * np.abs(reference)
        self._both = np.stack([0 * self._floor, self._signs() * self._floor], axis=1)

    def _signs(self) -> Floats:
        return np.where(self._random.random(len(self._floor)) < 0.5, -1.0, 1.0)

    def step(self, form: RoundForm, moment: Array) -> None:
        """One round, before which the second moment is ``moment``."""
        if self._size is None or self._size.form is not form:
            self._size = RoundSize(form)
        if self._idle:
            return
        own = self._both[:, 1]  # the reference is rounded again in every round, to the same number
        self._both[:, 1] = np.copysign(np.maximum(np.abs(own), self._floor), own)
        self._both = self._size.mean @ self._both
        made = self._size.squares @ np.abs(np.diagonal(moment)[: len(own) + 1])
        self._both[:, 0] += self._signs() * np.sqrt(ROUNDING * UNIT * made)

    @property
    def _idle(self) -> bool:
        """Whether all rounds are one small map that does not expand, which is known at little cost."""
        return self._size is not None and self.constant and len(self._floor) <= SMALL and not self._size.expands

    def lost(self, second: Callable[[], Array]) -> bool:
        """Whether nothing of the traces of ``E (w - w*)(w - w*)'`` is right; their relative error counts in ``worst`` else."""
        if self._size is None or self._idle:
            return False
        found = self._relative_error(second())
        if found <= WARNED or not self._size.expands:
            return False
        if found < LOST:
            self.worst = max(self.worst, found)
        return not found < LOST

    def _relative_error(self, second: Array) -> float:
        """The larger one of the squared distance and the gap."""
        found = 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            parts = self.model @ self._both
            for matrix in (np.eye(len(second)), self.hessian):
                made, own = (parts * (matrix @ parts)).sum(axis=0).tolist()
                value = float((second * matrix).sum())
                error = made + own + 2 * float(np.sqrt(max(value, 0.0)) * np.sqrt(max(own, 0.0)))
                if error > 0 or not np.isfinite(error):
                    found = max(found, error / value) if value > 0 and np.isfinite(error) else np.inf
        return found
