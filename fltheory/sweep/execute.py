"""One batch, computed in whatever process: its records, ready to be kept; a configuration that fails fails alone."""

from __future__ import annotations

import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.kinds import Array
from fltheory.sweep.frames import encode
from fltheory.sweep.grid import Cell
from fltheory.sweep.plan import Batch

#: Seconds after which a task of calls hands back those that it has not come to.
PATIENCE = 1.0
#: Columns of every table; a value that an answer calls so, or like an axis, is kept with ``_`` behind its name.
_COLUMNS = ("ended", "seed", "round", "rounds", "status", "traceback")


@dataclass(frozen=True)
class BatchOutcome:
    """Records of what was computed, how many configurations are done and failed, and what was not come to."""

    records: tuple[bytes, ...]
    done: int
    failed: int
    left: tuple[Batch, ...] = ()


def execute(batch: Batch, threads: int | None = None) -> BatchOutcome:
    """Compute a batch; only an interrupt from the keyboard is raised."""
    if (refused := batch.cells[0].refused) is not None:  # such a cell is alone
        return BatchOutcome((failure(batch, f"no algorithm: {refused}"),), 0, batch.size)
    if batch.cells[0].call is not None:
        return _calls(batch)
    begin = time.perf_counter()
    try:
        return BatchOutcome((_simulated(batch, threads, begin),), batch.size, 0)
    except (Exception, SystemExit):
        if len(batch.cells) == 1:
            return BatchOutcome((failure(batch, traceback.format_exc()),), 0, batch.size)
    alone = [execute(replace(batch, cells=(cell,)), threads) for cell in batch.cells]
    records = tuple(record for each in alone for record in each.records)
    return BatchOutcome(records, sum(each.done for each in alone), sum(each.failed for each in alone))


def failure(batch: Batch, text: str) -> bytes:
    """The record of a batch that has no result, with the reason why."""
    return encode({**_head(batch, "failed"), "traceback": text})


def _head(batch: Batch, kind: str) -> dict[str, Any]:
    cells = [[cell.key, {name: _plain(value) for name, value in cell.coordinates.items()}] for cell in batch.cells]
    return {"kind": kind, "cells": cells, "first": batch.first, "count": batch.count}


def _plain(label: Any) -> Any:
    return label if isinstance(label, bool | int | float | str) else str(label)


def _simulated(batch: Batch, threads: int | None, begin: float) -> bytes:
    from fltheory.simulate.batch import simulate_batch
    from fltheory.simulate.run import COMPLETED, INTERRUPTED

    cell = batch.cells[0]
    runs_of = slice(batch.first, batch.first + batch.count)
    starts = [each.start if each.start is None or each.start.ndim < 2 else each.start[runs_of] for each in batch.cells]
    runs = simulate_batch(
        cell.problem,
        [each.algorithm for each in batch.cells],
        starts=None if all(start is None for start in starts) else starts,
        runs=batch.count,
        first_run=batch.first,
        threads=threads,
        **cell.settings,
    )
    if any(status == INTERRUPTED for run in runs for status in run.status):
        raise KeyboardInterrupt
    names = cell.measure or (("objective",) if runs[0].gap is None else ("gap",))
    arrays = {name: np.stack([run.final if name == "final" else run.values(name) for run in runs]) for name in names}
    ended = np.array(
        [[-1 if status == COMPLETED else int(status.rsplit(" ", 1)[1]) for status in run.status] for run in runs]
    )
    head = {**_head(batch, "done"), "rounds": runs[0].rounds.tolist(), "seconds": time.perf_counter() - begin}
    return encode(head, {**arrays, "ended": ended})


def _calls(batch: Batch) -> BatchOutcome:
    """Calls one by one; those after ``PATIENCE`` are handed back."""
    end = time.monotonic() + PATIENCE
    records: list[bytes] = []
    failed, left = 0, []
    for cell in batch.cells:
        for seed in range(batch.first, batch.first + batch.count):
            one = Batch((cell,), seed, 1)
            if records and time.monotonic() > end:
                left.append(one)
                continue
            begin = time.perf_counter()
            try:
                arrays = {name: value[None, None] for name, value in _called(cell, seed).items()}
                head = {**_head(one, "done"), "seconds": time.perf_counter() - begin}
                records.append(encode(head, {**arrays, "ended": np.full((1, 1), -1)}))
            except (Exception, SystemExit):
                failed += 1
                records.append(failure(one, traceback.format_exc()))
    return BatchOutcome(tuple(records), len(records) - failed, failed, tuple(left))


def _called(cell: Cell, seed: int) -> dict[str, Array]:
    assert cell.call is not None
    parts = [part for part in (cell.problem, cell.algorithm) if part is not None]
    settings = {**cell.settings, "seed": seed} if cell.seeded else cell.settings
    answer = cell.call(*parts, **settings)
    found = values_of(answer if cell.measure is None else cell.measure(answer))
    return {
        f"{name}_" if name in _COLUMNS or name in cell.coordinates else name: value for name, value in found.items()
    }


def values_of(answer: Any) -> dict[str, Array]:
    """Names with arrays: an answer itself as "value", or what it holds by name; a fraction is kept as its text.

    Raises
    ------
    ValueError : it is neither a number, an array nor a text, nor holds some by name.
    """
    found = _value(answer)
    if found is not None:
        return {"value": found}
    if isinstance(answer, Mapping):
        held = dict(answer)
    elif hasattr(answer, "_asdict"):
        held = answer._asdict()
    elif is_dataclass(answer):
        held = {each.name: getattr(answer, each.name) for each in fields(answer)}
    else:
        held = {}
    values = {str(name): _value(value) for name, value in held.items()}
    kept = {name: value for name, value in values.items() if value is not None}
    if not kept or (isinstance(answer, Mapping) and len(kept) < len(values)):
        raise ValueError(
            f"the answer is of type {type(answer).__name__}; expected numbers, arrays or texts, or names with such: "
            "measure=function of the answer takes them out"
        )
    return kept


def _value(entry: Any) -> Array | None:
    if isinstance(entry, Fraction):
        return np.array(str(entry))
    if entry is None or isinstance(entry, Mapping) or (is_dataclass(entry) and not hasattr(entry, "__array__")):
        return None
    try:
        array = np.asarray(entry)
    except (ValueError, TypeError):
        return None
    if array.dtype.kind == "O" and array.size and all(isinstance(each, Fraction | int) for each in array.ravel()):
        array = array.astype(str)
    return array if array.dtype.kind in "biufcU" else None
