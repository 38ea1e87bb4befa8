"""Start-up: whole processes on the clock, from their start to their end."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.speed.case import Row, case

ROOT = Path(__file__).resolve().parents[2]
SECOND = (
    "import fltheory as fl; p = fl.synthetic(1, 1, seed=0, n_clients=10).softmax(0); "
    "fl.simulate(p, fl.FedAvg(2, 0.01), rounds=2, oracle=fl.MiniBatch(24), reference=False)"
)


def _seconds(arguments: list[str], *, quick: bool) -> float:
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = []
    # Installed packages have their bytecode beside them; here it is kept apart, so that the tree stays as it is.
    with tempfile.TemporaryDirectory() as folder:
        environment |= {"PYTHONPATH": paths, "PYTHONPYCACHEPREFIX": folder}
        for turn in range(4 if quick else 12):
            begin = time.perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment, cwd=ROOT)
            if turn:  # the first one fills caches
                times.append(time.perf_counter() - begin)
    return statistics.median(times)


@case("start-up", "whole processes, on the clock", "s")
def start_up(quick: bool) -> list[Row]:
    """The interpreter's own start is measured beside, and is part of all others."""
    calls = {
        "python, nothing imported": ["-c", "pass"],
        "import fltheory": ["-c", "import fltheory"],
        "fltheory --help": ["-m", "fltheory", "--help"],
        "fltheory list": ["-m", "fltheory", "list"],
        "second process, warm kernels": ["-c", SECOND],
    }
    return [Row(who, _seconds(arguments, quick=quick)) for who, arguments in calls.items()]
