"""Expressions of :mod:`fltheory.theory.notation` on arrays, by its table of axes, and as forms of the generic client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.symbol import Str

from fltheory.kinds import Floats
from fltheory.theory.notation import (
    AbsentSum,
    BlockDiagonal,
    ClientSum,
    CohortSum,
    CoordinateSquares,
    Entry,
    Expect,
    Extreme,
    GeometricSum,
    Inner,
    NeighbourProducts,
    NeighbourSquares,
    Norm,
    NormSq,
    PairSum,
    PowerSum,
    PseudoInverse,
    Quadratic,
    Rank,
    RepeatedSum,
    SpectralNorm,
    Stacked,
    StepSum,
    Transposed,
)


def _pairs(x: Floats) -> Floats:
    total = np.sum(x, axis=-3, keepdims=True)
    square = np.sum(total**2, axis=(-1, -2), keepdims=True)
    return np.asarray(square - np.sum(x**2, axis=(-1, -2, -3), keepdims=True))


def _block_diagonal(*blocks: Floats) -> Floats:
    sizes = [np.atleast_2d(block).shape[-1] for block in blocks]
    matrix, start = np.zeros((sum(sizes), sum(sizes))), 0
    for block, size in zip(blocks, sizes, strict=True):
        matrix[start : start + size, start : start + size] = block
        start += size
    return matrix


def _power_sum(x: Floats, steps: Floats) -> Floats:
    total, power = np.zeros_like(x), np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    for _ in range(_whole(steps)):
        total, power = total + power, power @ x
    return total


def _whole(value: Floats) -> int:
    number = float(np.asarray(value).reshape(-1)[0])
    if number != int(number):
        raise ValueError(f"exponent {number} of a matrix is not a whole number")
    return int(number)


_MATRIX = (-1, -2)
_RULES: Mapping[type, Callable[..., Any]] = {
    NormSq: lambda x: np.sum(x**2, axis=_MATRIX, keepdims=True),
    Norm: lambda x: np.sqrt(np.sum(x**2, axis=_MATRIX, keepdims=True)),
    SpectralNorm: lambda x: np.linalg.norm(x, 2, axis=_MATRIX, keepdims=True),
    Rank: lambda x: np.linalg.matrix_rank(x)[..., None, None],
    Inner: lambda x, y: np.sum(x * y, axis=_MATRIX, keepdims=True),
    Quadratic: lambda a, w: np.swapaxes(w, -1, -2) @ a @ w,
    Entry: lambda x, i, _: x[..., _whole(i) - 1 : _whole(i), :],
    CoordinateSquares: lambda x: np.sum(x**2, axis=_MATRIX, keepdims=True),
    NeighbourProducts: lambda x: np.sum(x[..., 1:, :] * x[..., :-1, :], axis=_MATRIX, keepdims=True),
    NeighbourSquares: lambda x: np.sum((x[..., 1:, :] - x[..., :-1, :]) ** 2, axis=_MATRIX, keepdims=True),
    Transposed: lambda x: np.swapaxes(x, -1, -2),
    BlockDiagonal: _block_diagonal,
    Stacked: lambda *columns: np.concatenate(columns, axis=-2),
    RepeatedSum: lambda x, count, *_: count * x,
    GeometricSum: lambda rho, t, n: sum(rho ** (t + i) for i in range(_whole(n))),
    ClientSum: lambda x, first, _: np.sum(x[..., _whole(first) - 1 :, :, :], axis=-3, keepdims=True),
    PairSum: lambda x, _: _pairs(x),
    CohortSum: lambda count, x, _: np.sum(count * x, axis=-3, keepdims=True),
    AbsentSum: lambda count, x, _: np.sum((count == 0) * x, axis=-3, keepdims=True),
    Extreme: lambda x, which: (np.max if which == "max" else np.min)(x, axis=-3, keepdims=True),
    StepSum: lambda x, *_: np.sum(x, axis=-4, keepdims=True),
    Expect: lambda x, _: np.mean(x, axis=-5, keepdims=True) if x.ndim >= 5 else x,
    PowerSum: _power_sum,
    PseudoInverse: lambda x: np.linalg.pinv(x),
    sp.Max: lambda *x: reduce(np.maximum, x),
    sp.Min: lambda *x: reduce(np.minimum, x),
    sp.Abs: np.abs,
    sp.floor: np.floor,
}


def evaluate(expression: sp.Basic, values: Mapping[str, object]) -> Any:
    """The value of an expression on arrays, by the table of axes of the notation.

    Raises
    ------
    ValueError : a symbol has no value, or a function has no rule.
    """
    if isinstance(expression, Str):
        return expression.name
    if expression.is_Symbol:
        if expression.name not in values:
            raise ValueError(f"no value for {expression.name}")
        return np.asarray(values[expression.name], dtype=np.float64)
    if expression.is_number:
        return np.float64(expression)
    parts = [evaluate(part, values) for part in expression.args]
    if expression.is_Add:
        return reduce(lambda a, b: a + b, parts)
    if expression.is_Mul:
        plain = [x for x, part in zip(parts, expression.args, strict=True) if part.is_commutative]
        matrices = [x for x, part in zip(parts, expression.args, strict=True) if not part.is_commutative]
        factors = plain + ([reduce(lambda a, b: a @ b, matrices)] if matrices else [])
        return reduce(lambda a, b: a * b, factors)
    if expression.is_Pow and not expression.base.is_commutative:
        return np.linalg.matrix_power(parts[0], _whole(parts[1]))
    if expression.is_Pow:
        return parts[0] ** parts[1]
    if type(expression) not in _RULES:
        raise ValueError(f"{expression} cannot be evaluated on arrays")
    return _RULES[type(expression)](*parts)


def generic_form(expression: sp.Expr, weight: sp.Symbol) -> sp.Expr:
    """The expression as a form of the generic client: ``|x|^2 -> x^2``, ``<x, y> -> x y``, ``sum_k p_k x -> x``.

    The p-average of the form is the expression, where ``weight`` is the symbol of p_k and no average stands inside a
    square; scalars stand for vectors of any dimension (:mod:`fltheory.theory.averages`).
    """
    plain = expression.replace(NormSq, lambda x: x**2).replace(Inner, lambda x, y: x * y)
    return plain.replace(ClientSum, lambda x, *_: sp.expand(x / weight))
