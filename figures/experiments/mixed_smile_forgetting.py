"""Section 3 of Augenstein et al. (2022): fine-tuning on the clients forgets the datacenter's data, mixed FL does not.

Logistic regression is trained on the server's data, then goes on for as many rounds with FedAvg on the clients alone, or
with 1-way GT on both.  Two divisions: "labels", the smile task (one label on each side), and "classes", where the
label is odd or even on both sides, but clients hold digits 5 to 9 and the server 0 to 4.  Accuracy on held-out
examples of the two sides.  20 replicates that agree are the least for an exact sign test at error 1e-6; there are 28.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.experiments.replicates import run_replicates
from fltheory.experiments.seeds import seed_of
from verify.mixed2022.experiments_smile_task import LOCAL_STEPS, STEP_SIZE, Task, common, evaluate, tasks, train

FIRST_SEED = 460_000
ROUNDS, EVERY = 200, 5
REDUCED = (("digits", "logistic"),)
FULL = (*REDUCED, ("MNIST subset", "logistic"))
REPLICATES = 28
DIVISIONS: dict[str, tuple[int, ...] | None] = {"labels": None, "classes": (5, 6, 7, 8, 9)}
SEQUELS = {"fine-tuned": "FL only", "mixed": "1-w GT"}


def one(task: Task, replicate: int, rounds: int) -> dict[str, np.ndarray]:
    """Accuracy on the clients' and on the server's side, ``(records, 2)``, before and after the change."""
    seed = seed_of(task.first_seed, replicate)
    found = {}
    for division, federated in DIVISIONS.items():
        source = task.source(seed, federated=federated)
        plan = dict(cohort=min(task.cohort, len(source.clients)), rounds=rounds, every=EVERY, seed=seed)
        before = train(source, task.model, "central only", **plan)  # type: ignore[arg-type]
        found[f"{division}, before"] = evaluate(source, task.model, before)["accuracy"]
        for name, label in SEQUELS.items():
            after = train(source, task.model, label, start=before.final[0], **plan)  # type: ignore[arg-type]
            found[f"{division}, {name}"] = evaluate(source, task.model, after)["accuracy"]
    return found


def main(full: bool, results: Path, limit: int | None = None, rounds: int | None = None) -> None:
    """Write ``experiments/mixed_smile_forgetting.npz``; ``limit`` and ``rounds`` cut replicates and rounds (for trials)."""
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
        "rounds": "before, and as many after",
    }
    path = results / "experiments" / "mixed_smile_forgetting.npz"
    digests = {name: task.digest for name, task in work.items()}

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        return one(work[name], replicate, rounds)

    run_replicates(path, settings, sets, job, script=__file__, data=digests)


if __name__ == "__main__":
    main(False, Path("results"))
