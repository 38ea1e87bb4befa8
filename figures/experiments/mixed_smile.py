"""Figures 1(a) and 2(a) of Augenstein et al. (2022): a classifier whose two labels lie on two sides, on other data.

Parallel Training, 1-way and 2-way Gradient Transfer, FedAvg on the clients alone, and an oracle (SGD on all data in one
place); a network with 64 hidden units, as in the paper, and logistic regression.  K = 2 and the rest as described in
``verify.mixed2022.experiments_smile_task``.  Besides, on digits: 2-way GT with half the step size, since
both its sides move by the whole gradient and their sum by twice as much; and PT and 1-way GT with both labels on both sides
("shuffled").

The paper does not say after how many rounds it compares: claims are judged after a fifth and a half of the rounds and at
their end, and must be right each time.  20 replicates that agree are the least for an exact sign test at error 1e-6; of 28
one may disagree.  These numbers, the rounds, the step size and the tests were fixed from runs with other seeds, the
tolerance of AUC while the replicates were computed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments.replicates import run_replicates
from fltheory.experiments.seeds import seed_of
from verify.mixed2022.experiments_smile_task import LOCAL_STEPS, MIXED, STEP_SIZE, Task, common, evaluate, tasks, train

FIRST_SEED = 410_000
ROUNDS, EVERY = 200, 5
HORIZONS = (0.2, 0.5, 1.0)
REDUCED = (("digits", "network"), ("digits", "logistic"), ("MNIST subset", "network"), ("MNIST subset", "logistic"))
FULL = (*REDUCED, ("Fashion-MNIST", "network"), ("Fashion-MNIST", "logistic"))
REPLICATES = {"digits": 28, "MNIST subset": 20, "Fashion-MNIST": 20}
LABELS = (*MIXED, "oracle", "FL only")


def one(task: Task, replicate: int, rounds: int) -> dict[str, np.ndarray]:
    """Loss and AUC after every fifth round, and the accuracies on both labels at the end."""
    seed = seed_of(task.first_seed, replicate)
    found: dict[str, np.ndarray] = {}

    def run(name: str, label: str, shuffled: bool = False, **options: Any) -> None:
        source = task.source(seed, shuffled=shuffled)
        made = train(source, task.model, label, cohort=task.cohort, rounds=rounds, every=EVERY, seed=seed, **options)
        measured = evaluate(source, task.model, made)
        found.update({f"{name}, loss": measured["loss"], f"{name}, auc": measured["auc"]})
        found[f"{name}, accuracy"] = measured["accuracy"][-1]

    for label in LABELS:
        run(label, label)
    if task.family == "digits":
        run("2-w GT, half step", "2-w GT", step_size=STEP_SIZE / 2)
        run("PT, shuffled", "PT", shuffled=True)
        run("1-w GT, shuffled", "1-w GT", shuffled=True)
    return found


def main(full: bool, results: Path, limit: int | None = None, rounds: int | None = None) -> None:
    """Write ``experiments/mixed_smile.npz``; ``limit`` and ``rounds`` cut replicates and rounds (for trials)."""
    rounds = rounds or ROUNDS
    work = {task.name: task for task in tasks(FIRST_SEED, FULL if full else REDUCED)}
    sets = {
        name: {**task.settings(), "rounds": rounds, "replicates": min(REPLICATES[task.family], limit or 10**6)}
        for name, task in work.items()
    }
    settings = {**common(full), "K": LOCAL_STEPS, "eta": STEP_SIZE, "every": EVERY, "horizons": list(HORIZONS)}
    path = results / "experiments" / "mixed_smile.npz"
    digests = {name: task.digest for name, task in work.items()}

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        return one(work[name], replicate, rounds)

    run_replicates(path, settings, sets, job, script=__file__, data=digests)


if __name__ == "__main__":
    main(False, Path("results"))
