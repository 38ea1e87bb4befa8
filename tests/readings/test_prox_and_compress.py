"""Proximal steps and compressors in the readings: what they are, that all readings agree on them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.problems.interpolated import InterpolatedFunction, InterpolatedProblem
from fltheory.readings import enumerate_moments
from fltheory.readings.arrays import ArrayFederation
from fltheory.readings.draws import ExactDraws, StreamDraws
from fltheory.readings.numbers import FLOAT, rational_functions
from fltheory.readings.proximal import ProximalSteps
from fltheory.readings.table import table_moments

CENTRE = fl.QuadraticProblem([[[F(3), -1], [-1, 1]]], [[F(1), -2]])
NOISE = fl.FiniteSupportNoise([[F(1), F(-1)], [F(-1), F(1)]], [F(1, 2)] * 2)


@dataclass(frozen=True)
class Text:
    """A round written as a function."""

    text: Callable[[Any, Any], Any]
    participation: Any = fl.Full()
    step_size: Any = F(1, 3)

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return self.text(fed, w)


def mixed(fed: Any, w: Any) -> Any:
    """Implicit and explicit steps of clients and server."""
    y = fed.centre.prox(w, F(1, 2))
    x = fed.prox(fed.send(y) - F(1, 5) * fed.gradient(fed.send(w)), F(1, 3))
    return F(1, 4) * fed.centre.prox(y, F(2)) + F(3, 4) * fed.average(fed.prox(x, 1), absent=w)


def sparse(fed: Any, w: Any) -> Any:
    """Compressed moves of implicit steps."""
    begin = fed.send(w)
    return w + fed.average(fed.compress(fed.prox(begin, 1) - begin, F(1, 2)), absent=fed.zero())


class TestProx:
    def test_it_is_what_it_says(self, three_clients: Any) -> None:
        """``x+ = x - gamma grad f_k(x+)`` in rationals, and least among its neighbours."""
        steps = ProximalSteps(three_clients, fl.readings.numbers.RATIONAL)
        x = np.array([[F(1), F(-2)], [F(3), F(1)], [F(0), F(0)]], dtype=object)
        after = steps.at(x[None], np.arange(3)[None], F(2, 3))[0]
        assert (after == x - F(2, 3) * three_clients.client_gradients(after)).all()

    @pytest.mark.parametrize(
        "scheme", [fl.Full(), fl.SchemeII(2), fl.SchemeI(2), fl.Original(1), fl.TransformedSchemeII(2)]
    )
    def test_exact_readings_agree(self, three_clients: Any, scheme: Any) -> None:
        problem, algorithm = fl.MixedProblem(three_clients, CENTRE), Text(mixed, scheme)
        options: dict[str, Any] = {"rounds": 2, "start": [F(1), F(-2)], "exact": True, "centre_oracle": NOISE}
        found = [reading(problem, algorithm, **options) for reading in (fl.moments, enumerate_moments)]
        assert (found[0].mean == found[1].mean).all() and (found[0].second == found[1].second).all()
        noisy = {**options, "rounds": 1, "oracle": NOISE}
        found = [reading(problem, algorithm, **noisy) for reading in (fl.moments, enumerate_moments)]
        assert (found[0].mean == found[1].mean).all() and (found[0].second == found[1].second).all()

    def test_the_table_agrees(self, three_clients: Any) -> None:
        problem, algorithm = fl.MixedProblem(three_clients, CENTRE), Text(mixed)
        options: dict[str, Any] = {"rounds": 1, "start": [F(1), F(-2)], "exact": True, "oracle": NOISE}
        found = [reading(problem, algorithm, **options) for reading in (table_moments, enumerate_moments)]
        assert (found[0].second == found[1].second).all()

    def test_runs_and_fixed_points(self, three_clients: Any) -> None:
        problem = fl.MixedProblem(three_clients, CENTRE)
        floats = problem.map_parts(lambda part: part.to_float())
        limit = fl.fixed_point(problem, Text(mixed), exact=True)
        np.testing.assert_allclose(fl.fixed_point(floats, Text(mixed)), limit.astype(float), rtol=1e-12)
        ends = fl.simulate(floats, Text(mixed), rounds=200, runs=2).final
        np.testing.assert_allclose(ends, [limit.astype(float)] * 2, rtol=1e-9)

    def test_closed_forms_in_the_step_size(self) -> None:
        """The contraction of ``c x^2/2`` is ``1/(1 + eta c)`` as a rational function."""
        numbers, (eta,) = rational_functions("eta")
        problem = fl.QuadraticProblem([[[F(3)]]], [[F(0)]])
        found = fl.round_map(problem, fl.FedProxExact(1, eta), numbers=numbers)
        assert found.matrix[0, 0] == 1 / (1 + 3 * eta)

    def test_small_steps_are_gradient_steps(self, three_clients: Any) -> None:
        """The difference to FedAvg is of second order in the step size."""
        problem = three_clients.to_float()
        gaps = []
        for eta in (1e-2, 1e-3):
            ends = [
                fl.trajectory(problem, method(1, eta), rounds=1, start=np.array([1.0, -2.0])).models[-1]
                for method in (fl.FedAvg, fl.FedProxExact)
            ]
            gaps.append(np.linalg.norm(ends[0] - ends[1]))
        assert 95 < gaps[0] / gaps[1] < 105

    def test_it_is_the_limit_of_fedprox(self, three_clients: Any) -> None:
        """Many small gradient steps on the local problem end where an exact solve does."""
        problem, start = three_clients.to_float(), np.array([1.0, -2.0])
        steps = fl.trajectory(problem, fl.FedProx(2000, 0.05, 2.0), rounds=1, start=start).models[-1]
        solve = fl.trajectory(problem, fl.FedProxExact(1, 0.5), rounds=1, start=start).models[-1]
        np.testing.assert_allclose(solve, steps, rtol=1e-12)

    def test_other_losses_are_solved_to_a_tolerance(self) -> None:
        rng = np.random.default_rng(3)
        features, labels = rng.normal(size=(30, 4)), np.where(rng.normal(size=30) > 0, 1, -1)
        ridge = fl.Regulariser(1e-2, "lambda/2|w|^2")
        logistic = fl.LogisticProblem([features[:10], features[10:]], [labels[:10], labels[10:]], ridge)
        hull = InterpolatedProblem(
            tuple(
                InterpolatedFunction(
                    np.array([[0.0, 0], [1, a]]), np.array([[0.5, 0], [1.2, 0.4]]), np.array([0, 1]), 0.1, 2
                )
                for a in (0.0, 0.5)
            )
        )
        for problem, gammas in ((logistic, (0.1, 10.0)), (hull, (0.1, 10.0))):
            for gamma in gammas:
                x = rng.normal(size=(5, 2, problem.dimension))
                clients = np.broadcast_to(np.arange(2), (5, 2))
                after = ProximalSteps(problem, FLOAT).at(x, clients, gamma)
                miss = after - x + gamma * problem.client_gradients(after, clients)
                assert np.abs(miss).max() < 1e-10 * (1 + gamma)
                alone = ProximalSteps(problem, FLOAT).at(x[2:3, 1:], clients[2:3, 1:], gamma)
                np.testing.assert_array_equal(alone, after[2:3, 1:])

    def test_cost(self) -> None:
        found = fl.cost((4, 3), fl.FedProxExact(2, F(1, 2)), rounds=5)
        assert (found.proximal_steps, found.gradients, found.up, found.down) == (2, 0, 1, 1)
        assert found.total("proximal_steps").most == 40 and "proximal_steps=2" in repr(found)
        assert "proximal" not in repr(fl.cost((4, 3), fl.FedAvg(2, 0.5)))
        both = fl.cost((4, 3), Text(mixed))
        assert (both.proximal_steps, both.central_proximal_steps, both.gradients) == (2, 2, 1)

    def test_what_has_no_step_is_refused(self, three_clients: Any) -> None:
        with pytest.raises(ValueError, match="step_size of prox=-1"):
            fl.trajectory(
                three_clients, Text(lambda fed, w: fed.average(fed.prox(fed.send(w), -1))), rounds=1, exact=True
            )
        saddle = fl.QuadraticProblem([[[F(-1)]]], [[F(0)]])
        for problem in (saddle, saddle.to_float()):
            with pytest.raises(ValueError, match="client 0 with step_size=2.*not positive definite"):
                fl.trajectory(problem, fl.FedProxExact(1, F(2)), rounds=1)
            fl.trajectory(problem, fl.FedProxExact(1, F(1, 2)), rounds=1)
        with pytest.raises(TypeError, match="entered an exact run"):
            fl.trajectory(
                three_clients, Text(lambda fed, w: fed.average(fed.prox(fed.send(w), 0.5))), rounds=1, exact=True
            )
        with pytest.raises(ValueError, match="has no central loss"):
            fl.trajectory(three_clients, Text(lambda fed, w: fed.centre.prox(w, 1)), rounds=1)
        with pytest.raises(TypeError, match="expected a vector at the server"):
            fl.trajectory(three_clients, Text(lambda fed, w: fed.centre.prox(fed.send(w), 1)), rounds=1)

    def test_a_loss_with_unknown_curvature_is_refused(self, three_clients: Any) -> None:
        class Bare:
            n_clients, dimension, weights = 3, 2, np.full(3, 1 / 3)

            def client_gradients(self, x: Any, clients: Any = None) -> Any:
                return x**3

        with pytest.raises(ValueError, match="no bounds of its curvature are known"):
            ProximalSteps(Bare(), FLOAT).at(np.ones((1, 3, 2)), np.arange(3)[None], 1.0)


class TestCompress:
    def test_its_first_two_moments(self, three_clients: Any) -> None:
        """``E C(x) = x`` and ``E|C(x) - x|^2 = omega |x|^2``, exactly, client by client and independent between them."""
        problem = fl.QuadraticProblem([[[F(1), 0], [0, 2]]], [[F(3), -1]])
        omega = F(3, 2)
        step = Text(lambda fed, w: w - fed.average(fed.compress(fed.gradient(fed.send(w)), omega)))
        found = enumerate_moments(problem, step, rounds=1, start=[F(1), F(4)], exact=True)
        gradient = np.array([F(1) - 3, 8 + 1], dtype=object)
        assert (found.mean[-1] == np.array([1, 4]) - gradient).all()
        assert np.trace(found.covariance[-1]) == omega * (gradient @ gradient)
        two = fl.QuadraticProblem([[[F(1), 0], [0, 2]]] * 2, [[F(3), -1]] * 2)
        assert np.trace(enumerate_moments(two, step, rounds=1, start=[F(1), F(4)], exact=True).covariance[-1]) == (
            omega * (gradient @ gradient) / 2
        )

    @pytest.mark.parametrize("scheme", [fl.Full(), fl.SchemeII(1), fl.SchemeI(1), fl.Original(1)])
    @pytest.mark.parametrize("oracle", [None, NOISE])
    def test_the_table_is_the_enumeration(self, three_clients: Any, scheme: Any, oracle: Any) -> None:
        problem = fl.with_blocks(
            fl.QuadraticProblem(three_clients.matrices[:2], three_clients.vectors[:2]), {"body": 1, "head": 1}
        )

        def both(fed: Any, w: Any) -> Any:
            begin = fed.send(w)
            x = begin - F(1, 4) * fed.compress(fed.gradient(begin), 1)
            return w + fed.average(fed.compress(fed.prox(x, F(1, 2)) - begin, F(1, 3)), absent=fed.zero())

        options: dict[str, Any] = {"rounds": 1, "start": [F(1), F(-2)], "exact": True, "oracle": oracle}
        found = [reading(problem, Text(both, scheme), **options) for reading in (table_moments, enumerate_moments)]
        assert (found[0].mean == found[1].mean).all() and (found[0].second == found[1].second).all()

    def test_runs_have_its_moments(self, three_clients: Any) -> None:
        exact = table_moments(three_clients, Text(sparse), rounds=3, start=[F(1), F(-2)], exact=True)
        run = fl.simulate(
            three_clients.to_float(), Text(sparse), rounds=3, runs=20_000, start=np.array([1.0, -2.0]), seed=5
        )
        covariance = exact.covariance[-1].astype(float)
        spread = np.sqrt(np.diag(covariance) / 20_000)
        assert (np.abs(run.final.mean(axis=0) - exact.mean[-1].astype(float)) < 5 * spread).all()
        np.testing.assert_allclose(np.cov(run.final.T), covariance, atol=0.05 * np.trace(covariance))

    def test_draws_are_fresh_and_their_own(self, three_clients: Any) -> None:
        """Compressors of a round, clients and rounds keep different coordinates; the oracle's draws stay as they are."""
        draws = StreamDraws(three_clients.to_float(), fl.Exact(), 0, np.arange(500))
        clients = np.broadcast_to(np.arange(3), (500, 3))
        masks = [draws.kept(r, s, F(1, 4), clients, 0 * clients) for r in (0, 1) for s in (0, 1)]
        assert all(0.2 < mask.mean() < 0.3 for mask in masks)
        listed = np.concatenate([mask.reshape(500, -1) for mask in masks], axis=1).astype(float)
        correlations = np.corrcoef(listed.T) - np.eye(listed.shape[1])
        assert np.abs(correlations).max() < 0.25
        floats = three_clients.to_float()
        plain = fl.simulate(floats, Text(lambda fed, w: step(fed, w, 0)), rounds=2, oracle=NOISE, runs=3, seed=1).final
        other = fl.simulate(floats, Text(lambda fed, w: step(fed, w, 1)), rounds=2, oracle=NOISE, runs=3, seed=1).final
        np.testing.assert_array_equal(plain, other)

    def test_no_variance_changes_nothing(self, three_clients: Any) -> None:
        plain = Text(lambda fed, w: fed.average(fed.prox(fed.send(w), 1)))
        none = Text(lambda fed, w: fed.average(fed.compress(fed.prox(fed.send(w), 1), 0)))
        found = [fl.moments(three_clients, text, rounds=2, exact=True).mean for text in (plain, none)]
        assert (found[0] == found[1]).all()

    def test_one_vector_is_sent(self) -> None:
        assert fl.cost((4, 3), Text(sparse)).up == 1

    def test_linear_readings_refuse_it(self, three_clients: Any) -> None:
        asked: list[Callable[[], object]] = [
            lambda: fl.round_map(three_clients, Text(sparse)),
            lambda: fl.fixed_point(three_clients, Text(sparse)),
            lambda: fl.moments(three_clients, Text(sparse), rounds=1, oracle=NOISE),
            lambda: fl.trajectory(three_clients, Text(sparse), rounds=1),
        ]
        for ask in asked:
            with pytest.raises(ValueError, match=r"compress: .*table_moments"):
                ask()
        with pytest.raises(ValueError, match="variance of compress=-1"):
            fl.simulate(
                three_clients.to_float(), Text(lambda fed, w: fed.average(fed.compress(fed.send(w), -1))), rounds=1
            )


def step(fed: Any, w: Any, asked: int) -> Any:
    """A gradient step; what else is compressed beside it is thrown away."""
    x = fed.send(w)
    for _ in range(asked):
        fed.compress(x, 1)
    return fed.average(x - F(1, 10) * fed.gradient(x))


def test_the_arrays_read_one_text() -> None:
    """``fed.prox`` keeps client state of the whole population where all take part."""
    problem = fl.QuadraticProblem([[[1.0]], [[3.0]]], [[0.0], [3.0]])
    fed = ArrayFederation(problem, fl.Full(), ExactDraws(problem, FLOAT))
    fed.begin(0)
    after = fed.prox(fed.send(fed.vector([2.0])), 1)
    np.testing.assert_allclose(after.payload.values[0, :, 0], [1.0, 1.25])
    assert after.payload.everyone
