"""Clarabel asked for the answer of a :class:`~fltheory.worstcase.sdp.ConicProgram`; multipliers are raw material, not proof."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fltheory.worstcase.sdp import Array, ConicProgram, triangle_of

#: Statuses with a point; a step that fails in floats (NumericalError) does so near the answer, mostly.
NUMBERS = ("Solved", "AlmostSolved", "InsufficientProgress", "MaxIterations", "NumericalError")
#: An answer that is almost solved is tried for again where its residual is larger.
SMALL_RESIDUAL = 1e-7
#: Statuses that another try would not change.
SETTLED = ("Solved", "PrimalInfeasible", "DualInfeasible")
#: Statuses with an answer.
SOLVED = ("Solved", "AlmostSolved")


@dataclass(frozen=True)
class Solution:
    """What the solver returned: a status, the value, Gram blocks, function values, multipliers (of its rows), residuals.

    The value is in the model's units, NaN beyond the range of floats.
    ``point`` holds blocks and values as one vector ``z``, see :class:`ConicProgram`.
    """

    status: str
    value: float
    blocks: dict[str, Array]
    values: Array
    pairs: Array
    assumptions: Array
    residual: float
    seconds: float
    point: Array

    @property
    def usable(self) -> bool:
        """Whether there are numbers at all; what they are worth is for the certificate to say.

        They are of size about one; whether the value is in the range of floats depends on the units that were asked for.
        """
        return self.status in NUMBERS and bool(np.isfinite(self.point).all())


def solve(
    problem: ConicProgram,
    bounds: Mapping[str, Any],
    *,
    trace: float = 0.0,
    tighten: float = 0.0,
    tolerance: float = 1e-9,
    time_limit: float = math.inf,
    threads: int = 2,
) -> Solution:
    """Maximise the measure.

    With ``trace > 0`` there is such a reward per unit of trace, so that the multipliers' slack is strictly positive.  With
    ``tighten > 0`` every inequality is asked for with that much room and every block is at least ``tighten`` times the
    identity: a strictly feasible instance.
    """
    rows = np.concatenate([problem.pair_rows, problem.assumption_rows])
    right = np.concatenate([np.zeros(len(problem.pair_rows)), problem.right(bounds)])
    right -= tighten * (np.abs(rows).max(axis=1) > 1e-12)
    objective = problem.measure + trace * problem.identity

    def attempt(unit: float, regularised: bool, spent: float) -> Solution:
        left = max(0.0, time_limit - spent)
        made = conic(
            problem, rows, right, objective, tighten, tolerance, left, threads, unit=unit, regularised=regularised
        )
        return replace(made, seconds=made.seconds + spent)

    found = attempt(1.0, False, 0.0)
    if found.status not in SETTLED and not (found.status == "AlmostSolved" and found.residual <= SMALL_RESIDUAL):
        found = better(found, attempt(1.0, True, found.seconds))
    unit = float(np.abs(objective).max())
    if found.status in SETTLED or unit == 0.0 or 0.5 <= unit <= 2.0:
        return found
    # The units of a measure decide how well the solver gets on, and neither its own nor these always serve.
    return better(found, attempt(unit, False, found.seconds))


def better(found: Solution, other: Solution) -> Solution:
    """The later answer where it is worth more, with the time of both (which it counts)."""
    worth = [
        (item.status in SETTLED, item.status == "AlmostSolved", item.usable, -item.residual if item.usable else 0.0)
        for item in (found, other)
    ]
    return other if worth[1] > worth[0] else replace(found, seconds=other.seconds)


def recession(problem: ConicProgram, *, time_limit: float = math.inf, threads: int = 2) -> Solution:
    """The largest measure of an instance with trace at most one for which all bounded quantities vanish.

    A positive value is a direction along which the measure grows without limit.
    """
    rows = np.concatenate([problem.pair_rows, problem.assumption_rows, problem.identity[None]])
    right = np.zeros(len(rows))
    right[-1] = 1.0
    return conic(problem, rows, right, problem.measure, 0.0, 1e-9, time_limit, threads)


@contextmanager
def _interruptible() -> Iterator[list[int]]:
    """Collect interruptions instead of raising them inside native code; only the main thread receives any."""
    pressed: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield pressed
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)


def conic(
    problem: ConicProgram,
    rows: Array,
    right: Array,
    objective: Array,
    floor: float,
    tolerance: float,
    time_limit: float,
    threads: int,
    *,
    unit: float = 1.0,
    regularised: bool = False,
) -> Solution:
    """Maximise ``objective @ z`` over ``rows @ z <= right`` and blocks that are at least ``floor`` times the identity.

    The solver sees the objective divided by ``unit``.  What it adds to its systems to factorise them safely (``regularised``)
    costs digits: at 25 gradients residuals of 1e-5 in place of 1e-8, more than the room that a certificate needs.  Rows that
    say nothing are left out: with them no instance would be strictly inside.
    """
    import clarabel
    import scipy.linalg.cython_lapack  # noqa: F401  the solver imports it from native code, which must not be interrupted
    from scipy import sparse

    scale = np.abs(rows).max(axis=1)
    asked = scale > 1e-12
    rows, right, scale = rows[asked], right[asked], scale[asked]
    cone = sparse.hstack(
        [
            -sparse.eye(problem.gram_length),
            sparse.csc_matrix((problem.gram_length, problem.length - problem.gram_length)),
        ]
    )
    matrix = sparse.vstack([sparse.csc_matrix(rows / scale[:, None]), cone]).tocsc()
    ones = np.concatenate([(np.equal(*triangle_of(size))).astype(float) for _, size in problem.blocks])
    offset = np.concatenate([right / scale, -floor * ones])
    cones = [clarabel.NonnegativeConeT(len(rows))]
    cones += [clarabel.PSDTriangleConeT(size) for _, size in problem.blocks]
    settings: Any = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.max_iter = 200
    settings.static_regularization_enable = regularised
    settings.direct_solve_method = "faer"
    settings.max_threads = threads
    if math.isfinite(time_limit):
        settings.time_limit = max(time_limit, 1e-3)
    begin = time.perf_counter()
    quadratic = sparse.csc_matrix((problem.length, problem.length))
    solver = clarabel.DefaultSolver(quadratic, -objective / unit, matrix, offset, cones, settings)
    with _interruptible() as pressed:
        solver.set_termination_callback(lambda information: bool(pressed))
        try:
            answer = solver.solve()
        except (
            BaseException
        ) as panic:  # a failed factorisation ends in a panic of the native code, which is no Exception
            if type(panic).__name__ != "PanicException":
                raise
            answer = None
    if pressed:
        raise KeyboardInterrupt
    if answer is None:
        return failed(problem, time.perf_counter() - begin)
    z, dual = np.array(answer.x), np.zeros(len(asked))
    dual[asked] = unit * np.array(answer.z)[: len(rows)] / scale
    pairs, assumptions = len(problem.pair_rows), len(problem.assumption_rows)
    return Solution(
        str(answer.status),
        problem.value_of(z),
        problem.blocks_of(z),
        problem.values_of(z),
        dual[:pairs],
        dual[pairs : pairs + assumptions],
        max(float(answer.r_prim), float(answer.r_dual)),
        time.perf_counter() - begin,
        z,
    )


def failed(problem: ConicProgram, seconds: float) -> Solution:
    """What is left of a solve that broke off: a status that says so, and no numbers."""
    z = np.full(problem.length, math.nan)
    return Solution(
        "Panicked",
        math.nan,
        problem.blocks_of(z),
        problem.values_of(z),
        np.full(len(problem.pair_rows), math.nan),
        np.full(len(problem.assumption_rows), math.nan),
        math.nan,
        seconds,
        z,
    )
