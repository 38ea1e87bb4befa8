"""The data sets of the softmax experiments by name, and the loop over replicates that can be interrupted.

A replicate has data of its own (a generated data set, or a division of images among clients) and a seed of its own,
so that replicates are independent; within a replicate all algorithms see the same data, cohorts and batches.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.plotting.files import Array, Result, load_result, save_result
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
#: How the scripts seed their replicates.
SEEDS = "replicate r: data seed 1000+r (synthetic) or 2000+r, 3000+r (sizes, division of images); run seed r"
#: A folder with the IDX files of Fashion-MNIST, where they are not in the place of the Debian package.
FASHION_FOLDER = "FLTHEORY_FASHION_MNIST"


@dataclass(frozen=True)
class DataSet:
    """One federated data set: ``problem(replicate)`` makes it; ``batch`` is the mini-batch size used on it."""

    name: str
    n_clients: int
    batch: int
    problem: Callable[[int], SoftmaxProblem]
    paper: str


def data_sets(*, full: bool) -> list[DataSet]:
    """The sets that can be had here; the reduced form takes 12,000 of the 60,000 Fashion-MNIST images."""
    sets = [_synthetic(0, 0), _synthetic(1, 1)]
    sets += _images("digits", load_digits(), 20, 8, total=1200)
    for name, loader, n, batch, total in (
        ("MNIST subset", mnist_subset, 50, 16, 4000),
        ("Fashion-MNIST", _fashion if full else _fashion_part, 100, 64 if full else 24, 45_000 if full else 9_000),
    ):
        try:
            data = loader()
        except (ModuleNotFoundError, FileNotFoundError):
            continue
        sets += _images(name, data, n, batch, total=total)
    return sets


def _synthetic(alpha: int, beta: int) -> DataSet:
    def problem(replicate: int) -> SoftmaxProblem:
        return synthetic(alpha, beta, seed=1000 + replicate).softmax(REGULARISER)

    name = f"synthetic({alpha},{beta})"
    return DataSet(name, 100, 24, problem, name)


def _images(name: str, data: LabelledData, n_clients: int, batch: int, *, total: int) -> list[DataSet]:
    """Balanced, and sizes by a power law of exponent one with ``total`` samples; two classes per client in both."""

    def problem(replicate: int, *, power_law: bool) -> SoftmaxProblem:
        sizes = power_law_sizes(n_clients, total, least=batch, seed=2000 + replicate) if power_law else None
        parts = split_by_class(data.labels, n_clients, seed=3000 + replicate, sizes=sizes)
        return data.divide(parts).softmax(REGULARISER)

    return [
        DataSet(f"{name} balanced", n_clients, batch, lambda r: problem(r, power_law=False), "MNIST balanced"),
        DataSet(f"{name} unbalanced", n_clients, batch, lambda r: problem(r, power_law=True), "MNIST unbalanced"),
    ]


def _fashion() -> LabelledData:
    folder = os.environ.get(FASHION_FOLDER)
    return load_fashion_mnist(folder) if folder else load_fashion_mnist()


def _fashion_part() -> LabelledData:
    """The first 1,200 images of each class."""
    data = _fashion()
    rows = np.sort(np.concatenate([np.flatnonzero(data.labels == label)[:1200] for label in range(data.classes)]))
    return LabelledData(data.features[rows], data.labels[rows], data.classes, data.name)


def run_replicates(
    path: Path,
    common: dict[str, Any],
    sets: Mapping[str, dict[str, Any]],
    job: Callable[[str, int], dict[str, Array]],
    *,
    counts: Mapping[str, int],
    report: Callable[[str], None] = print,
) -> Result:
    """Compute ``job(name, replicate)`` for ``counts[name]`` replicates of every set that ``path`` does not hold yet.

    ``job`` returns one array per label; the result holds them as ``"name/label"`` with the replicate axis in front.
    Replicates run in threads (kernels hold no lock); the file is written after every replicate, in order, so that an
    interrupted experiment goes on where it stopped.  What was computed with other ``common`` settings, or with other
    settings of the set, is dropped; sets that are not asked for (their data are not there) are kept.
    """
    result = _kept(path, common, sets)
    for name in sets:
        count, done = counts[name], _done(result, name)
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            futures = [pool.submit(_timed, job, name, replicate) for replicate in range(done, count)]
            try:
                for replicate, future in enumerate(futures, start=done):
                    found, seconds = future.result()
                    arrays = {f"{name}/{label}": value[None] for label, value in found.items()}
                    if replicate:
                        arrays = {key: np.concatenate([result[key], value]) for key, value in arrays.items()}
                    result = result.with_arrays(arrays, seconds=seconds)
                    save_result(result, path)
                    report(f"{name}: replicate {replicate + 1} of {count}, {result.seconds:.0f} s of one core in all")
            finally:
                for future in futures:
                    future.cancel()
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
