"""The own exponential and the tiles of the softmax kernels; shapes that fill registers and blocks, and that do not."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numba
import numpy as np
import pytest

from fltheory import streams
from fltheory.algorithms import FedAvg
from fltheory.kernels import _tile
from fltheory.kernels._exp import LOWEST, exp_nonpositive
from fltheory.kernels.dispatch import plan_for
from fltheory.kernels.plan import Slots
from fltheory.problems import Exact, MiniBatch, Regulariser, SoftmaxProblem
from fltheory.readings.draws import StreamDraws
from fltheory.simulate import simulate

RNG = np.random.default_rng(3)
GRID = np.concatenate([np.linspace(LOWEST, 0.0, 20_001), -np.logspace(-18, math.log10(-LOWEST), 20_000)[:-1]])
#: The same source, compiled and not.
EXPONENTIALS = [exp_nonpositive, getattr(exp_nonpositive, "py_func", exp_nonpositive)]
PLAIN = {"over": "ignore", "invalid": "ignore"}


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=["compiled", "plain"])
def test_the_exponential_is_within_one_unit_in_the_last_place(exponential):
    mine = np.array([exponential(np.float64(x)) for x in GRID])
    library = np.array([math.exp(x) for x in GRID])
    assert (np.abs(mine - library) <= np.spacing(library)).all()
    with localcontext(prec=40):
        for x, value in zip(GRID[::20].tolist(), mine[::20].tolist(), strict=True):
            exact = Decimal(x).exp()
            assert abs(Decimal(value) - exact) < Decimal(math.ulp(float(exact)))


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=["compiled", "plain"])
def test_the_ends_of_the_exponential(exponential):
    with np.errstate(**PLAIN):
        assert exponential(np.float64(0.0)) == exponential(np.float64(-0.0)) == 1.0
        assert exponential(np.float64(LOWEST)) > 0.0
        for x in (math.nextafter(LOWEST, -math.inf), -1e9, -1e300, -math.inf):
            assert exponential(np.float64(x)) == 0.0
        assert math.isnan(exponential(np.float64("nan")))


def products(tile):
    """``scores += X model`` and ``gradient += X' residuals`` for the rows ``X`` of ``left``, by tiles."""

    def run(scores, gradient, left, rows, model, residuals, lanes, inputs):
        width, count = left.shape[1], rows.shape[0]
        for c in range(0, lanes, 12):
            for first in range(0, count, 4):
                tile(scores, first, left, width, rows, inputs, model, lanes, c, 0)
            for first in range(0, width, 4):
                tile(gradient, first, left, width, rows, count, residuals, lanes, c, 1)

    return run


@pytest.mark.parametrize("lanes", [4, 8, 12, 16, 20, 64])
@pytest.mark.parametrize(("count", "width"), [(4, 4), (24, 64), (8, 300)])
def test_tiles_agree_with_their_twin(count, width, lanes):
    left, rows = RNG.normal(size=(31, width)), RNG.integers(0, 31, size=count)
    model, residuals = RNG.normal(size=width * lanes), RNG.normal(size=count * lanes)
    mine, plain = (residuals.copy(), model.copy()), (residuals.copy(), model.copy())
    numba.njit(products(_tile.tile))(*mine, left, rows, model, residuals, lanes, width - 1)
    products(_tile.plain_tile)(*plain, left, rows, model, residuals, lanes, width - 1)
    for one, other in zip(mine, plain, strict=True):
        assert np.abs(one - other).max() <= 1e-13 * np.abs(other).max()


@pytest.mark.parametrize("size", [0, 1, 3, 8, 31])
@pytest.mark.parametrize("classes", [2, 4, 5, 8, 11, 13, 21, 62])
@pytest.mark.parametrize("features", [1, 3, 60, 140])
def test_any_number_of_classes_features_and_rows(features, classes, size):
    rng = np.random.default_rng(classes)
    sizes = (31, 33, 70)
    x = tuple(rng.normal(size=(n, features)) for n in sizes)
    y = tuple(rng.integers(0, classes, size=n) for n in sizes)
    problem = SoftmaxProblem(x, y, Regulariser(0.02, "lambda/2|w|^2"), classes=classes)
    oracle = MiniBatch(size) if size else Exact()
    clients = np.array([[2, 0, 1]])
    slots = Slots(clients, streams.key(1, np.zeros((1, 1), dtype=np.int64), 9, clients), 4, np.ones(3))
    w = rng.normal(size=(1, 3, problem.dimension))
    plan = plan_for(problem, oracle)
    draws = StreamDraws(problem, oracle, 1, np.arange(1))
    plain = draws.gradient(9, 4, w, clients, np.zeros_like(clients))
    assert np.abs(plan.gradients(w, slots) - plain).max() <= 1e-12 * np.abs(plain).max()
    stepped = w - 0.1 * plain
    assert np.abs(plan.local_sgd(w, slots, np.array([0.1]), None) - stepped).max() <= 1e-12 * np.abs(stepped).max()
    np.testing.assert_allclose(plan.values(w[0]), problem.value(w[0]), rtol=1e-13)


@pytest.mark.parametrize("oracle", [MiniBatch(5), Exact()], ids=["batch", "all rows"])
@pytest.mark.parametrize("backend", ["numba", "numpy"])
def test_a_run_that_diverges_says_so(backend, oracle):
    x, y = RNG.normal(size=(40, 3)), RNG.integers(0, 3, size=40)
    problem = SoftmaxProblem((x, x), (y, y), Regulariser(0.5, "lambda/2|w|^2"))
    run = simulate(problem, FedAvg(4, 1e200), rounds=3, oracle=oracle, backend=backend)
    assert run.status == ("diverged at round 1",)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_scores_that_are_not_finite_are_not_hidden(bad):
    problem = SoftmaxProblem((np.ones((6, 2)),), (np.arange(6) % 3,), Regulariser(0.1, "lambda/2|w|^2"))
    w = np.zeros((1, 1, problem.dimension))
    w[..., 4] = bad
    one = Slots(np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.uint64), 0, np.ones(1))
    plan = plan_for(problem, Exact())
    with np.errstate(**PLAIN):
        plain, value = problem.client_gradient(0, w[0, 0]), problem.value(w[0])
    np.testing.assert_array_equal(np.isfinite(plan.gradients(w, one)[0, 0]), np.isfinite(plain))
    np.testing.assert_array_equal(np.isfinite(plan.values(w[0])), np.isfinite(value))
