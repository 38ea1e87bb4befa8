"""``python -m benchmarks.simulators fedjax=PYTHON ...``; the names are those of the ``run_NAME.py`` beside this file."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.store import ROOT, note
from fltheory.files import written_whole
from fltheory.machine import processor

FILE = ROOT / "results" / "benchmarks" / "simulators.json"
#: What the others are known to need, said where they are not run.
NOT_RUN = {"tff": "TensorFlow Federated does not install on Python 3.11"}


def measured(name: str, python: str, data: Path, core: int) -> dict[str, Any]:
    """Microseconds per client-step, or how the program ended."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answer.json"
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        environment |= {"JAX_PLATFORMS": "cpu", "RAY_DEDUP_LOGS": "0", "CUDA_VISIBLE_DEVICES": ""}
        call = [python, "-m", f"benchmarks.simulators.run_{name}", str(data), str(out)]

        def pin() -> None:
            if hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(0, {core})

        try:
            done = subprocess.run(
                call, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, preexec_fn=pin
            )
        except (subprocess.TimeoutExpired, OSError) as error:
            return {"why": f"did not run: {type(error).__name__}"}
        if not out.is_file():
            last = (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]
            return {"why": f"did not run: {last[:160]}"}
        answer: dict[str, Any] = json.loads(out.read_text("utf-8"))
        return answer


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulators")
    parser.add_argument("which", nargs="+", metavar="NAME=PYTHON")
    parser.add_argument("--core", type=int, default=0)
    asked = parser.parse_args()
    import fltheory as fl
    from benchmarks.speed.data import SEED

    source = fl.synthetic(1, 1, seed=SEED)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.npz"
        np.savez(
            data, features=np.concatenate(source.features), labels=np.concatenate(source.labels), sizes=source.sizes
        )
        found = {}
        for item in asked.which:
            name, _, python = item.partition("=")
            found[name] = measured(name, python, data, asked.core)
            print(name, found[name], flush=True)
    result = {
        "benchmark": "simulators",
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "what": "us per client-step of softmax SGD, synthetic(1, 1), N=100, K=10, E=20, b=24, one core",
        "simulators": found,
        "not run": NOT_RUN,
    }
    with written_whole(FILE) as file:
        file.write(json.dumps(result, indent=1) + "\n")
    note(FILE)


if __name__ == "__main__":
    main()
