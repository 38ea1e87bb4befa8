"""The data sets of the softmax experiments by name, and the loop over replicates that can be interrupted.

A replicate is independent of all others: it has data of its own (a generated data set, or a division of images among
clients), and its seed serves no other replicate of any set.  Within a replicate all algorithms see the same data, cohorts
and batches.  How many replicates are run is part of the settings: a file that was made with another number is not
continued, so that no number can be raised after a look at the result.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.plotting.files import Array, Result, load_result, save_result
from fltheory.plotting.forked import in_order
from fltheory.problems import (
    LabelledData,
    Regulariser,
    SoftmaxProblem,
    load_digits,
    load_fashion_mnist,
    mnist_subset,
    power_law_sizes,
    split_by_class,
    synthetic,
)

#: The regulariser of Appendix D.1 of Li et al.: lambda |w|^2, lambda = 1e-4.
REGULARISER = Regulariser(1e-4, "lambda|w|^2")
#: Seed of replicate 0; replicate r has the seed r higher.
FIRST_SEEDS = {
    "synthetic(0,0)": 10_000, "synthetic(1,1)": 20_000, "digits balanced": 30_000, "digits unbalanced": 40_000,
    "MNIST subset balanced": 50_000, "MNIST subset unbalanced": 60_000, "Fashion-MNIST balanced": 70_000,
    "Fashion-MNIST unbalanced": 80_000,
}  # fmt: skip
#: How the scripts seed their replicates, for the settings.
SEEDS = "replicate r of a set: first seed + r, for the data (or the division of the images) and for the run"
LOGNORMAL = "int(lognormal(4, 2)) + 50 as in the authors' program (Appendix D.1: a power law)"
#: A folder with the IDX files of Fashion-MNIST, where they are not in the place of the Debian package.
FASHION_FOLDER = "FLTHEORY_FASHION_MNIST"


@dataclass(frozen=True)
class DataSet:
    """One federated data set: ``problem(seed)`` makes a replicate of it.

    ``batch``: mini-batch size; ``sizes``: how many samples the clients have, in words; ``paper``: the data set of the
    paper for which it stands.
    """

    name: str
    n_clients: int
    batch: int
    sizes: str
    problem: Callable[[int], SoftmaxProblem]
    paper: str

    @property
    def family(self) -> str:
        """``"synthetic"``, ``"digits"``, ``"MNIST subset"`` or ``"Fashion-MNIST"``."""
        return "synthetic" if self.name.startswith("synthetic") else self.name.rpartition(" ")[0]

    @property
    def first_seed(self) -> int:
        """Seed of replicate 0."""
        return FIRST_SEEDS[self.name]

    def settings(self) -> dict[str, Any]:
        """What a result file says of the set."""
        return {"clients": self.n_clients, "batch": self.batch, "sizes": self.sizes, "first seed": self.first_seed}


def data_sets(*, full: bool) -> list[DataSet]:
    """The sets that can be had here; Fashion-MNIST in the full form only."""
    sets = [_synthetic(0, 0), _synthetic(1, 1), *_images("digits", load_digits(), 20, 8, total=1200, least=8)]
    others: list[tuple[str, Callable[[], LabelledData], dict[str, int]]] = [
        ("MNIST subset", mnist_subset, dict(n_clients=100, batch=8, total=4000, least=16))
    ]
    if full:
        others.append(("Fashion-MNIST", _fashion, dict(n_clients=100, batch=64, total=45_000, least=64)))
    for name, loader, options in others:
        try:
            data = loader()
        except (ModuleNotFoundError, FileNotFoundError):
            continue
        sets += _images(name, data, **options)
    return sets


def _synthetic(alpha: int, beta: int) -> DataSet:
    def problem(seed: int) -> SoftmaxProblem:
        return synthetic(alpha, beta, seed=seed, sizes="lognormal").softmax(REGULARISER)

    name = f"synthetic({alpha},{beta})"
    return DataSet(name, 100, 24, LOGNORMAL, problem, name)


def _images(name: str, data: LabelledData, n_clients: int, batch: int, *, total: int, least: int) -> list[DataSet]:
    """Balanced, and sizes by a power law of exponent one; two classes per client in both."""

    def balanced(seed: int) -> SoftmaxProblem:
        return data.divide(split_by_class(data.labels, n_clients, seed=seed)).softmax(REGULARISER)

    def unbalanced(seed: int) -> SoftmaxProblem:
        # Largest first: clients are exchangeable, so that the order of the sizes needs no random numbers.
        sizes = power_law_sizes(n_clients, total, least=least)
        return data.divide(split_by_class(data.labels, n_clients, seed=seed, sizes=sizes)).softmax(REGULARISER)

    law = f"power law of exponent 1, {total} samples in all, at least {least}"
    return [
        DataSet(f"{name} balanced", n_clients, batch, "equal", balanced, "MNIST balanced"),
        DataSet(f"{name} unbalanced", n_clients, batch, law, unbalanced, "MNIST unbalanced"),
    ]


def _fashion() -> LabelledData:
    folder = os.environ.get(FASHION_FOLDER)
    return load_fashion_mnist(folder) if folder else load_fashion_mnist()


def run_replicates(
    path: Path,
    common: dict[str, Any],
    sets: Mapping[str, dict[str, Any]],
    job: Callable[[str, int], dict[str, Array]],
    *,
    report: Callable[[str], None] = print,
    processes: int | None = None,
) -> Result:
    """Compute ``job(name, replicate)`` for all replicates of every set (``sets[name]["replicates"]``) that are missing.

    ``job`` returns one array per label; the result holds them as ``"name/label"`` with the replicate axis in front.
    Replicates run in processes, one per core unless ``processes`` says how many; the file is written after every
    replicate, in order, so that an interrupted experiment goes on where it stopped.  What was computed with other
    ``common`` settings, or with other settings of the set (their number of replicates is one), is dropped; sets that are
    not asked for are kept.
    """
    result = _kept(path, common, sets)
    for name, entry in sets.items():
        count, done = entry["replicates"], _done(result, name)
        answers = in_order(partial(_timed, job, name), range(done, count), processes=processes)
        with closing(answers):
            for replicate, (found, seconds) in enumerate(answers, start=done):
                arrays = {f"{name}/{label}": value[None] for label, value in found.items()}
                if replicate:
                    arrays = {key: np.concatenate([result[key], value]) for key, value in arrays.items()}
                result = result.with_arrays(arrays, seconds=seconds)
                save_result(result, path)
                report(f"{name}: replicate {replicate + 1} of {count}, {result.seconds:.0f} s of one core in all")
    return result


def _kept(path: Path, common: dict[str, Any], sets: Mapping[str, dict[str, Any]]) -> Result:
    """What ``path`` holds that was computed with these settings."""
    fresh = Result({"common": common, "sets": dict(sets)})
    if not path.is_file():
        return fresh
    found = load_result(path)
    if _text(found.settings.get("common")) != _text(common):
        return fresh
    old = found.settings["sets"]
    settings = {"common": common, "sets": {**old, **sets}}
    good = {name for name in old if name not in sets or _text(sets[name]) == _text(old[name])}
    arrays = {key: value for key, value in found.arrays.items() if key.rpartition("/")[0] in good}
    # The time of what is dropped cannot be told from that of what is kept.
    return Result(settings, arrays, seconds=found.seconds if len(arrays) == len(found.arrays) else 0.0)


def _text(settings: Any) -> str:
    return json.dumps(settings, sort_keys=True)


def _timed(job: Callable[[str, int], dict[str, Array]], name: str, replicate: int) -> tuple[dict[str, Array], float]:
    begin = time.thread_time()
    found = job(name, replicate)
    return found, time.thread_time() - begin


def _done(result: Result, name: str) -> int:
    counts = {len(array) for key, array in result.arrays.items() if key.rpartition("/")[0] == name}
    return min(counts) if len(counts) == 1 else 0
