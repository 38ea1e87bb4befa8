"""Rounds in decimal arithmetic of fifty digits: residuals that floats cannot see, at a small part of the price of rationals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Full, SchemeMoments
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array
from fltheory.problems.base import Problem
from fltheory.problems.blocks import keep_blocks
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.numbers import decimal_fraction
from fltheory.readings.affine import label_moments, read_round
from fltheory.readings.entry import Opening, Setup, dense, enter, exact_federation
from fltheory.readings.numbers import Numbers, Rate, convert_values

DIGITS = 50
#: Moves of a unit vector below this are rounding of the decimals, not contraction.
CONSERVED = Decimal("1e-40")
#: Steps that refine such a vector: each takes fourteen digits or so of what is left.
MOST_STEPS = 5


def _convert(value: object) -> Decimal:
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

    problem: Problem
    algorithm: Algorithm
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
            given = np.array([Decimal(value) for value in state.tolist()], dtype=object)
            return np.array([float(entry) for entry in self._after(given) - given])

    def conserves(self, vector: Array, along: Callable[[Array], Array]) -> bool:
        """Whether ``T v = v`` for a vector near the ``v`` given, ``T v - v`` of which floats do not tell from zero.

        ``along`` solves ``(I - T) y = r`` roughly where ``I - T`` is invertible in floats, so that the error of ``v`` in these
        directions shrinks by about fourteen digits at each step; what is left is a move in a direction that counts as
        conserved in floats.

        Raises
        ------
        TypeError, ValueError : texts that do not compute in decimals.
        """
        with localcontext() as context:
            context.prec = DIGITS
            state = np.array([Decimal(value) for value in vector.tolist()], dtype=object)
            origin = self._after(state - state)
            for _ in range(MOST_STEPS):
                move = self._after(state) - origin - state
                size = max(map(abs, move.tolist()))
                if size <= CONSERVED:
                    return True
                step = along(np.array([float(entry / size) for entry in move]))
                state = state + np.array([Decimal(value) * size for value in step.tolist()], dtype=object)
            return False

    def _after(self, given: Array) -> Array:
        """``T s + c`` in decimals."""
        exact, entry = self._entries
        if isinstance(exact.participation, Full):
            fed = exact_federation(entry, 1)
            fed.begin(self.round)
            layout = self.opening.layout
            after = entry.algorithm.round(fed, layout.build(fed, self.opening.template, given[None, :]))
            image: Array = layout.flatten(after)[0]
            return image
        matrix, shift = self._mean_map
        return np.asarray(matrix @ given + shift)

    @cached_property
    def _mean_map(self) -> tuple[Array, Array]:
        exact, entry = self._entries
        law = label_moments(exact)
        assert law is not None  # a random scheme
        moments = SchemeMoments(WIDE.array(law.mean), law.second, law.run_weights)  # the mean alone is asked for
        return read_round(entry, self.opening, self.round, moments).mean_map()

    @cached_property
    def _entries(self) -> tuple[Setup, Setup]:
        """In rationals, and in decimals."""
        exact = enter(self.problem, self.algorithm, exact=True)
        problem = _wide(dense(exact.problem))
        algorithm = convert_values(self.algorithm, lambda value: Rate(WIDE, _convert(value)))
        return exact, Setup(problem, algorithm, WIDE, exact.participation)


def _wide(problem: Any) -> _Quadratic:
    centre, source = None, problem
    if isinstance(problem, MixedProblem):
        problem, own = problem.clients, problem.centre
        centre = _Quadratic(WIDE.array(own.matrices), WIDE.array(own.vectors), WIDE.array(own.weights))
    kind = _Quadratic if centre is None else _Mixed
    made = kind(WIDE.array(problem.matrices), WIDE.array(problem.vectors), WIDE.array(problem.weights), centre)
    return keep_blocks(source, made)
