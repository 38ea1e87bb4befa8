"""Cases that the worst-case engine is checked on: algorithms, parameters, measures, assumptions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fltheory.algorithms import FedAvg, Full, Scaffold, TwoSidedFedAvg
from fltheory.algorithms.gradient_corrected import GradientCorrected
from fltheory.algorithms.gradient_transfer import OneWayGradientTransfer, TwoWayGradientTransfer
from fltheory.algorithms.parallel_training import ParallelTraining
from fltheory.worstcase.classes import Dissimilarity, FunctionClass
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.model import Model


@dataclass(frozen=True)
class FedProx:
    """Local steps on ``F_k(x) + (prox/2) |x - w|^2``: an algorithm that the package does not have."""

    local_steps: int
    step_size: Any
    prox: Any
    participation: Any = Full()

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        begin = x = fed.send(w)
        for _ in range(self.local_steps):
            x = x - self.step_size * (fed.gradient(x) + self.prox * (x - begin))
        return fed.average(x, absent=w)


#: Name of a method (its function in ``in_pepit``) and how the package calls it, from E, eta and further numbers.
ALGORITHMS: dict[str, Any] = {
    "fedavg": lambda E, eta, server=1: FedAvg(E, eta) if server == 1 else TwoSidedFedAvg(E, eta, server),
    "fedprox": lambda E, eta, prox: FedProx(E, eta, prox),
    "scaffold": lambda E, eta, server=1: Scaffold(E, eta, server),
    "corrected": lambda E, eta, server=1: GradientCorrected(E, eta, server),
    "one_way": lambda E, eta, server=1: OneWayGradientTransfer(E, eta, server),
    "two_way": lambda E, eta, central: TwoWayGradientTransfer(E, eta, central),
    "parallel": lambda E, eta, central: ParallelTraining(E, eta, central),
}
WITH_CENTRE = ("one_way", "two_way", "parallel")


@dataclass(frozen=True)
class Case:
    """One worst-case question; ``settings`` are E, eta and further numbers of the method; L = 1, start at distance 1."""

    method: str
    settings: dict[str, Any]
    rounds: int = 1
    mu: float = 0.1
    measure: str = "distance"
    heterogeneity: str = "gradients"
    bound: float = 1.0
    start: str = "distance"
    dissimilarity: float = field(default=1.0)

    @property
    def algorithm(self) -> Any:
        """The package's algorithm."""
        return ALGORITHMS[self.method](**self.settings)

    @property
    def with_centre(self) -> bool:
        """Whether the server has a loss of its own."""
        return self.method in WITH_CENTRE

    def model(self) -> Model:
        """The symmetric performance estimation problem."""
        functions = FunctionClass(self.mu, 1)
        kind = Dissimilarity(self.dissimilarity) if self.heterogeneity == "dissimilarity" else self.heterogeneity
        return build_model(
            self.algorithm,
            functions,
            rounds=self.rounds,
            measure=self.measure,
            heterogeneity=kind,
            start=self.start,
            centre=functions if self.with_centre else None,
        )

    def quantities(self, model: Model) -> dict[str, float]:
        """1 for the start and ``bound`` for everything else."""
        return {name: 1.0 if name == self.start else self.bound for name in model.bound_names}

    def describe(self) -> dict[str, Any]:
        """The case as JSON data."""
        return {
            "method": self.method,
            **self.settings,
            "rounds": self.rounds,
            "mu": self.mu,
            "measure": self.measure,
        } | {
            "heterogeneity": self.heterogeneity,
            "bound": self.bound,
            "start": self.start,
        }


def cases() -> Iterator[Case]:
    """All cases."""
    for E, rounds, eta, mu in (
        (1, 1, 0.5, 0.1),
        (2, 1, 0.25, 0.1),
        (2, 2, 0.25, 0.5),
        (3, 1, 0.5, 0.01),
        (2, 2, 1.5, 0.1),
    ):
        yield Case("fedavg", {"E": E, "eta": eta}, rounds, mu)
        yield Case("fedavg", {"E": E, "eta": eta}, rounds, mu, "gap", bound=0.01)
    yield Case("fedavg", {"E": 2, "eta": 0.25}, 3, 0.1, "gradient")
    yield Case("fedavg", {"E": 2, "eta": 0.25}, 2, 0.0, "gap")
    yield Case("fedavg", {"E": 3, "eta": 0.25}, 1, 0.1, "distance", "gamma")
    yield Case("fedavg", {"E": 2, "eta": 0.25}, 2, 0.1, "gap", "gamma", bound=0.1)
    for measure in ("distance", "gap", "gradient"):
        yield Case("fedavg", {"E": 2, "eta": 0.125, "server": 2}, 2, 0.1, measure)
    yield Case("fedavg", {"E": 3, "eta": 0.25, "server": 0.5}, 1, 0.0, "distance")
    for E, R, prox in ((2, 1, 1.0), (3, 1, 0.25), (2, 2, 1.0)):
        yield Case("fedprox", {"E": E, "eta": 0.25, "prox": prox}, R, 0.1)
        yield Case("fedprox", {"E": E, "eta": 0.25, "prox": prox}, R, 0.1, "gap")
    for E, R, eta, mu in ((1, 2, 0.5, 0.1), (2, 2, 0.25, 0.1), (2, 2, 0.125, 0.5), (3, 2, 0.25, 0.1)):
        yield Case("scaffold", {"E": E, "eta": eta}, R, mu)
    yield Case("scaffold", {"E": 2, "eta": 0.25, "server": 0.5}, 2, 0.1, "gap")
    for E, R, eta, mu in ((1, 1, 0.5, 0.1), (2, 1, 0.25, 0.1), (2, 2, 0.25, 0.1), (3, 1, 0.5, 0.25)):
        yield Case("corrected", {"E": E, "eta": eta}, R, mu)
    yield Case("corrected", {"E": 2, "eta": 0.25}, 2, 0.1, "gap")
    for E, R, measure in ((1, 1, "distance"), (2, 1, "distance"), (2, 2, "distance"), (2, 1, "gap")):
        yield Case("one_way", {"E": E, "eta": 0.25}, R, 0.1, measure)
        yield Case("parallel", {"E": E, "eta": 0.25, "central": 0.125}, R, 0.1, measure)
    for E, R in ((1, 2), (2, 2)):
        yield Case("two_way", {"E": E, "eta": 0.25, "central": 0.25}, R, 0.1)
        yield Case("two_way", {"E": E, "eta": 0.125, "central": 0.25}, R, 0.1, "gap")
    dissimilar = {"heterogeneity": "dissimilarity", "start": "gap", "dissimilarity": 2.0}
    yield Case("fedavg", {"E": 2, "eta": 0.25}, 1, -1.0, "gradient", **dissimilar)
    yield Case("fedavg", {"E": 2, "eta": 0.125}, 2, -1.0, "gradient", **dissimilar)


def random_cases(count: int, *, seed: int) -> Iterator[Case]:
    """Cases with parameters at random, hard ones (``mu = 0``, step sizes beyond stability, small heterogeneity) included."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        method = str(rng.choice(["fedavg", "scaffold", "corrected", "two_way", "parallel"]))
        settings: dict[str, Any] = {"E": int(rng.integers(1, 5)), "eta": round(float(10 ** rng.uniform(-2, 0.3)), 4)}
        if method in WITH_CENTRE:
            settings["central"] = settings["eta"]
        rounds = int(rng.integers(2 if method == "scaffold" else 1, 4))
        mu, bound = float(rng.choice([0, 0.001, 0.01, 0.1, 0.5])), float(rng.choice([1, 0.01, 1e-4]))
        measure, kind = (str(rng.choice(names)) for names in (["distance", "gap", "gradient"], ["gradients", "gamma"]))
        yield Case(method, settings, rounds, mu, measure, "gradients" if method in WITH_CENTRE else kind, bound)
