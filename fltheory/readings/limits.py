"""Limits read off the round map: in the step size, in the number of local steps."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array, PointLike
from fltheory.problems.base import Problem
from fltheory.problems.checks import check_count, check_flag, check_function, check_positive
from fltheory.problems.linear_algebra import minimise_quadratic, solve_exact
from fltheory.problems.numbers import as_number
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings.entry import Layout, dense, require_quadratic
from fltheory.readings.fixed_points import fixed_point
from fltheory.readings.linear import identity, is_positive_definite
from fltheory.readings.numbers import FLOAT, RATIONAL, Numbers, convert_problem, rational_functions
from fltheory.readings.round_map import RoundMap


def limit_local_steps_to_infinity(problem: Problem, step_size: Any, *, exact: bool = False) -> RoundMap:
    """FedAvg's round map under full participation as ``E -> infinity``: every client solves its own problem.

    From the server's model ``w``, client k's local steps end in the minimiser nearest to ``w``,

        x_k = Pi_k w + A_k^+ b_k,   Pi_k the orthogonal projector onto the null space of ``A_k``,

    so ``T = sum_k p_k Pi_k`` and ``c = sum_k p_k A_k^+ b_k``, for any step size below ``2/L_k``.  Exact in rationals.

    Raises
    ------
    ValueError : ``step_size >= 2/L_k`` for a client, or an ``F_k`` that is unbounded below: no limit exists.
    """
    require_quadratic(problem, "the limit of many local steps")
    numbers = RATIONAL if check_flag("exact", exact) else FLOAT
    step_size = as_number("step_size", step_size)
    check_positive("step_size", step_size)
    converted = dense(convert_problem(problem, numbers))
    _check_local_convergence(converted, numbers.convert(step_size), numbers)
    n, d = converted.n_clients, converted.dimension
    matrix, shift = np.zeros((d, d), dtype=numbers.dtype), np.zeros(d, dtype=numbers.dtype)
    for k in range(n):
        weight = converted.weights[k]
        matrix = matrix + weight * _null_projector(converted.matrices[k], numbers)
        shift = shift + weight * minimise_quadratic(converted.matrices[k], converted.vectors[k], name=f"F_{k}")
    layout = Layout((True,), n, d)
    start = numbers.array(np.zeros(d, dtype=int))
    return RoundMap(matrix, shift, start, identity(d, numbers), layout, numbers)


def series(
    problem: Problem, algorithm_of: Callable[[Any], Algorithm], order: int, *, start: PointLike | None = None
) -> tuple[tuple[Fraction, ...], ...]:
    """Taylor coefficients of the fixed point in the step size: ``w(eta) = sum_i out[i] eta^i``, ``i = 0 .. order``.

    ``algorithm_of(eta)`` makes the algorithm of a step size.  Exact: the fixed point is found over the field of
    rational functions of ``eta`` and divided out.

    Raises
    ------
    ValueError : ``order < 0``; a fixed point that has a pole at ``eta = 0``.
    """
    order = check_count("order", order, least=0)
    check_function("algorithm_of", algorithm_of, "algorithm_of(step_size)")
    numbers, (eta,) = rational_functions("eta")
    limit = fixed_point(problem, algorithm_of(eta), numbers=numbers, start=start)
    columns = [_expand(numbers.convert(entry), order) for entry in limit]
    return tuple(tuple(column[i] for column in columns) for i in range(order + 1))


def _expand(element: Any, order: int) -> list[Fraction]:
    """Power series of a rational function in one variable by long division."""
    top, bottom = ([_coefficient(part, i) for i in range(order + 1)] for part in (element.numer, element.denom))
    if bottom[0] == 0:
        raise ValueError(f"the fixed point has a pole at step size zero: {element}")
    series: list[Fraction] = []
    for i in range(order + 1):
        rest = top[i] - sum((bottom[j] * series[i - j] for j in range(1, i + 1)), Fraction(0))
        series.append(rest / bottom[0])
    return series


def _coefficient(polynomial: Any, power: int) -> Fraction:
    value = dict(polynomial).get((power,), 0)
    return Fraction(int(value.numerator), int(value.denominator)) if value else Fraction(0)


def _null_projector(matrix: Array, numbers: Numbers) -> Array:
    """Orthogonal projector onto the null space of a symmetric matrix."""
    d = len(matrix)
    if not numbers.exact:
        eigenvalues, basis = np.linalg.eigh(matrix)
        flat = basis[:, np.abs(eigenvalues) <= 16 * d * np.finfo(float).eps * np.abs(eigenvalues).max(initial=1e-300)]
        return np.asarray(flat @ flat.T)
    solved = solve_exact(matrix, numbers.array(np.zeros(d, dtype=int)))
    assert solved is not None  # zero is a solution
    null = solved[1]
    projector = numbers.array(np.zeros((d, d), dtype=int))
    if not null.shape[1]:
        return np.asarray(projector)
    gram = null.T @ null
    for i in range(d):
        coefficients = solve_exact(gram, null[i])
        assert coefficients is not None  # the columns of the basis are independent
        projector[:, i] = null @ coefficients[0]
    return np.asarray(projector)


def _check_local_convergence(problem: QuadraticProblem, step_size: Any, numbers: Numbers) -> None:
    """``0 < step_size < 2/L_k``; in rationals decided exactly by the definiteness of ``2 I - step_size A_k``."""
    check_positive("step_size", step_size)
    smoothness = problem.constants.client_smoothness
    for k in range(problem.n_clients):
        if numbers.exact:
            stable = is_positive_definite(2 * identity(problem.dimension, numbers) - step_size * problem.matrices[k])
        else:
            stable = step_size * smoothness[k] < 2
        if not stable:
            raise ValueError(f"step_size={step_size} is not below 2/L={2 / float(smoothness[k]):.6g} of client {k}")
