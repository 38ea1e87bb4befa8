"""``python -m benchmarks.speed [--only WORDS] [--quick] [--again] [--environment FOLDER] [--table] [--list]``."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

from benchmarks.speed import store, table
from benchmarks.speed.case import Case, cases
from benchmarks.speed.figures import table_of
from fltheory.machine import cores


def main() -> None:
    asked = _arguments()
    if asked.table:
        table.write()
        return
    if asked.environment is not None:
        _again_in(asked.environment)
    known = {name: one for name, one in cases().items() if not asked.only or any(word in name for word in asked.only)}
    if asked.list:
        print(*(f"{name:24s} {one.what}; {one.unit}" for name, one in known.items()), sep="\n")
        return
    if not known:
        raise SystemExit(f"--only {' '.join(asked.only)}: no case has such a name; --list shows all")
    result: dict[str, Any] = {"benchmark": "speed", "cases": {}} if asked.quick else store.load()
    source, here, begin = store.source(), cores(), time.monotonic()
    for name, one in known.items():
        kept = result["cases"].get(name, {})
        if kept.get("status") == "done" and kept.get("source") == source and not asked.again:
            print(f"-- {name}: kept, its sources have not changed (--again measures anew)", flush=True)
            continue
        print(f"-- {name} ({time.monotonic() - begin:.0f} s)", flush=True)
        answer = _measured(one, quick=asked.quick, core=asked.core)
        answer |= {"what": one.what, "unit": one.unit, "source": source}
        _show(answer)
        if asked.quick:
            result["cases"][name] = answer
        else:
            store.keep(result, name, answer, cores=here)
    print()
    for figure, value in table_of(result["cases"]):
        if value is not None:
            print(f"{figure.what:64s} {table.short(value):>8s} {figure.unit:12s} {figure.verdict(value)}")
    if asked.quick:
        print("--quick: nothing was written")


def _measured(one: Case, *, quick: bool, core: int | None) -> dict[str, Any]:
    """The answer of the case's own process, or how that process ended."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answer.json"
        call = [sys.executable, "-m", "benchmarks.speed.child", one.name, str(out), *(["--quick"] if quick else [])]
        call += [] if core is None else ["--core", str(core)]
        begin = time.monotonic()
        try:
            done = subprocess.run(call, cwd=store.ROOT, timeout=one.limit, stderr=subprocess.PIPE, text=True)
        except subprocess.TimeoutExpired:
            return {"status": "failed", "why": f"not done after {one.limit:.0f} s"}
        if not out.is_file():
            last = (done.stderr.strip().splitlines() or [""])[-1]
            return {"status": "failed", "why": f"ended with exit {done.returncode} {last}".strip()}
        answer: dict[str, Any] = json.loads(out.read_text("utf-8"))
        print(f"   {answer['status']} in {time.monotonic() - begin:.0f} s {answer.get('why', '')}", flush=True)
        return answer


def _show(answer: dict[str, Any]) -> None:
    for row in answer.get("rows", ()):
        value = "" if row["value"] is None else table.short(row["value"])
        runs = "" if row["runs"] == 1 else f"{row['runs']} runs"
        print(
            f"   {row['who']:44s} {runs:8s} {value:>8s} {row.get('unit', answer['unit'])} {row.get('note', '')}",
            flush=True,
        )
    if "rows" not in answer and "why" in answer:
        print(f"   {answer['status']}: {answer['why']}", flush=True)


def _again_in(folder: Path) -> None:
    """Go on in the environment in ``folder``, which is made, with the peers in it, if it is not there."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.is_file():
        print(f"making an environment with the peers in {folder}", flush=True)
        venv.create(folder, with_pip=True)
        wanted = ["-r", "benchmarks/requirements-peers.txt", "-c", "constraints-dev.txt", "-e", "."]
        subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True, cwd=store.ROOT)
    if Path(sys.prefix).resolve() != folder.resolve():
        paths = os.pathsep.join(filter(None, [str(store.ROOT), os.environ.get("PYTHONPATH")]))
        call = [str(python), "-m", "benchmarks.speed", *sys.argv[1:]]
        raise SystemExit(subprocess.call(call, cwd=store.ROOT, env={**os.environ, "PYTHONPATH": paths}))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=__import__("benchmarks.speed").speed.__doc__
    )
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="WORD", help="cases whose name contains one of these words"
    )
    parser.add_argument("--quick", action="store_true", help="short measurements that are shown and not stored")
    parser.add_argument("--again", action="store_true", help="measure anew what is stored for these sources")
    parser.add_argument("--core", type=int, help="number of the core to stay on (default: the last one)")
    parser.add_argument("--environment", type=Path, help="run in this virtual environment; made if it is not there")
    parser.add_argument("--list", action="store_true", help="show the cases")
    parser.add_argument(
        "--table", action="store_true", help="renew the tables of docs/scaling.md from the stored numbers"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
