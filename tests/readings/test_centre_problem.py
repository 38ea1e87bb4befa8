"""Mixed problems: what is summed, what belongs to the clients, and the constants."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import MixedProblem
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings import moments, round_map


def parabola(curvature: Any, minimiser: Any) -> QuadraticProblem:
    """``curvature |w - minimiser|^2/2`` with one client."""
    a = Fraction(curvature)
    identity = [[a, Fraction(0)], [Fraction(0), a]]
    offset = a * sum(Fraction(m) ** 2 for m in minimiser) / 2
    return QuadraticProblem(
        np.array([identity], dtype=object),
        np.array([[a * Fraction(m) for m in minimiser]], dtype=object),
        np.array([offset], dtype=object),
    )


@pytest.fixture
def hand() -> MixedProblem:
    """``f_1 = |w - (2,0)|^2/2``, ``f_2 = |w - (-2,0)|^2/2``, ``f_c = 3 |w - (0,4)|^2/2``: ``x* = (0, 3)``."""
    one, two = parabola(1, [2, 0]), parabola(1, [-2, 0])
    clients = QuadraticProblem(
        np.concatenate([one.matrices, two.matrices]),
        np.concatenate([one.vectors, two.vectors]),
        np.concatenate([one.offsets, two.offsets]),
    )
    return MixedProblem(clients, parabola(3, [0, 4]))


def test_constants_by_hand(hand: MixedProblem) -> None:
    constants = hand.constants
    assert constants.minimiser.tolist() == [0, 3]
    assert constants.minimum == Fraction(13, 2) + Fraction(3, 2)
    assert constants.gamma == 8
    assert constants.heterogeneity == 4 + 9
    assert (constants.smoothness, constants.strong_convexity) == (3, 1)
    assert (hand.gradient(constants.minimiser) == 0).all()
    assert constants.client_minimisers.tolist() == [[2, 0], [-2, 0]]
    assert (constants.client_smoothness == 1).all() and (constants.client_strong_convexity == 1).all()
    assert constants.exactness == "spectral" and constants.client_minima.tolist() == [0, 0]
    assert (constants.weights == Fraction(1, 2)).all()


def test_values_and_gradients_are_sums(hand: MixedProblem) -> None:
    w = np.array([[1.0, 2.0], [-1.0, 0.5]])
    floats = hand.map_parts(lambda part: part.to_float())
    np.testing.assert_allclose(floats.value(w), floats.clients.value(w) + floats.centre.value(w))
    step = 1e-6
    for i in range(2):
        shift = step * np.eye(2)[i]
        slope = (floats.value(w + shift) - floats.value(w - shift)) / (2 * step)
        np.testing.assert_allclose(floats.gradient(w)[:, i], slope, rtol=1e-7)
    at = np.array([[1.0, 2.0], [0.0, 0.0]])
    total = floats.client_gradients(np.broadcast_to(at[0], (2, 2))).mean(axis=0) + floats.centre_gradient(at[0])
    np.testing.assert_allclose(total, floats.gradient(at[0]))


def test_tridiagonal_and_logistic_clients() -> None:
    clients = fl.li_tridiagonal(3, 2, 0.1)
    centre = QuadraticProblem(np.eye(clients.dimension)[None], np.ones((1, clients.dimension)))
    problem = MixedProblem(clients, centre)
    np.testing.assert_allclose(problem.gradient(problem.constants.minimiser), 0, atol=1e-13)
    algorithm = fl.OneWayGradientTransfer(2, 0.05)
    step = round_map(problem, algorithm)
    dense = round_map(MixedProblem(clients.to_dense(), centre), algorithm)
    np.testing.assert_allclose(step.matrix, dense.matrix, atol=1e-15)
    assert moments(problem, algorithm, rounds=3).gap[-1] > 0
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=(5, 2)) for _ in range(2)]
    signs = [np.array([1.0, -1.0, 1.0, 1.0, -1.0])] * 2
    logistic = fl.LogisticProblem(rows, signs, regulariser=fl.Regulariser(0.1, "lambda/2|w|^2"))
    both = MixedProblem(logistic, QuadraticProblem(np.eye(2)[None], np.ones((1, 2))))
    run = fl.simulate(both, fl.TwoWayGradientTransfer(2, 0.1, 0.1), rounds=400, oracle=fl.Exact())
    assert run.gap is not None and 0 <= run.gap[0, -1] < 1e-6 < run.gap[0, 0]
    batches = fl.simulate(both, fl.OneWayGradientTransfer(2, 0.1), rounds=5, oracle=fl.MiniBatch(2))
    assert batches.completed
    with pytest.raises(ValueError, match="LogisticProblem: the round map needs affine gradients"):
        round_map(both, algorithm)


def test_refused_problems(hand: MixedProblem) -> None:
    with pytest.raises(ValueError, match="centre has 2 clients"):
        MixedProblem(hand.centre, hand.clients)
    with pytest.raises(ValueError, match="clients have dimension 2, centre 1"):
        MixedProblem(hand.clients, QuadraticProblem(np.array([[[Fraction(1)]]]), np.array([[Fraction(1)]])))
    with pytest.raises(ValueError, match="expected one number type"):
        MixedProblem(hand.clients, hand.centre.to_float())
    tridiagonal = MixedProblem(fl.li_tridiagonal(3, 2, 0.1), QuadraticProblem(np.zeros((1, 7, 7)), np.zeros((1, 7))))
    with pytest.raises(ValueError, match="has no samples"):
        fl.simulate(tridiagonal, fl.FedAvg(1, 0.1), rounds=1, oracle=fl.MiniBatch(1))
