"""What a family of kernels offers to a run, and the arguments that every call of it has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from fltheory.kinds import Array, Floats, Integers, Keys


@dataclass(frozen=True)
class Slots:
    """Who computes: clients and stream keys ``(runs, slots)``, the number of the first draw, the clients' scales."""

    clients: Integers
    keys: Keys
    first: int
    scales: Floats


class AnyPlan(Protocol):
    """Kernels with the data of one problem and one oracle.  Points are ``(runs, slots, d)``."""

    def gradients(self, x: Array, slots: Slots) -> Array:
        """One stochastic gradient per slot, scaled."""
        ...

    def local_sgd(self, x: Array, slots: Slots, rates: Array, shift: Array | None) -> Array:
        """``x`` after the steps ``x <- x - rates[i] (g(x) + shift)``; ``x`` itself is left alone."""
        ...

    def values(self, w: Array) -> Array | None:
        """``F(w)`` for ``w`` ``(runs, d)`` in fixed order, or ``None`` where the problem does it itself."""
        ...

    def excess(self, w: Array, minimiser: Array) -> Array | None:
        """``F(w) - F*`` without cancellation, or ``None`` where it is a difference of values."""
        ...


@dataclass(frozen=True)
class KernelPlan:
    """A plan from the two compiled functions of a family and their data arguments.

    ``block`` is the shape of one model inside the kernels (``(d,)``, or ``(classes, inputs)``).
    """

    gradient_kernel: Any
    step_kernel: Any
    data: tuple[Any, ...]
    block: tuple[int, ...]
    values_kernel: Any = None
    values_data: tuple[Any, ...] = ()
    form: Any = None
    form_data: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        # Kernels are compiled per memory layout and writability: one kind of array keeps it at one compilation.
        for name in ("data", "values_data", "form_data"):
            arguments = tuple(_kept(a) if isinstance(a, np.ndarray) else a for a in getattr(self, name))
            object.__setattr__(self, name, arguments)

    def gradients(self, x: Array, slots: Slots) -> Array:
        points = self._blocks(x)
        out = np.empty(points.shape)
        with np.errstate(over="ignore", invalid="ignore"):
            self.gradient_kernel(out, points, slots.clients, slots.keys, slots.first, slots.scales, *self.data)
        return out.reshape(x.shape)

    def local_sgd(self, x: Array, slots: Slots, rates: Array, shift: Array | None) -> Array:
        points = self._blocks(x)
        extra = np.empty((0, 0, *self.block)) if shift is None else self._blocks(shift)
        with np.errstate(over="ignore", invalid="ignore"):
            self.step_kernel(points, slots.clients, slots.keys, slots.first, rates, extra, slots.scales, *self.data)
        return points.reshape(x.shape)

    def values(self, w: Array) -> Array | None:
        if self.values_kernel is None:
            return None
        out = np.empty(len(w))
        models = owned(w).reshape(len(w), *self.block)
        with np.errstate(over="ignore", invalid="ignore"):
            self.values_kernel(out, models, *self.values_data)
        return out

    def excess(self, w: Array, minimiser: Array) -> Array | None:
        if self.form is None:
            return None
        out = np.empty(len(w))
        with np.errstate(over="ignore", invalid="ignore"):
            self.form(out, owned(w - minimiser), *self.form_data)
        return out

    def _blocks(self, x: Array) -> Array:
        return owned(x).reshape(*x.shape[:2], *self.block)


@dataclass(frozen=True)
class PartPlan:
    """The plan of a problem that is a factor times, or a part of, the one in question: the values are another matter."""

    plan: AnyPlan
    factor: float

    def gradients(self, x: Array, slots: Slots) -> Array:
        return self.plan.gradients(x, self._scaled(slots))

    def local_sgd(self, x: Array, slots: Slots, rates: Array, shift: Array | None) -> Array:
        return self.plan.local_sgd(x, self._scaled(slots), rates, shift)

    def values(self, w: Array) -> Array | None:
        return None

    def excess(self, w: Array, minimiser: Array) -> Array | None:
        return None

    def _scaled(self, slots: Slots) -> Slots:
        return slots if self.factor == 1.0 else replace(slots, scales=slots.scales * self.factor)


def _kept(array: Array) -> Array:
    """The array if it is contiguous and writable, or a copy that is."""
    return array if array.flags.c_contiguous and array.flags.writeable else owned(array)


def owned(array: Array) -> Array:
    """A contiguous, writable copy."""
    return np.array(array, order="C")
