"""Sources of randomness for the arrays reading: counter-based streams for runs, given outcomes for exact work."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory import streams
from fltheory.algorithms.participation import Full, Outcome, Participation
from fltheory.problems.oracles import AdditiveNoise, Exact, FiniteSupportNoise, MiniBatch
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.readings.arrays import Cohorts, cohorts_from_outcomes
from fltheory.readings.numbers import Numbers

Array = npt.NDArray[Any]
#: "Round" number of the draws that an algorithm's ``start`` asks for.
START_ROUND = 0xFFFF_FFFF
#: "Client" number of the server's draws of its own loss; next to the one of its cohorts.
CENTRE_CLIENT = streams.COHORT_CLIENT - 1


@dataclass(frozen=True)
class ExactDraws:
    """Exact gradients and given cohorts: ``outcomes[r]`` lists one outcome per run for round r (cyclically)."""

    problem: Any
    numbers: Numbers
    outcomes: tuple[tuple[Outcome, ...], ...] = ()
    runs: int = 1

    def cohorts(self, round: int, participation: Participation, weights: Array) -> Cohorts:
        if self.outcomes:
            given = list(self.outcomes[round % len(self.outcomes)])
        elif isinstance(participation, Full):
            given = list(participation.outcomes(list(weights))) * self.runs
        else:
            raise ValueError(f"{participation!r} is random: an exact run needs the outcomes of its cohorts")
        return cohorts_from_outcomes(given, self.numbers, int(self.problem.n_clients))

    def gradient(self, round: int, step: int, x: Array, clients: Array, occurrence: Array) -> Array:
        gradients: Array = self.problem.client_gradients(x, clients)
        return gradients

    def centre_gradient(self, round: int, step: int, y: Array) -> Array:
        gradients: Array = self.problem.centre_gradient(y)
        return gradients


@dataclass(frozen=True)
class StreamDraws:
    """Counter-based draws for runs ``run_ids``, keyed by (seed, run, round, client; step, index).

    ``oracle`` is what the clients see, ``centre_oracle`` what the server sees of its own loss ``problem.centre``, a
    problem with one client, keyed by a number that no client has.  ``first_client`` is the key of the first client.
    """

    problem: Any
    oracle: Any
    seed: int
    run_ids: npt.NDArray[np.int64]
    centre_oracle: Any = Exact()
    first_client: int = 0

    @property
    def runs(self) -> int:
        return len(self.run_ids)

    def cohorts(self, round: int, participation: Participation, weights: Array) -> Cohorts:
        n = len(weights)
        if isinstance(participation, Full):
            u = np.empty((self.runs, 0))
        else:
            keys = streams.key(self.seed, self.run_ids, round, streams.COHORT_CLIENT)
            u = streams.uniforms(keys[:, None], 0, np.arange(participation.slots(n)))
        clients, coefficients, absent = participation.cohort(np.asarray(weights, dtype=np.float64), u)
        return Cohorts(clients, coefficients, absent, isinstance(participation, Full))

    def gradient(self, round: int, step: int, x: Array, clients: Array, occurrence: Array) -> Array:
        if isinstance(self.oracle, Exact):
            exact: Array = self.problem.client_gradients(x, clients)
            return exact
        if isinstance(self.oracle, MiniBatch):
            return _batch_gradients(self.problem, self.oracle, x, clients, self.rows(round, step, clients, occurrence))
        keys = slot_keys(self.seed, self.run_ids, round, self.first_client + clients, occurrence)
        gradients: Array = self.problem.client_gradients(x, clients)
        if isinstance(self.oracle, AdditiveNoise):
            z = streams.normals(keys, step, x.shape[-1])
            return gradients + (self._roots[clients] @ z[..., None])[..., 0]
        if isinstance(self.oracle, FiniteSupportNoise):
            u = streams.uniforms(keys, step, 0)
            edges = np.cumsum(self.oracle.probabilities.astype(np.float64))
            index = np.minimum(np.searchsorted(edges, u, side="right"), len(edges) - 1)
            return gradients + self.oracle.supports(self.problem).astype(np.float64)[clients, index]
        raise ValueError(f"oracle={self.oracle!r} has no sampler")

    def rows(self, round: int, step: int, clients: Array, occurrence: Array) -> npt.NDArray[np.int64]:
        """The samples of each slot's batch, ``(runs, slots, size)``."""
        keys = slot_keys(self.seed, self.run_ids, round, self.first_client + clients, occurrence)
        return batch_rows(self.problem, self.oracle, clients, keys, step)

    def centre_gradient(self, round: int, step: int, y: Array) -> Array:
        if isinstance(self.centre_oracle, Exact):
            exact: Array = self.problem.centre_gradient(y)
            return exact
        alone = np.zeros((self.runs, 1), dtype=np.int64)
        return self._central.gradient(round, step, y[:, None], alone, alone)[:, 0]

    @cached_property
    def _central(self) -> StreamDraws:
        return type(self)(self.problem.centre, self.centre_oracle, self.seed, self.run_ids, first_client=CENTRE_CLIENT)

    @cached_property
    def _roots(self) -> Array:
        return noise_roots(self.problem, self.oracle)


def slot_keys(
    seed: int, run_ids: npt.NDArray[np.int64], round: int, clients: Array, occurrence: Array
) -> npt.NDArray[np.uint64]:
    """Stream keys of a round's slots, ``(runs, slots)``; further independent runs of a client have their own."""
    keys = streams.key(seed, run_ids[:, None], round if round >= 0 else START_ROUND, clients)
    return np.where(occurrence > 0, streams.fold(keys, occurrence), keys)


def noise_roots(problem: Any, oracle: AdditiveNoise) -> Array:
    """Symmetric square roots of the clients' noise covariances, ``(N, d, d)``."""
    eigenvalues, basis = np.linalg.eigh(oracle.covariances(problem).astype(np.float64))
    scaled = basis * np.sqrt(np.maximum(eigenvalues, 0.0))[:, None, :]
    roots: Array = scaled @ basis.swapaxes(-1, -2)
    return roots


def batch_rows(problem: Any, oracle: MiniBatch, clients: Array, keys: Array, step: int) -> npt.NDArray[np.int64]:
    """The samples of each slot's batch, ``(runs, slots, size)``."""
    sizes = np.asarray(problem.sample_sizes)[clients]
    u = streams.uniforms(keys[..., None], step, np.arange(oracle.size))
    if oracle.replacement:
        return streams.choose_with_replacement(u, sizes[..., None])
    return streams.choose_without_replacement(u, sizes)


def _batch_gradients(problem: Any, oracle: MiniBatch, x: Array, clients: Array, rows: Array) -> Array:
    """The slow, plain way, and the kernels' twin: a problem promises sample gradients for one list of rows only.

    Samples of quadratics take one list per point, so that all slots of a client are done at once; problems with a method
    ``batch_gradients(clients, x, rows)`` answer all slots at once.
    """
    if hasattr(problem, "batch_gradients"):
        means: Array = problem.batch_gradients(clients, x, rows)
        return means
    answers = np.empty(x.shape)
    if isinstance(problem, QuadraticProblem):
        for client in np.unique(clients):
            here = clients == client
            answers[here] = problem.sample_gradients(int(client), x[here], rows[here]).sum(axis=-2) / oracle.size
        return answers
    for slot in np.ndindex(*clients.shape):
        answers[slot] = problem.sample_gradients(int(clients[slot]), x[slot], rows[slot]).sum(axis=0) / oracle.size
    return answers
