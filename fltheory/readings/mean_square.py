"""Mean-square stability: the linear map that a round makes of second moments, its spectral radius and its solves.

A round is ``e+ = A e + b`` in the deviation ``e`` from a state, with a random pair ``(A, b)`` that is independent of ``e``:
the cohort and the mini-batches choose ``A``, additive noise is part of ``b``.  The second moments of two runs under the
same draws differ by ``X+ = E A X A' =: Phi(X)``.  ``Phi`` keeps the cone of positive semidefinite matrices, and

    rho(Phi) < 1  <=>  X = Phi(X) + I has a positive definite solution,

which is how it is decided, by a solve and not by an iteration that may not have ended.  ``rho(Phi)`` is the factor per
round of the mean square; it is at least the square of the factor of the mean, with equality if ``A`` is not random.

Quantities that every round conserves surely (SCAFFOLD's sum of control variates) do not count: ``Phi`` is restricted to the
states at which they are zero.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.algorithms.participation import Full
from fltheory.kinds import Array
from fltheory.readings.conserved import restricted, without_conserved
from fltheory.readings.doubling import doubled, spectral_radius
from fltheory.readings.forms import weighted
from fltheory.readings.linear import identity, is_positive_definite, solve
from fltheory.readings.numbers import Numbers
from fltheory.readings.walk import Walk

#: Up to so many unknowns (entries on and above the diagonal) a system for second moments is solved by elimination.
MOST_DENSE, MOST_EXACT = 1_000, 300
#: All eigenvalues are computed of matrices up to this size, of larger ones that of largest modulus.
MOST_EIGENVALUES = 120
MOST_REFINEMENTS = 6
#: Spectral radii below this are not told apart from it.
SMALLEST = 1e-30
#: LAPACK rescales matrices of larger entries than these and takes their eigenvalues wrongly back.
LARGEST = 1e138
#: Relative distances from an estimate at which an enclosure is tried, the nearest first.
MARGINS = (1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)


@dataclass(frozen=True)
class MeanSquareFactor:
    """``value``, the factor per round of the mean square, and what encloses it: ``lower <= rho(Phi) <= upper``.

    The ends are decided in floats, with residuals checked, not in interval arithmetic.
    """

    value: float
    lower: float
    upper: float

    @property
    def stable(self) -> bool | None:
        """Whether it is below one; None if the enclosure holds one."""
        return True if self.upper < 1 else False if self.lower >= 1 else None


def grows(factor: float) -> str:
    """What a factor per round of at least one does, in words."""
    return f"grows by the factor {factor:.6g} per round" if factor > 1 + 1e-9 else "does not contract: its factor is 1"


class SecondMomentMap:
    """``Phi`` on symmetric matrices over the states at which all surely conserved quantities are zero.

    ``basis`` ``(D, r)`` spans those states, ``left`` ``(r, D)`` inverts it; matrices ``X`` are ``(r, r)``.
    """

    def __init__(
        self, mean: Array, moved: Callable[[Array], Array] | None, numbers: Numbers, *, pairs: Array | None = None
    ) -> None:
        """``moved`` is ``Phi`` on ``(D, D)``, None where ``A`` is sure, and ``pairs`` ``(2, L, D, D)`` writes it as
        ``sum_l P_l X W_l'``, where it can be written so."""
        if not numbers.exact and not np.isfinite(mean).all():
            raise ValueError("the mean map overflows: an entry is not finite in floats")
        self.numbers = numbers
        self.sure = moved is None
        self._moved = moved if moved is not None else lambda moment: mean @ moment @ mean.T
        self._pairs = pairs if pairs is not None or moved is not None else np.stack([mean, mean])[:, None]
        self.basis, self.left = without_conserved(self._moved, mean, numbers)
        self.mean: Array = self.left @ mean @ self.basis

    @classmethod
    def of(cls, walk: Walk, round: int = 0) -> SecondMomentMap:
        """Of a round of an algorithm with its oracles."""
        form = walk.raw_form(round)
        size = len(form.maps[0]) - 1
        mean = form.mean_map()[0]
        if isinstance(walk.entry.participation, Full) and not walk.multiplicative:
            return cls(mean, None, walk.numbers)

        def moved(moment: Array) -> Array:
            extended = np.zeros((size + 1, size + 1), dtype=walk.numbers.dtype)
            extended[:size, :size] = moment
            after: Array = walk.after(form, extended)[:size, :size]
            return after

        pairs = None
        if not walk.multiplicative:
            maps = form.maps[:, :size, :size]
            pairs = np.stack([maps, weighted(form.second, maps)])
        return cls(mean, moved, walk.numbers, pairs=pairs)

    @property
    def size(self) -> int:
        """``r``."""
        return int(self.basis.shape[1])

    @property
    def unknowns(self) -> int:
        """``r (r+1)/2``."""
        return self.size * (self.size + 1) // 2

    def __call__(self, moment: Array) -> Array:
        """``Phi(X)``."""
        return restricted(self._moved, self.basis, self.left, moment)

    def contracts(self) -> bool | None:
        """Whether ``rho(Phi) < 1``, exactly in rationals; None where floats cannot tell."""
        if self.numbers.exact:
            return self.solved[0]
        if self.sure or not self.size:
            return self.factor.stable
        found = self.below(1.0)
        return self.factor.stable if found is None else found

    @cached_property
    def solved(self) -> tuple[bool, Array | None]:
        """In an exact type: whether ``rho(Phi) < 1``, and the solution ``Y`` of ``Y = Phi(Y) + I`` where there is one."""
        one = identity(self.size, self.numbers)
        if not self.size:
            return True, one
        found = self.solve(one)
        return found is not None and is_positive_definite(found), found

    def solve(self, right: Array, factor: float = 1.0) -> Array | None:
        """``X`` with ``X - Phi(X)/factor = right``, symmetric; None if the equations are singular or the solver fails.

        Raises
        ------
        ValueError : an exact type and more unknowns than :data:`MOST_EXACT`.
        """
        if self.numbers.exact:
            if self.unknowns > MOST_EXACT:
                raise ValueError(
                    f"state of D={self.size} entries needs {self.unknowns} exact second moments; expected at most {MOST_EXACT}"
                )
            found = solve(identity(self.unknowns, self.numbers) - self.matrix, self._pack(right), self.numbers)
            return None if found is None else self._unpack(found)
        if self.sure:
            return doubled(self.mean / np.sqrt(factor), right)
        if not right.any():
            return np.zeros_like(right)
        total, rest, size = np.zeros_like(right), right, float(np.linalg.norm(right))
        for _ in range(MOST_REFINEMENTS):
            step = self._dense_solve(rest, factor) if self._is_dense else self._krylov_solve(rest, factor, 1e-8)
            if step is None or not np.isfinite(step).all():
                return None
            total = total + step
            rest = right - (total - self(total) / factor)
            if float(np.linalg.norm(rest)) <= 4 * np.finfo(float).eps * (size + float(np.linalg.norm(total))):
                break
        return total

    def below(self, factor: float) -> bool | None:
        """Whether ``rho(Phi) < factor``; None where floats cannot tell.

        If ``X - Phi(X)/factor = I + R`` with ``|R| < 1``, the right side is positive definite, and ``rho(Phi) < factor`` if
        and only if ``X`` is.
        """
        one = np.eye(self.size)
        loose = 0.2 / np.sqrt(self.size)
        if self.sure:
            found = doubled(self.mean / np.sqrt(factor), one)
        else:
            found = self._dense_solve(one, factor) if self._is_dense else self._krylov_solve(one, factor, loose)
        if found is None or not np.isfinite(found).all():
            return None
        rest = found - self(found) / factor - one
        largest = float(np.abs(found).max())
        if not float(np.linalg.norm(rest, 2)) < 0.5:
            return None
        least = float(np.linalg.eigvalsh(found)[0])
        doubt = 64 * self.size * np.finfo(float).eps * largest
        return None if abs(least) <= doubt else least > 0

    @cached_property
    def factor(self) -> MeanSquareFactor:
        """``rho(Phi)`` with an enclosure."""
        if not self.size:
            return MeanSquareFactor(0.0, 0.0, 0.0)
        largest = float(np.abs(self.mean.astype(np.float64)).max())
        if not largest < LARGEST:
            raise ValueError(
                f"the mean map has an entry of size {largest:.6g}, too large for its eigenvalues in floats"
            )
        if not np.any(self(identity(self.size, self.numbers)) != 0):
            return MeanSquareFactor(0.0, 0.0, 0.0)
        if self.sure:
            low, value, high = spectral_radius(self.mean.astype(np.float64))
            lower, upper, square = max(low, 0.0) ** 2, high * high, value * value
            # Defective eigenvalues, which have no first order (zeros of SCAFFOLD's rounds), leave the upper end to the solve.
            for margin in MARGINS:
                if upper <= square * (1 + margin) or self.below(square * (1 + margin)):
                    return MeanSquareFactor(square, lower, min(upper, square * (1 + margin)))
            return MeanSquareFactor(square, lower, upper)
        estimate = max(self._estimate(), SMALLEST)
        lower, upper = 0.0, float("inf")
        for margin in MARGINS:
            if upper == float("inf") and self.below(estimate * (1 + margin)):
                upper = estimate * (1 + margin)
            if lower == 0.0 and self.below(estimate * (1 - margin)) is False:
                lower = estimate * (1 - margin)
            if lower > 0 and upper < float("inf"):
                break
        while self._is_dense and 0 < lower < upper * (1 - 4e-12) < float("inf"):
            middle = (lower + upper) / 2
            answer = self.below(middle)
            if answer is None:
                break
            lower, upper = (lower, middle) if answer else (middle, upper)
        value = estimate if lower <= estimate <= upper else (lower + upper) / 2
        return MeanSquareFactor(value, lower, upper)

    @cached_property
    def matrix(self) -> Array:
        """``Phi`` on the entries on and above the diagonal, ``(unknowns, unknowns)``."""
        rows, columns = np.triu_indices(self.size)
        if self._pairs is not None and not self.numbers.exact:
            first, second = (self.left @ part @ self.basis for part in self._pairs)
            whole = np.tensordot(first, second, axes=(0, 0)).transpose(0, 2, 1, 3)
            here = whole[rows[:, None], columns[:, None], rows, columns]
            there = whole[rows[:, None], columns[:, None], columns, rows]
            dense: Array = np.where(rows == columns, here, here + there)
            return dense
        found = np.empty((self.unknowns, self.unknowns), dtype=self.numbers.dtype)
        one = self.numbers.convert(1)
        for place, (i, j) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
            unit = self.numbers.array(np.zeros((self.size, self.size), dtype=int))
            unit[i, j] = unit[j, i] = one
            found[:, place] = self._pack(self(unit))
        return found

    def leaves(self, covariance: Array) -> bool:
        """Whether a noise of this covariance ``(D, D)`` moves a conserved quantity, which then walks without end."""
        inside = self.left @ covariance @ self.left.T
        outside = covariance - self.basis @ inside @ self.basis.T
        if self.numbers.exact:
            return any(entry != 0 for entry in outside.flat)
        size = float(np.abs(covariance).max(initial=0.0))
        return bool(float(np.abs(outside).max(initial=0.0)) > 1e-12 * size and size > 1e-28)

    @property
    def _is_dense(self) -> bool:
        return self.unknowns <= MOST_DENSE

    def _pack(self, moment: Array) -> Array:
        return np.asarray(moment[np.triu_indices(self.size)])

    def _unpack(self, entries: Array) -> Array:
        rows, columns = np.triu_indices(self.size)
        moment = np.empty((self.size, self.size), dtype=entries.dtype)
        moment[rows, columns] = entries
        moment[columns, rows] = entries
        return moment

    def _dense_solve(self, right: Array, factor: float) -> Array | None:
        from scipy.linalg import LinAlgWarning, lu_factor, lu_solve

        if self._factors is None or self._factors[0] != factor:
            import warnings

            with warnings.catch_warnings():
                warnings.simplefilter("error", LinAlgWarning)
                try:
                    self._factors = (factor, lu_factor(np.eye(self.unknowns) - self.matrix / factor))
                except LinAlgWarning:
                    return None
        return self._unpack(lu_solve(self._factors[1], self._pack(right)))

    _factors: tuple[float, Any] | None = None

    def _operator(self, factor: float | None = None) -> Any:
        from scipy.sparse.linalg import LinearOperator

        def action(entries: Array) -> Array:
            moment = self._unpack(np.asarray(entries).ravel())
            return self._pack(self(moment) if factor is None else moment - self(moment) / factor)

        return LinearOperator((self.unknowns, self.unknowns), matvec=action, dtype=np.float64)

    def _krylov_solve(self, right: Array, factor: float, tolerance: float) -> Array | None:
        from scipy.sparse.linalg import gmres

        found, failed = gmres(
            self._operator(factor), self._pack(right), rtol=tolerance, atol=0.0, restart=100, maxiter=4
        )
        return None if failed else self._unpack(found)

    def _estimate(self) -> float:
        if self.unknowns <= MOST_EIGENVALUES:
            return float(np.abs(np.linalg.eigvals(self.matrix)).max())
        from scipy.sparse.linalg import ArpackNoConvergence, eigs

        first = self._pack(np.eye(self.size))
        try:
            operator = self.matrix if self._is_dense else self._operator()
            values = eigs(operator, k=1, which="LM", v0=first, tol=1e-12, return_eigenvectors=False)
        except ArpackNoConvergence as error:
            values = error.eigenvalues
        if len(values):
            return float(np.abs(values).max())
        moment = np.eye(self.size)
        for _ in range(200):
            moment = self(moment)
            moment = moment / np.linalg.norm(moment, 2)
        return float(np.linalg.norm(self(moment), 2))
