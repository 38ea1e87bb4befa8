"""Which second derivatives a problem has: those of its kind, those of its own method, or differences without bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.kinds import Array, Floats
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.onedim import ScalarProblem
from fltheory.problems.scaled import Scaled, is_quadratic
from fltheory.problems.second_order import EPS, AffineSecondOrder, PiecewiseSecondOrder, SecondOrder
from fltheory.problems.second_order_losses import LogisticSecondOrder, SoftmaxSecondOrder
from fltheory.problems.softmax import SoftmaxProblem


class ScaledSecondOrder(SecondOrder):
    """Of a factor times losses."""

    def __init__(self, inner: SecondOrder, factor: float, problem: Any) -> None:
        self.inner = inner
        self.factor = factor
        self.problem = problem
        self.unknown = inner.unknown
        self.lower = factor * inner.lower - EPS * np.abs(factor * inner.lower)
        self.upper = factor * inner.upper + EPS * np.abs(factor * inner.upper)

    def apply(self, client: int, x: Array, v: Array) -> Array:
        return self.factor * self.inner.apply(client, x, v)

    def variation(self, client: int, x: Array, radius: float) -> float:
        return self.factor * self.inner.variation(client, x, radius) * (1 + 4 * EPS)

    def sample_matrices(self, client: int, x: Array) -> Floats | None:
        found = self.inner.sample_matrices(client, x)
        return None if found is None else self.factor * found

    def gradient_error(self, client: int, x: Array) -> float:
        slope = self.problem.client_gradients(x[None], np.array([client]))
        rounded = EPS * float(np.linalg.norm(slope))
        return self.factor * (self.inner.gradient_error(client, x) + rounded)

    def product_error(self, client: int, x: Array) -> float:
        size = max(abs(float(self.inner.lower[client])), abs(float(self.inner.upper[client])))
        return self.factor * (self.inner.product_error(client, x) + EPS * size)


class DifferencesSecondOrder(SecondOrder):
    """Of any problem: products from differences of gradients, right to some eight digits, and no bounds of anything."""

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.unknown = f"no bounds of the second derivatives of a {type(problem).__name__} are known"
        self.lower = np.full(problem.n_clients, -np.inf)
        self.upper = np.full(problem.n_clients, np.inf)

    def apply(self, client: int, x: Array, v: Array) -> Array:
        rows = v.reshape(-1, v.shape[-1])
        sizes = np.linalg.norm(rows, axis=1, keepdims=True)
        unit = EPS ** (1 / 3) * max(1.0, float(np.abs(x).max()))
        along = np.divide(rows, sizes, out=np.zeros_like(rows), where=sizes > 0) * unit
        clients = np.full(len(rows), client)
        up, down = (self.problem.client_gradients(x + side * along, clients) for side in (1, -1))
        return np.asarray(((up - down) * sizes / (2 * unit)).reshape(v.shape))

    def variation(self, client: int, x: Array, radius: float) -> float:
        return float("inf")

    def gradient_error(self, client: int, x: Array) -> float:
        return float("inf")

    def product_error(self, client: int, x: Array) -> float:
        return float("inf")


def second_order(problem: Any) -> SecondOrder:
    """The second derivatives of the clients' losses of a problem in floats (a mixed problem: ask for each of its parts).

    A class derived from logistic or softmax regression may be another loss: it says its own in a method ``second_order``.
    """
    own = getattr(problem, "second_order", None)
    if own is not None:
        found: SecondOrder = own()
        return found
    if is_quadratic(problem):
        dense = problem.to_dense()
        return AffineSecondOrder(np.asarray(dense.matrices, dtype=float), np.asarray(dense.vectors, dtype=float))
    if isinstance(problem, Scaled):
        return ScaledSecondOrder(second_order(problem.problem), float(problem.factor), problem.problem)
    if type(problem) is LogisticProblem:
        return LogisticSecondOrder(problem)
    if type(problem) is SoftmaxProblem:
        return SoftmaxSecondOrder(problem)
    if type(problem) is ScalarProblem:
        return PiecewiseSecondOrder(problem)
    return DifferencesSecondOrder(problem)
