"""Instances for all step sizes of an interval at once: what the worst case is at least there, by one semidefinite program.

Gram blocks and function values are asked for in Bernstein form over the interval, with blocks that are positive semidefinite;
every constraint is then a polynomial in the step size whose Bernstein coefficients are linear in the unknowns, and asked to be
nonnegative.  What is lost against the worst case at each step size falls with the square of the interval's length.  The
answer is rounded, and :func:`fltheory.worstcase.best_verifier.check_piece` decides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from fltheory.worstcase import best_verifier, verifier
from fltheory.worstcase.best_parabolas import CertifiedPiece
from fltheory.worstcase.best_question import Question
from fltheory.worstcase.sdp import Array, ConicProgram, triangle_of
from fltheory.worstcase.solver import Solution
from fltheory.worstcase.vanishing import vanishing

#: Degree of blocks and values in Bernstein form.
ORDER = 1
#: Room in every inequality that is tried, relative to its row.
ROOMS = (1e-7, 1e-6, 1e-5)
#: Smaller rooms, where the measure is as small as this beside the start.
FINE_ROOMS, SMALL = (1e-10, 1e-9, 1e-8), 1e-3
#: Unknowns are rounded to multiples of its inverse.
GRID = 2**44


def certify_piece(question: Question, low: Fraction, high: Fraction, scales: Scales) -> CertifiedPiece | None:
    """The best instances found for all step sizes of an interval, or ``None`` where nothing was certified."""
    degree = 2 * question.degree
    taus = [Fraction(k + 1, degree + 2) for k in range(degree + 1)]
    zero = hidden(question)
    problems = [ConicProgram(question.at(low + (high - low) * tau)).restricted(zero) for tau in taus]
    program = _Program(problems, taus, scales, question)
    small = scales.measure < SMALL * program.unit
    for room in (*FINE_ROOMS, *ROOMS) if small else ROOMS:
        found = program.solve(room)
        piece = None if found is None else _rounded(question, program, found, low, high)
        if piece is not None:
            return piece
    return None


def hidden(question: Question) -> set[tuple[str, int]]:
    """Basis vectors that are taken as zero: what the assumptions say is, and parts of split vectors.

    Parts of a vector in different blocks are orthogonal, which leaves no instance strictly inside; with all parts but the
    last at zero the model has one block, an instance like any other.
    """
    model = question.open
    zero = vanishing(question.at(Fraction(1, 3) / question.clients.L), question.quantities)
    if any(item.bound is None for item in model.assumptions):
        for place, item in enumerate(model.instructions):
            if item[0] == "given" and item[2] == 0:
                zero |= set(model.space.coordinates[place])
    return zero


@dataclass(frozen=True)
class Scales:
    """Powers of two by which Gram entries and values are divided, so that the solver sees numbers of like size in all units."""

    basis: dict[str, list[Fraction]]
    value: Fraction
    measure: float = 1.0

    @classmethod
    def of(cls, question: Question, answer: Solution) -> Scales:
        """From a solver's answer at some step size: roots of the diagonal, not far below the largest of its kind."""
        model, blocks, values = question.open, answer.blocks, answer.values
        gradients = {
            key
            for place, item in enumerate(model.instructions)
            if item[0] in ("gradient", "centre")
            for key in model.space.coordinates[place]
        }
        sizes = {
            (name, k): math.sqrt(max(float(matrix[k, k]), 0.0))
            for name, matrix in blocks.items()
            for k in range(len(matrix))
        }
        largest = {
            kind: max((size for key, size in sizes.items() if (key in gradients) == kind), default=0.0) or 1.0
            for kind in (True, False)
        }
        basis = {
            name: [_power(max(sizes[name, k], 0.05 * largest[(name, k) in gradients])) for k in range(len(matrix))]
            for name, matrix in blocks.items()
        }
        return cls(basis, _power(float(np.abs(values).max(initial=0.0)) or 1.0), answer.value)


def _power(size: float) -> Fraction:
    return Fraction(2) ** round(math.log2(size))


class _Program:
    """Rows over ``(z_0, ..., z_ORDER, m)``: Bernstein coefficients of constraints, and of the measure less ``m``."""

    def __init__(self, problems: list[ConicProgram], taus: list[Fraction], scales: Scales, question: Question) -> None:
        first = self.first = problems[0]
        self.scales = scales
        self.scale = self._scale(first, scales)
        degree = len(taus) - 1
        back = np.linalg.inv(
            [[comb(degree, k) * t**k * (1 - t) ** (degree - k) for k in range(degree + 1)] for t in map(float, taus)]
        )
        pairs = self._spread(np.array([p.pair_rows * self.scale for p in problems]), back)
        bounds = self._spread(np.array([p.assumption_rows * self.scale for p in problems]), back)
        measure = self._spread(np.array([(p.measure * self.scale)[None] for p in problems]), back)
        limits = first.right(question.quantities)
        count = degree + ORDER + 1
        self.unit = float(np.abs(measure).max()) or 1.0  # of m: that of the measure's rows, in all units
        rows = np.concatenate([pairs, bounds, -measure])
        tied = np.concatenate([np.zeros(len(pairs) + len(bounds)), np.full(len(measure), self.unit)])
        self.rows = np.hstack([rows, tied[:, None]])
        self.right = np.concatenate([np.zeros(len(pairs)), np.tile(limits, count), np.zeros(len(measure))])
        self.roomy = np.arange(len(rows)) < len(pairs) + len(bounds)

    @staticmethod
    def _spread(sampled: Array, back: Array) -> Array:
        """Rows (points, rows, length) of a polynomial as Bernstein coefficients of its product with z in Bernstein form."""
        coefficients = np.einsum("ck,krl->crl", back, sampled)
        degree, (_, rows, length) = len(back) - 1, sampled.shape
        found = np.zeros((degree + ORDER + 1, rows, ORDER + 1, length))
        for b in range(degree + 1):
            for c in range(ORDER + 1):
                weight = comb(degree, b) * comb(ORDER, c) / comb(degree + ORDER, b + c)
                found[b + c, :, c] += weight * coefficients[b]
        return found.reshape((degree + ORDER + 1) * rows, (ORDER + 1) * length)

    @staticmethod
    def _scale(problem: ConicProgram, scales: Scales) -> Array:
        found = np.ones(problem.length)
        for name, size in problem.blocks:
            i, j = triangle_of(size)
            own = np.array([float(scales.basis[name][k]) for k in problem.kept[name]])
            start = problem.offsets[name]
            found[start : start + len(i)] = own[i] * own[j]
        found[problem.gram_length :] = float(scales.value)
        return found

    def entries(self, name: str, matrix: Array | None) -> list[list[str]]:
        """A block, rounded and in the model's units."""
        own, size = self.scales.basis[name], self.first.sizes[name]
        if matrix is None:
            return [["0"] * size for _ in range(size)]
        return [[str(own[i] * own[j] * _round(matrix[i, j])) for j in range(size)] for i in range(size)]

    def solve(self, room: float) -> Array | None:
        """The unknowns ``(z_0, ..., z_ORDER)`` in the model's units, with so much room everywhere."""
        import clarabel
        from scipy import sparse

        size = np.abs(self.rows[:, :-1]).max(axis=1)
        asked = size > 1e-12 * size.max()
        rows, right = self.rows[asked] / size[asked, None], self.right[asked] / size[asked]
        right -= room * self.roomy[asked]
        length, gram = self.first.length, self.first.gram_length
        cone = sparse.hstack([-sparse.eye(gram), sparse.csc_matrix((gram, length - gram))])
        cone = sparse.hstack([sparse.block_diag([cone] * (ORDER + 1)), sparse.csc_matrix((gram * (ORDER + 1), 1))])
        ones = np.concatenate([np.equal(*triangle_of(k)).astype(float) for _, k in self.first.blocks])
        cones: list[Any] = [clarabel.NonnegativeConeT(len(rows))]
        cones += [clarabel.PSDTriangleConeT(k) for _, k in self.first.blocks] * (ORDER + 1)
        objective = np.zeros(rows.shape[1])
        objective[-1] = -1.0
        settings: Any = clarabel.DefaultSettings()
        settings.verbose, settings.max_iter, settings.direct_solve_method = False, 100, "faer"
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = min(1e-8, room)
        solver = clarabel.DefaultSolver(
            sparse.csc_matrix((len(objective),) * 2),
            objective,
            sparse.vstack([sparse.csc_matrix(rows), cone]).tocsc(),
            np.concatenate([right, np.tile(-room * ones, ORDER + 1)]),
            cones,
            settings,
        )
        try:
            answer = solver.solve()
        except (
            BaseException
        ) as panic:  # a failed factorisation ends in a panic of the native code, which is no Exception
            if type(panic).__name__ != "PanicException":
                raise
            return None
        z = np.array(answer.x)[:-1].reshape(ORDER + 1, length)
        return z if bool(np.isfinite(z).all()) else None


def _rounded(question: Question, program: _Program, z: Array, low: Fraction, high: Fraction) -> CertifiedPiece | None:
    """A piece of the rounded unknowns with the value that they have, if the verifier accepts it."""
    first, unit = program.first, program.scales.value
    blocks, values = [], []
    for part in z:
        grams = first.matrices(part)
        blocks.append({name[0]: program.entries(name, grams.get(name)) for name in first.sizes})
        values.append({str(r): str(unit * _round(part[k])) for r, k in first.value_place.items()})
    piece: dict[str, Any] = {"interval": [str(low), str(high)], "blocks": blocks, "values": values, "value": "0"}
    try:
        *_, least = best_verifier.measured(question.statement, piece, question.quantities)  # type: ignore[no-untyped-call]
    except verifier.Rejected:
        return None
    grid = GRID * 2 ** max(0, -math.floor(math.log2(least))) if least > 0 else GRID
    value = Fraction(math.floor(least * grid), grid)
    piece["value"] = str(value)
    return CertifiedPiece(low, high, value, piece)


def _round(entry: float) -> Fraction:
    return Fraction(round(float(entry) * GRID), GRID)
