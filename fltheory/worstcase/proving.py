"""Multipliers for a given bound, by a homogenised program: what short proofs are looked for with."""

from __future__ import annotations

import copy
import math

import numpy as np

from fltheory.worstcase.sdp import Array, ConicProgram
from fltheory.worstcase.solver import SETTLED, SOLVED, better, conic


def proving(
    problem: ConicProgram,
    rows: Array,
    right: Array,
    ceiling: float,
    *,
    weights: Array | None = None,
    reward: float = 0.0,
    time_limit: float = math.inf,
    threads: int = 2,
) -> tuple[Array, float] | None:
    """Multipliers ``y >= 0`` of ``rows @ z <= right`` for ``measure @ z <= ceiling``, and their margin; ``None`` without any.

    The multipliers obey ``y @ right <= ceiling``, function values cancel in ``y @ rows - measure``, and its blocks are at least
    the margin times the identity.  With ``weights`` those with the least ``weights @ y``, at the margin ``reward``; without
    them those with the largest margin, which is negative where they prove nothing.  Both are multipliers of a program in ``z``
    and a number ``t >= 0``::

        maximise  measure @ z + reward trace(z) - ceiling t   where  rows @ z <= right t + weights,
        maximise  measure @ z - ceiling t                     where  rows @ z <= right t,  1 <= trace(z) <= 2.
    """
    wide = copy.copy(problem)
    wide.length = problem.length + 1
    wide.measure = np.append(problem.measure, 0.0)
    wide.pair_rows = np.hstack([rows, -right[:, None]])
    wide.assumption_rows = np.zeros((3 if weights is None else 1, wide.length))
    wide.assumption_rows[0, -1] = -1.0
    limits = np.zeros(len(rows) + len(wide.assumption_rows))
    if weights is None:
        wide.assumption_rows[1, :-1], wide.assumption_rows[2, :-1] = -problem.identity, problem.identity
        limits[-2:] = -1.0, 2.0
    else:
        limits[: len(rows)] = weights
    objective = np.append(problem.measure + reward * problem.identity, -ceiling)
    stacked = np.concatenate([wide.pair_rows, wide.assumption_rows])
    asked = (wide, stacked, limits, objective, 0.0, 1e-9, time_limit, threads)
    found = conic(*asked)
    if found.status not in (*SETTLED, "AlmostSolved"):
        found = better(found, conic(*asked, regularised=True))
    if found.status not in SOLVED:
        return None
    if weights is None:
        reward = float(found.assumptions[1] - found.assumptions[2])
    return np.maximum(found.pairs, 0.0), reward
