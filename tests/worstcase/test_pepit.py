"""The worst-case engine against PEPit, an independent package: the same methods written by hand in its own language."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import ModuleType
from typing import Any

import pytest

from fltheory.algorithms import FedAvg, FedProxExact, Scaffold, TwoSidedFedAvg
from fltheory.algorithms.gradient_corrected import GradientCorrected
from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.entry import build_model, solve_model
from fltheory.worstcase.explicit import explicit_worst_case

# PEPit warns of its own (deprecations, solutions that the solver calls inaccurate); the values are what is compared.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def oracle(script: Callable[[str], ModuleType]) -> ModuleType:
    if importlib.util.find_spec("PEPit") is None:
        pytest.skip("pepit is not installed")
    return script("in_pepit")


CASES: list[tuple[str, dict[str, Any], Any, dict[str, Any]]] = [
    ("fedavg", {"E": 2, "eta": 0.25}, FedAvg(2, 0.25), {"mu": 0.1}),
    (
        "fedavg",
        {"E": 2, "eta": 0.5, "server": 0.5},
        TwoSidedFedAvg(2, 0.5, 0.5),
        {"mu": 0, "rounds": 2, "measure": "gap"},
    ),
    ("fedavg", {"E": 2, "eta": 0.25}, FedAvg(2, 0.25), {"mu": 0.2, "heterogeneity": "gamma"}),
    ("scaffold", {"E": 2, "eta": 0.25}, Scaffold(2, 0.25), {"mu": 0.1, "rounds": 2}),
    ("proximal", {"E": 1, "eta": 0.5}, FedProxExact(1, 0.5), {"mu": 0.1, "rounds": 2}),
    ("proximal", {"E": 2, "eta": 2.0}, FedProxExact(2, 2), {"mu": 0, "measure": "gap", "heterogeneity": "gamma"}),
    ("proximal", {"E": 1, "eta": 0.5}, FedProxExact(1, 0.5), {"mu": 0.25, "measure": "gradient", "start": "gap"}),
    ("corrected", {"E": 2, "eta": 0.5}, GradientCorrected(2, 0.5), {"mu": 0.25, "measure": "gradient"}),
    ("one_way", {"E": 2, "eta": 0.25}, OneWayGradientTransfer(2, 0.25), {"mu": 0.1, "measure": "gap"}),
]


@pytest.mark.parametrize(("method", "numbers", "algorithm", "question"), CASES)
def test_two_clients_agree(oracle: ModuleType, method: str, numbers: Any, algorithm: Any, question: Any) -> None:
    functions = FunctionClass(question["mu"], 1)
    settings = {name: entry for name, entry in question.items() if name != "mu"}
    centre = functions if method == "one_way" else None
    symmetric = solve_model(build_model(algorithm, functions, centre=centre, **settings), certify=False)
    answer = oracle.worst_case_in_pepit(
        getattr(oracle, method), [0.5, 0.5], with_centre=centre is not None, **question, **numbers
    )
    assert symmetric.solver_value == pytest.approx(answer.value, rel=2e-6)


@dataclass(frozen=True)
class CentralProx:
    """The clients' proximal steps, averaged, then one of the server's own loss."""

    step_size: Fraction

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return fed.centre.prox(fed.average(fed.prox(fed.send(w), self.step_size)), 2 * self.step_size)


def test_a_proximal_step_of_the_server_agrees(oracle: ModuleType) -> None:
    functions = FunctionClass(0.1, 1)
    symmetric = solve_model(build_model(CentralProx(Fraction(1, 2)), functions, centre=functions), certify=False)
    answer = oracle.worst_case_in_pepit(
        oracle.proximal, [0.5, 0.5], with_centre=True, mu=0.1, E=1, eta=0.5, central=1.0
    )
    assert symmetric.solver_value == pytest.approx(answer.value, rel=2e-6)


def test_other_weights_agree_with_the_explicit_formulation(oracle: ModuleType) -> None:
    model = build_model(FedAvg(2, 0.25), FunctionClass(0.1, 1))
    explicit = explicit_worst_case(model, [Fraction(1, 5), Fraction(4, 5)])
    answer = oracle.worst_case_in_pepit(oracle.fedavg, [0.2, 0.8], mu=0.1, E=2, eta=0.25)
    assert explicit.value == pytest.approx(answer.value, rel=2e-6)
