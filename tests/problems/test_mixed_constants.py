"""Mixed dissimilarity constants against their definition, exact against float, and the constructors of mixed problems."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import MixedProblem, curved, label_split
from fltheory.problems.mixed_dissimilarity import GradientDissimilarity
from fltheory.problems.quadratic import QuadraticProblem

HALF = Fraction(1, 2)


def planar() -> MixedProblem:
    """Two clients and a centre in the plane whose Hessians do not commute."""
    exact = np.vectorize(Fraction, otypes=[object])
    clients = QuadraticProblem(exact([[[1, 0], [0, 4]], [[3, 0], [0, "1/2"]]]), exact([[1, -4], [-6, 1]]))
    return MixedProblem(clients, QuadraticProblem(exact([[[2, "1/2"], ["1/2", 1]]]), exact([["3/2", "5/4"]])))


@pytest.mark.parametrize("weight", [HALF, Fraction(73, 100)])
@pytest.mark.parametrize("square", [Fraction(3), Fraction(10)])
def test_least_G_is_admissible_and_least(weight: Fraction, square: Fraction) -> None:
    found = planar().constants.dissimilarity(weight)
    least = found.least_G2_given(square)
    assert found.admits(least, square) and not found.admits(least * Fraction(999, 1000), square)
    assert least >= found.least_G2
    rng = np.random.default_rng(np.random.SeedSequence(1))
    for _ in range(200):
        left, total = found.sides(np.array([Fraction(int(n), 7) for n in rng.integers(-50, 50, 2)], dtype=object))
        assert left <= least + square * total


def test_floats_agree_with_rationals() -> None:
    exact = planar().constants.dissimilarity()
    floats = planar().map_parts(lambda part: part.to_float()).constants.dissimilarity()
    assert floats.least_B2 == pytest.approx(float(exact.least_B2), rel=1e-12)
    assert floats.least_G2 == pytest.approx(float(exact.least_G2), rel=1e-12)
    assert floats.least_G2_given(3.0) == pytest.approx(float(exact.least_G2_given(Fraction(3))), rel=1e-9)
    assert floats.least_G2_given(1.01) is None and exact.least_G2_given(Fraction(101, 100)) is None


@pytest.mark.parametrize("square", [Fraction(3), Fraction(10**5)])
def test_floats_admit_nothing_below_the_least(square: Fraction) -> None:
    floats = planar().map_parts(lambda part: part.to_float()).constants.dissimilarity()
    least = float(planar().constants.dissimilarity().least_G2_given(square))
    assert floats.admits(least * (1 + 1e-6), float(square))
    assert not floats.admits(least * (1 - 1e-6), float(square))


def test_least_B_of_scalars_by_hand() -> None:
    problem = curved([[1]], [3], federated_centres=[[Fraction(1)]], central_centre=[Fraction(-1)], L=3)
    found = problem.constants.dissimilarity()
    assert found.least_B2 == Fraction(5, 4) and found.least_G2 == 9  # 2 (1 + 9)/16 and 4 (3/2)^2
    assert found.least_G2_given(Fraction(2)) == 12 and found.least_G2_given(Fraction(5, 4)) is None
    assert found.least_G2_given(Fraction(10**9)) < 9 + Fraction(1, 10**6)


def test_equal_losses_have_no_dissimilarity() -> None:
    problem = curved([[2, 1]], [2, 1], federated_centres=[[1, 1]], central_centre=[1, 1], L=2)
    found = problem.constants.dissimilarity()
    assert found.least_B2 == 1 and found.least_G2 == 0 and found.admits(0, 1)


def test_opposite_losses_have_no_pair() -> None:
    one = np.array([[1.0]])
    with pytest.raises(ValueError, match="no .G, B. exists"):
        _ = GradientDissimilarity(one, -one, np.zeros(1), 0.5).least_B2
    with pytest.raises(ValueError, match="w_f=1.5"):
        GradientDissimilarity(one, one, np.zeros(1), 1.5)


def test_spread_of_the_clients() -> None:
    shifted = curved([[2], [2]], [1], federated_centres=[[1], [-1]], central_centre=[0], L=2)
    assert shifted.constants.client_spread == 4  # gradients 2 x -+ 2
    with pytest.raises(ValueError, match="sigma_f.2 is infinite"):
        _ = planar().constants.client_spread


@pytest.mark.parametrize("curvature", [Fraction(-2), 2])
def test_curvature_between_the_limits(curvature: Any) -> None:
    problem = curved([[curvature]], [Fraction(3, 2)], federated_centres=[[0]], central_centre=[0], L=2)
    assert problem.constants.smoothness == 2
    with pytest.raises(ValueError, match="a curvature has size 2"):
        curved([[curvature]], [0], federated_centres=[[0]], central_centre=[0], L=1)


def test_label_split() -> None:
    features = np.array(
        [[1, 1, 2], [1, 2, 1], [1, 0.5, -1], [1, -1, 0.5], [1, -1, -2], [1, -2, -0.5], [1, 1, -0.5], [1, 0.5, 0.5]]
    )
    labels = np.array([1, 1, 1, 1, -1, -1, -1, -1])
    problem = label_split(features, labels, 2, ridge=0.01)
    w = np.array([0.1, -0.2, 0.3])
    federated = np.logaddexp(0, -features[:4] @ w).mean() + 0.005 * w @ w
    central = np.logaddexp(0, features[4:] @ w).mean() + 0.005 * w @ w
    assert problem.value(w) == pytest.approx(federated + central, rel=1e-14)
    run = fl.simulate(problem, fl.OneWayGradientTransfer(2, 0.5), rounds=30, oracle=fl.Exact())
    assert run.objective[0, -1] < run.objective[0, 0]
    with pytest.raises(ValueError, match="4 federated and 4 central rows"):
        label_split(features, labels, 5)


def test_variances_of_both_sides() -> None:
    samples = fl.QuadraticSamples(np.full((2, 1, 1), 2.0), np.array([[1.0], [-1.0]]))
    clients, centre = (
        fl.QuadraticProblem.from_samples([samples]),
        QuadraticProblem(np.ones((1, 1, 1)), np.zeros((1, 1))),
    )
    constants = MixedProblem(clients, centre).constants
    assert constants.gradient_variances(fl.MiniBatch(1), fl.AdditiveNoise(np.array(0.25))) == (1.0, 0.25)
    uneven = fl.QuadraticSamples(np.array([[[1.0]], [[2.0]]]), np.array([[1.0], [-1.0]]))
    problem = MixedProblem(fl.QuadraticProblem.from_samples([uneven]), centre)
    with pytest.raises(ValueError, match="different curvature along coordinate 0"):
        problem.constants.gradient_variances(fl.MiniBatch(1), fl.Exact())
