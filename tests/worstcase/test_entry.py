"""``worst_case`` when something is wrong: input, time, the solver, an interruption, an unbounded question."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import certificate, certify, entry, verifier
from fltheory.worstcase.claims import listed_proof
from fltheory.worstcase.matching import certificate_matches
from fltheory.worstcase.solver import Solution

CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
FEDAVG = fl.FedAvg(2, Fraction(1, 4))
#: The distance after these two steps on parabolas of curvature mu: what is certified where the solver has nothing.
PARABOLA = Fraction(39, 40) ** 4


@dataclass(frozen=True)
class Shrinking:
    """A method that pulls towards the origin: it does not commute with translations."""

    factor: Fraction = Fraction(1, 2)

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return fed.average(fed.send(w) - Fraction(1, 4) * fed.gradient(fed.send(w))) * self.factor


@dataclass(frozen=True)
class OwnStepSizes:
    """A method that gives each client another step size."""

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        x = fed.send(w)
        return fed.average(x - fed.gradient(x) * fed.per_client([Fraction(1, 4), Fraction(1, 8)]))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fl.FunctionClass(2, 1), "mu=2 exceeds L=1"),
        (lambda: fl.FunctionClass(1, 1), "mu=L=1.*singular"),
        (lambda: fl.FunctionClass(-1, 0), "L=0 must be positive"),
        (lambda: fl.SmoothStronglyConvex(0, 1), "mu=0 must be positive"),
        (lambda: fl.FunctionClass("steep", 1), "mu='steep'"),
        (lambda: fl.FedAvg(2, 0), "step_size=0 is not positive"),
        (lambda: fl.FedAvg(2, -0.5), "step_size=-0.5 is not positive"),
        (lambda: fl.FedAvg(0, 0.5), "local_steps=0"),
        (lambda: fl.worst_case(FEDAVG, CLASS, rounds=0), "rounds=0"),
        (lambda: fl.worst_case(FEDAVG, CLASS, measure="loss"), "measure='loss'.*distance, gap, gradient"),
        (lambda: fl.worst_case(FEDAVG, CLASS, heterogeneity="much"), "heterogeneity='much'"),
        (lambda: fl.worst_case(FEDAVG, CLASS, quantities={"distance": -1}), "distance=-1.*negative"),
        (lambda: fl.worst_case(FEDAVG, CLASS, quantities={"gamma": 1}), "no assumption bounds 'gamma'"),
        (lambda: fl.worst_case(FEDAVG, 0.1), "function_class=0.1"),
        (lambda: fl.worst_case(FEDAVG, CLASS, noise=True), "n_clients is missing"),
        (lambda: fl.worst_case(FEDAVG, CLASS, noise=True, n_clients=0), "n_clients=0"),
        (lambda: fl.worst_case(FEDAVG, CLASS, noise=True, n_clients=2, rounds=2), "rounds=2 with noise"),
        (lambda: fl.worst_case(fl.FedAvg(2, 0.25, fl.NormalisedUniform(5)), CLASS, n_clients=3), "K=5 exceeds N=3"),
        (lambda: fl.worst_case(fl.FedAvg(2, 0.25, fl.Original(2)), CLASS, n_clients=3), "do not sum to one"),
        (lambda: fl.worst_case(OwnStepSizes(), CLASS), "treats all clients alike"),
        (lambda: fl.worst_case(Shrinking(), CLASS), "does not commute with translations"),
        (lambda: fl.worst_case(Shrinking(), CLASS, rounds=2), "does not commute with translations"),
        (lambda: fl.worst_case(FEDAVG, fl.Smooth(1), heterogeneity="gamma"), "gamma.*convex"),
        (lambda: fl.worst_case(FEDAVG, CLASS, time_limit=-1), "time_limit=-1"),
        (lambda: fl.worst_case(FEDAVG, CLASS, quantities={"distance": math.nan}), "distance=nan"),
        (lambda: fl.worst_case(FEDAVG, CLASS, quantities={"distance": "far"}), "distance='far'"),
        (lambda: fl.Dissimilarity(Fraction(1, 2)), "B=1/2"),
    ],
)
def test_bad_input_is_refused_with_quantity_value_and_condition(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("algorithm", [FEDAVG, fl.FedAvg(3, Fraction(1, 2)), fl.Scaffold(2, Fraction(1, 4))])
def test_unbounded_questions_are_told(algorithm: Any) -> None:
    found = fl.worst_case(algorithm, CLASS, rounds=2, heterogeneity=None)
    assert found.status == "unbounded" and found.value == math.inf
    assert found.upper is None and found.lower is None and found.certificate is None


def test_bounded_questions_are_not_called_unbounded() -> None:
    explosive = fl.worst_case(fl.FedAvg(3, 3), CLASS, rounds=3)
    assert explosive.value > 1e4 and explosive.status != "unbounded"
    assert fl.worst_case(fl.FedAvg(1, 0.25), CLASS, heterogeneity=None).value == pytest.approx(0.975**2, rel=1e-6)


def test_time_limits_are_kept_and_told() -> None:
    found = fl.worst_case(fl.FedAvg(5, Fraction(1, 4)), CLASS, rounds=4, time_limit=0.05)
    assert found.status == "out of time"
    assert found.lower is None or found.upper is None


def answer(model_length: int, status: str, value: float) -> Solution:
    empty = np.zeros(0)
    return Solution(status, value, {}, empty, empty, empty, math.nan, 0.0, np.full(model_length, value))


@pytest.mark.parametrize(
    ("status", "value"), [("NumericalError", math.nan), ("AlmostSolved", math.nan), ("Panic", 1.0)]
)
def test_a_failure_of_the_solver_is_told(monkeypatch: pytest.MonkeyPatch, status: str, value: float) -> None:
    for name in ("solve", "recession"):
        monkeypatch.setattr(entry, name, lambda problem, *rest, **options: answer(problem.length, status, value))
    truth = fl.worst_case(fl.FedAvg(1, Fraction(1, 4)), CLASS)  # decimals do without the floats' solver
    assert truth.status == "certified" and truth.lower is not None and truth.upper is not None
    assert truth.lower <= Fraction(39, 40) ** 2 <= truth.upper and truth.width < 1e-6
    monkeypatch.setattr(certify, "interior", lambda *rest, **options: None)
    found = fl.worst_case(FEDAVG, CLASS)
    assert found.status == "lower only" and math.isnan(found.value)  # a parabola of curvature mu needs no solver
    assert found.upper is None and found.bound == {} and found.lower == PARABOLA


def test_a_wrong_answer_of_the_solver_becomes_no_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Multipliers that prove nothing and an instance outside the class: the verifier lets neither pass."""
    true = certify.solve

    def halved(*arguments: Any, **options: Any) -> Solution:
        found = true(*arguments, **options)
        return dataclasses.replace(
            found,
            pairs=found.pairs / 2,
            assumptions=found.assumptions / 2,
            point=found.point * 2,
            value=found.value / 2,
        )

    for module in (certify, entry):
        monkeypatch.setattr(module, "solve", halved)
    monkeypatch.setattr(certify, "interior", lambda *rest, **options: None)
    found = fl.worst_case(FEDAVG, CLASS)
    assert found.status == "lower only" and found.upper is None and math.isnan(found.value)
    assert found.lower == PARABOLA  # nothing of what the solver said


def test_an_interruption_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Solution:
        raise KeyboardInterrupt

    monkeypatch.setattr(certify, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fl.worst_case(FEDAVG, CLASS)


def test_saved_certificates_are_whole(tmp_path: Path) -> None:
    found = fl.worst_case(FEDAVG, CLASS)
    assert found.certificate is not None
    certificate.save(found.certificate, tmp_path / "c.json")
    assert json.loads((tmp_path / "c.json").read_text("utf-8")) == json.loads(json.dumps(found.certificate))
    with pytest.raises(TypeError):
        certificate.save({**found.certificate, "upper": object()}, tmp_path / "d.json")
    assert [path.name for path in tmp_path.iterdir()] == ["c.json"]


@pytest.mark.parametrize(
    ("algorithm", "rounds", "options"),
    [
        (FEDAVG, 1, {}),
        (FEDAVG, 2, {}),
        (fl.TwoSidedFedAvg(2, Fraction(1, 4), 2), 2, {}),
        (fl.Scaffold(2, Fraction(1, 4)), 2, {}),
        (FEDAVG, 1, {"noise": True, "n_clients": 4}),
        (fl.FedAvg(2, Fraction(1, 4), fl.NormalisedUniform(2)), 1, {"n_clients": 4}),
    ],
)
def test_a_certificate_holds_the_program_of_the_algorithms_own_round(
    algorithm: Any, rounds: int, options: dict[str, Any]
) -> None:
    found = fl.worst_case(algorithm, CLASS, rounds=rounds, **options)
    assert found.certificate is not None
    data = json.loads(json.dumps(found.certificate))
    assert certificate_matches(data, algorithm, CLASS, rounds=rounds, **options)
    wrong_step = dataclasses.replace(algorithm, step_size=Fraction(1, 5))
    assert not certificate_matches(data, wrong_step, CLASS, rounds=rounds, **options)
    longer = dataclasses.replace(algorithm, local_steps=3)
    assert not certificate_matches(data, longer, CLASS, rounds=rounds, **options)
    if options:
        assert not certificate_matches(data, algorithm, CLASS, rounds=rounds, **options | {"n_clients": 5})
    else:
        assert not certificate_matches(data, algorithm, CLASS, rounds=rounds + 1)


def test_a_certificate_says_its_theorem_in_mathematics() -> None:
    found = fl.worst_case(FEDAVG, CLASS)
    assert found.certificate is not None
    lines = verifier.report(found.certificate)
    assert lines[0].startswith("proved: |w_1 - w*|^2 <= 0.90")
    assert lines[0].endswith(" zeta^2, for every number of clients, all weights, every dimension")
    assert "if sum_k p_k |grad f_k(w*)|^2 <= zeta^2" in lines
    assert "said to be FedAvg(local_steps=2, step_size=1/4), 1 round; the program is:" in lines
    assert "  x_1 = w_0 - 1/4 grad f_k(w_0)" in lines and "  w_1 = average(x_2)" in lines
    factors = found.certificate["upper"]["bound"]
    assert f"{factors['distance']} |w_0 - w*|^2" in verifier.report(found.certificate, exact=True)[0]
    inequalities = listed_proof(found.certificate)
    assert f"  {factors['distance']}: |w_0 - w*|^2 <= 1 |w_0 - w*|^2" in inequalities
    assert any("its value at w* from the gradient at x_1" in line for line in inequalities)
