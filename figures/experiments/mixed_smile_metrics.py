"""Figure 3 of Augenstein et al. (2022), smile task: the sampled dissimilarities of equation (7), K = 1, on other data.

Per round G_t^2 and B_t^2 from the very gradients that the run takes: of the cohort, times w_f, and of a central batch of
S |B_i| examples, times w_c; at K = 1 all three algorithms take the same step.  "shuffled": both labels on both sides, for
comparison.  The paper shows the largest value of 5 simulations in each round; the tests compare the largest value of
rounds 10 to 100 between the two divisions in 28 replicates (20 that agree are the least for an exact sign test at 1e-6).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.algorithms import ParallelTraining, SchemeII
from fltheory.experiments.replicates import run_replicates
from fltheory.experiments.seeds import seed_of
from fltheory.problems import MiniBatch
from fltheory.readings.draws import StreamDraws
from fltheory.simulate import simulate
from fltheory.theory.mixed2022.metrics import sampled
from verify.mixed2022.experiments_smile_task import BATCH, STEP_SIZE, Task, common, start_of, tasks

FIRST_SEED = 430_000
ROUNDS = 101
REDUCED = (("digits", "network"), ("digits", "logistic"))
FULL = (*REDUCED, ("MNIST subset", "network"))
REPLICATES = 28


def metrics(task: Task, seed: int, rounds: int, shuffled: bool) -> tuple[np.ndarray, np.ndarray]:
    """``G_t^2`` and ``B_t^2`` in rounds 0, 1, ..., ``(rounds,)`` each."""
    source = task.source(seed, shuffled=shuffled)
    problem, scheme = source.mixed(task.model), SchemeII(task.cohort)
    oracle, central = MiniBatch(BATCH), MiniBatch(task.cohort * BATCH, replacement=True)
    run = simulate(
        problem,
        ParallelTraining(1, STEP_SIZE, STEP_SIZE, participation=scheme),
        rounds=rounds,
        seed=seed,
        oracle=oracle,
        centre_oracle=central,
        start=start_of(source, task.model, seed),
        keep_models=True,
        reference=False,
    )
    assert run.models is not None and run.completed
    draws = StreamDraws(problem, oracle, seed, run.run_ids, central)
    ours, others = [], []
    for t, x in enumerate(run.models[0, :-1]):
        cohort = draws.cohorts(t, scheme, problem.weights)
        points = np.broadcast_to(x, (1, task.cohort, len(x)))
        gradients = draws.gradient(t, 0, points, cohort.clients, np.zeros_like(cohort.clients))
        ours.append(gradients[0].mean(axis=0))
        others.append(draws.centre_gradient(t, 0, x[None])[0])
    # The step of round t is the sum of the two: what is measured is what was done.
    steps = run.models[0, :-1] - STEP_SIZE * (np.array(ours) + np.array(others))
    np.testing.assert_allclose(steps, run.models[0, 1:], rtol=1e-6, atol=1e-9)
    found = sampled(np.array(ours), np.array(others), federated_weight=0.5)
    return found.G2.astype(np.float32), found.B2.astype(np.float32)


def one(task: Task, replicate: int, rounds: int) -> dict[str, np.ndarray]:
    """Both metrics under both divisions."""
    seed = seed_of(task.first_seed, replicate)
    spread, ratio = metrics(task, seed, rounds, False)
    spread_shuffled, ratio_shuffled = metrics(task, seed, rounds, True)
    return {"G2": spread, "B2": ratio, "G2, shuffled": spread_shuffled, "B2, shuffled": ratio_shuffled}


def main(full: bool, results: Path, limit: int | None = None, rounds: int | None = None) -> None:
    """Write ``experiments/mixed_smile_metrics.npz``; ``limit`` and ``rounds`` cut replicates and rounds (for trials)."""
    rounds = rounds or ROUNDS
    work = {task.name: task for task in tasks(FIRST_SEED, FULL if full else REDUCED)}
    sets = {
        name: {**task.settings(), "rounds": rounds, "replicates": min(REPLICATES, limit or 10**6)}
        for name, task in work.items()
    }
    settings = {**common(full), "K": 1, "eta": STEP_SIZE, "shown": 5}
    path = results / "experiments" / "mixed_smile_metrics.npz"
    digests = {name: task.digest for name, task in work.items()}

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        return one(work[name], replicate, rounds)

    run_replicates(path, settings, sets, job, script=__file__, data=digests)


if __name__ == "__main__":
    main(False, Path("results"))
