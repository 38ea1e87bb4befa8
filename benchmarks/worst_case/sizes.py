"""Time, memory, certified width and certificate size against E*R: FedAvg, any number of clients, exact gradients.

Writes ``results/benchmarks/sizes.json``.  Every size runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from typing import Any

import fltheory as fl
from benchmarks.worst_case.table import write
from fltheory.worstcase import verifier

SIZES = ((5, 1), (5, 3), (10, 3), (10, 5))


def measure(local_steps: int, rounds: int) -> dict[str, Any]:
    """One size: the value alone, then the enclosure, its verification and its size as JSON."""
    algorithm, functions = fl.FedAvg(local_steps, 0.25), fl.SmoothStronglyConvex(0.1, 1)
    begin = time.perf_counter()
    plain = fl.worst_case(algorithm, functions, rounds=rounds, certify=False)
    value_seconds = time.perf_counter() - begin
    begin = time.perf_counter()
    found = fl.worst_case(algorithm, functions, rounds=rounds)
    certify_seconds = time.perf_counter() - begin
    row: dict[str, Any] = {
        "E": local_steps,
        "R": rounds,
        "steps": local_steps * rounds,
        "value": plain.solver_value,
        "value_seconds": value_seconds,
        "certify_seconds": certify_seconds,
        "status": found.status,
        "width": found.width,
    }
    for name, others in (("upper", ("lower",)), ("both", ())):
        data = {key: entry for key, entry in (found.certificate or {}).items() if key not in others}
        begin = time.perf_counter()
        verifier.verify(data)
        row[f"verify_{name}_seconds"] = time.perf_counter() - begin
        row[f"json_{name}_KiB"] = len(json.dumps(data, separators=(",", ":"))) / 1024
    row["peak_GiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return row


def main() -> None:
    """All sizes, a table, the results file."""
    rows = []
    for size in SIZES:
        command = [sys.executable, "-m", "benchmarks.worst_case.sizes", *map(str, size)]
        rows.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    write("sizes", {"function_class": "mu = 1/10, L = 1", "step_size": "1/4"}, rows, keys=tuple(rows[0]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(measure(int(sys.argv[1]), int(sys.argv[2]))))
    else:
        main()
