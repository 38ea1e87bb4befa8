"""The problems of the benchmark, and the draws that all contestants are given before they are timed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import fltheory as fl
from fltheory.kinds import Array, Integers
from fltheory.readings.draws import StreamDraws

#: synthetic(1, 1) with 100 clients of this seed has 38,922 samples.
SEED = 17137
BATCH, RIDGE, STEP = 24, 1e-4, 0.01


def nothing(model: Array) -> float:
    """Recorded instead of the loss: no contestant evaluates a loss."""
    return 0.0


@dataclass(frozen=True)
class Sampled:
    """Mini-batch SGD on a problem with samples: ``clients`` of ``N`` per round, ``steps`` local steps, batches of 24 rows.

    ``kind`` is "softmax" or "logistic".  Cohorts are uniform without replacement and weighted by ``N/K p_k``; all clients take
    part where ``clients`` is ``None``.  Rows of a batch are drawn with replacement unless ``distinct``.
    """

    kind: str
    steps: int
    clients: int | None
    n_clients: int = 100
    features: int = 60

    @cached_property
    def data(self) -> Any:
        return fl.synthetic(1, 1, seed=SEED, n_clients=self.n_clients, features=self.features)

    @cached_property
    def problem(self) -> Any:
        ridge = fl.Regulariser(RIDGE, "lambda/2|w|^2")
        return self.data.softmax(ridge) if self.kind == "softmax" else self.data.logistic(range(5), ridge)

    @property
    def cohort(self) -> int:
        return self.n_clients if self.clients is None else self.clients

    @property
    def scheme(self) -> Any:
        return fl.Full() if self.clients is None else fl.SchemeII(self.clients)

    @property
    def algorithm(self) -> Any:
        return fl.FedAvg(self.steps, STEP, self.scheme)

    @cached_property
    def table(self) -> tuple[Array, Integers, Integers, Integers, Array]:
        """Rows ``(n, f)`` (with the one of the bias, for softmax), labels, first rows, sizes ``(N,)``, coefficients ``(N,)``."""
        problem = self.problem
        rows = np.concatenate([problem.inputs(k) for k in range(self.n_clients)])
        sizes = np.asarray(problem.sample_sizes, dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        share = self.n_clients / self.cohort
        return rows, np.concatenate(problem.labels), starts, sizes, np.asarray(problem.weights) * share

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one model."""
        return (10, self.features + 1) if self.kind == "softmax" else (self.features,)

    def run(
        self, rounds: int, *, runs: int = 1, distinct: bool = False, algorithm: Any = None, **options: Any
    ) -> Array:
        """What fltheory ends at, ``(runs, d)``."""
        oracle = fl.MiniBatch(BATCH, replacement=not distinct)
        method = self.algorithm if algorithm is None else algorithm
        settings = {"record_every": rounds, "reference": False, "objective": nothing, "threads": 1} | options
        return fl.simulate(self.problem, method, rounds=rounds, runs=runs, oracle=oracle, **settings).final

    def draws(self, rounds: int) -> list[tuple[Integers, Integers]]:
        """Clients ``(K,)`` and rows of the batches ``(K, E, b)`` of each round, as fltheory draws them in run 0."""
        source = StreamDraws(self.problem, fl.MiniBatch(BATCH, replacement=True), 0, np.zeros(1, dtype=np.int64))
        found = []
        for round in range(rounds):
            clients = source.cohorts(round, self.scheme, np.asarray(self.problem.weights)).clients
            rows = [source.rows(round, step, clients, np.zeros_like(clients))[0] for step in range(self.steps)]
            found.append((np.array(clients[0]), np.stack(rows, axis=1)))
        return found


def curved_quadratics(n_clients: int, dimension: int) -> Any:
    """Dense quadratics with eigenvalues in [0.05, 1], each with axes of its own: ``A_k = Q_k diag Q_k'``."""
    rng = np.random.default_rng(5)
    matrices = np.empty((n_clients, dimension, dimension))
    values = np.linspace(0.05, 1.0, dimension)
    for k in range(n_clients):
        # Reflections turn the axes: orthogonal, and cheap at any dimension.
        turned = np.diag(values)
        for direction in rng.standard_normal((3, dimension)):
            unit = direction / np.sqrt(direction @ direction)
            turned -= 2 * np.outer(unit, unit @ turned)
            turned -= 2 * np.outer(turned @ unit, unit)
        matrices[k] = (turned + turned.T) / 2
    return fl.QuadraticProblem(matrices, rng.standard_normal((n_clients, dimension)))
