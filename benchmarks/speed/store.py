"""``results/benchmarks/speed.json``: a case at a time, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from fltheory.files import written_whole
from fltheory.machine import processor

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "results" / "benchmarks" / "speed.json"
LIBRARIES = ("numpy", "scipy", "numba", "jax", "jaxlib", "torch", "python-flint")


def source() -> str:
    """A digest of the package's and the benchmark's sources: numbers of one digest belong together."""
    digest = hashlib.sha256()
    for folder in ("fltheory", "benchmarks/speed"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "derivation" not in path.parts and "evidence" not in path.parts:
                digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def versions() -> dict[str, str]:
    """Of what has a say in the numbers and is installed."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def load(path: Path = FILE) -> dict[str, Any]:
    """What is stored, or an empty result of this machine."""
    if path.is_file():
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found
    return {"benchmark": "speed", "cases": {}}


def keep(result: dict[str, Any], name: str, answer: Mapping[str, Any], *, cores: int, path: Path = FILE) -> None:
    """Store one case's answer; the processor's model and the number of cores are all that is said of the machine."""
    result |= {"processor": processor(), "cores": cores, "versions": versions()}
    result["cases"][name] = dict(answer)
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as file:
        file.write(json.dumps(result, indent=1, allow_nan=False) + "\n")
    note(path)


def note(path: Path) -> None:
    """The file's line in ``results/checksums.txt``; other lines stay as they are."""
    results = ROOT / "results"
    if results not in path.parents:
        return
    name, noted = path.relative_to(results).as_posix(), results / "checksums.txt"
    lines = {line.partition("  ")[2]: line for line in noted.read_text("utf-8").splitlines()}
    lines[name] = f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}"
    with written_whole(noted) as file:
        file.write("".join(f"{lines[key]}\n" for key in sorted(lines)))
