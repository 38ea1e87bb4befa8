"""What a run takes at the very least, in memory and in time: asked before anything large is made."""

from __future__ import annotations

from typing import Any

from fltheory.algorithms.participation import Participation
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.machine import cores
from fltheory.problems.base import Problem, check_request
from fltheory.problems.checks import check_time
from fltheory.problems.oracles import AnyOracle, is_noisy
from fltheory.problems.oracles.protocol import KERNEL_BATCH

#: No core of any processor does more products of floats in a second, nor touches more numbers.
MOST_PRODUCTS = 1e11
#: Bytes of one step size on its way from the schedule to the kernel: a Python float, its place in a list, one in an array.
STEP_BYTES = 40


def check_work(
    problem: Problem, algorithm: Algorithm, oracle: AnyOracle, participation: Participation, *, rounds: int, runs: int
) -> None:
    """Raise ``ValueError`` where one round cannot be held, or where all of them take weeks on the fastest machine.

    Memory: the models of one cohort, and the step sizes of one round.  Time: mini-batches are drawn one by
    one, and every client-step with ``b`` rows multiplies each number of the model ``2 b`` times (scores and gradient).  Rounds
    with exact gradients or additive noise may be one map, whatever the number of clients and steps: no such bound holds there.
    """
    slots, steps = participation.slots(problem.n_clients), _local_steps(algorithm)
    what = f"cohorts of {slots} clients with dimension={problem.dimension}"
    check_request(what, slots * (problem.dimension + 3), instead="smaller cohorts are drawn by SchemeII(clients=...)")
    what = f"local_steps={steps}: the step sizes of one round"
    check_request(
        what, steps, bytes_each=STEP_BYTES, instead="limit_local_steps_to_infinity has the limit of many steps"
    )
    if not is_noisy(oracle) or not KERNEL_BATCH.offered_by(oracle):
        return
    size = KERNEL_BATCH.of(oracle, "runs need").kernel_batch()[0]
    check_request(f"batches of size={size} for {slots} clients", slots * size, instead="Exact() takes all samples")
    products = problem.dimension * max(1, 2 * size)
    seconds = rounds * runs * slots * steps * (products / MOST_PRODUCTS) / cores()
    asked = f"rounds={rounds} with runs={runs}, cohorts of {slots} and local_steps={steps}"
    check_time(asked, seconds, instead="moments has the expectation of quadratic problems without any run")


def _local_steps(algorithm: Any) -> int:
    """Steps of a client in one round where the algorithm says them in one number, else 1."""
    steps = getattr(algorithm, "local_steps", 1)
    return int(steps) if isinstance(steps, int) and not isinstance(steps, bool) else 1
