"""Results files and printed tables of the benchmarks: processor model and core count, and nothing else of the machine."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fltheory.files import written_whole
from fltheory.machine import cores, processor

FOLDER = Path(__file__).resolve().parents[2] / "results" / "benchmarks"


def write(
    name: str,
    summary: Mapping[str, Any],
    rows: Sequence[Mapping[str, Any]],
    *,
    keys: Sequence[str] = (),
    show: Sequence[Mapping[str, Any]] | None = None,
) -> None:
    """Print the summary and the ``keys`` of some rows, and write everything to ``results/benchmarks/NAME.json``."""
    shown = (rows if show is None else show) if keys else ()
    texts = [[_short(row.get(key)) for key in keys] for row in shown]
    widths = [max(len(key), *(len(text[k]) for text in texts)) for k, key in enumerate(keys)]
    for text in [list(keys), *texts] if keys else []:
        print("  ".join(entry.ljust(width) for entry, width in zip(text, widths, strict=True)).rstrip())
    for key, entry in summary.items():
        print(f"{key}: {_short(entry)}")
    data = {"benchmark": name, "processor": processor(), "cores": cores(), "summary": summary, "rows": rows}
    FOLDER.mkdir(parents=True, exist_ok=True)
    with written_whole(FOLDER / f"{name}.json") as file:
        file.write(json.dumps(_rounded(data), indent=1, allow_nan=False) + "\n")


def _rounded(data: Any) -> Any:
    """Numbers to six digits; an infinite width or value becomes a word."""
    if isinstance(data, Mapping):
        return {key: _rounded(entry) for key, entry in data.items()}
    if isinstance(data, (list, tuple)):
        return [_rounded(entry) for entry in data]
    if isinstance(data, float):
        return float(f"{data:.6g}") if math.isfinite(data) else str(data)
    return data


def _short(entry: Any) -> str:
    return f"{entry:.3g}" if isinstance(entry, float) else str(entry)
