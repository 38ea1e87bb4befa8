"""The trusted symbolic checks: exact identities, sign conditions on parameter ranges, and quadratic forms.

Everything a row calls ``proof`` goes through one of these functions (or through the verifier of certificates).
They are short on purpose, use exact arithmetic only, and never conclude from a failed simplification:
``is_zero`` decides rational functions by expanding the numerator; ``nonnegative_on`` is a sufficient test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp


def numerator(expression: sp.Expr) -> sp.Poly | sp.Expr:
    """Expanded numerator of a rational expression in its free symbols."""
    return sp.expand(sp.fraction(sp.together(sp.sympify(expression)))[0])


def is_zero(expression: sp.Expr) -> bool:
    """Whether a rational expression vanishes identically (decided exactly, by expansion of its numerator)."""
    return bool(numerator(expression) == 0)


def range_substitution(symbol: sp.Symbol, low: Any, high: Any | None, fresh: sp.Symbol) -> sp.Expr:
    """``symbol`` in ``[low, high]`` (``high=None``: no upper end) as a function of ``fresh >= 0``.

    The closed upper end is the limit ``fresh -> oo``, which a weak inequality between continuous functions reaches.
    """
    del symbol
    if high is None:
        return sp.sympify(low) + fresh
    return (sp.sympify(low) + sp.sympify(high) * fresh) / (1 + fresh)


def nonnegative_on(expression: sp.Expr, ranges: Sequence[tuple[sp.Symbol, Any, Any | None]]) -> bool:
    """Sufficient exact test that a rational expression is nonnegative on a box, possibly with dependent ends.

    Each ``(symbol, low, high)`` is replaced by a nonnegative variable, later entries first, so that the ends of a
    range may use the symbols of earlier entries (``(mu, 0, None), (L, mu, None), (eta, 0, 1/(4*L))``).  All
    coefficients of numerator and denominator must then be nonnegative, which proves the claim on the range
    (wherever the denominator does not vanish).  ``False`` means "not proved this way", never "false".
    """
    expr = sp.sympify(expression)
    fresh: list[sp.Symbol] = []
    for index in range(len(ranges) - 1, -1, -1):
        symbol, low, high = ranges[index]
        variable = sp.Symbol(f"u_{index}", nonnegative=True)
        fresh.append(variable)
        expr = expr.subs(symbol, range_substitution(symbol, low, high, variable))
    top, bottom = sp.fraction(sp.together(expr))
    top, bottom = sp.expand(top), sp.expand(bottom)
    if top.free_symbols - set(fresh) or bottom.free_symbols - set(fresh):
        extra = sorted(map(str, (top.free_symbols | bottom.free_symbols) - set(fresh)))
        raise ValueError(f"symbols without a range: {', '.join(extra)}")
    if bottom == 0:
        raise ValueError("the denominator vanishes identically on the range")

    def signs(poly: sp.Expr) -> list[sp.Expr]:
        return sp.Poly(poly, *fresh).coeffs() if fresh else [poly]

    top_signs, bottom_signs = signs(top), signs(bottom)
    same = all(c >= 0 for c in top_signs) and all(c >= 0 for c in bottom_signs)
    flipped = all(c <= 0 for c in top_signs) and all(c <= 0 for c in bottom_signs)
    return bool(same or flipped)


@dataclass(frozen=True)
class Certificate:
    """``right - left = sum multipliers[i] * premises[i] + sum weights[j] * squares[j]**2`` as polynomials.

    ``premises`` are expressions known to be nonnegative; multipliers and weights must be nonnegative on ``ranges``.
    By the Gram reduction, symbols may stand for vectors as long as every term is quadratic in them: an identity
    between quadratic forms holds for vectors of any dimension if and only if it holds for scalars.
    """

    left: sp.Expr
    right: sp.Expr
    premises: Mapping[str, tuple[sp.Expr, sp.Expr]]
    squares: Sequence[tuple[sp.Expr, sp.Expr]]
    ranges: Sequence[tuple[sp.Symbol, Any, Any | None]]

    def verify(self) -> tuple[bool, str]:
        """Whether the certificate proves ``left <= right`` on the ranges, and the first reason if it does not."""
        total = sum((m * p for m, p in self.premises.values()), sp.Integer(0))
        total += sum((c * s**2 for c, s in self.squares), sp.Integer(0))
        rest = numerator(self.right - self.left - total)
        if rest != 0:
            return False, f"the identity leaves the residual {rest}"
        for name, (multiplier, _) in self.premises.items():
            if not nonnegative_on(multiplier, self.ranges):
                return False, f"the multiplier {multiplier} of premise {name} is not shown nonnegative"
        for weight, square in self.squares:
            if not nonnegative_on(weight, self.ranges):
                return False, f"the weight {weight} of the square of {square} is not shown nonnegative"
        return True, "identity and signs verified"


def gram_matrix(form: sp.Expr, vectors: Sequence[sp.Symbol]) -> sp.Matrix:
    """Symmetric coefficient matrix Q of a quadratic form in commuting symbols that stand for vectors.

    ``form = sum_ij Q_ij v_i v_j``; for vectors of any dimension the form is ``sum_ij Q_ij <v_i, v_j>``, which is
    nonnegative for all vectors if and only if Q is positive semidefinite.

    Raises
    ------
    ValueError : the form has terms that are not of degree two in ``vectors``.
    """
    poly = sp.Poly(sp.expand(form), *vectors)
    size = len(vectors)
    matrix = sp.zeros(size, size)
    for powers, coefficient in poly.terms():
        if coefficient == 0:
            continue
        if sum(powers) != 2:
            raise ValueError(f"term {powers} of the form is not quadratic in the vectors")
        hit = [i for i, power in enumerate(powers) for _ in range(power)]
        i, j = hit
        if i == j:
            matrix[i, i] += coefficient
        else:
            matrix[i, j] += coefficient / 2
            matrix[j, i] += coefficient / 2
    return matrix


def is_positive_semidefinite(matrix: sp.Matrix) -> bool:
    """Exact test for a rational symmetric matrix, by LDL^T with symmetric pivoting on the largest diagonal entry."""
    work = sp.Matrix(matrix)
    if work != work.T:
        raise ValueError("the matrix is not symmetric")
    left = list(range(work.rows))
    while left:
        pivot = max(left, key=lambda i: work[i, i])
        value = work[pivot, pivot]
        if value < 0:
            return False
        if value == 0:
            return all(work[i, j] == 0 for i in left for j in left)
        left.remove(pivot)
        for i in left:
            for j in left:
                work[i, j] -= work[i, pivot] * work[pivot, j] / value
    return True
