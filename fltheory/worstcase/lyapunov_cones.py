"""Small conic programs over a model's rows: which multipliers make a combination of forms a square, in floats."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fltheory.worstcase.functional import Assumption, Functional
from fltheory.worstcase.limits import is_direction
from fltheory.worstcase.lyapunov_setup import LyapunovSetup
from fltheory.worstcase.sdp import Array, ConicProgram, triangle_of
from fltheory.worstcase.solver import NUMBERS
from fltheory.worstcase.space import block_of

#: An answer with larger residuals is none.
RESIDUAL = 1e-6


class Cones:
    """Linear conditions on ``width`` unknowns x."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._rows: list[Array] = []
        self._offsets: list[Array] = []
        self._kinds: list[tuple[str, int]] = []

    def _put(self, kind: str, size: int, matrix: Array, offset: Array) -> None:
        if size:
            self._rows.append(matrix)
            self._offsets.append(offset)
            self._kinds.append((kind, size))

    def equal(self, matrix: Array, right: Array) -> None:
        """``matrix @ x == right``."""
        self._put("zero", len(right), matrix, right)

    def at_most(self, matrix: Array, right: Array) -> None:
        """``matrix @ x <= right``."""
        self._put("nonnegative", len(right), matrix, right)

    def semidefinite(self, size: int, forms: Array, constant: Array) -> None:
        """``constant + x @ forms`` is positive semidefinite (triangles)."""
        self._put("semidefinite", size, -forms.T, constant)

    def minimise(self, objective: Array) -> Array | None:
        """The unknowns; ``None`` without numbers that could be used."""
        import clarabel
        import scipy.linalg.cython_lapack  # noqa: F401  the solver imports it from native code
        from scipy import sparse

        made = {
            "zero": clarabel.ZeroConeT,
            "nonnegative": clarabel.NonnegativeConeT,
            "semidefinite": clarabel.PSDTriangleConeT,
        }
        settings: Any = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
        settings.max_iter = 200
        settings.direct_solve_method = "faer"
        settings.max_threads = 1
        try:
            answer = clarabel.DefaultSolver(
                sparse.csc_matrix((self.width, self.width)),
                objective,
                sparse.csc_matrix(np.concatenate(self._rows)),
                np.concatenate(self._offsets),
                [made[kind](size) for kind, size in self._kinds],
                settings,
            ).solve()
        except BaseException as panic:  # a failed factorisation ends in a panic of native code, which is no Exception
            if type(panic).__name__ != "PanicException":
                raise
            return None
        x = np.array(answer.x)
        usable = str(answer.status) in NUMBERS and np.isfinite(x).all()
        return x if usable and max(answer.r_prim, answer.r_dual) <= RESIDUAL else None


class ScaledRows:
    """Rows of a setup's model with L as the unit of gradients, and slacks in coordinates that some constraint sees.

    ``rows`` are those of the functionals, ``pairs`` those of minus the interpolation inequalities, each divided by its
    ``pair_scale``, a power of ten.
    """

    def __init__(
        self, setup: LyapunovSetup, which: str, rows: Iterable[Functional], zero: Iterable[tuple[str, int]] = ()
    ) -> None:
        listed = tuple(Assumption(row, f"row {k}") for k, row in enumerate(rows))
        problem = ConicProgram(setup.model(which, listed, listed[0].functional))
        self.units = _units(problem)
        columns = _columns(problem, self.units)
        problem.pair_rows, problem.assumption_rows, problem.measure = (
            part * columns for part in (problem.pair_rows, problem.assumption_rows, problem.measure)
        )
        largest = np.abs(problem.pair_rows).max(axis=1, initial=0.0)
        self.pair_scale = 10.0 ** np.round(np.log10(np.where(largest > 0, largest, 1.0)))
        problem.pair_rows = problem.pair_rows / self.pair_scale[:, None]
        problem.identity = problem._identity()
        self.problem = problem.restricted(set(zero))
        self.pairs, self.rows = self.problem.pair_rows, self.problem.assumption_rows

    def require(
        self,
        cones: Cones,
        rows: Array,
        constant: Array | None = None,
        *,
        margin: int | None = None,
        kernel: Mapping[str, Array] | None = None,
    ) -> None:
        """``constant + x @ rows`` has no function values and is a square, with the unknown ``margin`` to spare.

        ``kernel`` holds a vector of a block, in the model's coordinates, on which the square vanishes; the margin is across.
        """
        problem = self.problem
        fixed = np.zeros((1, rows.shape[1])) if constant is None else constant[None]
        cones.equal(rows[:, problem.gram_length :].T, -fixed[0, problem.gram_length :])
        for name, size in problem.blocks:
            basis = problem.complement[name]
            place = slice(problem.offsets[name], problem.offsets[name] + size * (size + 1) // 2)
            if kernel is not None and name in kernel:
                flat = basis.T @ (kernel[name] / self.units[name])
                cones.equal(
                    _applied(rows[:, place], size, basis, flat), -_applied(fixed[:, place], size, basis, flat)[:, 0]
                )
                basis = basis @ np.linalg.svd(flat[None])[2][1:].T
            images = _images(basis, size)
            forms, offset = rows[:, place] @ images, fixed[:, place] @ images
            if margin is not None:
                forms[margin] -= np.equal(*triangle_of(basis.shape[1]))
            cones.semidefinite(basis.shape[1], forms, offset[0])

    def multipliers(self, form: Array) -> Array | None:
        """Multipliers of the pairs that make ``form`` minus interpolation a square with the largest margin (up to one)."""
        width = len(self.pairs) + 1
        cones = Cones(width)
        self.require(cones, np.concatenate([self.pairs, np.zeros((1, len(form)))]), form, margin=width - 1)
        cones.at_most(-np.eye(width - 1, width), np.zeros(width - 1))
        cones.at_most(np.eye(width)[-1:], np.ones(1))
        x = cones.minimise(-np.eye(width)[-1])
        return None if x is None else x[:-1]

    def least(self, rows: Array, form: Array) -> tuple[Array, Array] | None:
        """Multipliers of the pairs, and the factors of ``rows`` with the least sum for which ``factors @ rows + form`` is
        a square up to interpolation."""
        count = len(self.pairs) + len(rows)
        cones = Cones(count)
        self.require(cones, np.concatenate([self.pairs, rows]), form)
        cones.at_most(-np.eye(count), np.zeros(count))
        x = cones.minimise(np.concatenate([np.zeros(len(self.pairs)), np.ones(len(rows))]))
        return None if x is None else (x[: len(self.pairs)], x[len(self.pairs) :])


def _images(basis: Array, size: int) -> Array:
    """Triangles of symmetric matrices of this size, taken to those of ``basis' S basis``."""
    i, j = triangle_of(size)
    products = basis[i][:, :, None] * basis[j][:, None, :]
    products = (products + products.transpose(0, 2, 1)) / 2
    rows, columns = triangle_of(basis.shape[1])
    found: Array = products[:, rows, columns] * np.where(rows == columns, 1.0, math.sqrt(2.0))
    return found * np.where(i == j, 1.0, math.sqrt(2.0))[:, None]


def _applied(rows: Array, size: int, basis: Array, flat: Array) -> Array:
    """For each row the symmetric matrix in the coordinates of ``basis`` times ``flat``, as columns."""
    i, j = triangle_of(size)
    vector = basis @ flat
    found = np.zeros((len(basis), len(rows)))
    entries = rows / np.where(i == j, 1.0, math.sqrt(2.0))
    for k in range(len(i)):
        found[i[k]] += entries[:, k] * vector[j[k]]
        if i[k] != j[k]:
            found[j[k]] += entries[:, k] * vector[i[k]]
    product: Array = basis.T @ found
    return product


def _units(problem: ConicProgram) -> dict[str, Array]:
    """For each block what its vectors are worth: L for a gradient, one for a point."""
    model, smooth = problem.model, float(problem.model.clients.L)
    units = {name: np.ones(size) for name, size in problem.blocks}
    for register in range(len(model.instructions)):
        if is_direction(model, register):
            for part, place in model.space.coordinates[register]:
                units[block_of(part)][place] = smooth
    return units


def _columns(problem: ConicProgram, units: Mapping[str, Array]) -> Array:
    """What an entry of ``z`` is worth: products of units, and L for a function value."""
    found = np.ones(problem.length)
    for name, size in problem.blocks:
        i, j = triangle_of(size)
        begin = problem.offsets[name]
        found[begin : begin + len(i)] = units[name][i] * units[name][j]
    found[problem.gram_length :] = float(problem.model.clients.L)
    return found
