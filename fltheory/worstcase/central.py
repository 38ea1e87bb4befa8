"""Points near the central path, in floats: one solve whose two answers are strictly inside, so that both can be certified.

It solves what :mod:`fltheory.worstcase.solver` hands to Clarabel,

    maximise <c, z>  over  A z + s = b,  s >= 0,  G(z) >= 0,    with the dual  A' y - svec X = c,  y >= 0,  X >= 0,

by Mehrotra's predictor and corrector along the direction of Nesterov and Todd.  With ``T' X T = T^-1 G T^-T = D`` diagonal, each
step solves one system in the multipliers,

    B B' + diag(s/y),   where row k of B holds the triangles of T' A_k T,

bordered by the columns of the function values, which are free.  That is a product of dense matrices and one factorisation:
at 2,500 inequalities a step takes about half a second, where a general solver factorises a system three times as large.

Both points stay in the interior of the cones, and soon obey the equations to the last digits: what the solver ends with can be
rounded to certificates as it is, at the price of its gap.  Where something has no interior (equations, directions that nothing
sees) it gives up, and the caller asks Clarabel.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.worstcase.sdp import Array, ConicProgram, triangle_of
from fltheory.worstcase.solver import Solution

#: Relative gap that is aimed for, and the largest one that is accepted.
AIM, ACCEPTED = 1e-6, 1e-5
#: Mean product of slacks and multipliers below which an accepted gap is left as it is: floats hold no smaller distances.
LEAST = 1e-11
#: With a smaller gap than this the next steps are for the equations, until they hold: near the border they would be short.
NEAR = 1e-2
#: Where it starts: eigenvalues and slacks of the primal point, eigenvalues of the dual one, multipliers (about one in a frame).
START = 0.1, 1.0, 0.1
#: Share of the way to the border that a step goes.
SHARE = 0.95
#: What is added to a diagonal of ones where rounding makes it indefinite.
SHIFTS = (1e-15, 1e-14, 1e-13, 1e-12)


class _Block:
    """One Gram block: its place in ``z``, and its part of all rows as symmetric matrices."""

    def __init__(self, rows: Array, start: int, size: int) -> None:
        self.size, self.i, self.j = size, *triangle_of(size)
        self.place = slice(start, start + len(self.i))
        self.weight = np.where(self.i == self.j, 1.0, math.sqrt(2.0))
        self.forms = np.zeros((len(rows), size, size))
        self.forms[:, self.i, self.j] = self.forms[:, self.j, self.i] = rows[:, self.place] / self.weight

    def matrix(self, vector: Array) -> Array:
        """The symmetric matrix in ``vector``."""
        found = np.zeros((self.size, self.size))
        found[self.i, self.j] = found[self.j, self.i] = vector[self.place] / self.weight
        return found

    def triangle(self, matrix: Array) -> Array:
        """``svec`` of the symmetric part."""
        entries: Array = (matrix[self.i, self.j] + matrix[self.j, self.i]) / 2 * self.weight
        return entries

    def seen_by(self, factor: Array) -> Array:
        """``svec(factor' A_k factor)``, a row for each form."""
        half = (self.forms.reshape(-1, self.size) @ factor).reshape(self.forms.shape)
        entries: Array = np.matmul(factor.T, half)[:, self.i, self.j] * self.weight
        return entries


@dataclass(frozen=True)
class _Point:
    """Both points: ``z`` and the slacks ``s``; the multipliers ``y`` and the matrices ``x`` of the blocks."""

    z: Array
    s: Array
    y: Array
    x: list[Array]


@dataclass(frozen=True)
class _Scaled:
    """What a step needs of a point: matrices G and factors of both, ``T``, ``D``, the rows ``B``, the solver of the system."""

    grams: list[Array]
    lower: list[Array]
    dual_lower: list[Array]
    transform: list[Array]
    diagonal: list[Array]
    rows: Array
    solve: Callable[[Array, Array], tuple[Array, Array]]


@dataclass(frozen=True)
class _Residuals:
    """What is left of the equations, by rows, values and blocks, and the gap."""

    rows: Array
    values: Array
    blocks: list[Array]
    gap: float

    @property
    def largest(self) -> float:
        """The largest entry."""
        return max(float(np.abs(part).max(initial=0.0)) for part in (self.rows, self.values, *self.blocks))


def central(problem: ConicProgram, bounds: Mapping[str, Any], *, time_limit: float = math.inf) -> Solution | None:
    """Strictly feasible points with a small gap, or ``None`` where none were reached within ``time_limit`` seconds.

    Asks for instances and multipliers strictly inside all constraints: without them it gives up.
    """
    if any(basis.shape[0] != basis.shape[1] for basis in problem.complement.values()):
        return None
    begin = time.perf_counter()
    path = _Path(problem, bounds)
    with np.errstate(all="ignore"):
        found = path.follow(lambda: time_limit - (time.perf_counter() - begin))
    if found is None:
        return None
    point, left = found
    pairs, y = len(problem.pair_rows), path.all_multipliers(point.y)
    return Solution(
        "Solved",
        problem.value_of(point.z),
        problem.blocks_of(point.z),
        problem.values_of(point.z),
        y[:pairs],
        y[pairs:],
        left.largest,
        time.perf_counter() - begin,
        point.z,
    )


class _Path:
    def __init__(self, problem: ConicProgram, bounds: Mapping[str, Any]) -> None:
        rows = np.concatenate([problem.pair_rows, problem.assumption_rows])
        right = np.concatenate([np.zeros(len(problem.pair_rows)), problem.right(bounds)])
        self.asked = np.abs(rows).max(axis=1) > 1e-12
        self.rows, self.right, self.objective = rows[self.asked], right[self.asked], problem.measure
        self.blocks = [_Block(self.rows, problem.offsets[name], size) for name, size in problem.blocks]
        self.inner, self.length = problem.gram_length, problem.length
        self.value_columns = np.ascontiguousarray(self.rows[:, self.inner :])
        self.number = len(self.rows) + sum(block.size for block in self.blocks)

    def all_multipliers(self, y: Array) -> Array:
        """Multipliers of all rows, zero for those that say nothing."""
        found = np.zeros(len(self.asked))
        found[self.asked] = y
        return found

    def start(self) -> _Point:
        """Far from the border, and not feasible."""
        first, second, third = START
        z = np.zeros(self.length)
        for block in self.blocks:
            z[block.place] = block.triangle(first * np.eye(block.size))
        s = np.maximum(first, self.right - self.rows @ z)
        return _Point(z, s, np.full(len(s), third), [second * np.eye(block.size) for block in self.blocks])

    def residuals(self, at: _Point) -> _Residuals:
        """What is left of the equations, and the gap."""
        forms = self.rows.T @ at.y - self.objective
        blocks = [block.matrix(forms) - x for block, x in zip(self.blocks, at.x, strict=True)]
        gap = at.y @ at.s + sum((block.matrix(at.z) * x).sum() for block, x in zip(self.blocks, at.x, strict=True))
        return _Residuals(self.right - self.rows @ at.z - at.s, -forms[self.inner :], blocks, float(gap))

    def follow(self, left: Callable[[], float], steps: int = 100) -> tuple[_Point, _Residuals] | None:
        """Steps until the gap is closed, or shrinks slowly and is small enough."""
        at, stuck = self.start(), 0
        best: tuple[_Point, _Residuals] | None = None
        least = math.inf
        for _ in range(steps):
            now = self.residuals(at)
            gap = now.gap / max(1e-12, abs(float(self.objective @ at.z)))
            if not math.isfinite(gap):
                break
            inside = self.inside(at, now)
            if inside and gap < min(ACCEPTED, least):
                best, least = (at, now), gap
            if least <= AIM or (best is not None and now.gap <= LEAST * self.number) or left() <= 0 or stuck > 3:
                break
            try:
                new, reached = self.step(at, now, centre=gap <= NEAR and not inside)
            except np.linalg.LinAlgError:
                break
            at, stuck = new, stuck + 1 if reached < 1e-3 else 0
        return best

    def scaled(self, at: _Point) -> _Scaled:
        """The scaling of Nesterov and Todd, and the system of a step, factorised."""
        grams = [block.matrix(at.z) for block in self.blocks]
        lower, dual_lower = ([np.linalg.cholesky(m) for m in matrices] for matrices in (grams, at.x))
        transform, diagonal = [], []
        for a, b in zip(lower, dual_lower, strict=True):
            _, values, right = np.linalg.svd(b.T @ a)
            transform.append(a @ right.T / np.sqrt(values))
            diagonal.append(values)
        rows = np.concatenate([b.seen_by(t) for b, t in zip(self.blocks, transform, strict=True)], axis=1)
        return _Scaled(grams, lower, dual_lower, transform, diagonal, rows, self._solver(rows, at.s / at.y))

    def _solver(self, rows: Array, extra: Array) -> Callable[[Array, Array], tuple[Array, Array]]:
        """Solves ``(B B' + diag(extra)) dy - A_v dv = r``, ``A_v' dy = q``; refined once."""
        from scipy.linalg import cho_factor, cho_solve

        system = rows @ rows.T
        corner = np.diag_indices(len(system))
        system[corner] += extra
        scale = 1 / np.sqrt(system[corner])
        system *= scale[:, None]
        system *= scale
        for shift in SHIFTS:
            system[corner] = 1.0 + shift
            try:
                factor = cho_factor(system, lower=True, check_finite=False)
                break
            except np.linalg.LinAlgError:
                if shift == SHIFTS[-1]:
                    raise

        def inverse(right: Array) -> Array:
            found: Array = (cho_solve(factor, (right.T * scale).T, check_finite=False).T * scale).T
            return found

        columns = self.value_columns
        images = inverse(columns) if columns.shape[1] else columns
        border = columns.T @ images

        def once(r: Array, q: Array) -> tuple[Array, Array]:
            dy = inverse(r)
            dv = np.linalg.solve(border, q - columns.T @ dy) if len(border) else q
            return dy + images @ dv, dv

        def solve(r: Array, q: Array) -> tuple[Array, Array]:
            dy, dv = once(r, q)
            more = once(r - (rows @ (rows.T @ dy) + extra * dy - columns @ dv), q - columns.T @ dy)
            return dy + more[0], dv + more[1]

        return solve

    def inside(self, at: _Point, now: _Residuals) -> bool:
        """Whether the point obeys all constraints by itself, and the equations to as many digits as that needs."""
        if (np.abs(now.rows) > at.s / 2).any() or float(np.abs(now.values).max(initial=0.0)) > 1e-9:
            return False
        least = (float(np.linalg.eigvalsh(x)[0]) for x in at.x)
        return all(np.linalg.norm(rest) < low / 2 for rest, low in zip(now.blocks, least, strict=True))

    def step(self, at: _Point, now: _Residuals, *, centre: bool) -> tuple[_Point, float]:
        """The next point, and the shorter of the two step lengths; ``centre`` asks for the equations, and the same gap."""
        with_it, mean = self.scaled(at), now.gap / self.number
        if centre:
            change = self._direction(at, now, with_it, mean, None)
        else:
            ahead = self._direction(at, now, with_it, 0.0, None)
            target = max(1e-6, min(1.0, self._gap_after(at, with_it, ahead) / now.gap) ** 3) * mean
            change = self._direction(at, now, with_it, target, ahead)
        first, second = (min(1.0, SHARE * length) for length in self._lengths(at, with_it, change))
        z, s = at.z + first * change.z, at.s + first * change.s
        # rounding leaves more in these equations than small slacks can bear
        exact = self.right - self.rows @ z
        s = np.where(np.abs(exact - s) < 0.2 * s, exact, s)
        x = [(m + m.T) / 2 for m in (old + second * new for old, new in zip(at.x, change.x, strict=True))]
        return _Point(z, s, at.y + second * change.y, x), min(first, second)

    def _gap_after(self, at: _Point, by: _Scaled, change: _Point) -> float:
        """The gap after steps to the border."""
        first, second = (min(1.0, length) for length in self._lengths(at, by, change))
        after = (at.y + second * change.y) @ (at.s + first * change.s)
        for block, g, x, dx in zip(self.blocks, by.grams, at.x, change.x, strict=True):
            after += ((g + first * block.matrix(change.z)) * (x + second * dx)).sum()
        return float(after)

    def _direction(self, at: _Point, now: _Residuals, by: _Scaled, target: float, ahead: _Point | None) -> _Point:
        """Newton's step to complementarity products of ``target``, bent by the second-order terms of ``ahead``."""
        pull = target - at.y * at.s - (0.0 if ahead is None else ahead.y * ahead.s)
        wanted, seen = [], []
        for k, (t, d, block, rest) in enumerate(zip(by.transform, by.diagonal, self.blocks, now.blocks, strict=True)):
            middle = np.diag(target - d * d)
            if ahead is not None:
                there = t.T @ ahead.x[k] @ t
                inverse = np.linalg.inv(t)
                bend = inverse @ block.matrix(ahead.z) @ inverse.T @ there
                middle = middle - (bend + bend.T) / 2
            wanted.append(2 * middle / (d[:, None] + d))
            seen.append(block.triangle(wanted[-1] - t.T @ rest @ t))
        dy, dv = by.solve(by.rows @ np.concatenate(seen) + pull / at.y - now.rows, now.values)
        forms = self.rows.T @ dy
        dx = [block.matrix(forms) + rest for block, rest in zip(self.blocks, now.blocks, strict=True)]
        dz = np.zeros(self.length)
        for block, t, m, change in zip(self.blocks, by.transform, wanted, dx, strict=True):
            dz[block.place] = block.triangle(t @ (m - t.T @ change @ t) @ t.T)
        dz[self.inner :] = dv
        return _Point(dz, now.rows - self.rows @ dz, dy, dx)

    def _lengths(self, at: _Point, by: _Scaled, change: _Point) -> tuple[float, float]:
        """How far both points may go until they reach the border."""
        first, second = _ratio(at.s, change.s), _ratio(at.y, change.y)
        for block, a, b, x in zip(self.blocks, by.lower, by.dual_lower, change.x, strict=True):
            first = min(first, _reach(a, block.matrix(change.z)))
            second = min(second, _reach(b, x))
        return first, second


def _ratio(values: Array, changes: Array) -> float:
    """The step at which the first of some positive numbers reaches zero."""
    falling = changes < 0
    return float((-values[falling] / changes[falling]).min(initial=math.inf))


def _reach(factor: Array, change: Array) -> float:
    """The step at which ``factor factor' + step * change`` is singular."""
    from scipy.linalg import solve_triangular

    half = solve_triangular(factor, change, lower=True, check_finite=False)
    lowest = float(np.linalg.eigvalsh(solve_triangular(factor, half.T, lower=True, check_finite=False))[0])
    return math.inf if lowest >= 0 else -1 / lowest
