"""The data that every simulator gets, in NumPy alone, and how a run is timed: 10 of 100 clients, 20 steps of 24 rows each."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

CLIENTS, COHORT, STEPS, BATCH, STEP, RIDGE = 100, 10, 20, 24, 0.01, 1e-4


def arguments() -> argparse.Namespace:
    """``DATA OUT``: the data as ``.npz`` and where the answer goes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    return parser.parse_args()


def load(path: Path) -> tuple[list[Any], list[Any]]:
    """Features ``(n_k, 60)`` and labels ``(n_k,)`` of each client; clients with fewer rows than a round takes are repeated."""
    with np.load(path) as file:
        cuts = np.cumsum(file["sizes"])[:-1]
        return np.split(file["features"], cuts), np.split(file["labels"], cuts)


def timed(
    run: Callable[[int], object],
    *,
    package: str,
    note: str = "",
    warm: int = 2,
    rounds: int = 10,
    without: int = 0,
    workers: bool = False,
) -> None:
    """Write microseconds per client-step: the median over three runs of ``rounds`` rounds, after a first one that compiles.

    Processor time of this process, or the clock on the wall where ``workers`` of its own do the work.  The time of ``without``
    rounds is taken off, where the start of a run is not what is to be measured.
    """
    asked = arguments()
    clock = time.perf_counter if workers else time.process_time
    run(warm)
    times = []
    for _ in range(3):
        begin = clock()
        run(rounds)
        middle = clock()
        if without:
            run(without)
        spent = middle - begin - (clock() - middle if without else 0.0)
        times.append(spent / ((rounds - without) * COHORT * STEPS))
    answer = {"us": round(sorted(times)[1] * 1e6, 1), "version": metadata.version(package), "note": note}
    asked.out.write_text(json.dumps(answer), encoding="utf-8")
