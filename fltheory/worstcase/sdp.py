"""The semidefinite program of a model in floats, solved by Clarabel; its multipliers are raw material, not proof."""

from __future__ import annotations

import copy
import math
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory.worstcase.functional import Functional
from fltheory.worstcase.model import Group, Model
from fltheory.worstcase.multipliers import pairs_of, parts_of
from fltheory.worstcase.space import draw_of

Array = npt.NDArray[Any]


#: Statuses with a point; a step that fails in floats (NumericalError) does so near the answer, mostly.
NUMBERS = ("Solved", "AlmostSolved", "InsufficientProgress", "MaxIterations", "NumericalError")
#: An answer that is almost solved is tried for again where its residual is larger.
SMALL_RESIDUAL = 1e-7
#: Statuses that another try would not change.
SETTLED = ("Solved", "PrimalInfeasible", "DualInfeasible")


@dataclass(frozen=True)
class Solution:
    """What the solver returned: a status, the value, Gram blocks, function values, multipliers (of its rows), residuals.

    The value is in the model's units, NaN beyond the range of floats.
    ``point`` holds blocks and values as one vector ``z``, see :class:`Problem`.
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


class Problem:
    """A model as arrays: ``rows @ z <= right`` and ``z`` made of the blocks' triangles, then the function values."""

    def __init__(self, model: Model) -> None:
        self._lay_out(model, model.space.sizes)
        self.pair_rows = np.concatenate(
            [self._interpolation(g, part) for g in model.groups for part in parts_of(model, g)]
        )
        self.assumption_rows = np.array([self.row(item.functional) for item in model.assumptions])
        self.assumption_rows = self.assumption_rows.reshape(-1, self.length)
        self.measure = self.row(model.measure)
        self.identity = self._identity()

    def _lay_out(self, model: Model, sizes: Mapping[str, int]) -> None:
        """Places of Gram entries and of function values in ``z``."""
        self.model, self.sizes = model, dict(sizes)
        self.blocks = [(name, size) for name, size in sizes.items() if size]
        self.offsets: dict[str, int] = {}
        place = 0
        for name, size in self.blocks:
            self.offsets[name] = place
            place += size * (size + 1) // 2
        self.gram_length = place
        self.value_place = {register: place + k for k, register in enumerate(model.values)}
        self.length = place + len(model.values)
        self.kept = {name: np.arange(size) for name, size in self.blocks}
        self.dropped: frozenset[tuple[str, int]] = frozenset()

    def restricted(self, zero: set[tuple[str, int]]) -> Problem:
        """The same problem where these basis vectors, given as (block, place), vanish; its matrices keep their size.

        For a problem that is not restricted yet.
        """
        if not zero:
            return self
        other = copy.copy(self)
        other.dropped = frozenset(zero)
        other.kept = {name: np.array([k for k in range(size) if (name, k) not in zero]) for name, size in self.blocks}
        other.blocks = [(name, len(other.kept[name])) for name, _ in self.blocks if len(other.kept[name])]
        columns: list[Array] = []
        other.offsets = {}
        for name, size in other.blocks:
            other.offsets[name] = sum(len(column) for column in columns)
            upper = _upper(size)
            i, j = other.kept[name][upper[0]], other.kept[name][upper[1]]
            columns.append(self.offsets[name] + j * (j + 1) // 2 + i)
        other.gram_length = sum(len(column) for column in columns)
        chosen = np.concatenate([*columns, np.arange(self.gram_length, self.length)])
        other.value_place = {register: other.gram_length + k for k, register in enumerate(self.value_place)}
        other.length = len(chosen)
        for rows in ("pair_rows", "assumption_rows"):
            setattr(other, rows, getattr(self, rows)[:, chosen])
        other.measure = self.measure[chosen]
        other.identity = other._identity()
        return other

    @property
    def unseen(self) -> set[tuple[str, int]]:
        """Basis vectors, as (block, place), that no constraint sees: a start from which only differences are taken."""
        return {
            (name, int(k))
            for name, basis in self.complement.items()
            for k in np.flatnonzero(np.abs(basis).max(axis=1, initial=0.0) < 1e-9)
        }

    def row(self, functional: Functional) -> Array:
        """A functional as a linear form in ``z`` (triangles scaled by sqrt 2 off the diagonal)."""
        gram, values = self.model.form(functional)
        found = np.zeros(self.length)
        for (block, i, j), entry in gram.items():
            found[self.offsets[block] + j * (j + 1) // 2 + i] += float(entry) / (1.0 if i == j else math.sqrt(2.0))
        for register, entry in values.items():
            found[self.value_place[register]] += float(entry)
        return found

    def _interpolation(self, group: Group, part: int | None) -> Array:
        """Rows of ``-(interpolation inequality)``: all ordered pairs, or those on histories that part before a draw."""
        n = len(group.queries)
        mu, smooth = float(group.functions.mu), float(group.functions.L)
        left, right = np.array(pairs_of(group, part), dtype=int).reshape(-1, 2).T
        rows = np.zeros((len(left), self.length))
        for name, size in self.blocks:
            x, g = np.zeros((n, size)), np.zeros((n, size))
            for k, query in enumerate(group.queries):
                for target, vector in ((x, query.point), (g, query.gradient)):
                    for (block, basis), entry in vector.items():
                        if block == name:
                            target[k, basis] = float(entry)
            h = g - mu * x
            a, b, c, d, e = x[left], x[right], h[left], h[right], 1 / (2 * (smooth - mu))
            if part is None or draw_of(name) < part:
                terms = [(a, a, mu / 2), (b, b, -mu / 2), (d, a - b, 1.0), (c - d, c - d, e)]
            else:
                terms = [(a, a, mu / 2), (b, b, -mu / 2), (d, b, -1.0), (c, c, e), (d, d, e)]
            start = self.offsets[name]
            for first, second, factor in terms:
                if factor:
                    rows[:, start : start + size * (size + 1) // 2] += factor * _triangles(first, second)
        for k, query in enumerate(group.queries):
            if query.value is not None:
                rows[left == k, self.value_place[query.value]] -= 1.0
                rows[right == k, self.value_place[query.value]] += 1.0
        return rows

    def _identity(self) -> Array:
        """The trace as a linear form in ``z``, without directions that no constraint sees.

        Such directions are translations of what is given, or linear functions added to the clients' losses where nothing
        bounds their heterogeneity: the slack vanishes there for all multipliers that balance the function values.  They
        are found from random combinations of such rows.  ``complement`` keeps an orthonormal basis of the others, in the
        coordinates that are ``kept``.
        """
        rows = np.concatenate([self.pair_rows, self.assumption_rows, self.measure[None]])
        rows = rows / np.maximum(np.abs(rows).max(axis=1), 1e-12)[:, None]
        values = rows[:, self.gram_length :]
        largest = max((size for _, size in self.blocks), default=0)
        factors = np.random.default_rng(1).standard_normal((largest + 10, len(rows))) / math.sqrt(len(rows))
        rows = (factors - (factors @ values) @ np.linalg.pinv(values)) @ rows
        found = np.zeros(self.length)
        self.complement: dict[str, Array] = {}
        for name, size in self.blocks:
            i, j = _upper(size)
            place = self.offsets[name] + j * (j + 1) // 2 + i
            matrices = np.zeros((len(rows), size, size))
            matrices[:, i, j] = matrices[:, j, i] = rows[:, place] / np.where(i == j, 1.0, math.sqrt(2.0))
            eigenvalues, vectors = np.linalg.eigh(np.einsum("kij,kjl->il", matrices, matrices))
            self.complement[name] = vectors[:, eigenvalues > 1e-14 * max(1e-12, eigenvalues[-1])]
            projector = self.complement[name] @ self.complement[name].T
            found[place] = projector[i, j] * np.where(i == j, 1.0, math.sqrt(2.0))
        return found

    def value_of(self, z: Array) -> float:
        """The measure of an instance in the model's own units; NaN beyond the range of floats."""
        return float(self.measure @ z)

    def blocks_of(self, z: Array) -> dict[str, Array]:
        """The Gram blocks of an instance in the model's own units."""
        return self.matrices(z)

    def values_of(self, z: Array) -> Array:
        """The function values of an instance in the model's own units."""
        return z[self.gram_length :]

    def matrices(self, z: Array) -> dict[str, Array]:
        """The symmetric matrices of the blocks in ``z``."""
        found = {}
        for name, size in self.blocks:
            i, j = _upper(size)
            place = self.offsets[name] + j * (j + 1) // 2 + i
            entries = z[place] / np.where(i == j, 1.0, math.sqrt(2.0))
            full = self.sizes[name]
            found[name] = np.zeros((full, full))
            left, right = self.kept[name][i], self.kept[name][j]
            found[name][left, right] = found[name][right, left] = entries
        return found

    def right(self, bounds: Mapping[str, Any]) -> Array:
        """Right-hand sides of the assumptions."""
        return np.array(
            [0.0 if a.bound is None else float(a.scale) * float(bounds[a.bound]) for a in self.model.assumptions]
        )


def _upper(size: int) -> tuple[Array, Array]:
    """Rows and columns of an upper triangle, by columns."""
    j, i = np.tril_indices(size)
    return i, j


def _triangles(a: Array, b: Array) -> Array:
    """``svec((a b' + b a')/2)`` for each row, upper triangles by columns, sqrt 2 off the diagonal."""
    size = a.shape[1]
    columns = []
    for j in range(size):
        cross = (a[:, : j + 1] * b[:, j : j + 1] + b[:, : j + 1] * a[:, j : j + 1]) / 2
        cross[:, :j] *= math.sqrt(2.0)
        columns.append(cross)
    return np.concatenate(columns, axis=1) if columns else np.zeros((len(a), 0))


def solve(
    problem: Problem,
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
        made = _conic(
            problem, rows, right, objective, tighten, tolerance, left, threads, unit=unit, regularised=regularised
        )
        return replace(made, seconds=made.seconds + spent)

    found = attempt(1.0, False, 0.0)
    if found.status not in SETTLED and not (found.status == "AlmostSolved" and found.residual <= SMALL_RESIDUAL):
        found = _better(found, attempt(1.0, True, found.seconds))
    unit = float(np.abs(objective).max())
    if found.status in SETTLED or unit == 0.0 or 0.5 <= unit <= 2.0:
        return found
    # The units of a measure decide how well the solver gets on, and neither its own nor these always serve.
    return _better(found, attempt(unit, False, found.seconds))


def _better(found: Solution, other: Solution) -> Solution:
    """The later answer where it is worth more, with the time of both (which it counts)."""
    worth = [
        (item.status in SETTLED, item.status == "AlmostSolved", item.usable, -item.residual if item.usable else 0.0)
        for item in (found, other)
    ]
    return other if worth[1] > worth[0] else replace(found, seconds=other.seconds)


def recession(problem: Problem, *, time_limit: float = math.inf, threads: int = 2) -> Solution:
    """The largest measure of an instance with trace at most one for which all bounded quantities vanish.

    A positive value is a direction along which the measure grows without limit.
    """
    rows = np.concatenate([problem.pair_rows, problem.assumption_rows, problem.identity[None]])
    right = np.zeros(len(rows))
    right[-1] = 1.0
    return _conic(problem, rows, right, problem.measure, 0.0, 1e-9, time_limit, threads)


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


def _conic(
    problem: Problem,
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
    ones = np.concatenate([(np.equal(*_upper(size))).astype(float) for _, size in problem.blocks])
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
        return _failed(problem, time.perf_counter() - begin)
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


def _failed(problem: Problem, seconds: float) -> Solution:
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
