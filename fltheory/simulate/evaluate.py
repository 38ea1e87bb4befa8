"""What is recorded of a model: the objective, its gap to the minimum, and the squared distance to the minimiser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.kernels.maps import MappedPlan
from fltheory.kernels.plan import AnyPlan, KernelPlan, owned
from fltheory.kinds import Array
from fltheory.problems.base import Problem

#: Entries that NumPy adds up in one order that a kernel can follow; longer vectors it takes in halves.
MOST_SIDE_BY_SIDE = 128
#: Entries of a vector of the processor.
VECTOR = 8


def padded(dimension: int) -> int:
    """Entries of a row that is filled up to whole vectors of the processor."""
    return -(-dimension // VECTOR) * VECTOR


@dataclass(frozen=True, eq=False)
class Reference:
    """``w*`` and ``F*`` of a problem, or the reason why there are none."""

    minimiser: Array | None
    minimum: float | None
    reason: str = ""


def reference_of(problem: Problem, *, wanted: bool = True) -> Reference:
    """The minimum of a float problem.  Problems without one, or without a way to certify it, say why."""
    if not wanted:
        return Reference(None, None, "not asked for")
    constants = getattr(problem, "constants", None)
    if constants is None:
        return Reference(None, None, f"{type(problem).__name__} has no constants")
    try:
        return Reference(np.asarray(constants.minimiser, dtype=np.float64), float(constants.minimum))
    except (ValueError, ArithmeticError) as error:
        return Reference(None, None, str(error))


@dataclass(frozen=True, eq=False)
class Evaluator:
    """Evaluates models ``(runs, d)``; each run by itself, so that results do not depend on the batch.

    ``objective`` takes the place of the problem's, which may be expensive; then there is no minimum.
    """

    problem: Problem
    reference: Reference
    plan: AnyPlan | None = None
    objective: Callable[[Array], Any] | None = None

    @property
    def columns(self) -> int:
        """How many numbers per model: objective, and gap and squared distance where there is a minimum."""
        return 1 if self.reference.minimiser is None else 3

    def __call__(self, w: Array) -> Array:
        """``(runs, columns)``."""
        minimiser, minimum = self.reference.minimiser, self.reference.minimum
        if minimiser is None or minimum is None:
            return self._values(w)[:, None]
        if self.quadratic is not None:
            return self._measured(w, minimiser, minimum, self.quadratic)
        excess = self._excess(w, minimiser)
        if excess is None:
            values = self._values(w)
            excess = values - minimum
        else:
            values = minimum + excess
        error = w - minimiser
        distance = np.ascontiguousarray(error * error).sum(axis=1)
        return np.stack([values, excess, distance], axis=1)

    @cached_property
    def quadratic(self) -> Array | None:
        """The columns of the Hessian of a small dense quadratic, padded, where a kernel measures all three numbers at once."""
        plan = self.plan.steps if isinstance(self.plan, MappedPlan) else self.plan
        if not isinstance(plan, KernelPlan) or plan.form is None:
            return None
        from fltheory.kernels import _quadratic

        if plan.form is not _quadratic.quadratic_forms or len(plan.form_data[0]) > MOST_SIDE_BY_SIDE:
            return None
        d = len(plan.form_data[0])
        columns = np.zeros((d, padded(d)))
        columns[:, :d] = plan.form_data[0]
        return columns

    def _measured(self, w: Array, minimiser: Array, minimum: float, columns: Array) -> Array:
        from fltheory.kernels import _averaged

        out = np.empty((len(w), 3))
        with np.errstate(over="ignore", invalid="ignore"):
            _averaged.records(out, owned(w), owned(minimiser), minimum, columns.reshape(-1), columns.shape[1])
        return out

    def _values(self, w: Array) -> Array:
        if self.objective is not None:
            return np.array([float(self.objective(row)) for row in w])
        values = self.plan.values(w) if self.plan is not None else None
        if values is None:
            values = np.array([float(self.problem.value(row)) for row in w])
        return values

    def _excess(self, w: Array, minimiser: Array) -> Array | None:
        """``(w-w*)'A(w-w*)/2`` for quadratics: a difference of values would lose all digits near the minimum."""
        if self.plan is not None:
            return self.plan.excess(w, minimiser)
        product: Callable[[Array], Array] | None = getattr(self.problem, "hessian_product", None)
        if product is None:
            return None
        error = w - minimiser
        image = product(error)
        return np.array([float((a * b).sum()) / 2 for a, b in zip(error, image, strict=True)])
