"""Rounds in decimal arithmetic of fifty digits: residuals that floats cannot see, at a small part of the price of rationals."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory.algorithms.participation import Full, SchemeMoments
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.numbers import decimal_fraction
from fltheory.readings.affine import label_moments, read_round
from fltheory.readings.entry import Entry, Opening, dense, enter, exact_federation
from fltheory.readings.numbers import Numbers, Rate, convert_values

Array = npt.NDArray[Any]
DIGITS = 50


def _convert(value: Any) -> Decimal:
    if isinstance(value, Decimal):
        return value
    fraction = decimal_fraction(value)
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


WIDE = Numbers("decimal", _convert, object)


@dataclass(frozen=True)
class _Quadratic:
    """Clients with affine gradients in wide numbers, and the server's own loss where there is one."""

    matrices: Array
    vectors: Array
    weights: Array
    centre: Any = None

    @property
    def n_clients(self) -> int:
        return len(self.vectors)

    @property
    def dimension(self) -> int:
        return int(self.vectors.shape[1])

    @property
    def mean_matrix(self) -> Array:
        return np.asarray(self.matrices[0])

    @property
    def mean_vector(self) -> Array:
        return np.asarray(self.vectors[0])

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        chosen = np.arange(self.n_clients) if clients is None else clients
        result: Array = (self.matrices[chosen] @ x[..., None])[..., 0] - self.vectors[chosen]
        return result


@dataclass(frozen=True)
class _Mixed(_Quadratic):
    def centre_gradient(self, y: Array) -> Array:
        result: Array = (self.centre.mean_matrix @ y[..., None])[..., 0] - self.centre.mean_vector
        return result


@dataclass(frozen=True)
class WideRound:
    """One (mean) round of an algorithm; floats of problem and algorithm count as their shortest decimals."""

    problem: Any
    algorithm: Any
    opening: Opening
    round: int

    def move(self, state: Array) -> Array:
        """``T s + c - s`` for a state ``(D,)`` in floats, rounded once; not finite where decimals overflow.

        Raises
        ------
        TypeError, ValueError : texts that do not compute in decimals.
        """
        with localcontext() as context:
            context.prec = DIGITS
            exact, entry = self._entries
            given = np.array([Decimal(value) for value in state.tolist()], dtype=object)
            if isinstance(exact.participation, Full):
                fed = exact_federation(entry, 1)
                fed.begin(self.round)
                layout = self.opening.layout
                after = entry.algorithm.round(fed, layout.build(fed, self.opening.template, given[None, :]))
                image = layout.flatten(after)[0]
            else:
                law = label_moments(exact)
                assert law is not None  # a random scheme
                moments = SchemeMoments(WIDE.array(law.mean), WIDE.array(law.second), WIDE.array(law.run_weights))
                matrix, shift = read_round(entry, self.opening, self.round, moments).mean_map()
                image = matrix @ given + shift
            return np.array([float(entry) for entry in image - given])

    @cached_property
    def _entries(self) -> tuple[Entry, Entry]:
        """In rationals, and in decimals."""
        exact = enter(self.problem, self.algorithm, exact=True)
        problem = _wide(dense(exact.problem))
        algorithm = convert_values(self.algorithm, lambda value: Rate(WIDE, _convert(value)))
        return exact, Entry(problem, algorithm, WIDE, exact.participation)


def _wide(problem: Any) -> _Quadratic:
    centre = None
    if isinstance(problem, MixedProblem):
        problem, own = problem.clients, problem.centre
        centre = _Quadratic(WIDE.array(own.matrices), WIDE.array(own.vectors), WIDE.array(own.weights))
    kind = _Quadratic if centre is None else _Mixed
    return kind(WIDE.array(problem.matrices), WIDE.array(problem.vectors), WIDE.array(problem.weights), centre)
