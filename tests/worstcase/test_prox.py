"""Proximal steps in worst cases: known contractions, the explicit model, functions that attain them, and forgeries."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings.gram import program
from fltheory.worstcase import lyapunov_verifier, verifier
from fltheory.worstcase.explicit import explicit_worst_case, lift
from fltheory.worstcase.matching import certificate_matches

CLIENTS = fl.SmoothStronglyConvex(F(1, 10), 1)
CENTRE = fl.SmoothConvex(1)


@dataclass(frozen=True)
class ProximalGradient:
    """An averaged gradient step, then a proximal step on the server's own loss."""

    step_size: Any
    noisy_step: Any = 0

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        x = fed.send(w)
        return fed.centre.prox(fed.average(x - self.step_size * fed.gradient(x)), self.step_size)


@dataclass(frozen=True)
class Splitting:
    """Noisy gradient steps and proximal steps in turn."""

    step_size: Any

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        x = fed.send(w)
        x = fed.prox(x - self.step_size * fed.gradient(x), self.step_size)
        return fed.average(fed.prox(x - self.step_size * fed.gradient(x), 2 * self.step_size))


def data_of(found: Any) -> Any:
    return json.loads(json.dumps(found.certificate))


@pytest.mark.parametrize("step_size", [F(1, 100), F(1, 2), 1, 20])
@pytest.mark.parametrize("mu", [F(1, 10), F(3, 4)])
def test_a_proximal_step_contracts_as_known(mu: F, step_size: Any) -> None:
    """``|x+ - w*|^2 <= |x - w*|^2/(1 + gamma mu)^2``, attained by ``mu |x|^2/2``."""
    found = fl.worst_case(fl.FedProxExact(1, step_size), fl.SmoothStronglyConvex(mu, 1), heterogeneity="none")
    known = 1 / (1 + step_size * mu) ** 2
    assert found.lower <= known <= found.upper
    assert found.upper - found.lower < F(1, 10**6)


def test_the_proximal_point_method_on_convex_losses() -> None:
    """``F(x_R) - F* <= |x_0 - w*|^2/(4 gamma R)`` without smoothness (Taylor, Hendrickx, Glineur, 2017): less for smooth ones."""
    values = [
        fl.worst_case(
            fl.FedProxExact(1, 1), fl.SmoothConvex(L), rounds=2, measure="gap", heterogeneity="identical"
        ).value
        for L in (1, 10, 1000)
    ]
    assert values[0] < values[1] < values[2] < 1 / 8 + 1e-6
    assert values[2] > 0.99 / 8


@pytest.mark.parametrize(
    ("algorithm", "question"),
    [
        (fl.FedProxExact(1, F(1, 2)), {"rounds": 3}),
        (fl.FedProxExact(3, 2), {"heterogeneity": "gamma", "measure": "gap", "start": "gap"}),
        (ProximalGradient(F(1, 2)), {"rounds": 2, "centre": CENTRE}),
    ],
)
def test_the_explicit_model_and_functions_attain_it(algorithm: Any, question: Any) -> None:
    found = fl.worst_case(algorithm, CLIENTS, **question)
    assert found.certificate is not None
    assert explicit_worst_case(found.certificate, [F(1, 2)] * 2).value == pytest.approx(found.value, rel=2e-6)
    assert lift(found.certificate, [F(1, 4), F(3, 4)]) == found.bound
    instance = found.instance()
    assert instance.replay() == pytest.approx(found.value, rel=2e-6)
    if question.get("measure") is None:
        after = instance.run(algorithm, rounds=question["rounds"])[0]
        assert after @ after == pytest.approx(found.value, rel=2e-6)
    assert certificate_matches(data_of(found), algorithm, CLIENTS, **question)


def test_units_do_not_matter() -> None:
    values = {
        float(
            fl.worst_case(
                fl.FedProxExact(2, F(1, 2) / L), fl.SmoothStronglyConvex(L / 10, L), heterogeneity="none"
            ).value
        )
        for L in (F(1), F(10**6), F(1, 10**6))
    }
    assert max(values) - min(values) < 1e-12


def test_identical_clients_are_one() -> None:
    found = fl.worst_case(fl.FedProxExact(2, F(1, 2)), CLIENTS, heterogeneity="identical")
    assert found.lower <= F(400, 441) ** 2 <= found.upper


def test_no_worst_case_is_beaten_by_quadratics_with_noise() -> None:
    """Exact moments of a method with noise and implicit steps stay below its certificate, the largest one within a fifth."""
    algorithm, clients = Splitting(F(1, 2)), 3
    found = fl.worst_case(algorithm, CLIENTS, noise=True, n_clients=clients)
    best = 0.0
    for curvatures in ([F(1, 10)] * 3, [F(1)] * 3, [F(1, 10), F(1, 2), F(1)]):
        for slopes in ([0, 0, 0], [1, -1, 0], [2, -1, -1]):
            problem = fl.QuadraticProblem([[[c]] for c in curvatures], [[F(b)] for b in slopes])
            for start in (-1, 1):
                law = fl.FiniteSupportNoise([[F(1)], [F(-1)]], [F(1, 2)] * 2)
                w = problem.constants.minimiser
                after = fl.moments(
                    problem, algorithm, rounds=1, start=w + start, oracle=law, exact=True
                ).squared_distance[-1]
                zeta = sum((c * w[0] - b) ** 2 for c, b in zip(curvatures, slopes, strict=True)) / 3
                bound = found.bound["distance"] + found.bound["heterogeneity"] * zeta + found.bound["noise"]
                assert after <= bound
                best = max(best, float(after / bound))
    assert best > 0.8


def test_a_gradient_at_the_end_of_a_step_is_known() -> None:
    @dataclass(frozen=True)
    class Twice:
        def start(self, fed: Any, w: Any) -> Any:
            return w

        def round(self, fed: Any, w: Any) -> Any:
            x = fed.prox(fed.send(w), F(1, 2))
            return fed.average(x - F(1, 4) * fed.gradient(x))

    made = program(Twice(), rounds=1)
    assert len(made.registers("prox")) == 1 and not made.registers("gradient")


def test_the_theorem_names_the_step() -> None:
    told = fl.worst_case(fl.FedProxExact(1, F(1, 2)), CLIENTS).lines()
    assert "x_1 = prox of 1/2 f_k from w_0" in told and "w_1 = average(x_1)" in told


def test_nonconvex_losses_have_small_steps_only() -> None:
    question: Any = {"measure": "gradient", "start": "gap", "heterogeneity": "bounded gradients"}
    assert fl.worst_case(fl.FedProxExact(1, F(1, 2)), fl.Smooth(1), **question).upper is not None
    with pytest.raises(ValueError, match=r"step_size=1 on losses with mu=-1: 1 \+ step_size mu = 0"):
        fl.worst_case(fl.FedProxExact(1, 1), fl.Smooth(1), **question)


def test_what_has_no_model_is_refused() -> None:
    @dataclass(frozen=True)
    class OfADirection:
        def start(self, fed: Any, w: Any) -> Any:
            return w

        def round(self, fed: Any, w: Any) -> Any:
            return w + fed.average(fed.prox(fed.gradient(fed.send(w)), 1))

    with pytest.raises(ValueError, match="degree 0"):
        fl.worst_case(OfADirection(), CLIENTS)
    with pytest.raises(ValueError, match="centre=None|name its class"):
        fl.worst_case(ProximalGradient(F(1, 2)), CLIENTS)


def wrong_size(data: Any, text: str) -> None:
    for item in data["program"]:
        if item[0] == "prox":
            item[2] = text


FORGERIES = [
    (lambda d: wrong_size(d, "3/5"), "slack"),
    (lambda d: wrong_size(d, "-1/2"), "size -1/2"),
    (lambda d: wrong_size(d, "0"), "size 0"),
    (lambda d: d["classes"].update(clients=["-3", "1"]), r"1 \+ c mu"),
    (lambda d: d["program"][1].append("server"), "unknown instruction"),
    (lambda d: d["program"].__setitem__(1, ["prox", 1, "1/2"]), "looks ahead"),
    (lambda d: d["program"].__setitem__(1, ["centre prox", 0, "1/2"]), "classes|slack|malformed|interpolation"),
]


@pytest.mark.parametrize(("forge", "reason"), FORGERIES)
def test_forged_steps_are_rejected(forge: Any, reason: str) -> None:
    data = data_of(fl.worst_case(fl.FedProxExact(1, F(1, 2)), CLIENTS))
    verifier.verify(data)
    forge(data)
    with pytest.raises(verifier.Rejected, match=reason):
        verifier.verify(data)


def test_an_instance_of_another_step_is_rejected() -> None:
    data = data_of(fl.worst_case(fl.FedProxExact(1, F(1, 2)), CLIENTS))
    del data["upper"]
    verifier.verify(data)
    wrong_size(data, "1/3")
    with pytest.raises(verifier.Rejected, match="instance|measure"):
        verifier.verify(data)


class TestAllRounds:
    def test_the_proximal_point_method_has_its_exact_rate(self) -> None:
        found = fl.lyapunov(fl.FedProxExact(1, F(1, 2)), CLIENTS, heterogeneity="none")
        assert found.rho == F(20, 21) ** 2

    def test_proximal_gradient_has_its_exact_rate(self) -> None:
        found = fl.lyapunov(ProximalGradient(F(1, 2)), CLIENTS, centre=CENTRE)
        assert found.rho == F(19, 20) ** 2 and found.matches(ProximalGradient(F(1, 2)))

    def test_a_method_that_hides_the_minimiser_in_a_step_is_rejected(self) -> None:
        found = fl.lyapunov(fl.FedProxExact(1, F(1, 2)), CLIENTS)
        data = data_of(found)
        lyapunov_verifier.verify(data)  # type: ignore[no-untyped-call]
        forged = copy.deepcopy(data)
        items = forged["step"]["program"]
        star = items.index(["optimum"])
        step = next(place for place, item in enumerate(items) if item[0] == "prox")
        assert star > step
        items.append(["prox", star, "1/2"])
        items.append(["combine", [["1", len(items) - 1], ["1", forged["leaves"][0]["after"]]]])
        forged["leaves"][0]["after"] = len(items) - 1
        with pytest.raises(verifier.Rejected):
            lyapunov_verifier.verify(forged)  # type: ignore[no-untyped-call]
        theorem = lyapunov_verifier.made_of(items, [len(items) - 1], {})  # type: ignore[no-untyped-call]
        assert star in theorem

    def test_the_step_keeps_its_size(self) -> None:
        """``carried`` takes a proximal step for another one of the same size only."""
        source, target = [["given", "server", 1], ["prox", 0, "1/2"]], [["given", "server", 1], ["prox", 0, "1/3"]]
        with pytest.raises(verifier.Rejected):
            lyapunov_verifier.carried(source, 1, target, {0: 0}, True)  # type: ignore[no-untyped-call]
        same = [*target, ["prox", 0, "1/2"]]
        assert lyapunov_verifier.carried(source, 1, same, {0: 0}, True) == 2  # type: ignore[no-untyped-call]


def test_growth_runs_implicit_steps() -> None:
    """Where nothing bounds heterogeneity the worst case is infinite, which an instance in rationals shows."""
    found = fl.worst_case(fl.FedProxExact(2, F(1, 2)), CLIENTS, heterogeneity=None)
    assert found.status == "unbounded" and found.growth is not None
    assert np.isinf(found.value) or np.isnan(found.value)
