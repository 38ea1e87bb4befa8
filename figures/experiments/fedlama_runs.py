"""FedAvg(tau'), FedLAMA(tau', phi) and FedAvg(phi tau') with one budget of iterations: Lee et al. (2021), Section 6, on other data.

A perceptron whose largest layer is near the outputs, tau' = 6, phi = 2 and 4, 288 iterations; the rule in three readings; step
sizes beside the common one; and the network turned round.  A second set has half of the clients, drawn anew for every round of
phi tau' iterations.  Kept are the hits on the test images after every round and how often each layer has been averaged, from
which cost (8) and Figures 2 and 3 follow.  Seeds below 10 were used to choose sizes and the step size, 101 to 124 to choose what
is measured and how many replicates.  Half of the clients were first compared in 40 replicates with seeds from 201 on, which left
phi = 2 open and chose the 100 replicates with other seeds that are judged.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments.replicates import run_replicates
from fltheory.experiments.seeds import FIRST, seed_of
from verify.fedlama2021.experiments.courses import (
    BASE,
    BATCH,
    BUDGET,
    CONTENDERS,
    HALF,
    LONGER,
    STEP,
    Contender,
    measured,
)
from verify.fedlama2021.experiments.task import ALPHA, TASKS, LayerTask

#: What is added to the name of a task: its methods, replicates, and what is added to the seed of its replicate 0.
SETS = {"": (CONTENDERS, 40, 0), ", half of the clients": (HALF, 100, 100)}
REDUCED = ("digits",)


def one(task: LayerTask, methods: tuple[Contender, ...], seed: int) -> dict[str, np.ndarray]:
    """Hits and averagings of every contender."""
    found = {}
    for method in methods:
        found |= {f"{method.label}, {name}": array for name, array in measured(task, method, seed).items()}
    return found


def present(full: bool) -> list[LayerTask]:
    """The tasks of a form whose data are here; a line about each that is left out."""
    found = []
    for task in TASKS:
        try:
            found += [task] if (full or task.family in REDUCED) and task.digest else []
        except (ModuleNotFoundError, FileNotFoundError) as error:
            print(f"{task.family} is left out: {error}")
    return found


def main(full: bool, results: Path, limit: int | None = None) -> None:
    """Write ``experiments/fedlama_runs.npz``; ``limit`` cuts the replicates (for trials)."""
    work = {f"{task.family}{kind}": (task, *SETS[kind]) for task in present(full) for kind in SETS}
    sets = {
        name: {**task.settings(), FIRST: task.first_seed + further, "replicates": min(count, limit or 10**6)}
        for name, (task, _, count, further) in work.items()
    }
    common = {
        "form": "full" if full else "reduced",
        "base": BASE,
        "batch": BATCH,
        "iterations": BUDGET,
        "longer": LONGER,
        "step size": STEP,
        "concentration": ALPHA,
        "seeds": "replicate r: first seed + r, for the split, the start and the run",
    }
    digests = {name: task.digest for name, (task, *_) in work.items()}

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        task, methods, _, further = work[name]
        return one(task, methods, seed_of(task.first_seed + further, replicate))

    path = results / "experiments" / "fedlama_runs.npz"
    run_replicates(path, common, sets, job, script=__file__, data=digests)


if __name__ == "__main__":
    main(False, Path("results"))
