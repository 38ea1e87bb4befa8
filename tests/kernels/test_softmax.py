"""The own exponential and the products of the softmax kernels; shapes that fill registers and blocks, and that do not."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numba
import numpy as np
import pytest

from fltheory import streams
from fltheory.algorithms import FedAvg
from fltheory.kernels import _product
from fltheory.kernels._exp import LOWEST, exp_nonpositive
from fltheory.kernels.dispatch import plan_for
from fltheory.kernels.jit import OPTIONS
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


def both_ways(product, columns):
    """Scores ``model rows'`` of whole eights of rows, then ``0.9 model + scores rows`` over the first ``count``."""

    def run(scores, turned, gradient, model, left, rows, ahead, none, classes, inputs, count):
        width, eights = left.shape[1], rows.shape[0]
        columns(turned, left, width, rows, eights)
        product(scores, classes, eights, model, 0.0, model, width, turned, none, inputs, 0, none)
        product(gradient, classes, width, model, 0.9, scores, eights, left, rows, count, 1, ahead)

    return run


@pytest.mark.parametrize("classes", [1, 4, 5, 10, 13])
@pytest.mark.parametrize(("eights", "width"), [(8, 8), (24, 64), (16, 304), (40, 24)])
def test_products_agree_with_their_twins(eights, width, classes):
    left, rows = RNG.normal(size=(31, width)), RNG.integers(0, 31, size=eights)
    model, none, count = RNG.normal(size=classes * width), rows[:0], eights - 3
    mine, plain, fetched = (
        tuple(np.zeros(n) for n in (classes * eights, width * eights, classes * width)) for _ in range(3)
    )
    compiled = numba.njit(**OPTIONS)(both_ways(_product.product, _product.columns))
    compiled(*mine, model, left, rows, none, none, classes, width - 1, count)
    compiled(*fetched, model, left, rows, rows, none, classes, width - 1, count)
    both_ways(_product.plain_product, _product.plain_columns)(
        *plain, model, left, rows, none, none, classes, width - 1, count
    )
    for one, other, same in zip(mine, plain, fetched, strict=True):
        assert np.abs(one - other).max() <= 1e-13 * np.abs(other).max()
        np.testing.assert_array_equal(one, same)
    scores = model.reshape(classes, width)[:, :-1] @ left[rows][:, :-1].T
    np.testing.assert_allclose(mine[0].reshape(classes, eights), scores, rtol=1e-11, atol=1e-11)
    others = model.reshape(classes, width) @ left[rows].T  # a last input too many is noticed
    assert np.abs(mine[0].reshape(classes, eights) - others).max() > 1e-3


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
