"""FedAvg, FedAvgM and FedProx with and without elastic aggregation: Chen et al. (2023), supplement, Figures 1 and 2.

On other data.  A network with one hidden layer, 20 rounds of two epochs.  Kept are the hits on the test images after every
round, the share of parameters that are boosted in it and their mean elasticity, with the momentum form of the sensitivity and for
plain aggregation times this mean; the two forms are compared for several tau in replicates of their own.  Seeds 0 to 4 had
served to choose the sizes; the two forms were then compared in 30 replicates with seeds from 701 on, which left small differences
open and chose the 60 replicates with other seeds of the comparison that is judged.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments.replicates import run_replicates
from fltheory.experiments.seeds import seed_of
from verify.elastic2023.analogue import (
    BATCH,
    CONCENTRATION,
    DECAY,
    EPOCHS,
    ROUNDS,
    STEP,
    TASKS,
    ElasticTask,
    divided,
    measured,
)

REDUCED = ("digits",)


def one(task: ElasticTask, replicate: int) -> dict[str, np.ndarray]:
    """Hits, boosted shares and mean elasticities of every contender."""
    seed = seed_of(task.first_seed, replicate)
    runs = measured(divided(task, seed), task.methods, seed)
    found = {}
    for method, run in zip(task.methods, runs, strict=True):
        found |= {f"{method.label}, {name}": array for name, array in run.items()}
    return found


def present(full: bool) -> list[ElasticTask]:
    """The tasks of a form whose data are here; a line about each that is left out."""
    found = []
    for task in TASKS:
        try:
            found += [task] if (full or task.family in REDUCED) and task.digest else []
        except (ModuleNotFoundError, FileNotFoundError) as error:
            print(f"{task.family} is left out: {error}")
    return found


def main(full: bool, results: Path, limit: int | None = None) -> None:
    """Write ``experiments/elastic_runs.npz``; ``limit`` cuts the replicates (for trials)."""
    work = {task.name: task for task in present(full)}
    sets = {
        name: {**task.settings(), "replicates": min(task.replicates, limit or 10**6)} for name, task in work.items()
    }
    common = {
        "form": "full" if full else "reduced",
        "rounds": ROUNDS,
        "epochs": EPOCHS,
        "batch": BATCH,
        "step size": STEP,
        "decay": DECAY,
        "concentration": CONCENTRATION,
        "seeds": "replicate r: first seed + r, for the split, the start and the batches",
    }
    digests = {name: task.digest for name, task in work.items()}
    path = results / "experiments" / "elastic_runs.npz"
    run_replicates(
        path, common, sets, lambda name, replicate: one(work[name], replicate), script=__file__, data=digests
    )


if __name__ == "__main__":
    main(False, Path("results"))
