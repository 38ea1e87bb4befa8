"""Which family of the interpreter serves a plan, and how its models lie in memory.  Nothing here loads numba until asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fltheory.kernels.maps import MappedPlan
from fltheory.kernels.plan import AnyPlan, KernelPlan, PartPlan
from fltheory.kinds import Array


@dataclass(frozen=True, eq=False)
class CompiledFamily:
    """``data`` for the interpreter, entries of one model, and the factor of all gradients.

    ``layout`` names how a model lies in memory: vectors of one layout can be added.  ``wide`` says that many runs side by side
    are faster than one after another.  ``maps`` makes the plan's local steps by maps of their rates, which
    :func:`with_maps` adds to ``data``.
    """

    data: Any
    size: int
    pack: Callable[[Array], Array]
    unpack: Callable[[Array], Array]
    layout: tuple[Any, ...]
    factor: float = 1.0
    wide: bool = False
    maps: MappedPlan | None = None


def family_of(plan: AnyPlan | None) -> CompiledFamily | None:
    """The family of a plan, or ``None`` where the interpreter has none."""
    if isinstance(plan, PartPlan):
        part = family_of(plan.plan)
        if part is None or (part.factor != 1.0 and plan.factor != 1.0):
            return None  # two factors are rounded one after another
        return replace(part, factor=plan.factor * part.factor)
    if isinstance(plan, MappedPlan):
        steps = family_of(plan.steps)
        return None if steps is None else replace(steps, maps=plan)
    if not isinstance(plan, KernelPlan):
        return None
    from fltheory.kernels import _families

    name = getattr(plan.step_kernel, "__module__", "").rpartition(".")[2]
    if name == "_softmax":
        return _softmax(plan, _families.SoftmaxRows)
    kinds = {
        "_linear": _families.LinearRows,
        "_quadratic": _families.QuadraticRows,
        "_tridiagonal": _families.TridiagonalRows,
        "_perceptron": _families.PerceptronRows,
    }
    if name not in kinds:
        return None
    return CompiledFamily(kinds[name](plan.data), plan.block[0], _same, _same, plan.block, wide=name == "_quadratic")


def with_maps(family: CompiledFamily, asked: set[tuple[float, int]], scales: Array) -> CompiledFamily | None:
    """The family with the maps of all (rate, steps) that are asked, for clients' ``scales``; ``None`` for too many.

    Rates whose map is not finite are left out: they are gone through step by step.
    """
    if family.maps is None:
        return family
    found = family.maps.table(asked, scales)
    if found is None:
        return None
    from fltheory.kernels import _families

    return replace(family, data=_families.MappedRows(family.data.data, *found))


def nobody() -> Any:
    """The family of a server that has no loss."""
    from fltheory.kernels import _families

    return _families.NobodyRows(())


def _same(models: Array) -> Array:
    return models


def _softmax(plan: KernelPlan, kind: Any) -> CompiledFamily:
    features, labels, starts, inputs, modulus, size, replacement = plan.data
    classes = plan.block[0]
    width = features.shape[1]

    def pack(models: Array) -> Array:
        found = np.zeros((*models.shape[:-1], classes, width))
        found[..., :inputs] = models.reshape(*models.shape[:-1], classes, inputs)
        return found.reshape(*models.shape[:-1], classes * width)

    def unpack(models: Array) -> Array:
        found = models.reshape(*models.shape[:-1], classes, width)[..., :inputs]
        return np.ascontiguousarray(found).reshape(*models.shape[:-1], classes * inputs)

    data = kind((features, labels, starts, inputs, classes, modulus, size, replacement))
    return CompiledFamily(data, classes * width, pack, unpack, ("packed", classes, inputs))
