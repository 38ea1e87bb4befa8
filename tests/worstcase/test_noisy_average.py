"""Gradients at noisy averages: gaps and gradients after a noisy round, against trees of outcomes, runs, and what is refused."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from fractions import Fraction as F
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings import enumerate_moments
from fltheory.worstcase import verifier

MU = F(1, 10)
CLIENTS = fl.SmoothStronglyConvex(MU, 1)
SIGNS = fl.FiniteSupportNoise([[F(1)], [F(-1)]], [F(1, 2)] * 2)


def data_of(found: Any) -> Any:
    return json.loads(json.dumps(found.certificate))


@pytest.fixture(scope="module")
def tree(script: Callable[[str], ModuleType]) -> Any:
    if importlib.util.find_spec("PEPit") is None:
        pytest.skip("pepit is not installed")
    return script("in_pepit").tree_of_noise


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("step_size", "measure"), [(0.5, "gap"), (1.5, "gradient")])
def test_after_one_step_it_is_the_tree(tree: Any, step_size: float, measure: Any) -> None:
    found = fl.worst_case(fl.FedAvg(1, step_size), CLIENTS, noise=True, n_clients=2, measure=measure)
    assert float(found.upper) == pytest.approx(tree(1, step_size, measure), rel=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_after_more_steps_it_is_not_below_the_tree(tree: Any) -> None:
    found = fl.worst_case(fl.FedAvg(2, 0.25), CLIENTS, noise=True, n_clients=2, measure="gap")
    known = tree(2, 0.25, "gap", noisy=1)
    assert known * (1 - 1e-6) < float(found.upper) < 1.2 * known


@pytest.mark.parametrize("measure", ["gap", "gradient"])
@pytest.mark.parametrize("algorithm", [fl.FedAvg(3, F(1, 2)), fl.Scaffold(2, F(1, 4))])
def test_without_noise_it_is_the_plain_worst_case(algorithm: Any, measure: Any) -> None:
    noisy = fl.worst_case(algorithm, CLIENTS, noise=True, n_clients=4, measure=measure, quantities={"noise": 0})
    plain = fl.worst_case(algorithm, CLIENTS, measure=measure)
    assert float(noisy.upper) == pytest.approx(plain.value, rel=1e-5)


@pytest.mark.parametrize("step_size", [F(1, 2), 1])
def test_the_noise_costs_what_smoothness_says(step_size: F) -> None:
    """``E F(w - eta e) - F(w) <= L eta^2 sigma^2/(2 N)``, attained by parabolas: nothing less is certified for one step."""
    for clients in (1, 5):
        found = fl.worst_case(
            fl.FedAvg(1, step_size), CLIENTS, noise=True, n_clients=clients, measure="gap", quantities={"noise": 10**4}
        )
        assert found.bound["noise"] == pytest.approx(float(step_size) ** 2 / (2 * clients), rel=1e-3)


@pytest.mark.parametrize("local_steps", [1, 2])
def test_no_bound_is_beaten_by_enumeration(local_steps: int) -> None:
    """All outcomes, on quadratics and on the functions that are the worst without noise."""
    algorithm = fl.FedAvg(local_steps, F(1, 2))
    found = fl.worst_case(algorithm, CLIENTS, noise=True, n_clients=2, measure="gap")
    worst = fl.worst_case(algorithm, CLIENTS, measure="gap").instance()
    problems: list[tuple[Any, Any]] = [(worst.problem, worst.start)]
    for curvatures in ([MU, MU], [F(1), F(1)], [MU, F(1)]):
        for slope in (0, 1):
            made = fl.QuadraticProblem([[[c]] for c in curvatures], [[F(slope)], [F(-slope)]]).to_float()
            problems.append((made, made.constants.minimiser + 1))
    shares = []
    for problem, start in problems:
        d = problem.dimension
        signs = [[(1 if i == 0 else 0) * s for i in range(d)] for s in (1.0, -1.0)]
        law = fl.FiniteSupportNoise(signs, [0.5, 0.5])
        gap = enumerate_moments(problem, algorithm, rounds=1, start=start, oracle=law).gap[-1]
        star = problem.constants.minimiser
        slopes = problem.client_gradients(np.broadcast_to(star, (2, d)))
        zeta = float(problem.weights @ (slopes**2).sum(axis=1))
        distance = float(((start - star) ** 2).sum())
        bound = {"distance": distance, "heterogeneity": zeta, "noise": 1.0}
        shares.append(float(gap) / sum(float(found.bound[name]) * entry for name, entry in bound.items()))
    assert max(shares) <= 1 + 1e-9
    assert max(shares) > 0.6


def test_a_server_loss_beside_noisy_clients() -> None:
    found = fl.worst_case(
        fl.OneWayGradientTransfer(2, F(1, 4)),
        CLIENTS,
        centre=fl.SmoothConvex(1),
        noise=True,
        n_clients=4,
        measure="gap",
    )
    quiet = fl.worst_case(fl.OneWayGradientTransfer(2, F(1, 4)), CLIENTS, centre=fl.SmoothConvex(1), measure="gap")
    assert found.upper is not None and found.status == "upper only"
    assert quiet.value < float(found.upper) < quiet.value + 0.1


def test_momentum_keeps_its_rate_under_noise() -> None:
    """The gap and the gradient at the noisy model belong to V: without them the rate is that of no momentum."""
    algorithm = fl.FedOpt(2, F(1, 4), 1, server=fl.HeavyBall(F(1, 2)))
    rates = {
        terms: fl.lyapunov(algorithm, CLIENTS, noise=True, n_clients=10, terms=terms) for terms in ("state", "gradient")
    }
    assert rates["state"].rho > F(9, 10) and rates["gradient"].rho < F(4, 5)
    problem = fl.QuadraticProblem([[[MU]], [[F(1)]]] * 5, [[F(1)], [F(-1)]] * 5)
    found, w = rates["gradient"], problem.constants.minimiser
    zeta = sum((c[0][0] * w[0] - b[0]) ** 2 for c, b in zip(problem.matrices, problem.vectors, strict=True)) / 10
    exact = fl.moments(problem, algorithm, rounds=6, start=w + 1, oracle=SIGNS, exact=True)
    for rounds in (1, 3, 6):
        after = found.after(rounds)
        bound = after["distance"] + after["heterogeneity"] * zeta + after["noise"]
        assert exact.squared_distance[rounds] <= bound


class TestRefused:
    def test_cohorts_and_noise_of_the_server(self) -> None:
        listed: list[dict[str, Any]] = [{"noise": True}, {}]
        for options in listed:
            with pytest.raises(ValueError, match="no model"):
                fl.worst_case(
                    fl.FedAvg(1, F(1, 2), fl.NormalisedUniform(2)), CLIENTS, measure="gap", n_clients=4, **options
                )
        with pytest.raises(ValueError, match="no model"):
            fl.worst_case(
                fl.OneWayGradientTransfer(1, F(1, 4)),
                CLIENTS,
                centre=fl.SmoothConvex(1),
                noise=True,
                centre_noise=True,
                n_clients=4,
                measure="gap",
            )
        with pytest.raises(ValueError, match="chain"):
            fl.worst_case(fl.FedAvg(1, F(1, 2)), CLIENTS, noise=True, n_clients=4, measure="gap", rounds=2)

    def test_the_verifier_knows_no_product_with_a_clients_noise(self) -> None:
        """Interpolation on one history, between a noisy local step and the noisy average, needs what nobody knows."""
        data = data_of(fl.worst_case(fl.FedAvg(2, F(1, 4)), CLIENTS, noise=True, n_clients=4, measure="gap"))
        verifier.verify(data)
        items = data["program"]
        noisy = [r for r, item in enumerate(items) if item[0] == "gradient"]
        last = next(r for r in noisy if items[items[r][1]][0] == "average")
        local = next(r for r in noisy if any(["noise", 0] == items[s] for _, s in terms_of(items, items[r][1])))
        for pair in ([local, last], [last, local]):
            forged = json.loads(json.dumps(data))
            forged["upper"]["interpolation"]["clients"].append([*pair, "1/1000"])
            with pytest.raises(verifier.Rejected, match="inner product"):
                verifier.verify(forged)
        items.append(["noise", 2])
        with pytest.raises(verifier.Rejected, match="noise after a gradient at a random average"):
            verifier.verify(data)

    def test_no_lower_bound_is_believed(self) -> None:
        data = data_of(fl.worst_case(fl.FedAvg(1, F(1, 4)), CLIENTS, noise=True, n_clients=4, measure="gap"))
        data["lower"] = {"blocks": {}, "values": {}, "quantities": {}, "value": "1"}
        with pytest.raises(verifier.Rejected, match="no lower bound is modelled"):
            verifier.verify(data)

    def test_a_smaller_share_of_the_noise_is_rejected(self) -> None:
        data = data_of(fl.worst_case(fl.FedAvg(1, F(1, 4)), CLIENTS, noise=True, n_clients=4, measure="gap"))
        noise = next(k for k, item in enumerate(data["assumptions"]) if item["bound"] == "noise")
        smaller = str(F(data["upper"]["assumptions"][noise]) * F(99, 100))
        data["upper"]["assumptions"][noise] = data["upper"]["bound"]["noise"] = smaller
        with pytest.raises(verifier.Rejected, match=r"slack in block \('n', 0\)"):
            verifier.verify(data)


def terms_of(items: Any, register: int) -> Any:
    return items[register][1] if items[register][0] == "combine" else []
