"""The quadratic counterexample of Li et al. (2020), Appendix C.1, dense and as a banded problem.

``n = N p + 1`` unknowns, client ``k = 1..N`` owns the block of coordinates ``(k-1)p+1 .. kp+1``; neighbouring blocks
share one coordinate.  ``B_k`` is the Laplacian of the path on that block, ``A_1 = B_1 + e_1 e_1'``,
``A_N = B_N + e_n e_n'``, ``A_k = B_k`` otherwise, so that ``sum_k A_k = tridiag(-1, 2, -1)``; ``b_1 = e_1``,
all other ``b_k = 0``, and ``F_k(w) = (w'A_k w - 2 b_k'w + mu |w|^2)/2`` with ``p_k = 1/N``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.problems.banded import extreme_eigenvalues, minimise_tridiagonal
from fltheory.problems.base import (
    Array,
    Constants,
    Number,
    check_count,
    check_finite,
    check_flag,
    check_nonnegative,
    check_point,
    check_request,
    check_shape,
    check_weights,
    frozen,
)
from fltheory.problems.blocks import Layered, keep_blocks
from fltheory.problems.numbers import as_number, decimal_fraction, harmonise, map_array, to_fraction
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.weights import exact_weights


@dataclass(frozen=True, eq=False, repr=False)
class TridiagonalProblem(Layered):
    """``F_k(w) = w'A_k w/2 - b_k'w`` with symmetric tridiagonal ``A_k``: ``O(d)`` memory and time per client.

    ================= ============= =========================================
    argument          shape         meaning
    ================= ============= =========================================
    ``diagonals``     ``(N, d)``    diagonals of the ``A_k``
    ``off_diagonals`` ``(N, d-1)``  entries next to the diagonal
    ``vectors``       ``(N, d)``    ``b_k``
    ``weights``       ``(N,)``      ``p_k``, default ``1/N``
    ================= ============= =========================================

    Raises ``ValueError`` as :class:`QuadraticProblem` does.
    """

    formula = r"F(w) = \sum_k p_k \left(\tfrac12 w^\top A_k w - b_k^\top w\right), \quad A_k \text{ tridiagonal}"

    diagonals: Array
    off_diagonals: Array
    vectors: Array
    weights: Array = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        given: dict[str, Any] = {
            "diagonals": self.diagonals,
            "off_diagonals": self.off_diagonals,
            "vectors": self.vectors,
        }
        given |= {} if self.weights is None else {"weights": self.weights}
        data = harmonise(given)
        shape = data["diagonals"].shape
        if len(shape) != 2 or 0 in shape:
            raise ValueError(f"diagonals has shape {shape}; expected (N, d) with N >= 1 clients and d >= 1")
        n, d = shape
        if "weights" not in data:
            exact = data["diagonals"].dtype == object
            data["weights"] = np.full(n, Fraction(1, n), dtype=object) if exact else np.full(n, 1 / n)
        check_shape("off_diagonals", data["off_diagonals"], (n, d - 1))
        check_shape("vectors", data["vectors"], (n, d))
        for name, array in data.items():
            check_finite(name, array)
        check_weights(data["weights"], n)
        for name, array in data.items():
            object.__setattr__(self, name, frozen(array))

    def words(self) -> str:
        return "tridiagonal, exact numbers" if self.exact else "tridiagonal"

    @property
    def n_clients(self) -> int:
        """``N``."""
        return len(self.diagonals)

    @property
    def dimension(self) -> int:
        """``d``."""
        return int(self.diagonals.shape[1])

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return self.diagonals.dtype == object

    @cached_property
    def constants(self) -> TridiagonalConstants:
        """``L, mu, w*, F*, F_k*, Gamma`` of this instance."""
        return TridiagonalConstants(self)

    def value(self, w: Array) -> Any:
        """``F(w)``, ``(..., d) -> (...)``."""
        return (self.client_values(w) * self.weights).sum(axis=-1)

    def client_values(self, w: Array) -> Array:
        """``F_k(w)``, ``(..., d) -> (..., N)``."""
        check_point(w, (self.dimension,), name="w")
        point = w[..., None, :]
        image = apply_tridiagonal(self.diagonals, self.off_diagonals, point)
        return np.asarray((point * image).sum(axis=-1) / 2 - (point * self.vectors).sum(axis=-1))

    def gradient(self, w: Array) -> Array:
        """``grad F(w)``, ``(..., d) -> (..., d)``."""
        check_point(w, (self.dimension,), name="w")
        diagonal, off_diagonal, vector = self.means
        return apply_tridiagonal(diagonal, off_diagonal, w) - vector

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``A_k x_k - b_k``, ``(..., M, d) -> (..., M, d)``."""
        check_point(x, (self.n_clients, self.dimension) if clients is None else (self.dimension,))
        pick: Any = slice(None) if clients is None else clients
        return np.asarray(apply_tridiagonal(self.diagonals[pick], self.off_diagonals[pick], x) - self.vectors[pick])

    @cached_property
    def means(self) -> tuple[Array, Array, Array]:
        """Diagonal, off-diagonal and vector of ``F``."""
        column = self.weights[:, None]
        arrays = (self.diagonals, self.off_diagonals, self.vectors)
        diagonal, off_diagonal, vector = ((column * array).sum(axis=0) for array in arrays)
        return diagonal, off_diagonal, vector

    def map_numbers(self, convert: Callable[[Number], Any]) -> TridiagonalProblem:
        """The problem with every number replaced by ``convert(number)`` (floats or Fractions)."""
        arrays = (self.diagonals, self.off_diagonals, self.vectors, self.weights)
        return keep_blocks(self, TridiagonalProblem(*(map_array(convert, array) for array in arrays)))

    def to_exact(self, convert: Callable[[Number], Fraction] = to_fraction) -> TridiagonalProblem:
        """Rational data; as :meth:`QuadraticProblem.to_exact`."""
        if self.exact:
            return self
        diagonals, off_diagonals = map_array(convert, self.diagonals), map_array(convert, self.off_diagonals)
        vectors, weights = map_array(convert, self.vectors), exact_weights(self.weights)
        return keep_blocks(self, TridiagonalProblem(diagonals, off_diagonals, vectors, weights))

    def to_float(self) -> TridiagonalProblem:
        """Float64 data."""
        return self.map_numbers(float) if self.exact else self

    def hessian_product(self, v: Array) -> Array:
        """``F'' v``, ``(..., d) -> (..., d)``."""
        diagonal, off_diagonal, _ = self.means
        return apply_tridiagonal(diagonal, off_diagonal, v)

    def to_dense(self) -> QuadraticProblem:
        """The same problem with full matrices."""
        n, d = self.diagonals.shape
        instead = "TridiagonalProblem itself keeps three numbers for each client and coordinate"
        check_request(f"full matrices of n_clients={n} with dimension={d}", n * d * d, instead=instead)
        matrices = np.full((n, d, d), Fraction(0), dtype=object) if self.exact else np.zeros((n, d, d))
        index = np.arange(d)
        matrices[:, index, index] = self.diagonals
        matrices[:, index[:-1], index[1:]] = self.off_diagonals
        matrices[:, index[1:], index[:-1]] = self.off_diagonals
        return keep_blocks(self, QuadraticProblem(matrices, self.vectors, weights=self.weights))


class TridiagonalConstants(Constants):
    """Constants of a :class:`TridiagonalProblem`; minima by elimination in ``O(d)``, exact where the problem is."""

    def __init__(self, problem: TridiagonalProblem) -> None:
        self.problem = problem

    @property
    def weights(self) -> Array:
        """``p``."""
        return self.problem.weights

    @cached_property
    def client_smoothness(self) -> Array:
        """``L_k``, the largest absolute eigenvalue of ``A_k``."""
        return np.asarray(np.abs(self._extremes).max(axis=1))

    @cached_property
    def client_strong_convexity(self) -> Array:
        """``mu_k``, the smallest eigenvalue of ``A_k``."""
        return self._extremes[:, 0]

    @cached_property
    def _extremes(self) -> Array:
        pairs = zip(self.problem.diagonals, self.problem.off_diagonals, strict=True)
        return np.array([extreme_eigenvalues(a.astype(float), b.astype(float)) for a, b in pairs])

    @cached_property
    def minimiser(self) -> Array:
        """``w*``."""
        return minimise_tridiagonal(*self.problem.means)

    @cached_property
    def minimum(self) -> Number:
        """``F* = F(w*)``."""
        return self.problem.value(self.minimiser)

    @cached_property
    def client_minimisers(self) -> Array:
        """``w_k*``, ``(N, d)``."""
        data = zip(self.problem.diagonals, self.problem.off_diagonals, self.problem.vectors, strict=True)
        return np.stack([minimise_tridiagonal(*arrays, name=f"F_{k}") for k, arrays in enumerate(data)])

    @cached_property
    def client_minima(self) -> Array:
        """``F_k* = -b_k'w_k*/2``, ``(N,)``."""
        return np.asarray(-(self.problem.vectors * self.client_minimisers).sum(axis=1) / 2)


def apply_tridiagonal(diagonal: Array, off_diagonal: Array, x: Array) -> Array:
    """``A x`` for symmetric tridiagonal ``A``; all axes but the last broadcast."""
    image = np.asarray(diagonal * x)
    image[..., :-1] += off_diagonal * x[..., 1:]
    image[..., 1:] += off_diagonal * x[..., :-1]
    return image


def li_tridiagonal(n_clients: int, block: int, ridge: Number = 0, *, exact: bool = False) -> TridiagonalProblem:
    """The counterexample in banded form; arguments as :func:`li_counterexample`.

    Raises
    ------
    ValueError : ``n_clients`` or ``block`` that is no integer of at least 2 and 1; ``ridge`` that is negative or no finite number;
        ``exact`` that is no truth value; more numbers than memory holds.
    """
    n_clients, block = check_count("n_clients", n_clients, least=2), check_count("block", block)
    ridge = as_number("ridge", ridge)
    check_nonnegative("ridge", ridge)
    check_flag("exact", exact)
    d = n_clients * block + 1
    check_request(f"n_clients={n_clients} with block={block}", 3 * n_clients * d)
    diagonals, off_diagonals = np.zeros((n_clients, d), dtype=int), np.zeros((n_clients, d - 1), dtype=int)
    for k in range(n_clients):
        first, last = k * block, (k + 1) * block
        diagonals[k, first : last + 1] = 2
        diagonals[k, [first, last]] = 1
        off_diagonals[k, first:last] = -1
    diagonals[0, 0] += 1
    diagonals[-1, -1] += 1
    vectors = np.zeros((n_clients, d), dtype=int)
    vectors[0, 0] = 1
    if not exact:
        return TridiagonalProblem(diagonals + float(ridge), off_diagonals, vectors)
    rational = [map_array(to_fraction, array) for array in (diagonals, off_diagonals, vectors)]
    rational[0] = rational[0] + decimal_fraction(ridge)
    return TridiagonalProblem(*rational)


def li_counterexample(n_clients: int, block: int, ridge: Number = 0, *, exact: bool = False) -> QuadraticProblem:
    """The distributed least-squares example of Li et al. (2020), Appendix C.1, with full matrices.

    ============= ====== ==========================================================================
    argument      symbol meaning
    ============= ====== ==========================================================================
    ``n_clients`` ``N``  at least 2
    ``block``     ``p``  at least 1 (the paper takes p > 1); the dimension is ``N p + 1``
    ``ridge``     ``mu`` at least 0 (the paper states the problem with mu > 0 and analyses mu = 0)
    ``exact``            rationals; a float ``ridge`` then counts as its shortest decimal
    ============= ====== ==========================================================================

    Raises
    ------
    ValueError : ``n_clients`` or ``block`` that is no integer of at least 2 and 1; ``ridge`` that is negative or no finite number;
        ``exact`` that is no truth value; more numbers than memory holds.
    """
    n, p = check_count("n_clients", n_clients, least=2), check_count("block", block)
    try:
        check_request(f"n_clients={n} with block={p}", n * (n * p + 1) ** 2)
    except ValueError as error:
        raise ValueError(f"{error}; li_tridiagonal builds it with bands in the place of full matrices") from None
    return li_tridiagonal(n, p, ridge, exact=exact).to_dense()


def li_minimiser(n_clients: int, block: int) -> tuple[Fraction, ...]:
    """``w*`` for ``ridge=0``: ``w*_i = 1 - i/(N p + 2)``, ``i = 1 .. N p + 1`` (Proposition 1, item 4)."""
    n = check_count("n_clients", n_clients, least=2) * check_count("block", block)
    return tuple(1 - Fraction(i, n + 2) for i in range(1, n + 2))


def li_minimum(n_clients: int, block: int) -> Fraction:
    """``F* = -w*_1/(2N)`` for ``ridge=0``."""
    return -li_minimiser(n_clients, block)[0] / (2 * n_clients)


def li_smoothness(n_clients: int, block: int, ridge: float = 0.0) -> tuple[float, ...]:
    """``L_k`` in closed form: path Laplacians with free ends, and for the first and last client one fixed end."""
    check_count("n_clients", n_clients, least=2)
    check_count("block", block)
    end = 2 + 2 * math.cos(2 * math.pi / (2 * block + 3))
    inner = 2 + 2 * math.cos(math.pi / (block + 1))
    return tuple((end if k in (0, n_clients - 1) else inner) + ridge for k in range(n_clients))
