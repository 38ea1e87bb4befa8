"""The constants G and B of mixed gradient dissimilarity: which pairs are admissible for quadratics, and the least ones.

Definition 4.2 of Augenstein et al., "Mixed Federated Learning" (2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.kinds import Number
from fltheory.problems.checks import Array, check_finite, check_shape, check_symmetric, is_real, real_array, shown
from fltheory.problems.linear_algebra import is_positive_semidefinite, solve_exact


@dataclass(frozen=True, eq=False)
class GradientDissimilarity:
    """Definition 4.2 for ``grad f_f = H_f u + a``, ``grad f_c = H_c u - a`` with ``u = x - x*``, in rationals or floats.

    ============ ======== ==============================================
    argument     symbol   shape
    ============ ======== ==============================================
    ``federated`` ``H_f`` ``(d, d)`` symmetric
    ``central``   ``H_c`` ``(d, d)`` symmetric
    ``slope``     ``a``   ``(d,)``, ``grad f_f(x*)``
    ``weight``    ``w_f`` between 0 and 1
    ============ ======== ==============================================

    With ``R = w_c H_f - w_f H_c`` and ``H = H_f + H_c``,

        |grad f_f|^2/w_f + |grad f_c|^2/w_c = |H u|^2 + |R u + a|^2/(w_f w_c),

    so that ``(G, B)`` is admissible if and only if ``|R u + a|^2 <= w_f w_c (G^2 + (B^2 - 1)|H u|^2)`` for all ``u``.

    Raises
    ------
    ValueError : ``w_f`` outside the open interval (0, 1); other shapes, data that are not finite or not symmetric.
    """

    federated: Array
    central: Array
    slope: Array
    weight: Number

    def __post_init__(self) -> None:
        if not is_real(self.weight) or not 0 < self.weight < 1:
            raise ValueError(f"w_f={shown(self.weight)} is not a proportion; expected 0 < w_f < 1")
        slope = real_array("slope", self.slope)
        if slope.ndim != 1 or not slope.size:
            raise ValueError(f"slope has shape {slope.shape}; expected (d,) with d >= 1")
        check_finite("slope", slope)
        object.__setattr__(self, "slope", slope)
        for name in ("federated", "central"):
            matrix = real_array(name, getattr(self, name))
            check_shape(name, matrix, (len(slope), len(slope)))
            check_finite(name, matrix)
            check_symmetric(name, matrix[None])
            object.__setattr__(self, name, matrix)

    @property
    def product(self) -> Any:
        """``w_f w_c``."""
        return self.weight * (1 - self.weight)

    @cached_property
    def total(self) -> Array:
        """``H``."""
        return np.asarray(self.federated + self.central)

    @cached_property
    def residual(self) -> Array:
        """``R``."""
        return np.asarray((1 - self.weight) * self.federated - self.weight * self.central)

    @property
    def exact(self) -> bool:
        """Whether the data are rationals."""
        return self.total.dtype == object

    @property
    def least_G2(self) -> Any:
        """``|a|^2/(w_f w_c)``, which every admissible ``G^2`` reaches, whatever ``B``."""
        return (self.slope * self.slope).sum() / self.product

    @cached_property
    def least_B2(self) -> Any:
        """The infimum of ``B^2`` over admissible pairs: ``1 + sup_u |R u|^2/(w_f w_c |H u|^2)``.

        Exact where the data are and the number is a fraction with a small denominator, else a float.

        Raises
        ------
        ValueError : no pair is admissible (``R u != 0`` where ``H u = 0``).
        """
        h, r = self.total.astype(float), self.residual.astype(float)
        eigenvalues, basis = np.linalg.eigh(h)
        scale = float(np.abs(eigenvalues).max(initial=0.0))
        kept = np.abs(eigenvalues) > 1e-12 * scale if scale else np.zeros(len(h), bool)
        if np.abs(r @ basis[:, ~kept]).max(initial=0.0) > 1e-9 * max(scale, float(np.abs(r).max(initial=0.0)), 1e-300):
            raise ValueError(
                "no (G, B) exists: the parts' gradients grow along a direction in which that of f does not"
            )
        image = (r @ basis[:, kept]) / eigenvalues[kept]
        estimate = 1 + float(np.linalg.norm(image, 2) ** 2 if kept.any() else 0.0) / float(self.product)
        candidate = Fraction(estimate).limit_denominator(10**6)
        return candidate if self.exact and self._is_least(candidate) else estimate

    def admits(self, G2: Number, B2: Number) -> bool:
        """Whether ``(G, B)`` is admissible; decided exactly for rationals, to rounding for floats."""
        if not self.exact:  # eigenvalues of the form below would lose a least G^2 that is small beside B^2 |H|^2
            least = self.least_G2_given(B2)
            return least is not None and bool(G2 >= least * (1 - 1e-9))
        d = len(self.slope)
        form = np.zeros((d + 1, d + 1), dtype=object) + Fraction(0)
        form[:d, :d] = self._gap(B2)
        form[:d, d] = form[d, :d] = -(self.residual.T @ self.slope)
        form[d, d] = self.product * G2 - (self.slope * self.slope).sum()
        return is_positive_semidefinite(form)

    def least_G2_given(self, B2: Number) -> Number:
        """The least ``G^2`` for this ``B^2``: ``(|a|^2 + a'R P^+ R a)/(w_f w_c)``, ``P = w_f w_c (B^2-1) H^2 - R^2``.

        ``None`` where none is admissible; rationals need a rational ``B2``.
        """
        gap, image = self._gap(B2), self.residual.T @ self.slope
        if self.exact:
            solved = solve_exact(gap, image) if is_positive_semidefinite(gap) else None
            return None if solved is None else ((self.slope**2).sum() + image @ solved[0]) / self.product
        eigenvalues, basis = np.linalg.eigh(gap)
        size, slope = float(np.linalg.norm(self.total, 2)), float(np.linalg.norm(self.slope))
        # at B2 = 1 both parts of the gap may be nothing but rounding, whose size is that of what it is made of
        small = max(1e-10 * float(np.abs(eigenvalues).max(initial=0.0)), 1e-14 * float(self.product) * size**2, 1e-300)
        along = basis.T @ image
        flat = eigenvalues <= small
        negligible = max(1e-7 * float(np.abs(along).max(initial=0.0)), 1e-14 * size * slope, 1e-300)
        if eigenvalues[0] < -small or np.abs(along[flat]).max(initial=0.0) > negligible:
            return None
        extra = float((along[~flat] ** 2 / eigenvalues[~flat]).sum())
        return (float(self.slope @ self.slope) + extra) / self.product

    def sides(self, u: Array) -> tuple[Any, Any]:
        """``(|grad f_f|^2/w_f + |grad f_c|^2/w_c, |grad f|^2)`` at ``x* + u``."""
        a, b = self.federated @ u + self.slope, self.central @ u - self.slope
        return (a * a).sum() / self.weight + (b * b).sum() / (1 - self.weight), ((a + b) * (a + b)).sum()

    def _gap(self, B2: Any) -> Array:
        """``P = w_f w_c (B^2 - 1) H^2 - R^2``."""
        return np.asarray(self.product * (B2 - 1) * (self.total @ self.total) - self.residual @ self.residual)

    def _is_least(self, B2: Fraction) -> bool:
        gap = self._gap(B2)
        if not is_positive_semidefinite(gap):
            return False
        solved = solve_exact(gap, gap[:, 0] * 0)
        return B2 == 1 or (solved is not None and bool((self.total @ solved[1] != 0).any()))
