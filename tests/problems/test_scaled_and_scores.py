"""A problem times a factor, and scores of predictions against brute force."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fltheory as fl
from fltheory.problems import accuracy, auc, recall_at
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem

RNG = np.random.default_rng(6)
MATRICES = np.array([[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.0, 3.0]]])
QUADRATIC = QuadraticProblem(MATRICES, np.array([[1.0, 2.0], [-1.0, 0.0]]), [1.0, 2.0], weights=[0.3, 0.7])
TIMES_5 = QuadraticProblem(5 * MATRICES, 5 * QUADRATIC.vectors, [5.0, 10.0], weights=[0.3, 0.7])
FEATURES = tuple(RNG.normal(size=(n, 3)) for n in (7, 12))
LABELS = tuple(RNG.integers(0, 3, size=n) for n in (7, 12))
SOFTMAX = fl.SoftmaxProblem(FEATURES, LABELS, fl.Regulariser(0.1, "lambda/2|w|^2"), classes=3)
SOFTMAX_CENTRE = fl.SoftmaxProblem(FEATURES[:1], LABELS[:1], SOFTMAX.regulariser, classes=3)


def test_constants_are_those_of_the_scaled_quadratic() -> None:
    found, wanted = fl.Scaled(QUADRATIC, 5).constants, TIMES_5.constants
    for name in (
        "client_smoothness",
        "client_strong_convexity",
        "smoothness",
        "strong_convexity",
        "minimiser",
        "minimum",
        "client_minimisers",
        "client_minima",
        "gamma",
        "weights",
    ):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-13, atol=1e-15, err_msg=name)
    assert found.exactness == wanted.exactness == "spectral"
    assert fl.Scaled(SOFTMAX, 2).constants.exactness == SOFTMAX.constants.exactness


def test_values_and_gradients_are_those_of_the_scaled_quadratic() -> None:
    scaled, w, x = fl.Scaled(QUADRATIC, 5), RNG.normal(size=(4, 2)), RNG.normal(size=(3, 2, 2))
    np.testing.assert_allclose(scaled.value(w), TIMES_5.value(w), rtol=1e-13)
    np.testing.assert_allclose(scaled.client_values(w), TIMES_5.client_values(w), rtol=1e-13)
    np.testing.assert_allclose(scaled.gradient(w), TIMES_5.gradient(w), rtol=1e-13)
    np.testing.assert_allclose(scaled.client_gradients(x), TIMES_5.client_gradients(x), rtol=1e-13)
    only = np.array([1])
    np.testing.assert_allclose(
        scaled.client_gradients(x[:, :1], only), TIMES_5.client_gradients(x[:, :1], only), rtol=1e-13
    )
    assert (scaled.n_clients, scaled.dimension, scaled.weights.tolist()) == (2, 2, [0.3, 0.7])


def test_gradients_of_samples_are_slopes() -> None:
    scaled, w = fl.Scaled(SOFTMAX, 0.2), RNG.normal(size=SOFTMAX.dimension)
    slope = np.array([(scaled.value(w + 1e-6 * e) - scaled.value(w - 1e-6 * e)) / 2e-6 for e in np.eye(len(w))])
    np.testing.assert_allclose(scaled.gradient(w), slope, atol=1e-8)
    means = [scaled.sample_gradients(k, w).mean(axis=0) for k in range(2)]
    np.testing.assert_allclose(scaled.weights @ means, scaled.gradient(w), rtol=1e-12)
    np.testing.assert_allclose(
        scaled.sample_gradients(1, w, np.array([3, 3, 0])), scaled.sample_gradients(1, w)[[3, 3, 0]]
    )
    assert scaled.sample_sizes.tolist() == [7, 12]


class WithBatches:
    """A problem that answers all slots at once."""

    n_clients, dimension, weights = 2, 1, np.array([0.5, 0.5])

    def batch_gradients(self, clients: Any, x: Any, rows: Any) -> Any:
        return x + rows.sum(axis=-1)[..., None] + clients[..., None]


def test_batches_are_answered_at_once_where_the_problem_can() -> None:
    clients, x, rows = np.array([[0, 1]]), np.ones((1, 2, 1)), np.array([[[1, 2], [3, 4]]])
    own = WithBatches().batch_gradients(clients, x, rows)
    assert (fl.Scaled(WithBatches(), 3).batch_gradients(clients, x, rows) == 3 * own).all()
    mixed = MixedProblem(fl.Scaled(WithBatches(), 3), QuadraticProblem(np.eye(1)[None], np.ones((1, 1))))
    assert (mixed.batch_gradients(clients, x, rows) == 3 * own).all()
    without = fl.Scaled(SOFTMAX, 3)
    for problem in (without, MixedProblem(without, SOFTMAX_CENTRE)):
        assert not hasattr(problem, "batch_gradients")


def test_rational_factors() -> None:
    exact = fl.Scaled(QUADRATIC.to_exact(), Fraction(1, 3))
    w = np.array([Fraction(1), Fraction(-2)], dtype=object)
    assert exact.value(w) * 3 == QUADRATIC.to_exact().value(w) and exact.exact
    assert fl.Scaled(exact, 3).gradient(w).tolist() == QUADRATIC.to_exact().gradient(w).tolist()
    floats = exact.to_float()
    assert floats.factor == 1 / 3 and not floats.exact
    np.testing.assert_allclose(floats.gradient(np.array([1.0, -2.0])), exact.gradient(w).astype(float))
    assert fl.Scaled(QUADRATIC, Fraction(1, 4)).gradient(np.ones(2)).dtype == np.float64
    assert fl.Scaled(SOFTMAX, Fraction(1, 4)).to_float().factor == 0.25
    run = fl.simulate(exact, fl.FedAvg(2, 0.1), rounds=3)
    np.testing.assert_allclose(run.objective, fl.simulate(floats, fl.FedAvg(2, 0.1), rounds=3).objective, rtol=1e-14)


@pytest.mark.parametrize("factor", [0, -1.5, float("nan")])
def test_factors_that_are_not_positive(factor: float) -> None:
    with pytest.raises(ValueError, match="is not positive; expected factor > 0"):
        fl.Scaled(QUADRATIC, factor)


def test_refused_scalings() -> None:
    with pytest.raises(ValueError, match="factor=inf is not finite"):
        fl.Scaled(QUADRATIC, float("inf"))
    with pytest.raises(ValueError, match="is a float, the problem exact"):
        fl.Scaled(QUADRATIC.to_exact(), 0.5)
    with pytest.raises(ValueError, match="MixedProblem has two parts"):
        fl.Scaled(MixedProblem(SOFTMAX, SOFTMAX_CENTRE), 2.0)
    with pytest.raises(ValueError, match="TridiagonalProblem has no samples"):
        fl.simulate(fl.Scaled(fl.li_tridiagonal(3, 2, 0.1), 2.0), fl.FedAvg(1, 0.1), rounds=1, oracle=fl.MiniBatch(1))
    with pytest.raises(ValueError, match="expected one number type"):
        MixedProblem(fl.Scaled(QUADRATIC.to_exact(), 2), QuadraticProblem(MATRICES[:1], np.ones((1, 2))))


def pairs(scores: Any, positive: Any) -> float:
    """All pairs of a positive and a negative."""
    ours, others = np.asarray(scores)[positive], np.asarray(scores)[~positive]
    won = [1.0 if a > b else 0.5 if a == b else 0.0 for a in ours for b in others]
    return sum(won) / len(won)


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=30))
def test_auc_counts_pairs(listed: list[tuple[int, bool]]) -> None:
    scores, positive = np.array([s for s, _ in listed], dtype=float), np.array([p for _, p in listed])
    if positive.all() or not positive.any():
        with pytest.raises(ValueError, match="expected at least one of each"):
            auc(scores, positive)
        return
    assert auc(scores, positive) == pytest.approx(pairs(scores, positive), abs=1e-14)
    assert auc(scores, ~positive) == pytest.approx(1 - pairs(scores, positive), abs=1e-14)
    assert auc(np.exp(scores), positive) == auc(scores, positive)  # only the order counts


def test_auc_at_the_ends() -> None:
    assert auc(np.array([1.0, 2.0, 3.0]), np.array([False, True, True])) == 1
    assert auc(np.array([-np.inf, 0.0, np.inf]), np.array([True, False, False])) == 0
    assert auc(np.array([np.inf, np.inf]), np.array([True, False])) == 0.5
    large = RNG.normal(size=2_000)
    assert auc(large, large > 0) == 1


def recall_by_orders(count: int, scores: Any, wanted: Any) -> float:
    """The mean over all orders of equal scores: each item gets every place among its equals equally often."""
    shares = []
    for row, item in zip(scores, wanted, strict=True):
        above = sum(other > row[item] for other in row)
        level = sum(other == row[item] for other in row)
        shares.append(sum(above + place < count for place in range(level)) / level)
    return sum(shares) / len(shares)


@given(
    st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=8), st.integers(1, 4), st.data()
)
def test_recall_shares_ties(rows: list[list[int]], count: int, data: Any) -> None:
    wanted = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    found = recall_at(count, np.array(rows), np.array(wanted))
    assert found == pytest.approx(recall_by_orders(count, rows, wanted), abs=1e-14)


def test_recall_by_hand() -> None:
    scores = np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 1.0], [0.0, 5.0, 5.0]])
    assert recall_at(1, scores, np.array([0, 2, 1])) == pytest.approx((1 + 1 / 3 + 1 / 2) / 3)
    assert recall_at(2, scores, np.array([2, 0, 2])) == pytest.approx((0 + 2 / 3 + 1) / 3)
    assert recall_at(3, scores, np.array([2, 0, 0])) == 1
    assert recall_at(2, np.zeros((5, 8)), np.arange(5)) == 2 / 8


def test_accuracy() -> None:
    assert accuracy(np.array([1, 2, 3, 3]), np.array([1, 2, 0, 3])) == 0.75
    with pytest.raises(ValueError, match=r"predicted has shape \(2,\), labels \(3,\)"):
        accuracy(np.zeros(2), np.zeros(3))
    with pytest.raises(ValueError, match="n >= 1"):
        accuracy(np.zeros(0), np.zeros(0))


def test_refused_scores() -> None:
    yes_no = np.array([True, False])
    with pytest.raises(ValueError, match=r"scores\[1\] is not a number"):
        auc(np.array([0.0, np.nan]), yes_no)
    with pytest.raises(ValueError, match="expected two lists of one length"):
        auc(np.zeros(3), yes_no)
    with pytest.raises(ValueError, match="expected two lists of one length"):
        auc(np.zeros((2, 2)), np.zeros((2, 2), bool))
    with pytest.raises(ValueError, match="2 positives and 0 negatives"):
        auc(np.zeros(2), np.ones(2, bool))
    scores = np.zeros((2, 3))
    for count, wanted, words in (
        (0, [0, 0], "count=0 is not valid"),
        (4, [0, 0], "count=4 exceeds the 3 items"),
        (1, [0], "expected (q, items)"),
        (1, [0, 3], "expected integers in 0..2"),
        (1, [0, -1], "expected integers in 0..2"),
        (1, [0.5, 1.0], "expected integers in 0..2"),
    ):
        with pytest.raises(ValueError) as caught:
            recall_at(count, scores, np.array(wanted))
        assert words in str(caught.value)
    with pytest.raises(ValueError, match=r"scores\[1, 2\] is not a number"):
        recall_at(1, np.array([[0.0, 0, 0], [0, 0, np.nan]]), np.array([0, 0]))
