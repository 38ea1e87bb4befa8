"""A problem times a positive factor: the proportions ``w_f`` and ``w_c`` of mixed problems.

Augenstein et al., "Mixed Federated Learning" (2022), footnote to equation (1): ``f_f = w_f f~_f``, ``f_c = w_c f~_c``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.kinds import Number
from fltheory.problems.base import Array, check_positive, check_problem
from fltheory.problems.blocks import Blocks, blocks_of, keep_blocks
from fltheory.problems.numbers import set_numbers, to_fraction
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.samples import ClientSamples, QuadraticSamples, RegressionSamples
from fltheory.problems.scaled_constants import ScaledConstants
from fltheory.problems.showing import ShownProblem
from fltheory.problems.tridiagonal import TridiagonalProblem
from fltheory.tables import number


@dataclass(frozen=True, eq=False, repr=False)
class Scaled(ShownProblem):
    """``factor * F_k`` for every client of ``problem``; weights, clients and samples are those of ``problem``.

    The factor of an exact problem must be rational; else it becomes a float.  A quadratic problem times a factor is a
    quadratic problem: ``multiplied`` writes it out, and exact readings take it for that.  Noise of an oracle is added to
    the gradients of the product; mini-batches are scaled with the samples.

    Raises
    ------
    ValueError : ``factor <= 0`` or not finite, a float for an exact problem, a problem with a loss at the server; whatever
        only quadratics have, of another problem.
    """

    problem: Any
    factor: Number

    def __post_init__(self) -> None:
        check_problem("problem", self.problem)
        set_numbers(self, "factor")
        check_positive("factor", self.factor)
        if hasattr(self.problem, "centre_gradient"):
            raise ValueError(f"{type(self.problem).__name__} has two parts; expected Scaled for each of them")
        if self.exact and isinstance(self.factor, (float, np.floating)):
            raise ValueError(f"factor={self.factor!r} is a float, the problem exact; expected a Fraction or an integer")
        object.__setattr__(self, "factor", to_fraction(self.factor) if self.exact else float(self.factor))

    @property
    def exact(self) -> bool:
        """Whether the numbers are rationals."""
        return bool(getattr(self.problem, "exact", False))

    def to_float(self) -> Scaled:
        """The same in floats."""
        return keep_blocks(self, Scaled(self.problem.to_float(), float(self.factor))) if self.exact else self

    def to_exact(self, convert: Callable[[Number], Fraction] = to_fraction) -> Scaled:
        """Rational data and factor, of a quadratic problem; as :meth:`QuadraticProblem.to_exact`."""
        if self.exact:
            return self
        require_quadratic(self)
        return keep_blocks(self, Scaled(exact_quadratic(self.problem, convert), convert(self.factor)))

    @cached_property
    def blocks(self) -> Blocks:
        """The layers of ``problem``."""
        return blocks_of(self.problem)

    @property
    def inner(self) -> Any:
        """What is scaled, however often."""
        return self.problem.inner if isinstance(self.problem, Scaled) else self.problem

    def multiplied(self) -> QuadraticProblem | TridiagonalProblem:
        """The quadratic problem of the same kind whose numbers are the products.

        Raises
        ------
        ValueError : a problem that is not quadratic.
        """
        require_quadratic(self)
        part, c = self.problem.multiplied() if isinstance(self.problem, Scaled) else self.problem, self.factor
        if isinstance(part, TridiagonalProblem):
            banded = TridiagonalProblem(c * part.diagonals, c * part.off_diagonals, c * part.vectors, part.weights)
            return keep_blocks(self, banded)
        part = part.to_dense()
        samples = None if part.samples is None else tuple(_times(client, c) for client in part.samples)
        made = QuadraticProblem(c * part.matrices, c * part.vectors, c * part.offsets, part.weights, samples)
        return keep_blocks(self, made)

    def to_dense(self) -> QuadraticProblem:
        """:meth:`multiplied` with full matrices."""
        return self._dense

    @cached_property
    def _dense(self) -> QuadraticProblem:
        return dense_quadratic(self.multiplied())

    @property
    def matrices(self) -> Array:
        """``factor A_k`` of a quadratic problem, ``(N, d, d)``."""
        return self._dense.matrices

    @property
    def vectors(self) -> Array:
        """``factor b_k`` of a quadratic problem, ``(N, d)``."""
        return self._dense.vectors

    @property
    def offsets(self) -> Array:
        """``factor c_k`` of a quadratic problem, ``(N,)``."""
        return self._dense.offsets

    @property
    def samples(self) -> tuple[ClientSamples, ...] | None:
        """The samples of a quadratic problem times the factor, or ``None``."""
        return self._dense.samples

    @property
    def mean_matrix(self) -> Array:
        """The Hessian of a quadratic problem, ``(d, d)``."""
        return self._dense.mean_matrix

    @property
    def mean_vector(self) -> Array:
        """``-grad F(0)`` of a quadratic problem, ``(d,)``."""
        return self._dense.mean_vector

    def words(self) -> str:
        return f"{number(self.factor)} times {type(self.problem).__name__}"

    @property
    def n_clients(self) -> int:
        """``N``."""
        return int(self.problem.n_clients)

    @property
    def dimension(self) -> int:
        """``d``."""
        return int(self.problem.dimension)

    @property
    def weights(self) -> Array:
        """``p``, ``(N,)``."""
        return np.asarray(self.problem.weights)

    @property
    def sample_sizes(self) -> Array:
        """``n_k``, ``(N,)``; ``ValueError`` where ``problem`` has no samples."""
        return np.asarray(self._sampled().sample_sizes)

    @cached_property
    def constants(self) -> ScaledConstants:
        """Those of ``problem``, in other units."""
        return ScaledConstants(self)

    def value(self, w: Array) -> Any:
        """``factor F(w)``, ``(..., d) -> (...)``."""
        return self.factor * self.problem.value(w)

    def client_values(self, w: Array) -> Array:
        """``(..., d) -> (..., N)``."""
        return np.asarray(self.factor * self.problem.client_values(w))

    def gradient(self, w: Array) -> Array:
        """``(..., d) -> (..., d)``."""
        return np.asarray(self.factor * self.problem.gradient(w))

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``(..., M, d) -> (..., M, d)``."""
        return np.asarray(self.factor * self.problem.client_gradients(x, clients))

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """``(..., d) -> (..., n_k, d)``."""
        return np.asarray(self.factor * self._sampled().sample_gradients(client, x, rows))

    @property
    def batch_gradients(self) -> Callable[[Array, Array, Array], Array]:
        """Mean gradients of batches for all slots at once, where ``problem`` has them."""
        own: Callable[[Array, Array, Array], Array] = self.problem.batch_gradients
        return lambda clients, x, rows: self.factor * own(clients, x, rows)

    @property
    def curvature_at(self) -> Callable[[Array], Callable[[Array], Array]]:
        """``w -> (v -> factor F''(w) v)``, where ``problem`` has it."""
        own: Callable[[Array], Callable[[Array], Array]] = self.problem.curvature_at

        def at(w: Array) -> Callable[[Array], Array]:
            apply = own(w)
            return lambda v: self.factor * apply(v)

        return at

    def _sampled(self) -> Any:
        if not hasattr(self.problem, "sample_gradients"):
            raise ValueError(f"{type(self.problem).__name__} has no samples; expected sample_sizes, sample_gradients")
        return self.problem


def is_quadratic(problem: object) -> bool:
    """Whether a problem is quadratic, times factors or not: such a problem has a method ``to_dense``."""
    part = problem.inner if isinstance(problem, Scaled) else problem
    return hasattr(part, "to_dense")


def require_quadratic(problem: object) -> None:
    """Raise ``ValueError`` unless :func:`is_quadratic`."""
    if not is_quadratic(problem):
        raise ValueError(
            f"{describe(problem)} is not quadratic: this is known for quadratic problems only, and for mixed problems whose "
            "parts are both quadratic"
        )


def dense_quadratic(problem: Any) -> QuadraticProblem:
    """A quadratic problem, or a factor times one, with full matrices.

    Raises
    ------
    ValueError : a problem that is not quadratic.
    """
    require_quadratic(problem)
    found: QuadraticProblem = problem.to_dense()
    return found


def exact_quadratic(problem: Any, convert: Callable[[Number], Fraction]) -> Any:
    """A quadratic problem in rationals: its own ``to_exact(convert)``, or that of its full matrices."""
    return (problem if hasattr(problem, "to_exact") else problem.to_dense()).to_exact(convert)


def describe(problem: object) -> str:
    """The name of a problem's kind, and of what is scaled."""
    if isinstance(problem, Scaled):
        return f"Scaled({type(problem.inner).__name__})"
    return type(problem).__name__


def _times(client: ClientSamples, factor: Number) -> ClientSamples:
    """``factor f_i`` for every sample."""
    if isinstance(client, RegressionSamples):
        return replace(client, scale=factor * client.scale, modulus=factor * client.modulus)
    return QuadraticSamples(factor * client.matrices(), factor * client.vectors())
