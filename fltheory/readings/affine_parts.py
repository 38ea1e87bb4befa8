"""Vectors of the affine reading, part by part; a part that is None is zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from fltheory.kinds import Array, Truths


@dataclass(frozen=True)
class ClientForm:
    """``base``, ``member``: ``(N, d, columns)``; ``shared``: ``(N or 1, d, calls*N*d)``; None where zero."""

    base: Array
    member: Array | None = None
    shared: Array | None = None
    everyone: bool = False


@dataclass(frozen=True)
class ServerForm:
    """``const``, ``absent``: ``(d, D+1)``; ``average``, ``members``: ``(N, d, columns)``.

    ``shared``: ``(d, calls*N*d)``; None stands for zero.
    """

    const: Array
    average: Array | None = None
    absent: Array | None = None
    members: Array | None = None
    shared: Array | None = None

    @property
    def random(self) -> bool:
        """Whether it carries labels of the scheme."""
        return any(part is not None for part in (self.average, self.absent, self.members))


@dataclass(frozen=True)
class Call:
    """One call of the oracle: where (``base``, ``shared`` of the points), noise index, factor per client."""

    base: Array
    shared: Array | None
    noise: int | None
    scale: Array | None


def widen(array: Array, columns: int) -> Array:
    """A copy with zeros appended up to ``columns`` columns."""
    if array.shape[-1] >= columns:
        return np.array(array)
    wide = np.zeros((*array.shape[:-1], columns), dtype=array.dtype)
    wide[..., : array.shape[-1]] = array
    return wide


def map_parts(left: Any, right: Any, operation: Callable[[Array | None, Array | None], Array | None]) -> Any:
    """A form of the kind of ``left`` from pairs of parts; marks that are no arrays are kept."""
    names = [f.name for f in fields(left) if f.name != "everyone"]
    return replace(left, **{name: operation(getattr(left, name), getattr(right, name)) for name in names})


def add_parts(left: Any, right: Any, sign: int) -> Any:
    """``left + sign * right`` where None is zero and missing columns are zero."""
    if right is None:
        return left
    if left is None:
        return right if sign > 0 else -right
    if left.shape[-1] != right.shape[-1]:
        columns = max(left.shape[-1], right.shape[-1])
        left, right = (side if side.shape[-1] == columns else widen(side, columns) for side in (left, right))
    return left + right if sign > 0 else left - right


def replace_rows(own: Array | None, common: Array | None, rows: Truths) -> Array | None:
    """``own`` ``(N or 1, d, columns)`` with the rows of ``common`` ``(d, columns)`` where ``rows`` ``(d,)`` says so.

    Missing columns are zero, and None is zero.
    """
    if own is None and common is None:
        return None
    count = max(part.shape[-1] for part in (own, common) if part is not None)
    found = np.zeros((1, len(rows), count), dtype=common.dtype) if common is not None else None
    wide = found if own is None else widen(own, count)
    assert wide is not None
    wide[:, rows] = 0
    if common is not None:
        wide[:, rows, : common.shape[-1]] = common[rows]
    return wide
