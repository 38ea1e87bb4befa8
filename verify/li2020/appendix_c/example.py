"""Exact objects of the tridiagonal example, Appendix C of Li et al. (2020): matrices, round map, fixed point.

Client ``k = 1..N`` owns the coordinates ``(k-1)p+1 .. kp+1`` of ``n = N p + 1``.  Its matrix is a sum of edge forms
``(w_i - w_{i+1})^2`` over its block; the first and the last client also have ``w_1^2`` and ``w_n^2``.  With a ridge
every ``A_k`` gets ``+ mu I``.  ``b_1 = e_1`` and all other ``b_k = 0``; the weights are ``1/N``.

Everything is rational.  A step size may be a sympy symbol; the fixed point is then a vector of rational functions,
found by elimination over the field ``QQ(eta)``.

=============  =======  =====================================
argument       symbol   meaning
=============  =======  =====================================
``n_clients``  ``N``    number of clients, at least 1
``block``      ``p``    edges of a block, at least 1
``ridge``      ``mu``   added to the diagonal of every ``A_k``
``steps``      ``E``    local steps of a round
``step_size``  ``eta``  a rational or a symbol
=============  =======  =====================================
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

import sympy as sp
from sympy.polys.matrices import DomainMatrix


def block_start(client: Any, block: Any) -> Any:
    """First coordinate ``(k-1)p + 1`` of a block, for numbers and symbols; the last one is that of client ``k+1``."""
    return (client - 1) * block + 1


@dataclass(frozen=True)
class Example:
    """The example with ``N`` clients, blocks of ``p`` edges and a ridge; ``N = 1`` and ``p = 1`` serve as controls."""

    n_clients: int
    block: int
    ridge: sp.Rational = sp.Integer(0)

    def __post_init__(self) -> None:
        if self.n_clients < 1 or self.block < 1:
            raise ValueError(f"n_clients={self.n_clients} and block={self.block} must be at least 1")
        if sp.sympify(self.ridge).is_negative:
            raise ValueError(f"ridge={self.ridge} is negative")

    @property
    def dimension(self) -> int:
        """``n = N p + 1``."""
        return self.n_clients * self.block + 1

    @property
    def name(self) -> str:
        """The instance in words."""
        return f"N={self.n_clients}, p={self.block}" + (f", mu={self.ridge}" if self.ridge != 0 else "")

    @cached_property
    def shift(self) -> sp.ImmutableDenseMatrix:
        """``b = b_1 = e_1``."""
        return sp.ImmutableDenseMatrix(sp.eye(self.dimension)[:, 0])

    @cached_property
    def clients(self) -> tuple[sp.ImmutableDenseMatrix, ...]:
        """``A_1 .. A_N``, ridge included."""
        ridge = self.ridge * sp.eye(self.dimension)
        return tuple(x.T * x + ridge for x in map(self.features, range(1, self.n_clients + 1)))

    @cached_property
    def written(self) -> str:
        """The matrices, ``b`` and ``w = A**-1*b``, as definitions of :class:`~fltheory.evidence.matrices.Matrices`."""
        names = [f"A{k}" for k in range(1, self.n_clients + 1)]
        each = [f"{name} = {matrix.tolist()}" for name, matrix in zip(names, self.clients, strict=True)]
        return "; ".join([*each, f"A = {' + '.join(names)}", f"b = {list(self.shift)}", "w = A**-1*b"])

    @cached_property
    def total(self) -> sp.ImmutableDenseMatrix:
        """``sum_k A_k``: ``tridiag(-1, 2, -1) + N mu I``."""
        return sum(self.clients[1:], self.clients[0])

    def features(self, client: int) -> sp.ImmutableDenseMatrix:
        """``X_k`` with one row per edge and per grounded end: ``A_k - mu I = X_k'X_k``."""
        identity = sp.eye(self.dimension)
        rows = [identity[0, :]] if client == 1 else []
        for i in range(block_start(client, self.block), block_start(client + 1, self.block)):
            rows.append(identity[i - 1, :] - identity[i, :])
        if client == self.n_clients:
            rows.append(identity[self.dimension - 1, :])
        return sp.ImmutableDenseMatrix(sp.Matrix.vstack(*rows))

    @cached_property
    def optimum(self) -> sp.ImmutableDenseMatrix:
        """``w*``, the minimiser of ``F = (1/N) sum_k F_k``."""
        return solve(self.total, self.shift)

    @cached_property
    def local_gradients(self) -> tuple[sp.ImmutableDenseMatrix, ...]:
        """``grad F_k(w*)``; they add up to zero."""
        return tuple(
            a * self.optimum - (self.shift if k == 0 else sp.zeros(self.dimension, 1))
            for k, a in enumerate(self.clients)
        )

    @cached_property
    def leading_bias(self) -> sp.ImmutableDenseMatrix:
        """``lim (w~* - w*)/((E-1) eta)`` as ``eta -> 0``: half of ``(sum A_k)^{-1} sum_k A_k grad F_k(w*)``."""
        source = sum(
            (a * g for a, g in zip(self.clients, self.local_gradients, strict=True)), sp.zeros(self.dimension, 1)
        )
        return solve(self.total, source) / 2


#: The smallest one.
SMALLEST = Example(2, 2)


def solve(matrix: sp.MatrixBase, vector: sp.MatrixBase) -> sp.ImmutableDenseMatrix:
    """``matrix^{-1} vector`` by elimination over the rationals."""
    return sp.ImmutableDenseMatrix(_lift(matrix, 0).lu_solve(_lift(vector, 0)).to_Matrix())


def _lift(matrix: sp.MatrixBase, step_size: Any) -> DomainMatrix:
    """A matrix of rational numbers, or of rational functions of the step size where it is a symbol."""
    field = sp.QQ.frac_field(step_size) if isinstance(step_size, sp.Symbol) else sp.QQ
    return DomainMatrix.from_Matrix(sp.Matrix(matrix)).convert_to(field)


@lru_cache(maxsize=256)
def round_map(example: Example, steps: int, step_size: Any) -> tuple[sp.ImmutableDenseMatrix, sp.ImmutableDenseMatrix]:
    """``M = (1/N) sum_k (I - eta A_k)^E`` and the shift ``(eta/N) sum_{l<E} (I - eta A_1)^l b_1``, by plain multiplication."""
    identity = _lift(sp.eye(example.dimension), step_size)
    matrix, start = identity * 0, _lift(example.shift, step_size)
    shift, eta = start * 0, identity.domain.from_sympy(sp.sympify(step_size))
    for k, client in enumerate(example.clients):
        power, sums = identity, start * 0
        for _ in range(steps):
            sums, power = sums + power * start * eta, power - _lift(client, step_size) * power * eta
        matrix, shift = matrix + power, shift if k else sums
    over = [sp.ImmutableDenseMatrix(found.to_Matrix() / example.n_clients) for found in (matrix, shift)]
    return over[0], over[1]


@lru_cache(maxsize=256)
def fixed_point(example: Example, steps: int, step_size: Any) -> sp.ImmutableDenseMatrix:
    """``w~* = (I - M)^{-1} shift``, eq. (32); raises ``DMNonInvertibleMatrixError`` where ``I - M`` is singular."""
    matrix, shift = round_map(example, steps, step_size)
    left = _lift(sp.eye(example.dimension) - matrix, step_size)
    return sp.ImmutableDenseMatrix(left.lu_solve(_lift(shift, step_size)).to_Matrix())


def bias(example: Example, steps: int, step_size: Any) -> sp.ImmutableDenseMatrix:
    """``w~* - w*``."""
    return sp.ImmutableDenseMatrix((fixed_point(example, steps, step_size) - example.optimum).applyfunc(sp.cancel))


def displacement(example: Example, steps: int, step_size: Any) -> sp.ImmutableDenseMatrix:
    """How one round moves ``w*``: the bracket of eq. (33) times ``w*``, ``-(1/N) sum_k S_k grad F_k(w*)``."""
    matrix, shift = round_map(example, steps, step_size)
    moved = matrix * example.optimum + shift - example.optimum
    return sp.ImmutableDenseMatrix(moved.applyfunc(sp.cancel))


def norm_squared(vector: sp.MatrixBase) -> sp.Expr:
    """Squared Euclidean norm."""
    return sp.Add(*(entry**2 for entry in vector))


def distance(example: Example, local_steps: int, step: sp.Rational) -> sp.Expr:
    """``|w~* - w*|^2``."""
    return norm_squared(bias(example, local_steps, step))


def limit_of_round_map(example: Example) -> sp.ImmutableDenseMatrix:
    """``lim_E M`` for ``0 < eta < 2/L``: the mean of the projectors onto the null spaces of the ``A_k``."""
    total = sp.zeros(example.dimension, example.dimension)
    if example.ridge == 0:
        for x in map(example.features, range(1, example.n_clients + 1)):
            total += sp.eye(example.dimension) - x.T * (x * x.T).inv() * x
    return sp.ImmutableDenseMatrix(total / example.n_clients)


def instances(clients: int = 4, block: int = 4, ridges: Iterable[sp.Rational] = (sp.Integer(0),)) -> list[Example]:
    """Small examples with at most so many clients and edges, in order of size."""
    sizes = product(range(2, clients + 1), range(2, block + 1), ridges)
    return [Example(n_clients, edges, sp.sympify(ridge)) for n_clients, edges, ridge in sizes]
