"""Mean conditional covariances of oracles, as exact moments need them: linear functions of the points' second moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.problems.base import Array, Problem, check_finite
from fltheory.problems.oracles.protocol import COVARIANCE, DEGREE, AnyOracle

#: Operators of more entries than this are not stored.
MOST_ENTRIES = 50_000_000
#: Who asks.
READER = "exact moments need"


@dataclass(frozen=True, eq=False)
class FixedCovariances:
    """``matrices`` ``(N, d, d)``, whatever the points; ``shareable`` if the noise of a draw is the same everywhere."""

    matrices: Array
    shareable: bool = True

    @property
    def fixed(self) -> bool:
        """Yes."""
        return True

    def at(self, points: Array) -> Array:
        """The matrices, times the last entry ``E 1`` of the moments, so that the map is linear."""
        scaled: Array = self.matrices * points[..., -1:, -1:]
        return scaled


@dataclass(frozen=True, eq=False)
class QuadraticCovariances:
    """``operators[k]`` maps the upper triangle of ``E (x,1)(x,1)'`` to that of the covariance."""

    operators: Array

    @property
    def fixed(self) -> bool:
        """No."""
        return False

    @property
    def shareable(self) -> bool:
        """No: the joint law of one draw at two points is another matter."""
        return False

    def at(self, points: Array) -> Array:
        """The mean conditional covariances."""
        return applied(self.operators, points)


def applied(operators: Array, points: Array) -> Array:
    """``(N, d, d)`` from moments ``(N, d+1, d+1)`` by operators on upper triangles."""
    d = points.shape[1] - 1
    upper, above = np.triu_indices(d), np.triu_indices(d + 1)
    entries = (operators @ points[:, above[0], above[1], None])[:, :, 0]
    result = np.empty((len(points), d, d), dtype=entries.dtype)
    result[:, upper[0], upper[1]] = entries
    result[:, upper[1], upper[0]] = entries
    return result


def covariances_by_points(
    oracle: AnyOracle, problem: Problem, origin: Array
) -> FixedCovariances | QuadraticCovariances:
    """From the covariance at points: at one where it is fixed, at enough to find a quadratic function of the point.

    What is said of the degree is held against the covariance at two further points.

    Raises
    ------
    ValueError : no covariance, or one that depends on the point in another way; floats among exact numbers; a dimension
        for which the operators are too large.
    """
    known = COVARIANCE.of(oracle, READER)
    n, d = problem.n_clients, problem.dimension

    def at(point: Array) -> Array:
        found = np.stack([np.asarray(known.covariance(problem, k, origin + point)) for k in range(n)])
        if found.shape != (n, d, d):
            raise ValueError(f"covariance() of {type(oracle).__name__} has shape {found.shape[1:]}; expected {(d, d)}")
        exact = origin.dtype == object
        if exact and (found.dtype != object or any(isinstance(entry, float) for entry in found.flat)):
            raise ValueError(
                f"covariance() of {type(oracle).__name__} has floats for an exact problem; expected Fractions (a dataclass "
                "whose fields are numbers, or to_exact(convert))"
            )
        numbers = found if exact else found.astype(np.float64)
        check_finite(f"covariance() of {type(oracle).__name__}", numbers)
        return numbers

    nowhere = origin * 0
    one = nowhere[0] + 1
    further = [nowhere + np.array([step * (j + 2) for j in range(d)], dtype=int) * one / 3 for step in (1, -2)]

    def require_same(point: Array, expected: Array, said: str) -> None:
        there = at(point)
        size = max(abs(entry) for entry in there.flat)
        if max(abs(entry) for entry in (there - expected).flat) > (0 if origin.dtype == object else 1e-7 * size):
            raise ValueError(
                f"{said} of {type(oracle).__name__} is not so: its covariance() is another at {point.tolist()}"
            )

    if not known.state_dependent:
        fixed = FixedCovariances(at(nowhere), shareable=bool(getattr(oracle, "additive", False)))
        for point in further:
            require_same(point, fixed.matrices, "state_dependent=False")
        return fixed
    degree = DEGREE.of(oracle, READER).covariance_degree
    if degree != 2:
        raise ValueError(f"covariance_degree={degree!r} of {type(oracle).__name__}: exact moments follow degree 2 only")
    if n * (d + 1) ** 4 // 4 > MOST_ENTRIES:
        raise ValueError(
            f"d={d} with N={n}: the covariances of {type(oracle).__name__} need operators of more than {MOST_ENTRIES} "
            "entries; expected a smaller problem, or mean_covariances()"
        )
    found = QuadraticCovariances(_interpolated(at, nowhere))
    for point in further:
        extended = np.append(point, one)
        moments = np.broadcast_to(extended[:, None] * extended[None, :], (n, d + 1, d + 1))
        require_same(point, found.at(moments), "covariance_degree=2")
    return found


def _interpolated(at: Any, nowhere: Array) -> Array:
    """Operators of a quadratic function from its values at ``0``, ``+-e_a`` and ``e_a + e_b``."""
    d = len(nowhere)
    upper = np.triu_indices(d)
    units = [nowhere + np.array([int(i == a) for i in range(d)], dtype=int) for a in range(d)]
    base = at(nowhere)
    ahead, behind = [at(unit) for unit in units], [at(-unit) for unit in units]
    columns = []
    for a, b in zip(*(indices.tolist() for indices in np.triu_indices(d + 1)), strict=True):
        if a == d:
            column = base
        elif b == d:
            column = (ahead[a] - behind[a]) / 2
        elif a == b:
            column = (ahead[a] + behind[a]) / 2 - base
        else:
            column = at(units[a] + units[b]) - ahead[a] - ahead[b] + base
        columns.append(column[:, upper[0], upper[1]])
    return np.stack(columns, axis=-1)
