"""The minimum of mixed problems that are not quadratic: Newton's method, its certificate, and where there is none."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.mixed import MixedProblem, label_split
from fltheory.problems.onedim import ScalarProblem
from fltheory.problems.piecewise import PiecewiseQuadratic
from fltheory.problems.quadratic import QuadraticProblem

RNG = np.random.default_rng(np.random.SeedSequence(11))
FEATURES = np.hstack([RNG.normal(size=(60, 3)), np.ones((60, 1))])
LABELS = np.where(np.arange(60) < 30, 1, -1)


def ridge(strength: float) -> fl.Regulariser:
    return fl.Regulariser(strength, "lambda/2|w|^2")


def softmax(seed: int, sizes: tuple[int, ...], strength: float = 0.05) -> fl.SoftmaxProblem:
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    features = tuple(rng.normal(size=(n, 2)) for n in sizes)
    return fl.SoftmaxProblem(features, tuple(rng.integers(0, 3, size=n) for n in sizes), ridge(strength), classes=3)


def logistic(strength: float, n: int = 40) -> fl.LogisticProblem:
    return fl.LogisticProblem((FEATURES[:n],), (np.tile([1, -1], n)[:n],), regulariser=ridge(strength))


def check_certificate(problem: Any, modulus: float) -> None:
    """The certificate recomputed from its definition, and points around the minimiser."""
    constants = problem.constants
    slope = problem.gradient(constants.minimiser)
    assert constants.modulus == pytest.approx(modulus, rel=1e-9)
    assert constants.suboptimality == pytest.approx(slope @ slope / (2 * modulus), rel=1e-6)
    assert constants.suboptimality <= 1e-12 * max(1.0, abs(constants.minimum))
    for direction in np.random.default_rng(1).normal(size=(20, problem.dimension)):
        for length in (1e-3, 1.0):
            w = constants.minimiser + length * direction
            least = constants.minimum - 1e-12 + modulus / 2 * length**2 * direction @ direction * 0.99
            assert problem.value(w) >= least


def test_label_split_is_twice_the_pooled_problem() -> None:
    """As many rows on both sides: the sum of the two means is twice the mean over all."""
    problem = label_split(FEATURES, LABELS, 5, ridge=0.01)
    pooled = fl.LogisticProblem((FEATURES,), (LABELS,), regulariser=ridge(0.01)).constants
    check_certificate(problem, 0.02)
    np.testing.assert_allclose(problem.constants.minimiser, pooled.minimiser, atol=1e-5)
    assert problem.constants.minimum == pytest.approx(2 * pooled.minimum, abs=3e-12)
    run = fl.simulate(problem, fl.OneWayGradientTransfer(1, 0.5), rounds=60)
    assert run.gap is not None and run.squared_distance is not None and run.reference == ""
    assert 0 < run.gap[0, -1] < 1e-3 * run.gap[0, 0] and run.squared_distance[0, -1] < 0.01 * run.squared_distance[0, 0]
    assert run.gap[0, -1] == pytest.approx(problem.value(run.final[0]) - 2 * pooled.minimum, abs=1e-11)
    assert problem.constants.gamma > 0 and problem.constants.heterogeneity > 0


def test_weighted_softmax_is_one_problem_with_weighted_clients() -> None:
    clients, centre = softmax(1, (12, 20)), softmax(2, (30,))
    problem = MixedProblem(fl.Scaled(clients, 0.73), fl.Scaled(fl.Scaled(centre, 0.5), 0.54))
    whole = fl.SoftmaxProblem(
        clients.features + centre.features,
        clients.labels + centre.labels,
        ridge(0.05),
        weights=np.array([*(0.73 * clients.weights), 0.27]),
        classes=3,
    )
    check_certificate(problem, 0.05)
    np.testing.assert_allclose(problem.constants.minimiser, whole.constants.minimiser, atol=1e-5)
    assert problem.constants.minimum == pytest.approx(whole.constants.minimum, abs=3e-12)
    unweighted = MixedProblem(clients, centre).constants.minimiser
    assert np.abs(unweighted - whole.constants.minimiser).max() > 1e-3


def test_curvature_of_scaled_parts_is_the_slope_of_the_gradient() -> None:
    scaled, w, v = fl.Scaled(softmax(1, (12, 20)), 0.73), RNG.normal(size=9), RNG.normal(size=9)
    slope = (scaled.gradient(w + 1e-6 * v) - scaled.gradient(w - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(scaled.curvature_at(w)(v), slope, rtol=1e-7, atol=1e-9)
    assert not hasattr(fl.Scaled(QuadraticProblem(np.eye(2)[None], np.ones((1, 2))), 2), "curvature_at")


@pytest.mark.parametrize("strengths", [(0.0, 0.1), (0.1, 0.0)])
def test_one_strongly_convex_part_is_enough(strengths: tuple[float, float]) -> None:
    check_certificate(MixedProblem(logistic(strengths[0]), logistic(strengths[1], 20)), 0.1)


@pytest.mark.parametrize("curvature", [1.0, -0.05])
def test_a_quadratic_part(curvature: float) -> None:
    """Its moduli may be negative as long as those of both parts together are not."""
    quadratic = QuadraticProblem(2 * curvature * np.eye(4)[None], np.ones((1, 4)))
    check_certificate(MixedProblem(logistic(0.1), fl.Scaled(quadratic, 0.5)), 0.1 + curvature)


def test_the_modulus_of_a_quadratic_part_counts_its_rounding() -> None:
    quadratic = QuadraticProblem(-0.1 * np.eye(4)[None], np.ones((1, 4)))
    with pytest.raises(ValueError, match=r"strong_convexity=.* of f = f_f \+ f_c: a certified minimum needs mu > 0"):
        _ = MixedProblem(logistic(0.1), quadratic).constants.minimiser


def test_where_there_is_none() -> None:
    flat = label_split(FEATURES, LABELS, 5)
    with pytest.raises(ValueError, match=r"strong_convexity=0.0 of f = f_f \+ f_c: a certified minimum needs mu > 0"):
        _ = flat.constants.minimiser
    run = fl.simulate(flat, fl.OneWayGradientTransfer(1, 0.1), rounds=1)
    assert run.gap is None and "needs mu > 0" in run.reference
    network = fl.NetworkProblem((FEATURES,), (LABELS,), ridge(0.1), hidden=2)
    nothing = QuadraticProblem(np.zeros((1, network.dimension, network.dimension)), np.zeros((1, network.dimension)))
    for parts in ((network, nothing), (nothing, fl.Scaled(network, 0.27))):
        run = fl.simulate(MixedProblem(*parts), fl.OneWayGradientTransfer(1, 0.1), rounds=1)
        assert run.gap is None and "of a network does not exist: the loss is not convex" in run.reference


class Bare:
    """A loss of which only values and gradients are known."""

    n_clients, dimension, weights = 1, 4, np.ones(1)

    def value(self, w: Any) -> Any:
        return np.cosh(w).sum(axis=-1)

    def client_values(self, w: Any) -> Any:
        return self.value(w)[..., None]

    def gradient(self, w: Any) -> Any:
        return np.sinh(w)

    def client_gradients(self, x: Any, clients: Any = None) -> Any:
        return np.sinh(x)


@pytest.mark.parametrize("part", [Bare(), fl.Scaled(Bare(), 0.27)], ids=["alone", "scaled"])
def test_parts_without_constants_are_named(part: Any) -> None:
    for parts in ((part, logistic(0.1)), (logistic(0.1), part)):
        problem = MixedProblem(*parts)
        with pytest.raises(ValueError, match="Bare has no constants"):
            _ = problem.constants.minimiser
        with pytest.raises(ValueError, match="Bare has no constants"):
            _ = problem.constants.smoothness
        run = fl.simulate(problem, fl.OneWayGradientTransfer(1, 0.1), rounds=1)
        assert run.gap is None and "Bare has no constants" in run.reference


def test_convex_parts_without_second_derivatives_are_named() -> None:
    huber = ScalarProblem((PiecewiseQuadratic(np.array([-1.0, 1.0]), np.array([0.0, 1.0, 0.0])),))
    scalar = QuadraticProblem(np.ones((1, 1, 1)), np.ones((1, 1)))
    with pytest.raises(ValueError, match=r"Scaled\(ScalarProblem\) is neither quadratic nor twice differentiable"):
        _ = MixedProblem(scalar, fl.Scaled(huber, 2.0)).constants.minimiser
    exact = ScalarProblem((PiecewiseQuadratic(np.array([Fraction(0)]), np.array([Fraction(1), Fraction(2)])),))
    with pytest.raises(ValueError, match="ScalarProblem is neither quadratic nor twice differentiable"):
        _ = MixedProblem(exact, scalar.to_exact()).constants.minimiser
