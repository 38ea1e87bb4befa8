"""A result as lines of text: a line per configuration, means over its seeds at the last record."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.sweep.maker import told
from fltheory.sweep.result import Rows, SweepResult
from fltheory.tables import text_table


def lines(result: SweepResult) -> list[str]:
    """Coordinates that differ, runs, the mean of each measure of numbers with its standard error, what diverged; and a sum."""
    head, *rows = cells(result)
    text = text_table(head, rows)
    return [*(text if result.rows else []), repr(result), *map(told, result.made)]


def cells(result: SweepResult) -> list[list[str]]:
    """The head of the table and its rows."""
    together: dict[str, list[Rows]] = {}
    for rows in result.rows:
        together.setdefault(rows.key, []).append(rows)
    names = [name for name, values in result.coordinates.items() if len(values) > 1] or list(result.coordinates)
    measures = list(
        dict.fromkeys(n for rows in result.rows for n, a in rows.arrays.items() if _last(rows, n) is not None)
    )
    table = [[*names, "runs", *measures, ""]]
    for parts in together.values():
        cells = [str(parts[0].coordinates.get(name, "")) for name in names]
        cells.append(str(sum(len(part.seeds) for part in parts)))
        cells += [_mean(parts, name) for name in measures]
        diverged = sum(int((part.ended >= 0).sum()) for part in parts)
        table.append([*cells, f"{diverged} diverged" if diverged else ""])
    return table


def _last(rows: Rows, name: str) -> Any:
    """One number per run, if that is what it is."""
    array = rows.arrays.get(name)
    if array is None or array.dtype.kind not in "biuf" or name == "final":
        return None
    if rows.rounds is not None and array.ndim == 2:
        return array[:, -1]
    return array if array.ndim == 1 else None


def _mean(parts: list[Rows], name: str) -> str:
    found = [values for part in parts if (values := _last(part, name)) is not None]
    if not found:
        return ""
    values = np.concatenate(found).astype(float)
    if len(values) < 2 or not np.isfinite(values).all():
        return f"{values.mean():.6g}"
    return f"{values.mean():.6g} +- {values.std(ddof=1) / len(values) ** 0.5:.2g}"
