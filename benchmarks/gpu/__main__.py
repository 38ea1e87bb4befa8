"""Measure ``backend="cupy"`` against ``backend="numba"`` in one process, and write what came out with the device's model.

``python -m benchmarks.gpu`` prints a table and writes ``results/benchmarks/gpu.json``.  Times are those of the clock on the wall,
of one more round: the median slope between ``R`` and ``5R`` rounds, so that neither the set-up nor the two records count.  The
processor uses all its cores.  Before a case is timed, both backends must agree to 1e-10 relative on its first rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import fltheory as fl
from benchmarks.gpu.cases import RUNS, Case, cases
from fltheory.gpu.device import Device, find_device
from fltheory.machine import cores, processor

#: Seconds between the short and the long call, repetitions, rounds at most.
SECONDS, REPEATS, MOST = 0.5, 5, 200_000
#: Numbers are compared after so many rounds.
COMPARED = 3
TOLERANCE = 1e-10


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gpu", description="A CUDA device against the processor."
    )
    parser.add_argument("--out", type=Path, default=Path("results/benchmarks/gpu.json"))
    parser.add_argument("--quick", action="store_true", help="small problems: a test of the benchmark, no measurement")
    given = parser.parse_args(arguments)
    try:
        device = find_device()
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{device.name} against {processor()} with {cores()} cores; microseconds per round of one run")
    rows = []
    for case in cases(quick=given.quick):
        for runs in (1, 3) if given.quick else RUNS:
            rows.append(measured(case, runs, quick=given.quick))
            print(
                "{case:45s} {runs:5d} runs  device {cupy:10.2f}  processor {numba:10.2f}  ratio {ratio:7.2f}".format(
                    **rows[-1]
                )
            )
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(machine(device) | {"rows": rows}, indent=1) + "\n", encoding="utf-8")
    return 0


def machine(device: Device) -> dict[str, Any]:
    """What was measured on what."""
    runtime = device.xp.cuda.runtime
    versions = {
        "cupy": device.xp.__version__,
        "driver": runtime.driverGetVersion(),
        "cuda": runtime.runtimeGetVersion(),
    }
    return {
        "device": device.name,
        "versions": versions,
        "processor": processor(),
        "cores": cores(),
        "unit": "us per round and run",
    }


def measured(case: Case, runs: int, *, quick: bool) -> dict[str, Any]:
    """One row: microseconds of a round per run on both, and how far apart the models are.

    Raises
    ------
    RuntimeError : the backends disagree, so that there is nothing to time.
    """

    def simulated(backend: str, rounds: int) -> Any:
        return fl.simulate(
            case.problem,
            case.algorithm,
            rounds=rounds,
            runs=runs,
            seed=1,
            oracle=case.oracle,
            record_every=rounds,
            reference=False,
            backend=backend,
        )

    here, there = (simulated(backend, COMPARED).final for backend in ("numba", "cupy"))
    apart = float(np.abs(here - there).max() / np.abs(here).max())
    if not apart <= TOLERANCE:
        raise RuntimeError(f"{case.name}: the models of both backends are {apart:.1e} apart; expected {TOLERANCE:.0e}")
    row: dict[str, Any] = {"case": case.name, "runs": runs, "gradients": case.gradients, "apart": apart}
    for backend in ("cupy", "numba"):
        seconds = per_round(lambda rounds, backend=backend: simulated(backend, rounds), quick=quick)  # type: ignore[misc]
        row[backend] = 1e6 * seconds / runs
    return row | {"ratio": row["numba"] / row["cupy"]}


def per_round(call: Callable[[int], Any], *, quick: bool) -> float:
    """Seconds on the wall that one more round takes; what takes ten times as long as it should is measured once."""

    def slope(rounds: int) -> float:
        short = elapsed(call, rounds)
        return elapsed(call, 5 * rounds) - short

    rounds, target = 1, 0.0 if quick else SECONDS
    while (found := slope(rounds)) < target and 10 * rounds < MOST:
        rounds *= 2
    if not quick and found < 10 * target:
        found = statistics.median(slope(rounds) for _ in range(REPEATS))
    return max(found, 1e-12) / (4 * rounds)


def elapsed(call: Callable[[int], Any], rounds: int) -> float:
    """Seconds on the wall of one call."""
    begin = time.perf_counter()
    call(rounds)
    return time.perf_counter() - begin


if __name__ == "__main__":
    sys.exit(main())
