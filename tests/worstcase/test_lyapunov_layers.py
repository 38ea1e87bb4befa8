"""Theorems for every round of methods that treat blocks of coordinates apart: FedLAMA and elastic aggregation."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import lyapunov_verifier, verifier
from fltheory.worstcase.kept import replaying

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
QUARTER = Fraction(1, 4)
SHORT = fl.FedLAMA(base=1, factor=2, step_size=QUARTER, intervals=(1, 2))
LONG = fl.FedLAMA(base=2, factor=2, step_size=QUARTER, intervals=(2, 4))


def elastic(*zeta: Any, steps: int = 1) -> Any:
    return fl.ElasticFedProx(steps, Fraction(1, 2) / steps, 0, fl.GivenElasticity(zeta))


@pytest.mark.parametrize(("layers", "steps"), [(SHORT, 2), (LONG, 4)], ids=["base 1", "base 2"])
def test_fedlama_has_the_theorem_of_fedavg_at_the_long_interval(layers: Any, steps: int) -> None:
    """One layer may be all there is: no rate is smaller; and the split costs nothing at these steps."""
    found = fl.lyapunov(layers, CLIENTS)
    plain = fl.lyapunov(fl.FedAvg(steps, QUARTER), CLIENTS, rho=found.rho)
    assert found.rho is not None and plain.rho == found.rho
    assert float(found.factors["heterogeneity"]) == pytest.approx(float(plain.factors["heterogeneity"]), rel=1e-2)
    assert found.quadratics == pytest.approx(float(Fraction(39, 40) ** (2 * steps)), rel=1e-9)
    assert "the method treats 2 blocks of coordinates apart, whatever their sizes" in found.words


def test_a_smaller_rate_or_floor_has_no_certificate() -> None:
    least = Fraction(39, 40) ** 4
    found = fl.lyapunov(SHORT, CLIENTS, heterogeneity="none")
    assert found.rho is not None and least < found.rho < least + Fraction(1, 1000)
    assert fl.lyapunov(SHORT, CLIENTS, heterogeneity="none", rho=least * Fraction(9999, 10000)).rho is None
    exact = fl.worst_case(fl.FedAvg(2, QUARTER), CLIENTS, rounds=3)
    theorem = fl.lyapunov(SHORT, CLIENTS)
    assert exact.lower is not None and exact.lower <= theorem.bound(3)  # FedAvg's instance is one of FedLAMA's


@pytest.mark.parametrize("algorithm", [SHORT, LONG, elastic(1, Fraction(1, 2)), elastic(1, Fraction(3, 4), steps=3)])
def test_the_method_itself_on_quadratics_obeys_the_theorem(algorithm: Any) -> None:
    found = fl.lyapunov(algorithm, CLIENTS)
    assert found.rho is not None and found.rho <= found.quadratics + 1e-3
    nearest = 0.0
    for seed in np.random.SeedSequence(5).spawn(12):
        rng = np.random.default_rng(seed)
        turns = [np.linalg.qr(rng.standard_normal((4, 4)))[0] for _ in range(3)]
        matrices = np.array([q @ np.diag([0.1, 1.0, *rng.uniform(0.1, 1, 2)]) @ q.T for q in turns])
        vectors = rng.standard_normal((3, 4)) * rng.choice([0.01, 1.0])
        problem = fl.QuadraticProblem((matrices + matrices.transpose(0, 2, 1)) / 2, vectors)
        best = np.linalg.solve(problem.matrices.mean(axis=0), vectors.mean(axis=0))
        pairs = zip(problem.matrices, vectors, strict=True)
        spread = float(np.mean([np.sum((a @ best - b) ** 2) for a, b in pairs]))
        start = best + rng.standard_normal(4) * rng.choice([0.1, 1.0])
        run = fl.trajectory(fl.with_blocks(problem, [1, 3]), algorithm, rounds=10, start=start)
        quantities = {"distance": float(np.sum((start - best) ** 2)), "heterogeneity": spread}
        for rounds, model in enumerate(run.models[1:], start=1):
            asked = {name: quantities[name] for name in found.after(rounds)}
            limit = float(found.bound(rounds, asked))
            assert np.sum((model - best) ** 2) <= limit * (1 + 1e-9)
            nearest = max(nearest, float(np.sum((model - best) ** 2)) / limit)
    assert nearest > 0.1


def test_unlike_factors_need_the_gap() -> None:
    """In the norm of one number for all blocks a step with unlike factors may lengthen; the loss falls all the same."""
    algorithm = elastic(1, Fraction(1, 2))
    plain = fl.lyapunov(algorithm, CLIENTS, terms="distance")
    rich = fl.lyapunov(algorithm, CLIENTS)
    assert rich.rho is not None and any("f_k(w)" in name for name in rich.V)
    assert plain.rho is None or plain.rho > rich.rho
    assert rich.quadratics == pytest.approx(float(Fraction(39, 40) ** 2), rel=1e-9)  # the slow block alone


def test_kept_certificates_and_methods() -> None:
    found = fl.lyapunov(SHORT, CLIENTS)
    assert found.matches(SHORT) and not found.matches(LONG) and not found.matches(fl.FedAvg(2, QUARTER))
    assert not found.matches(fl.FedLAMA(base=1, factor=2, step_size=QUARTER, intervals=(2, 1, 1)))
    with replaying([found.certificate]):
        assert fl.lyapunov(SHORT, CLIENTS).rho == found.rho
    other: Any = json.loads(json.dumps(found.certificate))
    other["parts"] = []
    with pytest.raises(verifier.Rejected):
        lyapunov_verifier.verify(other)


@pytest.fixture(scope="module")
def data() -> Any:
    return json.loads(json.dumps(fl.lyapunov(SHORT, CLIENTS).certificate))


def _assumed(data: Any, a: int, b: int) -> None:
    data["step"]["assumptions"].append({"inner": [["1", a, b]], "values": [], "bound": None, "scale": "1"})
    data["step"]["upper"]["assumptions"].append("0")


def _model_is_zero(data: Any) -> None:
    _assumed(data, 0, 0)


def _part_is_zero(data: Any) -> None:
    part = data["parts"][0][1][0]
    _assumed(data, part, part)


def _part_of_the_same_block(data: Any) -> None:
    """Of other registers, but in the same block."""
    program, (source, (part,)) = data["step"]["program"], data["parts"][0]
    _assumed(data, part, source)
    assert program[part][0] == "given"


def _negative_sign(data: Any) -> None:
    """Products of parts of one block are no less than zero."""
    part = data["parts"][0][1][0]
    data["step"]["assumptions"].append({"inner": [["-1", part, part]], "values": [], "bound": None, "scale": "1"})
    data["step"]["upper"]["assumptions"].append("0")


def _a_value(data: Any) -> None:
    gradient = next(r for r, made in enumerate(data["step"]["program"]) if made[0] == "gradient")
    data["step"]["assumptions"].append({"inner": [], "values": [["1", gradient]], "bound": None, "scale": "1"})
    data["step"]["upper"]["assumptions"].append("0")


def _twice(data: Any) -> None:
    data["parts"].append(copy.deepcopy(data["parts"][0]))


def _of_another(data: Any) -> None:
    """The part of the first gradient called a part of another vector."""
    data["parts"][0][0] = data["leaves"][0]["after"]


def _leaf_as_part(data: Any) -> None:
    data["parts"].append([6, [0]])


def _servers_part(data: Any) -> None:
    """A part of a client's vector that all clients are said to share."""
    part = data["parts"][0][1][0]
    data["step"]["program"][part][1] = "server"


def _forgotten(data: Any) -> None:
    data.pop("parts")


def _rate(data: Any) -> None:
    data["step"]["upper"]["bound"]["lyapunov"] = "9/10"
    place = [item["bound"] for item in data["step"]["assumptions"]].index("lyapunov")
    data["step"]["upper"]["assumptions"][place] = "9/10"


def _weight(data: Any) -> None:
    data["step"]["measure"]["inner"][0][0] = "1/2"


def _in_the_floor(data: Any) -> None:
    data["floor"]["assumptions"].append({"inner": [["1", 0, 0]], "values": [], "bound": None, "scale": "1"})
    data["floor"]["upper"]["assumptions"].append("0")


FORGERIES: list[tuple[str, Callable[[Any], None]]] = [
    ("no orthogonality of parts", _model_is_zero),
    ("no orthogonality of parts", _part_is_zero),
    ("no orthogonality of parts", _part_of_the_same_block),
    ("no orthogonality of parts", _negative_sign),
    ("an assumption on None of a function value", _a_value),
    ("is split twice", _twice),
    ("is a point: its parts", _of_another),
    ("is no part", _leaf_as_part),
    ("not positive semidefinite|claimed|part of its own", _servers_part),
    ("no leaf of the state", _forgotten),
    ("not positive semidefinite", _rate),
    ("the measure is not V", _weight),
    ("another assumption beside V", _in_the_floor),
]


@pytest.mark.parametrize(("words", "forge"), FORGERIES, ids=[forge.__name__ for _, forge in FORGERIES])
def test_a_forgery_is_rejected(data: Any, words: str, forge: Callable[[Any], None]) -> None:
    forged = copy.deepcopy(data)
    lyapunov_verifier.verify(forged)
    forge(forged)
    with pytest.raises(verifier.Rejected, match=words):
        lyapunov_verifier.verify(forged)


def test_a_clients_vector_has_parts_of_the_clients(data: Any) -> None:
    """By itself, where no multiplier is in the way."""
    forged = copy.deepcopy(data)
    _servers_part(forged)
    theorem = object.__new__(lyapunov_verifier._Theorem)
    theorem.data, theorem.full = forged, True
    theorem.programs = {"step": forged["step"]["program"]}
    theorem.spaces = {"step": verifier._Program(forged["step"])}
    with pytest.raises(verifier.Rejected, match="has a part of its own"):
        theorem.split()


def test_parts_know_no_minimiser() -> None:
    """A method that moves by a part of the gradient at w* is none."""
    data: Any = json.loads(json.dumps(fl.lyapunov(fl.FedAvg(1, QUARTER), CLIENTS).certificate))
    program = data["step"]["program"]
    assert ["optimum"] in program
    used = lyapunov_verifier.made_of([["given", "server", 1], ["optimum"], ["given", "server", 0]], [2], {2: 1})
    assert used == {1, 2}


def test_what_has_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="parts of vectors have a model in worst cases without noise only"):
        fl.lyapunov(SHORT, CLIENTS, noise=True, n_clients=3)
