"""Fixed points with proven errors, linearised rounds and moments, biases: against high precision, rationals and simulations."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.vocabulary import ClientVector, Federation, Vector
from fltheory.problems.second_order_of import second_order
from fltheory.readings.certified_points import CertifiedPoint, certify
from fltheory.readings.enclosures import deterministic_round
from fltheory.readings.linearised import local_contraction
from fltheory.readings.resting import Resting
from fltheory.readings.trajectory import trajectory

RIDGE = fl.Regulariser(0.125, "lambda/2|w|^2")


def logistic(d: int = 2, n: int = 6, ridge: Any = RIDGE, clients: int = 3) -> fl.LogisticProblem:
    rng = np.random.default_rng(7)
    rows = [rng.normal(size=(n, d)) + rng.normal(size=d) for _ in range(clients)]
    return fl.LogisticProblem.from_arrays([(x, np.where(rng.normal(size=n) > 0, 1, -1)) for x in rows], ridge)


def softmax() -> fl.SoftmaxProblem:
    rng = np.random.default_rng(3)
    return fl.SoftmaxProblem.from_arrays([(rng.normal(size=(8, 2)), np.arange(8) % 3) for _ in range(3)], RIDGE)


def mixed() -> fl.MixedProblem:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(20, 3))
    return fl.label_split(rows, np.where(rows[:, 0] + rng.normal(size=20) > 0, 1, -1), 3, ridge=0.125)


def wide_gradient(problem: fl.LogisticProblem, k: int, w: Any) -> Any:
    """The gradient of one client in decimals of forty digits, the data being the floats that they are."""
    total = [mpmath.mpf(problem.regulariser.modulus) * entry for entry in w]
    for x, y in zip(problem.features[k].tolist(), problem.labels[k].tolist(), strict=True):
        share = -y / (1 + mpmath.exp(y * mpmath.fdot(x, w))) / len(problem.labels[k])
        total = [entry + share * one for entry, one in zip(total, x, strict=True)]
    return total


def wide_end(problem: fl.LogisticProblem, step: float, steps: int, prox: float = 0.0) -> Any:
    """Where FedAvg, or FedProx, ends: rounds in forty digits."""
    with mpmath.workdps(40):
        w = [mpmath.mpf(0)] * problem.dimension
        for _ in range(1000):
            ends = []
            for k in range(problem.n_clients):
                x = list(w)
                for _ in range(steps):
                    g = wide_gradient(problem, k, x)
                    x = [a - mpmath.mpf(step) * (b + prox * (a - c)) for a, b, c in zip(x, g, w, strict=True)]
                ends.append(x)
            after = [mpmath.fdot(problem.weights.tolist(), column) for column in zip(*ends, strict=True)]
            moved = max(abs(a - b) for a, b in zip(w, after, strict=True))
            w = after
            if moved < mpmath.mpf(10) ** -22:
                return w
        raise AssertionError("the rounds have not come to rest")


def distance(point: Any, wide: Any) -> float:
    with mpmath.workdps(40):
        return float(mpmath.sqrt(sum((mpmath.mpf(float(a)) - b) ** 2 for a, b in zip(point, wide, strict=True))))


@pytest.mark.parametrize("algorithm", [fl.FedAvg(3, 0.5), fl.FedProx(2, 0.25, prox=0.5)])
def test_the_bound_holds_against_forty_digits(algorithm: Any) -> None:
    problem = logistic()
    truth = wide_end(problem, float(algorithm.step_size.value), algorithm.local_steps, getattr(algorithm, "prox", 0.0))
    found = fl.certified_fixed_point(problem, algorithm)
    assert found.proof == "contraction" and found.error_bound is not None
    assert distance(found.point, truth) <= found.error_bound < 1e-12
    assert (fl.fixed_point(problem, algorithm) == found.point).all()


@pytest.mark.parametrize("ridge", [RIDGE, 0], ids=["contraction", "krawczyk"])
@pytest.mark.parametrize("away", [1e-2, 1e-5, 1e-9])
def test_a_wrong_point_is_bounded_and_a_shrunk_bound_is_caught(ridge: Any, away: float) -> None:
    problem = logistic(ridge=ridge, n=20)
    rounds = deterministic_round(problem, fl.FedAvg(2, 0.25), "a test")
    best = fl.certified_fixed_point(problem, fl.FedAvg(2, 0.25))
    assert best.error_bound is not None and best.error_bound < 1e-11
    moved = best.state + away / np.sqrt(2)
    found = certify(rounds, Resting(moved, away, "given", 0, None))
    assert found.proof == ("contraction" if ridge else "krawczyk") or away == 1e-2
    if found.error_bound is None:
        return
    true = float(np.linalg.norm(found.point - best.point))
    least = true - best.error_bound
    assert found.error_bound >= least
    assert (
        not found.error_bound / 100 >= least
    )  # the bound is no more than a hundred times the error: a hundredth is caught


def test_quadratics_agree_with_rationals() -> None:
    problem = fl.li_counterexample(n_clients=4, block=3, ridge=0.125)
    for algorithm in (fl.FedAvg(4, 0.125), fl.Scaffold(4, 0.125), fl.FedDyn(3, 0.125, alpha=1)):
        exact = fl.fixed_point(problem, algorithm, exact=True)
        found = fl.certified_fixed_point(problem, algorithm)
        assert found.error_bound is not None
        off = sum((Fraction(float(a)) - b) ** 2 for a, b in zip(found.point, exact, strict=True))
        # The ridge and the step size are exact in floats; the weights are 1/4 each.
        assert off <= Fraction(found.error_bound) ** 2


CASES: list[tuple[Any, Any]] = [
    (logistic(), fl.Scaffold(3, 0.25)),
    (logistic(), fl.FedDyn(3, 0.25, alpha=1.0)),
    (logistic(), fl.FedProxExact(2, 0.5)),
    (logistic(), fl.FedNova((1, 2, 3), 0.25)),
    (logistic(), fl.FedOpt(3, 0.25, server=fl.HeavyBall(0.5))),
    (softmax(), fl.FedAvg(3, 0.25)),
    (softmax(), fl.Scaffold(2, 0.25)),
    (mixed(), fl.ParallelTraining(3, 0.1, 0.1)),
    (mixed(), fl.OneWayGradientTransfer(3, 0.1)),
    (mixed(), fl.TwoWayGradientTransfer(3, 0.1, 0.1)),
    (fl.Scaled(logistic(), 2.0), fl.FedAvg(2, 0.25)),
    (fl.ScalarProblem((fl.huber(1, 1, 0.3), fl.parabola(0.5, -1.0))), fl.Scaffold(3, 0.25)),
]


@pytest.mark.parametrize(
    ("problem", "algorithm"), CASES, ids=[type(a).__name__ + str(i) for i, (_, a) in enumerate(CASES)]
)
def test_algorithms_end_where_runs_end(problem: Any, algorithm: Any) -> None:
    found = fl.certified_fixed_point(problem, algorithm)
    assert found.error_bound is not None and found.error_bound < 1e-10, found.reason
    run = trajectory(problem, algorithm, rounds=800).models[-1]
    assert np.linalg.norm(run - found.point) <= found.error_bound + 1e-11  # prox of the run is right to 1e-12


@pytest.mark.parametrize(("problem", "algorithm"), CASES[:3] + CASES[6:9], ids=range(6))
def test_the_jacobian_is_that_of_the_round(problem: Any, algorithm: Any) -> None:
    rounds = deterministic_round(problem, algorithm, "a test")
    state = rounds.opening.values + np.random.default_rng(0).normal(size=rounds.size)
    units = 1e-5 * np.eye(rounds.size)
    slopes = np.stack([(rounds(state + u) - rounds(state - u)) / 2e-5 for u in units], axis=1)
    made = fl.linearised(problem, algorithm, at=state)
    assert np.abs(made.matrix - slopes).max() < 1e-8
    found = rounds.enclose(state)
    assert np.abs(found.state - rounds(state)).max() <= found.away.max() + 1e-10


#: Newton runs to where the Hessian vanishes in floats.
NO_MINIMUM = "I - F' is singular"


class Sums(NamedTuple):
    """Model, and control variates that are summed up."""

    model: Vector
    control: Vector
    client: ClientVector


@dataclass(frozen=True)
class SummedControls:
    """SCAFFOLD with ``c <- c + sum_k p_k (new c_k - c_k)``: rounds conserve ``c - sum_k p_k c_k``."""

    local_steps: int
    step_size: Any

    def start(self, fed: Federation, w: Vector) -> Sums:
        return Sums(w, fed.zero(), fed.zero_clients())

    def round(self, fed: Federation, state: Sums) -> Sums:
        w, control, own = state
        begin = x = fed.send(w)
        for _ in range(self.local_steps):
            x = x - self.step_size * (fed.gradient(x) - own + fed.send(control))
        new = own - fed.send(control) + (begin - x) / (self.local_steps * self.step_size)
        return Sums(fed.average(x), control + fed.average(new - own), new)


def uncertified() -> list[tuple[Any, Any, str]]:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(12, 2))
    flat = np.hstack([rows, rows[:, :1]])  # two equal features: many minimisers
    signs = np.where(rng.normal(size=12) > 0, 1, -1)
    kinked = fl.ScalarProblem((fl.huber(1, 1, 0.0), fl.parabola(1.0, 2.0)))  # the minimiser 1 is a kink of the first
    return [
        (
            fl.LogisticProblem.from_arrays([(flat[:6], signs[:6]), (flat[6:], signs[6:])], 0),
            fl.FedAvg(2, 0.25),
            "singular",
        ),
        (logistic(), SummedControls(3, 0.25), "conserve"),
        (kinked, fl.Scaffold(3, 0.25), "neither a contraction"),
        (
            fl.LogisticProblem.from_arrays([(rows[:1], np.array([1])), (rows[:1], np.array([1]))], 0),
            fl.FedAvg(2, 0.25),
            NO_MINIMUM,
        ),
    ]


@pytest.mark.parametrize(
    ("problem", "algorithm", "why"), uncertified(), ids=["rank", "conserved", "kink", "no minimum"]
)
def test_what_cannot_be_proved_is_not_certified(problem: Any, algorithm: Any, why: str) -> None:
    found = fl.certified_fixed_point(problem, algorithm)
    assert found.proof == "none" and not found.certified and why in found.reason
    if why == NO_MINIMUM:
        with pytest.raises(ValueError, match="do not end at their fixed point"):
            fl.fixed_point(problem, algorithm)
        return
    with pytest.warns(fl.PrecisionWarning, match="nothing is proved"):
        fl.fixed_point(problem, algorithm)


class Derived(fl.LogisticProblem):
    """Another class than the one whose bounds are known."""


def test_a_derived_class_has_no_bounds_that_it_does_not_say() -> None:
    plain = logistic()
    derived = Derived(plain.features, plain.labels, plain.regulariser, plain.weights)
    found = fl.certified_fixed_point(derived, fl.FedAvg(2, 0.25))
    assert not found.certified and "no bounds" in found.reason
    assert np.allclose(found.point, fl.certified_fixed_point(plain, fl.FedAvg(2, 0.25)).point, atol=1e-9)


@pytest.mark.parametrize("problem", [logistic(), softmax()], ids=["logistic", "softmax"])
def test_bounds_of_second_derivatives(problem: Any) -> None:
    second, rng = second_order(problem), np.random.default_rng(0)
    for k in range(problem.n_clients):
        x = rng.normal(size=problem.dimension)
        for _ in range(10):
            step = rng.normal(size=problem.dimension) * 10 ** rng.uniform(-4, 1)
            change = np.linalg.norm(second.matrix(k, x + step) - second.matrix(k, x), 2)
            assert change <= second.variation(k, x, float(np.linalg.norm(step))) + 1e-14
            values = np.linalg.eigvalsh(second.matrix(k, x + step))
            assert second.lower[k] - 1e-12 <= values[0] and values[-1] <= second.upper[k] + 1e-12
        assert np.allclose(second.sample_matrices(k, x).mean(axis=0), second.matrix(k, x), atol=1e-14)
    one = fl.LogisticProblem.from_arrays([(np.array([[2.0]]), np.array([1]))], 0)
    steepest, bounds = np.array([np.log(2 + np.sqrt(3)) / 2]), second_order(one)
    change = abs(bounds.matrix(0, steepest + 1e-3) - bounds.matrix(0, steepest)).item()
    assert (
        0.99 * bounds.variation(0, steepest, 1e-3) < change <= bounds.variation(0, steepest, 1e-3)
    )  # sharp: less is wrong


def test_rounding_of_gradients_is_bounded() -> None:
    problem = logistic(d=4, n=9)
    second, rng = second_order(problem), np.random.default_rng(2)
    for size in (1e-3, 1.0, 1e2):
        w = size * rng.normal(size=4)
        with mpmath.workdps(40):
            wide = wide_gradient(problem, 1, [mpmath.mpf(float(one)) for one in w])
        off = distance(problem.client_gradient(1, w), wide)
        assert 0 < off <= second.gradient_error(1, w) < 1e-11 * max(1, size)


def test_the_bias_of_fedavg() -> None:
    problem, steps = logistic(), 4
    found = fl.bias(problem, fl.FedAvg(steps, 0.125))
    w, second = found.minimiser.point, second_order(problem)
    matrices = [second.matrix(k, w) for k in range(problem.n_clients)]
    slopes = problem.client_gradients(np.broadcast_to(w, (problem.n_clients, 2)))
    pull = sum(p * h @ g for p, h, g in zip(problem.weights, matrices, slopes, strict=True))
    mean = sum(p * h for p, h in zip(problem.weights, matrices, strict=True))
    first = (steps - 1) / 2 * np.linalg.solve(mean, pull)
    assert np.linalg.norm(found.first - first) <= found.errors[1] < 1e-5
    assert np.linalg.norm(found.zeroth) <= found.errors[0] < 1e-8
    assert np.linalg.norm(found.first - 2 * first * steps / (steps - 1) / 2) > 1e-3  # E for E - 1 is noticed
    rests = []
    for eta in (0.02, 0.01):
        total = fl.bias(problem, lambda step: fl.FedAvg(steps, step), step_size=eta).total
        rests.append([np.linalg.norm(total - eta * found.first - more * eta**2 * found.second) for more in (0, 1)])
    ratios = np.array(rests[0]) / np.array(rests[1])
    assert 3.5 < ratios[0] < 4.5 and 7 < ratios[1] < 9  # of second, and of third, order
    unbiased = fl.bias(problem, fl.Scaffold(3, 0.125))
    assert unbiased.total_error is not None and np.linalg.norm(unbiased.total) <= unbiased.total_error
    assert found.total_error is not None and np.linalg.norm(found.total) > 1e6 * found.total_error


def test_the_minimiser_and_what_is_refused() -> None:
    problem, algorithm = logistic(), fl.FedAvg(2, 0.25)
    best = fl.certified_minimiser(problem)
    assert isinstance(best, CertifiedPoint) and best.error_bound is not None and best.error_bound < 1e-13
    assert distance(best.point, wide_end(problem, 1.0, 1)) <= best.error_bound
    for words, call in (
        ("MiniBatch.* is noisy", lambda: fl.fixed_point(problem, algorithm, oracle=fl.MiniBatch(2))),
        ("SchemeII.* is random", lambda: fl.fixed_point(problem, fl.FedAvg(2, 0.25, fl.SchemeII(2)))),
        ("Harmonic.* changes from round to round", lambda: fl.linearised(problem, fl.FedAvg(2, fl.Harmonic(1, 8)))),
        ("Adam", lambda: fl.certified_fixed_point(problem, fl.FedOpt(2, 0.1, server=fl.Adam()))),
        ("do not end at their fixed point", lambda: fl.fixed_point(problem, fl.FedAvg(1, 50.0))),
        ("has no constant step_size", lambda: fl.bias(problem, fl.FedAvg(2, fl.Harmonic(1, 8)))),
        ("at has shape", lambda: fl.linearised(problem, algorithm, at=np.zeros(5))),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_local_stability() -> None:
    problem = logistic()
    limit = fl.stability_limit(problem, lambda eta: fl.FedAvg(1, eta), 4.0, points=8)
    at = fl.certified_minimiser(problem).point
    mean = sum(p * second_order(problem).matrix(k, at) for k, p in enumerate(problem.weights))
    assert limit.mean == pytest.approx(2 / np.linalg.eigvalsh(mean)[-1], rel=1e-9)  # of gradient descent
    assert fl.linearised(problem, fl.FedAvg(1, 0.99 * limit.mean)).stable
    assert not fl.linearised(problem, fl.FedAvg(1, 1.01 * limit.mean)).stable
    rng = np.random.default_rng(0)  # local steps near their own limit: the fixed point bends and must be followed
    rows = [rng.normal(size=(30, 3)) + rng.normal(size=3) for _ in range(4)]
    bent = fl.LogisticProblem(
        rows, [np.where(x @ rng.normal(size=3) > 0, 1, -1) for x in rows], fl.Regulariser(0.1, "lambda/2|w|^2")
    )
    found = fl.stability_limit(bent, lambda eta: fl.FedAvg(5, eta), 6.0, points=16).mean
    factor = local_contraction(bent, lambda eta: fl.FedAvg(5, eta))
    assert found is not None and factor(4.2) < 1  # from here the fixed point is followed
    assert factor(found) == pytest.approx(1, abs=1e-9) and factor(found * (1 + 1e-6)) > 1


def test_linearised_moments_against_runs() -> None:
    """The mean distance of 4,000 runs is within four standard errors of what is predicted, and not of that for other batches."""
    problem, noise = logistic(n=12, ridge=fl.Regulariser(0.5, "lambda/2|w|^2")), fl.MiniBatch(3)
    best = fl.certified_minimiser(problem).point
    algorithm = fl.FedAvg(2, 0.03)
    told = fl.linearised_moments(problem, algorithm, 150, oracle=noise, start=best)
    law = fl.linearised_stationary(problem, algorithm, oracle=noise)
    assert told.squared_distance[-1] == pytest.approx(law.squared_distance, rel=1e-3)
    assert np.allclose(told.minimiser, best, atol=1e-13)
    run = fl.simulate(problem, algorithm, rounds=150, runs=4000, seed=3, oracle=noise, start=best)
    assert run.squared_distance is not None
    ends = run.squared_distance[:, -1]
    error = ends.std() / np.sqrt(len(ends))
    assert abs(ends.mean() - told.squared_distance[-1]) < 4 * error
    wrong = fl.linearised_moments(problem, algorithm, 150, oracle=fl.MiniBatch(4), start=best).squared_distance[-1]
    assert abs(ends.mean() - wrong) > 4 * error
    model = fl.quadratic_model(problem)
    assert np.allclose(
        model.client_gradients(np.broadcast_to(best, (3, 2))), problem.client_gradients(np.broadcast_to(best, (3, 2)))
    )
    assert fl.quadratic_model(model) is model
