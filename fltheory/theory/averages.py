"""Weighted averages over clients as a linear functional: inequalities for any number of clients and any weights.

A statement ``sum_k p_k form_k >= 0`` whose form is quadratic in vectors and linear in function values is decided
without listing the clients: every vector of the generic client is split into its mean and a deviation, u = U + du.
Since the deviations average to zero,

    sum_k p_k <u_k, v_k> = <U, V> + sum_k p_k <du_k, dv_k>,

so that the average of a form is the form of the means plus the averaged form of the deviations.  Symbols stand for
vectors (Gram reduction: an identity between quadratic forms holds in every dimension if and only if it holds for
commuting scalars), and a product of two deviations stands for its average.  The average of an inequality that holds
for each client is an inequality, and the average of a square is a nonnegative combination of squares in both blocks.
The same functional is an expectation, with the noise as deviation, or a mean over steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from fltheory.theory.proofs import Certificate

_ORDER = sp.Symbol("order_")


@dataclass(frozen=True)
class Averages:
    """What the symbols of a statement stand for; every symbol that is not named here is a parameter.

    Parameters
    ----------
    vectors : vector of the generic client -> (its mean, the symbol of its deviation).
    values : number of the generic client (a function value) -> its mean.
    common_vectors, common_values : symbols that are equal for all clients.
    """

    vectors: Mapping[sp.Symbol, tuple[sp.Expr, sp.Symbol]]
    values: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    common_vectors: tuple[sp.Symbol, ...] = ()
    common_values: tuple[sp.Symbol, ...] = ()

    def of(self, form: sp.Expr) -> sp.Expr:
        """The average of a form of the generic client, in means and deviations.

        Raises
        ------
        ValueError : a term is neither quadratic in the vectors nor linear in the values.
        """
        self._require_form(form)
        split = {symbol: mean + _ORDER * deviation for symbol, (mean, deviation) in self.vectors.items()}
        poly = sp.Poly(sp.expand(sp.sympify(form).subs({**split, **self.values}, simultaneous=True)), _ORDER)
        return sp.expand(poly.coeff_monomial(1) + poly.coeff_monomial(_ORDER**2))

    def squares_of(self, weight: sp.Expr, vector: sp.Expr) -> list[tuple[sp.Expr, sp.Expr]]:
        """The average of ``weight * |vector|^2`` as weighted squares, one per block; ``vector`` is linear."""
        means = {symbol: mean for symbol, (mean, _) in self.vectors.items()}
        split = {symbol: deviation for symbol, (_, deviation) in self.vectors.items()}
        nothing = {symbol: sp.Integer(0) for symbol in self.common_vectors}
        blocks = (
            sp.sympify(vector).subs(means, simultaneous=True),
            sp.sympify(vector).subs({**split, **nothing}, simultaneous=True),
        )
        return [(weight, block) for block in blocks if sp.expand(block) != 0]

    def certificate(
        self,
        left: sp.Expr,
        right: sp.Expr,
        *,
        premises: Mapping[str, tuple[sp.Expr, sp.Expr]] | None = None,
        squares: Sequence[tuple[sp.Expr, sp.Expr]],
        ranges: Sequence[tuple[sp.Symbol, Any, Any | None]],
    ) -> Certificate:
        """Certificate for ``average(left) <= average(right)`` from premises and squares of the generic client.

        ``premises`` are (multiplier, form that is nonnegative for every client or on average), ``squares`` are
        (weight, vector); multipliers and weights hold parameters only.
        """
        return Certificate(
            left=self.of(left),
            right=self.of(right),
            premises={name: (multiplier, self.of(form)) for name, (multiplier, form) in (premises or {}).items()},
            squares=[pair for weight, vector in squares for pair in self.squares_of(weight, vector)],
            ranges=ranges,
        )

    def _require_form(self, form: sp.Expr) -> None:
        vectors = [*self.vectors, *self.common_vectors]
        values = [*self.values, *self.common_values]
        top, bottom = sp.fraction(sp.together(sp.sympify(form)))
        if bottom.free_symbols & {*vectors, *values}:
            raise ValueError(f"form {form} has a vector or a value in its denominator")
        for powers, coefficient in sp.Poly(top, *vectors, *values).terms():
            if coefficient != 0 and sum(powers[: len(vectors)]) + 2 * sum(powers[len(vectors) :]) != 2:
                raise ValueError(f"form {form} is not quadratic in the vectors and linear in the values")
