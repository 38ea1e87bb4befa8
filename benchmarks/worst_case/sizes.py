"""CPU seconds, memory, certified width and certificate size against E*R: FedAvg, any number of clients, exact gradients.

Writes ``results/benchmarks/sizes.json``.  Every run has a process of its own with one thread, so that its peak memory and its CPU
time (user and system) are its own: ``cpu_seconds`` is that of the question once everything is imported, ``process_seconds``
that of the whole process.  Times are medians of ``runs``.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from typing import Any

import fltheory as fl
from benchmarks.worst_case.table import write
from fltheory.worstcase import verifier

SIZES = ((5, 1), (5, 3), (10, 3), (5, 10), (10, 5), (25, 2), (50, 1))
#: Runs of each size.
RUNS = 3
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def measure(local_steps: int, rounds: int) -> dict[str, Any]:
    """One size: the enclosure, its verification and its size as JSON."""
    algorithm, functions = fl.FedAvg(local_steps, 0.25), fl.SmoothStronglyConvex(0.1, 1)
    fl.worst_case(fl.FedAvg(1, 0.25), functions)  # imports what is imported late
    begin = time.process_time()
    found = fl.worst_case(algorithm, functions, rounds=rounds)
    spent = time.process_time() - begin
    row: dict[str, Any] = {
        "E": local_steps,
        "R": rounds,
        "steps": local_steps * rounds,
        "status": found.status,
        "upper": None if found.upper is None else float(found.upper),
        "lower": None if found.lower is None else float(found.lower),
        "width": found.width,
        "cpu_seconds": spent,
        "process_seconds": time.process_time(),
    }
    for name, others in (("upper", ("lower",)), ("both", ())):
        data = {key: entry for key, entry in (found.certificate or {}).items() if key not in others}
        begin = time.process_time()
        verifier.verify(data)
        row[f"verify_{name}_seconds"] = time.process_time() - begin
        row[f"json_{name}_KiB"] = len(json.dumps(data, separators=(",", ":"))) / 1024
    row["peak_GiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return row


def median(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The first row with the medians of all times, and the number of runs."""
    found = {**rows[0], "runs": len(rows)}
    for key in rows[0]:
        if key.endswith("_seconds"):
            found[key] = statistics.median(row[key] for row in rows)
    return found


def main() -> None:
    """All sizes, a table, the results file."""
    rows = []
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    for size in SIZES:
        command = [sys.executable, "-m", "benchmarks.worst_case.sizes", *map(str, size)]
        runs = []
        for _ in range(RUNS):
            made = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
            runs.append(json.loads(made.stdout))
        rows.append(median(runs))
    write("sizes", {"function_class": "mu = 1/10, L = 1", "step_size": "1/4"}, rows, keys=tuple(rows[0]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]))))
    else:
        main()
