"""Sources of randomness for the arrays reading: counter-based streams for runs, given outcomes for exact work."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory import streams
from fltheory.algorithms.participation import CohortOutcome, Full, Participation
from fltheory.kinds import Array, Integers, Keys, Number, Truths
from fltheory.problems.base import Problem, check_shape
from fltheory.problems.mixed import client_part
from fltheory.problems.oracles import AnyOracle, Exact, is_noisy
from fltheory.problems.oracles.generator import sampler_of
from fltheory.problems.oracles.minibatch import batch_gradients, batch_rows
from fltheory.problems.oracles.protocol import KERNEL_BATCH, Sampler
from fltheory.problems.quadratic import QuadraticProblem
from fltheory.problems.tridiagonal import TridiagonalProblem
from fltheory.readings.arrays import Cohorts, cohorts_from_outcomes
from fltheory.readings.centre import require_centre
from fltheory.readings.numbers import Numbers

#: "Round" number of the draws that an algorithm's ``start`` asks for.
START_ROUND = 0xFFFF_FFFF
#: "Client" number of the server's draws of its own loss; next to the one of its cohorts.
CENTRE_CLIENT = streams.COHORT_CLIENT - 1
#: "Step" of the oracle that no round reaches: under it lie the draws of compressors.
COMPRESSOR = 0xFFFF_FFFE
#: Up to so many numbers the clients' matrices are copied run by run: one product of many is then the fastest.
MOST_COPIED = 2**22


@dataclass(frozen=True)
class ExactDraws:
    """Exact gradients and given cohorts: ``outcomes[r]`` lists one outcome per run for round r (cyclically)."""

    problem: Problem
    numbers: Numbers
    outcomes: tuple[tuple[CohortOutcome, ...], ...] = ()
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
        in_turn = gradients_in_turn(self.problem, x, clients)
        gradients: Array = self.problem.client_gradients(x, clients) if in_turn is None else in_turn
        return gradients

    def centre_gradient(self, round: int, step: int, y: Array) -> Array:
        return require_centre(self.problem).centre_gradient(y)

    def kept(self, round: int, step: int, chance: Number, clients: Array, occurrence: Array) -> Truths:
        raise ValueError(
            "compress: which coordinates are kept is random, and this reading has no draws; use simulate, or enumerate_moments or "
            "table_moments for exact moments"
        )


def gradients_in_turn(problem: Problem, x: Array, clients: Array) -> Array | None:
    """The clients' gradients at ``x`` ``(runs, slots, d)``, one product per client, without a copy of its matrix per run.

    ``None`` where that saves nothing: copies of at most ``MOST_COPIED`` numbers, slots whose client is not the same in all
    runs, and whatever is no quadratic problem in floats.  Tridiagonal problems need no copies where all clients take part.
    """
    quadratic = client_part(problem)
    if not len(x):
        return None
    if type(quadratic) is TridiagonalProblem and np.array_equal(clients[0], np.arange(len(quadratic.vectors))):
        return None if np.any(clients != clients[:1]) else quadratic.client_gradients(x)
    if type(quadratic) is not QuadraticProblem or x.dtype == object or x.size * x.shape[2] <= MOST_COPIED:
        return None
    if np.any(clients != clients[:1]):
        return None
    out = np.empty(x.shape)
    for slot, client in enumerate(clients[0].tolist()):
        out[:, slot] = x[:, slot] @ quadratic.matrices[client].T - quadratic.vectors[client]
    return out


@dataclass(frozen=True)
class StreamDraws:
    """Counter-based draws for runs ``run_ids``, keyed by (seed, run, round, client; step, index).

    ``oracle`` is what the clients see, ``centre_oracle`` what the server sees of its own loss ``problem.centre``, a
    problem with one client, keyed by a number that no client has.  ``first_client`` is the key of the first client.
    """

    problem: Problem
    oracle: AnyOracle
    seed: int
    run_ids: Integers
    centre_oracle: AnyOracle = Exact()
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
        if not is_noisy(self.oracle):
            exact: Array = self.problem.client_gradients(x, clients)
            return exact
        if KERNEL_BATCH.offered_by(self.oracle):
            return batch_gradients(self.problem, x, clients, self.rows(round, step, clients, occurrence))
        keys = slot_keys(self.seed, self.run_ids, round, self.first_client + clients, occurrence)
        answers = self._sampler(x, clients, keys, step)
        check_shape(f"answers of {type(self.oracle).__name__}", answers, x.shape)
        return answers

    def rows(self, round: int, step: int, clients: Array, occurrence: Array) -> Integers:
        """The samples of each slot's batch, ``(runs, slots, size)``."""
        keys = slot_keys(self.seed, self.run_ids, round, self.first_client + clients, occurrence)
        size, replacement = KERNEL_BATCH.of(self.oracle, "batches need").kernel_batch()
        return batch_rows(self.problem, size, clients, keys, step, replacement=replacement)

    def centre_gradient(self, round: int, step: int, y: Array) -> Array:
        if not is_noisy(self.centre_oracle):
            return require_centre(self.problem).centre_gradient(y)
        alone = np.zeros((self.runs, 1), dtype=np.int64)
        return self._central.gradient(round, step, y[:, None], alone, alone)[:, 0]

    def kept(self, round: int, step: int, chance: Number, clients: Array, occurrence: Array) -> Truths:
        keys = slot_keys(self.seed, self.run_ids, round, self.first_client + clients, occurrence)
        own = streams.fold(keys, COMPRESSOR)[..., None]
        return np.asarray(streams.uniforms(own, step, np.arange(int(self.problem.dimension))) < float(chance))

    @cached_property
    def _central(self) -> StreamDraws:
        centre = require_centre(self.problem).centre
        return type(self)(centre, self.centre_oracle, self.seed, self.run_ids, first_client=CENTRE_CLIENT)

    @cached_property
    def _sampler(self) -> Sampler:
        return sampler_of(self.oracle, self.problem)


def slot_keys(seed: int, run_ids: Integers, round: int, clients: Array, occurrence: Array) -> Keys:
    """Stream keys of a round's slots, ``(runs, slots)``; further independent runs of a client have their own."""
    keys = streams.key(seed, run_ids[:, None], round if round >= 0 else START_ROUND, clients)
    return np.where(occurrence > 0, streams.fold(keys, occurrence), keys)
