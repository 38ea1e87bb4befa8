"""Dense quadratics: points of one client side by side and half of a symmetric matrix give the bits of one point alone."""

from __future__ import annotations

import numpy as np
import pytest

import fltheory as fl
from fltheory.kernels import _dense, _quadratic, _rank
from fltheory.kernels.dispatch import _symmetric, plan_for
from fltheory.kernels.jit import kernel
from fltheory.problems.oracles import Exact

NOTHING = np.zeros((1, 1, 1))


def matrices(d, clients=2):
    rng = np.random.default_rng(d)
    a = rng.normal(size=(clients, d, d)) / d**0.5
    return a + a.swapaxes(1, 2), rng.normal(size=(clients, d))


def chain(out, columns, x):
    """``out + A x``, one column after the other, in longer numbers."""
    return (out.astype(np.longdouble) + columns.T.astype(np.longdouble) @ x).astype(float)


@pytest.mark.parametrize("d", [1, 7, 8, 23, 24, 41, 131])
def test_the_product_with_many_is_that_with_each(d):
    columns, rng = matrices(d)[0][0] + np.triu(np.ones((d, d))), np.random.default_rng(0)
    width = d + 16 - d % 8
    x, start = np.zeros((40, width)), np.zeros((40, width))
    x[:, :d], start[:, :d] = rng.normal(size=(2, 40, d))
    single = start.copy()
    for m in range(40):
        _quadratic.add_product(single[m, :d], columns, x[m, :d], 1.0)
    for many in (1, 2, 3, 5, 8, 16, 31):
        out = start.copy()
        _dense.add_products(out, columns, x, many)
        np.testing.assert_array_equal(out[:many, :d], single[:many, :d])
    assert np.abs(single[0, :d] - chain(start[0, :d], columns, x[0, :d])).max() <= 1e-14 * d


@pytest.mark.parametrize("d", [9, 16, 39, 40, 300])
def test_half_of_a_symmetric_matrix_says_all(d):
    columns, rng = matrices(d)[0][0], np.random.default_rng(1)
    x, start = np.zeros(d + 8), np.zeros(d + 8)
    x[:d], start[:d] = rng.normal(size=(2, d))
    whole = start.copy()
    _quadratic.add_product(whole[:d], columns, x[:d], 1.0)
    for coming, turn in ((columns[:0], 0), (columns.copy(), 0), (columns.copy(), 7), (columns.copy(), 8)):
        out = start.copy()
        _dense.add_mirrored(out, columns, x, coming, turn)
        np.testing.assert_array_equal(out[:d], whole[:d])
    # The other half is not looked at where strips are whole: a matrix that is not symmetric needs the flag.
    if d == 300:
        wrong = columns.copy()
        wrong[200, 8] += 1.0
        out = start.copy()
        _dense.add_mirrored(out, wrong, x, columns[:0], 0)
        np.testing.assert_array_equal(out[:d], whole[:d])
        assert _symmetric(columns[None]) and not _symmetric(wrong[None])


@kernel
def tiles(out, x, columns, begin, end):
    for first in range(0, columns.shape[1], _rank.BLOCK):
        _rank.rank(out, x, columns, first, begin, end, 0, 4, 0)
        _rank.rank(out, x, columns, first, begin, end, 4, 2, _rank.BLOCK if first == 0 else 0)
        _rank.rank(out, x, columns, first, begin, end, 6, 1, 0)


@kernel
def strip(out, x, columns, coming):
    _rank.mirror(out, x, columns, 16, 40, 64, coming, 2)


def test_tiles_and_strips_agree_with_their_twins():
    rng, d = np.random.default_rng(2), 70
    columns, x, start = matrices(d)[0][0], rng.normal(size=(8, 72)), rng.normal(size=(8, 72))
    mine, plain = start.copy(), start.copy()
    tiles(mine, x, columns, 3, 50)
    for first in range(0, d, _rank.BLOCK):
        _rank.plain_rank(plain, x, columns, first, 3, 50, 0, 7, 0)
    np.testing.assert_allclose(mine[:, :d], plain[:, :d], rtol=0, atol=1e-13)
    assert (mine[7] == start[7]).all() and not np.allclose(mine[6, :d], start[6, :d])
    one, twin = start[0].copy(), start[0].copy()
    strip(one, x[0], columns, columns)
    _rank.plain_mirror(twin, x[0], columns, 16, 40, 64, columns, 2)
    np.testing.assert_allclose(one, twin, rtol=0, atol=1e-13)
    assert np.flatnonzero(one != start[0]).tolist() == [*range(16, 32), *range(40, 64)]


def noises(d, clients):
    rng = np.random.default_rng(3)
    roots, support = rng.normal(size=(clients, d, d)), rng.normal(size=(clients, 3, d))
    return {
        "exact": (_quadratic.EXACT, NOTHING, NOTHING, np.ones(1)),
        "scalar": (_quadratic.SCALAR, NOTHING + 0.3, NOTHING, np.ones(1)),
        "gaussian": (_quadratic.GAUSSIAN, roots, NOTHING, np.ones(1)),
        "finite": (_quadratic.FINITE, NOTHING, support, np.array([0.2, 0.5, 1.0])),
    }


@pytest.mark.parametrize("kind", ["exact", "scalar", "gaussian", "finite"])
@pytest.mark.parametrize("d", [3, 41, 264])
def test_steps_and_gradients_of_many_points_are_those_of_each(d, kind):
    runs, slots, rng = 36, 2, np.random.default_rng(4)
    columns, vectors = matrices(d)
    data = (columns, vectors, *noises(d, 2)[kind])
    x, clients = rng.normal(size=(runs, slots, d)), np.tile([1, 0], (runs, 1))
    clients[5] = [0, 0]
    keys = rng.integers(0, 2**62, size=(runs, slots)).astype(np.uint64)
    rates, scales, shift = np.array([0.1, 0.05, 0.2]), np.array([1.0, 0.7]), rng.normal(size=x.shape)
    for extra in (np.empty((0, 0, d)), shift):
        every, slopes = x.copy(), np.empty_like(x)
        _quadratic.local_sgd(every, clients, keys, 4, rates, extra, scales, *data, True)
        _quadratic.gradients(slopes, x, clients, keys, 4, scales, *data, True)
        for run in (0, 5, 35):
            for symmetric in (True, False):
                alone, slope = x[run : run + 1].copy(), np.empty_like(x[:1])
                one = (clients[run : run + 1], keys[run : run + 1])
                _quadratic.local_sgd(alone, *one, 4, rates, extra[run : run + 1], scales, *data, symmetric)
                _quadratic.gradients(slope, x[run : run + 1], *one, 4, scales, *data, symmetric)
                np.testing.assert_array_equal(alone[0], every[run])
                np.testing.assert_array_equal(slope[0], slopes[run])
    if kind == "exact":
        k = clients[5, 1]
        wanted = scales[k] * (columns[k] @ x[5, 1] - vectors[k])
        assert np.abs(slopes[5, 1] - wanted).max() <= 1e-12


@pytest.mark.parametrize("algorithm", [fl.FedAvg(3, fl.Harmonic(2, 40)), fl.FedAvg(2, 0.05, fl.SchemeI(2))], ids=repr)
def test_runs_do_not_depend_on_how_many_there_are_nor_on_threads(algorithm):
    a, b = matrices(264, 3)
    problem = fl.QuadraticProblem(a @ a.swapaxes(1, 2) / 4, b)
    settings = {"rounds": 3, "record_every": 3, "reference": False, "oracle": Exact()}
    starts = np.random.default_rng(5).normal(size=(64, 264))

    def finals(runs, **options):
        return fl.simulate(problem, algorithm, runs=runs, start=starts[:runs], **settings, **options).final

    many = finals(64, threads=1)
    assert finals(64, threads=2, chunk=5).tobytes() == many.tobytes()
    for runs in (1, 3, 16):
        assert finals(runs).tobytes() == many[:runs].tobytes()


def test_matrices_that_are_not_symmetric_to_the_last_bit_are_told_apart():
    a, b = matrices(264)
    assert plan_for(fl.QuadraticProblem(a, b), Exact()).data[-1] is True
    a[1, 3, 200] *= 1 + 2.0**-50
    assert plan_for(fl.QuadraticProblem(a, b), Exact()).data[-1] is False
