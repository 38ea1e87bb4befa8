"""G^2 along a run: the second moment of the stochastic gradients that an algorithm really asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import Algorithm, ClientVector
from fltheory.kinds import Array, Integers, Number, PointLike
from fltheory.problems.base import Problem, check_count
from fltheory.problems.oracles import AnyOracle, Exact, check_oracle
from fltheory.problems.oracles.generator import require_sampler
from fltheory.readings.arrays import ArrayFederation, OracleCall, participation_of
from fltheory.readings.numbers import FLOAT, convert_problem
from fltheory.simulate.backends import choose_draws, choose_plan
from fltheory.simulate.federation import KernelFederation
from fltheory.simulate.kept_moments import kept
from fltheory.streams import check_seed
from fltheory.tables import Shown


@dataclass(frozen=True, eq=False, repr=False)
class GradientMoments(Shown):
    """``|g|^2`` of every oracle call of a simulation.

    ``by_round[r]`` is the largest mean over runs of ``|g_k|^2`` in round ``r``, over steps and clients: an estimate
    of ``max_k,t E |grad F_k(w_t^k, xi)|^2`` (Assumption 4 of Li et al. 2020), and its value where nothing is random.
    ``largest`` is the maximum over rounds, and ``largest_draw`` the largest single ``|g|^2`` that was seen.
    """

    by_round: Array
    largest_draw: float
    runs: int

    def headline(self) -> str:
        return f"{self.runs} runs of {len(self.by_round)} rounds: G^2 = {self.largest:.6g}, largest draw {self.largest_draw:.6g}"

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
    backend: str = "auto",
) -> GradientMoments:
    """Run ``algorithm``, its gradients by compiled kernels where there are such, and reduce all oracle calls to second moments.

    A client's mean in one step is taken over the runs in which it took part.  Under participation schemes that
    rescale the objectives the gradients are those of the rescaled ones.  What was found is kept with the problem.

    ``backend="numpy"`` is the plain way, the kernels' twin: it agrees to rounding.

    Raises
    ------
    ValueError : invalid counts, a scheme that does not fit; a gradient that is not finite; an unknown backend.
    """
    rounds, runs = check_count("rounds", rounds), check_count("runs", runs)
    seed = check_seed(seed)
    oracle = Exact() if oracle is None else oracle
    first = None if start is None else np.array(start, dtype=np.float64)
    asked = (algorithm, oracle, rounds, runs, seed, None if first is None else first.tolist(), backend)
    return kept(
        problem, "G^2", asked, lambda: _along(problem, algorithm, oracle, rounds, np.arange(runs), seed, first, backend)
    )


def _along(
    problem: Problem,
    algorithm: Algorithm,
    oracle: AnyOracle,
    rounds: int,
    run_ids: Integers,
    seed: int,
    start: Array | None,
    backend: str,
) -> GradientMoments:
    floats = convert_problem(problem, FLOAT)
    check_oracle(floats, oracle)
    require_sampler(oracle)
    draws = choose_draws(backend)(floats, oracle, seed, run_ids)
    plan = choose_plan(backend, floats, oracle, algorithm)
    log: list[OracleCall] = []
    if plan is None:
        fed = ArrayFederation(floats, participation_of(algorithm), draws, log=log)
    else:
        fed = LoggedKernels(floats, participation_of(algorithm), draws, plan)
        fed.log = log
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
    return GradientMoments(by_round, largest, len(run_ids))


class LoggedKernels(KernelFederation):
    """Compiled gradients, one call for each local step, all of them logged."""

    def gradient(self, x: ClientVector, batch: Any = None) -> ClientVector:
        step = self._step if batch is None else batch
        answer = super().gradient(x, batch)
        if self.log is not None:
            points, values = self._at_cohort(x.payload), answer.payload.values
            self.log.append(OracleCall(self.round, step, self.cohorts.clients, points, values))
        return answer

    def local_sgd(
        self, x: ClientVector, steps: int, step_size: Callable[[int], Number], shift: ClientVector | None = None
    ) -> Any:
        """The loop that defines it: a compiled one does not tell its gradients."""
        return NotImplemented


def _client_means(clients: Integers, squares: Array) -> Array:
    """Mean over the occurrences of each client, of the clients that occur."""
    flat = np.broadcast_to(clients, squares.shape).ravel()
    totals, counts = np.bincount(flat, weights=squares.ravel()), np.bincount(flat)
    return np.asarray(totals[counts > 0] / counts[counts > 0])
