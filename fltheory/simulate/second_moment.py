"""G^2 along a run: the second moment of the stochastic gradients that an algorithm really asks for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.kinds import Array, Integers, PointLike
from fltheory.problems.base import Problem, check_count
from fltheory.problems.oracles import AnyOracle, Exact, check_oracle
from fltheory.problems.oracles.generator import require_sampler
from fltheory.readings.arrays import ArrayFederation, OracleCall, participation_of
from fltheory.readings.draws import StreamDraws
from fltheory.readings.numbers import FLOAT, convert_problem
from fltheory.streams import check_seed


@dataclass(frozen=True, eq=False)
class GradientMoments:
    """``|g|^2`` of every oracle call of a simulation.

    ``by_round[r]`` is the largest mean over runs of ``|g_k|^2`` in round ``r``, over steps and clients: an estimate
    of ``max_k,t E |grad F_k(w_t^k, xi)|^2`` (Assumption 4 of Li et al. 2020), and its value where nothing is random.
    ``largest`` is the maximum over rounds, and ``largest_draw`` the largest single ``|g|^2`` that was seen.
    """

    by_round: Array
    largest_draw: float
    runs: int

    @property
    def largest(self) -> float:
        """``G^2`` as met along the runs."""
        return float(self.by_round.max())


def gradient_second_moment(
    problem: Problem,
    algorithm: Algorithm,
    *,
    rounds: int,
    runs: int = 1,
    seed: int = 0,
    oracle: AnyOracle | None = None,
    start: PointLike | None = None,
) -> GradientMoments:
    """Run ``algorithm`` in plain NumPy with a log of all oracle calls, and reduce the log to second moments.

    A client's mean in one step is taken over the runs in which it took part.  Under participation schemes that
    rescale the objectives the gradients are those of the rescaled ones.

    Raises
    ------
    ValueError : invalid counts, a scheme that does not fit; a gradient that is not finite.
    """
    rounds, runs = check_count("rounds", rounds), check_count("runs", runs)
    seed = check_seed(seed)
    floats = convert_problem(problem, FLOAT)
    log: list[OracleCall] = []
    oracle = Exact() if oracle is None else oracle
    check_oracle(floats, oracle)
    require_sampler(oracle)
    draws = StreamDraws(floats, oracle, seed, np.arange(runs))
    fed = ArrayFederation(floats, participation_of(algorithm), draws, log=log)
    state = algorithm.start(fed, fed.vector(np.zeros(floats.dimension) if start is None else start))
    by_round, largest = np.zeros(rounds), 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for round in range(rounds):
            log.clear()
            fed.begin(round)
            state = algorithm.round(fed, state)
            for call in log:
                squares = (call.gradients * call.gradients).sum(axis=-1)
                if not np.isfinite(squares).all():
                    raise ValueError(f"round {round}: a gradient is not finite; expected an algorithm that converges")
                largest = max(largest, float(squares.max()))
                by_round[round] = max(by_round[round], float(_client_means(call.clients, squares).max()))
    return GradientMoments(by_round, largest, runs)


def _client_means(clients: Integers, squares: Array) -> Array:
    """Mean over the occurrences of each client, of the clients that occur."""
    flat = np.broadcast_to(clients, squares.shape).ravel()
    totals, counts = np.bincount(flat, weights=squares.ravel()), np.bincount(flat)
    return np.asarray(totals[counts > 0] / counts[counts > 0])
