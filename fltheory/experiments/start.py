"""Where a record begins: its first distance and gap, and the model they belong to."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from fltheory.kinds import Floats, Integers, PointLike
from fltheory.problems.base import KnownProblem


class Recorded(Protocol):
    """A ``Run`` or ``Moments``: quantities of a run by name, at the ends of some rounds."""

    @property
    def rounds(self) -> Integers:
        """The rounds that were recorded, in order."""
        ...


def first_record(run: Recorded, quantity: str) -> float:
    """Mean of a quantity of a ``Run`` or of ``Moments`` before the first round.

    Raises
    ------
    ValueError : the quantity was not recorded, or not at the start.
    """
    recorded = getattr(run, quantity)
    if recorded is None:
        raise ValueError(f"{quantity} was not recorded, so that the start is unknown: {getattr(run, 'reference', '')}")
    if int(run.rounds[0]) != 0:
        raise ValueError(
            f"rounds[0]={int(run.rounds[0])}: the start was not recorded; expected a first record at round 0"
        )
    return float(np.asarray(recorded, dtype=np.float64)[..., 0].mean())


def start_of(problem: KnownProblem, run: Recorded | None = None, start: PointLike | None = None) -> Floats | None:
    """The first model: ``start``, else what ``run`` kept, else zero; ``None`` where the record begins elsewhere.

    Raises
    ------
    ValueError : a ``start`` at which the distance or the gap is not that of the record.
    """
    known = run is not None and start is None
    kept = getattr(run, "models", None) if known else None
    mean = getattr(run, "mean", None) if known else None
    if kept is not None:
        origin = np.asarray(kept[:, 0].mean(axis=0), dtype=np.float64)
    elif isinstance(mean, np.ndarray):
        origin = np.asarray(mean[0], dtype=np.float64)
    else:
        origin = np.zeros(problem.dimension) if start is None else np.asarray(start, dtype=np.float64)
    if run is None:
        return origin
    target = np.asarray(problem.constants.minimiser, dtype=np.float64)
    distance, gap = float(((origin - target) ** 2).sum()), float(problem.value(origin) - problem.constants.minimum)
    for quantity, here in (("squared_distance", distance), ("gap", gap)):
        there = first_record(run, quantity)
        if not same(here, there, 1 + float((target**2).sum()) + abs(float(problem.constants.minimum))):
            if start is None:
                return None
            raise ValueError(f"start={start!r} has {quantity} {here:.6g}; the run begins at {there:.6g}")
    return origin


def same(left: float, right: float, scale: float = 1.0) -> bool:
    """Whether two numbers agree up to rounding in quantities of the size ``scale``."""
    return math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-14 * scale)
