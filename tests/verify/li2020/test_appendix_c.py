"""The tridiagonal example of Li et al. (2020): exact objects against closed forms and plain iteration."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from verify.li2020.appendix_c import closed_forms, ridge_identities
from verify.li2020.appendix_c.closed_forms import (
    N,
    leading_ratio_squared,
    optimum_norm_squared,
    optimum_steps,
    p,
)
from verify.li2020.appendix_c.example import (
    Example,
    bias,
    block_start,
    displacement,
    fixed_point,
    limit_of_round_map,
    norm_squared,
    round_map,
)
from verify.li2020.appendix_c.ridge_identities import box_steps, leading_steps, sequence_steps
from verify.li2020.appendix_c.stationary_points import (
    common_positive_roots,
    search_step_sizes,
    stationarity_steps,
)

SIZES = [(2, 2), (2, 3), (3, 2), (4, 3), (3, 5)]
STEP = sp.Rational(1, 5)


@pytest.mark.parametrize("n_clients, block", SIZES)
@pytest.mark.parametrize("ridge", [0, Fraction(1, 10)])
def test_matrices_agree_with_the_problem_library(n_clients: int, block: int, ridge: Fraction) -> None:
    from fltheory.problems import tridiagonal

    problem = tridiagonal.li_counterexample(n_clients, block, ridge, exact=True)
    example = Example(n_clients, block, sp.Rational(ridge))
    for client, matrix in enumerate(example.clients):
        assert matrix.tolist() == [[sp.Rational(e) for e in row] for row in problem.matrices[client].tolist()]
    assert [sp.Rational(e) for e in problem.constants.minimiser.tolist()] == list(example.optimum)


@pytest.mark.parametrize("n_clients, block", SIZES)
def test_local_gradients_vanish_in_sum(n_clients: int, block: int) -> None:
    for ridge in (0, sp.Rational(1, 7)):
        gradients = Example(n_clients, block, sp.sympify(ridge)).local_gradients
        assert sum(gradients[1:], gradients[0]).is_zero_matrix


def test_fixed_point_is_reached_by_plain_steps() -> None:
    example, local = Example(2, 2, sp.Rational(1, 10)), 3
    w = [0.0] * example.dimension
    matrices = [[[float(e) for e in row] for row in a.tolist()] for a in example.clients]
    for _ in range(4000):
        ends = []
        for client, a in enumerate(matrices):
            x = list(w)
            for _ in range(local):
                slope = [sum(a[i][j] * x[j] for j in range(len(x))) for i in range(len(x))]
                slope[0] -= client == 0
                x = [x_i - 0.2 * s_i for x_i, s_i in zip(x, slope, strict=True)]
            ends.append(x)
        w = [sum(column) / len(ends) for column in zip(*ends, strict=True)]
    assert w == pytest.approx([float(e) for e in fixed_point(example, local, STEP)], abs=1e-12)


def test_symbolic_step_agrees_with_numbers() -> None:
    eta, example = sp.Symbol("eta", positive=True), Example(2, 3)
    symbolic = bias(example, 3, eta)
    assert sp.Matrix(symbolic.subs(eta, STEP)) == sp.Matrix(bias(example, 3, STEP))


@pytest.mark.parametrize("ridge", [0, 1])
def test_one_local_step_has_no_bias(ridge: int) -> None:
    example = Example(3, 2, sp.Integer(ridge))
    assert fixed_point(example, 1, STEP) == example.optimum
    assert displacement(example, 1, STEP).is_zero_matrix


def test_one_client_has_no_bias() -> None:
    assert bias(Example(1, 3), 5, STEP).is_zero_matrix


@pytest.mark.parametrize("n_clients, block", SIZES)
def test_leading_bias_in_closed_form(n_clients: int, block: int) -> None:
    example = Example(n_clients, block)
    right = norm_squared(example.clients[0] * example.clients[1] * example.optimum)
    closed = leading_ratio_squared().subs({N: n_clients, p: block})
    assert norm_squared(example.leading_bias) == closed * right
    assert norm_squared(example.optimum) == optimum_norm_squared().subs({N: n_clients, p: block})


def test_leading_bias_is_the_slope_at_zero() -> None:
    example, step = Example(2, 2, sp.Rational(1, 3)), sp.Rational(1, 10**8)
    slope = bias(example, 4, step) / (3 * step)
    assert float(norm_squared(slope - example.leading_bias)) < 1e-14


@pytest.mark.parametrize("n_clients, block", [(2, 2), (3, 2), (4, 3)])
def test_limit_of_many_local_steps(n_clients: int, block: int) -> None:
    example = Example(n_clients, block)
    start = sp.Matrix([sp.Rational(int(i <= block), n_clients) for i in range(example.dimension)])
    limit = (sp.eye(example.dimension) - limit_of_round_map(example)).LUsolve(start)
    staircase = []
    for i in range(1, example.dimension + 1):
        inside, offset = divmod(i - 1, block)
        if offset == 0 and 0 < inside < n_clients:
            staircase.append(sp.Rational(2 * (n_clients - inside) - 1, 2 * (n_clients - 1)))
        else:
            staircase.append(sp.Rational(n_clients - 1 - min(inside, n_clients - 1), n_clients - 1))
    assert list(limit) == staircase
    assert float(norm_squared(fixed_point(example, 256, sp.Rational(1, 2)) - limit)) < 1e-6


def test_only_blocks_of_one_edge_have_a_step_size_without_bias() -> None:
    assert common_positive_roots(Example(2, 1), 3)[1] == 1
    assert common_positive_roots(Example(2, 2), 3)[1] == 0
    assert common_positive_roots(Example(2, 2), 1) == (0, 1)


def test_entries_of_the_source_with_a_ridge() -> None:
    for n_clients, block, ridge in ((2, 2, Fraction(1, 3)), (3, 2, Fraction(1, 5)), (3, 4, Fraction(2))):
        example = Example(n_clients, block, sp.Rational(ridge))
        source, w, mu = 2 * example.total * example.leading_bias, example.optimum, example.ridge
        jump = w[block] - w[block + 1]
        assert source[block - 1] == jump + n_clients * (n_clients - 1) * mu**2 * w[block - 1]
        assert source[0] == -(n_clients - 1) * mu * (2 * w[0] - w[1])


def holds(steps: object) -> bool:
    """Whether all steps hold, of which some are asked only then."""
    return all(step() if callable(step) else bool(step) for step in steps.values())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "steps",
    [
        closed_forms.source_steps,
        closed_forms.profile_steps,
        sequence_steps,
        ridge_identities.source_steps,
        leading_steps,
        box_steps,
    ],
)
def test_steps_of_the_lemmas(steps: object) -> None:
    results = steps()  # type: ignore[operator]
    assert results and holds(results)


def test_a_wrong_closed_form_fails_its_steps() -> None:
    assert not holds(optimum_steps(lambda at: 1 - at / (N * p + 1)))


def test_that_every_step_moves_the_minimiser_needs_two_edges_and_two_steps() -> None:
    assert holds(stationarity_steps(2, 2))
    assert not holds(stationarity_steps(1, 2))
    assert not holds(stationarity_steps(2, 1))


@pytest.mark.parametrize(
    "n_clients, block, ridge", [(2, 2, Fraction(1, 3)), (3, 2, Fraction(1, 5)), (3, 4, 2), (2, 3, 0)]
)
def test_the_last_gradient_solves_its_block(n_clients: int, block: int, ridge: Fraction) -> None:
    example, corner = Example(n_clients, block, sp.Rational(ridge)), (n_clients - 1) * block
    unit, mu, m = sp.eye(block + 1), example.ridge, n_clients * example.ridge
    gradient = sp.Matrix(example.local_gradients[-1])[corner:, 0]
    laplacian = sp.Matrix(example.clients[-1])[corner:, corner:] - mu * unit
    w = example.optimum
    slope = w[corner] - w[corner + 1] + m * w[corner]
    assert ((laplacian + m * unit) * gradient - slope * (laplacian + mu * unit)[:, 0]).is_zero_matrix


@pytest.mark.parametrize("ridge", [0, sp.Rational(1, 10)])
def test_no_step_size_is_found_from_two_edges_on(ridge: sp.Rational) -> None:
    found, numbers = search_step_sizes(2, 2, (sp.sympify(ridge),))
    assert [len(divisors) for divisors in numbers.values()] == [found.examined] == [5]
    assert not found.counterexample
    assert "every eta" in search_step_sizes(2, 1, (sp.sympify(ridge),))[0].counterexample


@pytest.mark.parametrize("n_clients, block", SIZES)
@pytest.mark.parametrize("ridge, step", [(0, sp.Rational(1, 2)), (1, sp.Rational(1, 3))])
def test_fixed_points_stay_in_the_unit_box(n_clients: int, block: int, ridge: int, step: sp.Rational) -> None:
    example = Example(n_clients, block, sp.Integer(ridge))
    for point in (example.optimum, fixed_point(example, 7, step)):
        assert all(0 <= entry <= 1 for entry in point)


def test_round_map_of_identical_halves_is_symmetric() -> None:
    matrix, _ = round_map(Example(3, 2), 4, STEP)
    reverse = list(range(matrix.rows))[::-1]
    assert matrix == matrix.T == matrix.extract(reverse, reverse)


@pytest.mark.parametrize("arguments", [(0, 2), (2, 0)])
def test_sizes_are_checked(arguments: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Example(*arguments)
    with pytest.raises(ValueError, match="ridge=-1"):
        Example(2, 2, sp.Integer(-1))


def printed_form(example: Example, client: int) -> sp.Matrix:
    """``A_k`` entry by entry from eq. (29), with the grounded ends of ``A_1`` and ``A_N``."""
    low, high = block_start(client, example.block), block_start(client + 1, example.block)

    def entry(i: int, j: int) -> int:
        inside = low <= min(i, j) and max(i, j) <= high
        if i == j:
            ends = int(client == 1 and i == 1) + int(client == example.n_clients and i == example.dimension)
            return ends + (0 if not inside else 1 if i in (low, high) else 2)
        return -1 if inside and abs(i - j) == 1 else 0

    return sp.Matrix(example.dimension, example.dimension, lambda i, j: entry(i + 1, j + 1))


@pytest.mark.parametrize(("clients", "block"), [(2, 2), (3, 2), (4, 3)])
def test_matrices_of_eq_29_entry_by_entry(clients: int, block: int) -> None:
    example = Example(clients, block)
    for client, matrix in enumerate(example.clients, 1):
        assert printed_form(example, client) == sp.Matrix(matrix)
