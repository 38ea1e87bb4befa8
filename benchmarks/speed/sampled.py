"""Mini-batch SGD on softmax and logistic regression, one run and a batch of 16."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.speed.case import Disagreement, Row, case
from benchmarks.speed.data import Sampled
from benchmarks.speed.timing import Contestant, interleaved

RUNS = 16
#: Two programs that add in another order end this far apart at most, relative to the model's length.
AGREEMENT = 1e-9


def peers_of(task: Sampled) -> tuple[dict[str, Any], list[str]]:
    """The peers that are installed, and the names of those that are not."""
    wanted = {"NumPy": ("numpy_sgd", "NumpySGD"), "JAX": ("jax_sgd", "JaxSGD"), "PyTorch": ("torch_sgd", "TorchSGD")}
    found, missing = {}, []
    for name, (module, peer) in wanted.items():
        try:
            found[name] = getattr(import_module(f"benchmarks.speed.peers.{module}"), peer)(task)
        except ImportError:
            missing.append(name)
    return found, missing


def agree(task: Sampled, peers: dict[str, Any], *, rounds: int = 3) -> None:
    """Raise ``Disagreement`` unless all end where fltheory ends when they are given its draws."""
    draws, own = task.draws(rounds), task.run(rounds)[0]
    for name, peer in peers.items():
        far = float(np.linalg.norm(np.asarray(peer.fed(draws)) - own) / np.linalg.norm(own))
        if not far <= AGREEMENT:
            raise Disagreement(f"{name} ends {far:.2g} from fltheory with the same draws; expected at most {AGREEMENT}")


def measure(task: Sampled, *, quick: bool) -> list[Row]:
    """Microseconds per client-step of everything that is installed."""
    peers, missing = peers_of(task)
    agree(task, peers)
    work = task.cohort * task.steps
    rows = []
    for runs in (1, RUNS):
        field = {
            "fltheory": Contestant(lambda rounds, runs=runs: task.run(rounds, runs=runs), work * runs),
            "fltheory, distinct rows": Contestant(
                lambda rounds, runs=runs: task.run(rounds, runs=runs, distinct=True), work * runs
            ),
        }
        if "JAX" in peers:
            field["JAX"] = Contestant(lambda rounds, runs=runs: peers["JAX"].run(rounds, runs=runs), work * runs)
        field["NumPy, clients vectorised"] = Contestant(
            lambda rounds, runs=runs: peers["NumPy"].vectorised(rounds, runs=runs), work * runs
        )
        if runs == 1:
            field["NumPy, client loop"] = Contestant(peers["NumPy"].loop, work)
            if "PyTorch" in peers:
                field["PyTorch, client loop"] = Contestant(peers["PyTorch"].loop, work)
        rows += [Row(who, seconds * 1e6, runs) for who, seconds in interleaved(field, quick=quick).items()]
    return rows + [Row(name, float("nan"), 1, "not installed") for name in missing]


@case("softmax E=20 K=10", "SGD on softmax regression, synthetic(1, 1), N=100, b=24", "us per client-step")
def softmax_20(quick: bool) -> list[Row]:
    return measure(Sampled("softmax", 20, 10), quick=quick)


@case("softmax E=1 K=10", "SGD on softmax regression, synthetic(1, 1), N=100, b=24", "us per client-step")
def softmax_1(quick: bool) -> list[Row]:
    return measure(Sampled("softmax", 1, 10), quick=quick)


@case("softmax E=100 K=100", "SGD on softmax regression, synthetic(1, 1), N=100, b=24", "us per client-step")
def softmax_100(quick: bool) -> list[Row]:
    return measure(Sampled("softmax", 100, None), quick=quick)


@case("logistic E=20 K=10", "SGD on logistic regression, synthetic(1, 1), N=100, d=60, b=24", "us per client-step")
def logistic_20(quick: bool) -> list[Row]:
    return measure(Sampled("logistic", 20, 10), quick=quick)
