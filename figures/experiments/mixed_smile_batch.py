"""Figures 6 and 7 of Augenstein et al. (2022): the central batch size in 1-way and 2-way GT, smile task, on other data.

The network of the paper, K = 2, |B_c| from 1 to the rubric's K S |B_i| = 100 on digits, with the paper's 25 in between (its
other sizes are not in the text).  "2-w GT, half step" has the effective step of 1-way GT: both sides of 2-way GT move by
the whole gradient and are summed.  S is 10 instead of 100, so that the clients' share of the variance, which is to dominate
beyond 25, is ten times as large here.  The figure shows 10 replicates with 95 % bands, as in the paper; the
tests take all 64.  They replace a first run, 28 replicates with other seeds (from 440,000 on), that left two rows open: the
least clear comparisons that decide a row went one way in 24; an exact sign test at error 1e-6 then decides with
probability 0.93 if there are 64.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments.replicates import run_replicates
from fltheory.experiments.seeds import seed_of
from verify.mixed2022.experiments_smile_task import LOCAL_STEPS, STEP_SIZE, Task, common, evaluate, tasks, train

FIRST_SEED = 480_000
ROUNDS, EVERY = 120, 5
HORIZONS = (0.2, 0.5, 1.0)
SIZES = (1, 5, 25, 100)
LABELS = ("1-w GT", "2-w GT", "2-w GT, half step")
REDUCED = (("digits", "network"),)
FULL = (*REDUCED, ("MNIST subset", "network"))
REPLICATES = 64


def one(task: Task, replicate: int, rounds: int) -> dict[str, np.ndarray]:
    """Loss and AUC after every fifth round for each algorithm and size."""
    seed = seed_of(task.first_seed, replicate)
    source, found = task.source(seed), {}
    for label in LABELS:
        for size in SIZES:
            run = train(
                source,
                task.model,
                label[:6],
                cohort=task.cohort,
                rounds=rounds,
                every=EVERY,
                seed=seed,
                central_batch=size,
                step_size=STEP_SIZE / 2 if label.endswith("half step") else STEP_SIZE,
            )
            measured = evaluate(source, task.model, run)
            found |= {f"{label}, {size}, loss": measured["loss"], f"{label}, {size}, auc": measured["auc"]}
    return found


def main(full: bool, results: Path, limit: int | None = None, rounds: int | None = None) -> None:
    """Write ``experiments/mixed_smile_batch.npz``; ``limit`` and ``rounds`` cut replicates and rounds (for trials)."""
    rounds = rounds or ROUNDS
    work = {task.name: task for task in tasks(FIRST_SEED, FULL if full else REDUCED)}
    sets = {
        name: {**task.settings(), "rounds": rounds, "replicates": min(REPLICATES, limit or 10**6)}
        for name, task in work.items()
    }
    settings = {
        **common(full),
        "K": LOCAL_STEPS,
        "eta": STEP_SIZE,
        "every": EVERY,
        "horizons": list(HORIZONS),
        "central sizes": list(SIZES),
        "shown": 10,
    }
    path = results / "experiments" / "mixed_smile_batch.npz"
    digests = {name: task.digest for name, task in work.items()}

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        return one(work[name], replicate, rounds)

    run_replicates(path, settings, sets, job, script=__file__, data=digests)


if __name__ == "__main__":
    main(False, Path("results"))
