"""What is measured on a device: problems of sampled and of exact gradients, one run and many side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import fltheory as fl

#: synthetic(1, 1) with 100 clients of this seed has 38,922 samples.
SEED = 17137
RUNS = (1, 64, 1024)


@dataclass(frozen=True)
class Case:
    """One problem, algorithm and oracle; ``gradients`` counts the clients' gradients of a round of one run."""

    name: str
    problem: Any
    algorithm: Any
    oracle: Any
    gradients: int


def cases(*, quick: bool) -> Iterator[Case]:
    """All of them; ``quick`` ones are small, for a test of the benchmark itself."""
    data = fl.synthetic(1, 1, seed=SEED, **({"n_clients": 6, "sizes": np.full(6, 30)} if quick else {}))
    ridge = fl.Regulariser(1e-4, "lambda/2|w|^2")
    few, everyone = (2, 6) if quick else (10, 100)
    softmax, logistic = data.softmax(ridge), data.logistic(range(5), ridge)
    for steps, clients in ((20, few), (1, few), (100, everyone)):
        steps = min(steps, 2) if quick else steps
        scheme = fl.Full() if clients == everyone else fl.SchemeII(clients)
        for kind, problem in (("softmax", softmax), ("logistic", logistic)):
            algorithm = fl.FedAvg(steps, 0.01, scheme)
            name = f"{kind}, E={steps}, K={clients}, batches of 24"
            yield Case(name, problem, algorithm, fl.MiniBatch(24), steps * clients)
    algorithm = fl.Scaffold(20, 0.01, participation=fl.SchemeII(few))
    yield Case(f"softmax, SCAFFOLD, E=20, K={few}", softmax, algorithm, fl.MiniBatch(24), 20 * few)
    for n, d, steps in ((3, 4, 2),) if quick else ((100, 100, 10), (10, 1000, 10)):
        problem = quadratics(n, d)
        for kind, oracle in (("exact", fl.Exact()), ("additive noise", fl.AdditiveNoise(np.array(0.1)))):
            name = f"quadratics, {kind}, N={n}, d={d}, E={steps}"
            yield Case(name, problem, fl.FedAvg(steps, 0.1), oracle, steps * n)


def quadratics(n: int, d: int) -> Any:
    """``N`` quadratics with eigenvalues between 0 and 1."""
    rng = np.random.default_rng(SEED)
    factors = rng.normal(size=(n, d, d)) / (2 * d**0.5)
    matrices = factors @ factors.swapaxes(-1, -2)
    return fl.QuadraticProblem((matrices + matrices.swapaxes(-1, -2)) / 2, rng.normal(size=(n, d)))
