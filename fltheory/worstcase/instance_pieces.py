"""Vectors and functions from Gram blocks: the material of which :mod:`fltheory.worstcase.instance` is made.

Factors of the blocks are vectors: client k of N has ``mean + e_k (x) deviation`` with ``e_1, ..., e_N`` the corners of a
regular simplex, ``|e_k| = 1``, ``sum e_k = 0``, so that every client sees the same inner products, which are the averaged
ones.  Two clients of weight 1/2 always do.  Clients of several classes meet in their means only: N of each class, all with the same
corners, their deviations in the same coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.kinds import Floats
from fltheory.problems.interpolated import InterpolatedFunction
from fltheory.worstcase.certificate import block_title
from fltheory.worstcase.model import Group, Model, dense
from fltheory.worstcase.space import deviation_of


@dataclass(frozen=True, eq=False)
class Solved:
    """Gram blocks, function values by register, and the value of the measure that they promise."""

    blocks: Mapping[str, Floats]
    values: Mapping[int, float]
    promised: float


@dataclass(frozen=True, eq=False)
class Pieces:
    """Functions by group, one per client; given vectors by register, ``(d,)`` or ``(N, d)``; ranks of the blocks.

    Of several classes, vectors of all clients have a row for each client of each class, zeros but for their own class.
    """

    functions: Mapping[str, tuple[InterpolatedFunction, ...]]
    given: Mapping[int, Floats]
    ranks: Mapping[str, int]


def solved(case: Any) -> list[Solved]:
    """What a worst case knows of its instance: the certificate's strictly feasible one, then the solver's."""
    model, solution, found = case.model, case.solution, []
    if case.lower is not None:
        lower = case.certificate["lower"]
        blocks = {}
        for name, size in model.space.sizes.items():
            rows = lower["blocks"][block_title(name)]
            blocks[name] = np.array([[_number(e) for e in row] for row in rows]).reshape(size, size)
        values = {int(register): _number(text) for register, text in lower["values"].items()}
        found.append(Solved(blocks, values, float(case.lower)))
    if solution.usable:
        values = dict(zip(model.values, solution.values.tolist(), strict=True))
        found.append(Solved(dict(solution.blocks), values, case.solver_value))
    return found


def _number(text: str) -> float:
    top, _, bottom = text.partition("/")
    return int(top) / int(bottom or 1)


def pieces(model: Model, data: Solved, *, share: float, n_clients: int) -> Pieces:
    """Functions of ``n_clients`` clients, without directions below ``share`` of the largest eigenvalue."""
    largest = max(float(np.linalg.eigvalsh(block)[-1]) for block in data.blocks.values() if block.size)
    factors = {
        name: _factor(data.blocks.get(name, np.zeros((size, size))), share * largest)
        for name, size in model.space.sizes.items()
    }
    corners, several = _simplex(n_clients), len(model.shares.classes)
    widest = max(factors[deviation_of(c)].shape[1] for c in (range(1, several + 1) or [0]))

    def vectors(coordinates: list[Any], c: int) -> Floats:
        """Coordinates of registers of class ``c`` as ``(N, registers, d)``."""
        mean, deviation = (
            np.array(dense(coordinates, part, model.space.sizes[part]), dtype=np.float64) @ factors[part]
            for part in ("mean", deviation_of(c))
        )
        deviation = np.pad(deviation, ((0, 0), (0, widest - deviation.shape[1])))
        spread = np.einsum("ka,ri->krai", corners, deviation).reshape(n_clients, len(coordinates), -1)
        return np.concatenate([np.broadcast_to(mean, (n_clients, *mean.shape)), spread], axis=2)

    def functions(group: Group) -> tuple[InterpolatedFunction, ...]:
        c = int(group.name.removeprefix("clients ")) if group.name.startswith("clients ") else min(several, 1)
        points, gradients = (vectors([getattr(q, name) for q in group.queries], c) for name in ("point", "gradient"))
        heights = np.array([0.0 if q.value is None else data.values[q.value] for q in group.queries])
        mu, smooth = map(float, group.functions.exact)
        return tuple(InterpolatedFunction(x, g, heights, mu, smooth) for x, g in zip(points, gradients, strict=True))

    given = {}
    for place, item in enumerate(model.instructions):
        if item[0] == "given":
            c = item[3] if item[3:] else min(several, 1)
            array = vectors([model.space.coordinates[place]], c)[:, 0]
            if item[3:]:
                array = np.concatenate([array if k == c else 0 * array for k in range(1, several + 1)])
            given[place] = array if item[1] == "clients" else array[0]
    ranks = {name: factor.shape[1] for name, factor in factors.items()}
    return Pieces({group.name: functions(group) for group in model.groups}, given, ranks)


def _factor(block: Floats, least: float) -> Floats:
    """``V`` with ``V V' = block`` but for eigenvalues up to ``least``; at least one column."""
    if not block.size:
        return np.zeros((0, 1))
    sizes, axes = np.linalg.eigh(block)
    kept = sizes > max(least, 0.0)
    kept[-1] = True
    found: Floats = axes[:, kept] * np.sqrt(np.maximum(sizes[kept], 0.0))
    return found[:, ::-1]


def _simplex(n: int) -> Floats:
    """Corners of a regular simplex, ``(n, n-1)``: unit vectors with sum zero."""
    centred = np.eye(n) - 1 / n
    axes = np.linalg.svd(centred)[0][:, : n - 1]
    return np.asarray(axes * np.sqrt(n / (n - 1)))
