"""Second derivatives of clients' losses, with bounds: of curvature, of how Hessians vary, and of what floats round away.

What a proof about a nonlinear round needs of a loss ``F_k`` beside its gradient:

* products ``H_k(x) V`` with the Hessian;
* bounds ``lower_k <= H_k <= upper_k`` that hold everywhere;
* a bound of ``|H_k(y) - H_k(x)|`` over all ``y`` within ``r`` of ``x``;
* bounds of the errors of gradients and products as floats compute them.

Data of a problem count as the floats that they are.  Products of matrices are taken to be rounded as any order of summation
rounds them, ``exp`` to be right within four units in its last place, and eigenvalues of a symmetric matrix ``A`` to be those of
one within ``16 d`` units of rounding times ``|A|``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from fltheory.kinds import Array, Floats
from fltheory.problems.onedim import ScalarProblem

#: Twice the unit roundoff: each operation counts double.
EPS = float(np.finfo(float).eps)


def sum_error(terms: int) -> float:
    """Relative error of a sum of ``terms`` products, in whatever order, as a share of the sum of absolute values."""
    return (terms + 2) * EPS


class SecondOrder(ABC):
    """Hessians of ``N`` losses in dimension ``d``.

    ============= ======== ======================================================
    attribute     shape    meaning
    ============= ======== ======================================================
    ``lower``     ``(N,)`` no eigenvalue of a Hessian of client k is smaller
    ``upper``     ``(N,)`` none is larger
    ============= ======== ======================================================

    A problem of one's own may have a method ``second_order()`` that returns such an object.
    """

    lower: Floats
    upper: Floats
    #: Why nothing can be proved with these bounds; empty where it can.
    unknown: str = ""

    @abstractmethod
    def apply(self, client: int, x: Array, v: Array) -> Array:
        """``H_k(x) v_i`` for the rows of ``v`` ``(..., d)`` at one point ``x`` ``(d,)``."""

    @abstractmethod
    def variation(self, client: int, x: Array, radius: float) -> float:
        """A bound of ``|H_k(y) - H_k(x)|`` in the spectral norm, over all ``y`` with ``|y - x| <= radius``."""

    @abstractmethod
    def gradient_error(self, client: int, x: Array) -> float:
        """A bound of ``|g - grad F_k(x)|`` of the gradient ``g`` that floats compute."""

    @abstractmethod
    def product_error(self, client: int, x: Array) -> float:
        """A bound of the Frobenius norm of the error of :meth:`apply`, as a multiple of that of ``v``."""

    def sample_matrices(self, client: int, x: Array) -> Floats | None:
        """The Hessians of the losses of a client's samples, ``(n_k, d, d)``; ``None`` where they are not offered."""
        return None

    def matrix(self, client: int, x: Array) -> Floats:
        """``H_k(x)``, ``(d, d)``, symmetric."""
        full = self.apply(client, x, np.eye(len(x)))
        return np.asarray((full + full.T) / 2)


class AffineSecondOrder(SecondOrder):
    """Of quadratic losses: constant matrices ``(N, d, d)``; ``vectors`` ``(N, d)`` are ``-grad F_k(0)``."""

    def __init__(self, matrices: Floats, vectors: Floats) -> None:
        self.matrices = matrices
        self.vectors = vectors
        self._sizes = np.linalg.norm(matrices, axis=(1, 2))
        values = np.linalg.eigvalsh(matrices)
        slack = 16 * matrices.shape[1] * EPS * self._sizes
        self.lower, self.upper = values[:, 0] - slack, values[:, -1] + slack

    def apply(self, client: int, x: Array, v: Array) -> Array:
        return np.asarray(v @ self.matrices[client])

    def variation(self, client: int, x: Array, radius: float) -> float:
        return 0.0

    def gradient_error(self, client: int, x: Array) -> float:
        most = np.abs(self.matrices[client]) @ np.abs(x) + np.abs(self.vectors[client])
        return sum_error(len(x)) * float(np.linalg.norm(most))

    def product_error(self, client: int, x: Array) -> float:
        return sum_error(len(x)) * float(self._sizes[client])


class PiecewiseSecondOrder(SecondOrder):
    """Of functions of one variable that are quadratic between breakpoints: no variation inside a piece."""

    def __init__(self, problem: ScalarProblem) -> None:
        self.functions = problem.to_float().functions
        self.lower = np.array([float(f.curvatures.min()) for f in self.functions])
        self.upper = np.array([float(f.curvatures.max()) for f in self.functions])

    def apply(self, client: int, x: Array, v: Array) -> Array:
        f = self.functions[client]
        return np.asarray(v * f.curvatures[int((x[0] > f.breakpoints).sum())])

    def variation(self, client: int, x: Array, radius: float) -> float:
        f = self.functions[client]
        here = f.curvatures[int((x[0] > f.breakpoints).sum())]
        reach = radius + 4 * EPS * abs(float(x[0]))
        first = int((f.breakpoints < x[0] - reach).sum())
        last = int((f.breakpoints <= x[0] + reach).sum())
        return float(np.abs(f.curvatures[first : last + 1] - here).max())

    def gradient_error(self, client: int, x: Array) -> float:
        f = self.functions[client]
        places = [float(x[0]), float(f.anchor), *f.breakpoints.tolist()]
        reach: float = max(abs(place) for place in places)
        size: float = abs(float(f.slope)) + 2 * (len(f.breakpoints) + 1) * float(np.abs(f.curvatures).max()) * reach
        return 8 * (len(f.breakpoints) + 2) * EPS * size

    def product_error(self, client: int, x: Array) -> float:
        return EPS * float(np.abs(self.functions[client].curvatures).max())
