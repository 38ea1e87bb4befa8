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

from fltheory.theory.record import records
from fltheory.theory.signs import Open, Ranges, denominators, exact, nonnegative_on, pole, positive_on

__all__ = [
    "Certificate",
    "Open",
    "equal",
    "gram_matrix",
    "is_positive_semidefinite",
    "is_zero",
    "nonnegative_on",
    "numerator",
    "positive_on",
]


def numerator(expression: sp.Expr) -> sp.Expr:
    """Expanded numerator of an expression, rational in its symbols and in what else it contains (functions, roots, powers).

    Raises
    ------
    ValueError : the expression contains a float, an infinity or what is no number, or divides by what vanishes identically.
    """
    found = exact(expression)
    return sp.expand(sp.fraction(sp.together(found))[0])


@records("identity")
def is_zero(expression: sp.Expr) -> bool:
    """Whether an expression vanishes identically (decided exactly, by expansion of its numerator).

    It then is zero wherever none of its denominators vanishes; :func:`fltheory.theory.signs.pole` says where that is.
    """
    return bool(numerator(expression) == 0)


@records("equality")
def equal(left: Any, right: Any) -> bool:
    """Whether two expressions are the same rational function; what is recorded are both sides as they are written."""
    return is_zero(sp.sympify(left) - sp.sympify(right))


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
    ranges: Ranges

    @records("polynomial")
    def verify(self) -> tuple[bool, str]:
        """Whether the certificate proves ``left <= right`` on the ranges, and the first reason if it does not."""
        try:
            return self._verify()
        except ValueError as error:
            return False, str(error)

    def _verify(self) -> tuple[bool, str]:
        pairs = [*self.premises.values(), *self.squares]
        for part in (self.left, self.right, *(item for pair in pairs for item in pair)):
            bad = pole(part, self.ranges)
            if bad is not None:
                return False, f"the denominator {bad} is not shown to vanish nowhere on the ranges"
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
    if any(base.has(*vectors) for base in denominators(exact(form))):
        raise ValueError(f"the form {form} divides by a vector: it is not quadratic")
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


@records("psd")
def is_positive_semidefinite(matrix: sp.Matrix) -> bool:
    """Exact test for a rational symmetric matrix, by LDL^T with symmetric pivoting on the largest diagonal entry."""
    work = sp.Matrix(matrix)
    if any(not isinstance(entry, sp.Rational) or not entry.is_finite for entry in work):
        raise ValueError("an entry of the matrix is no rational number")
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
