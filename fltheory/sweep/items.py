"""Items of a job that keeps a file of its own: computed by the sweep's engine, and safe from the moment they are finished."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from fltheory.kinds import Array
from fltheory.sweep import engines
from fltheory.sweep.execute import values_of
from fltheory.sweep.frames import Record, decode
from fltheory.sweep.grid import Cell
from fltheory.sweep.keys import digest
from fltheory.sweep.plan import Batch
from fltheory.sweep.run import work_off
from fltheory.sweep.store import Store

#: In front of the names of arrays, which may be those of a table's columns.
_OWN = "item "


def compute_items(
    job: Callable[[Any], Mapping[str, Array]],
    items: Sequence[Any],
    *,
    folder: Path,
    key: object,
    processes: int,
    done: Callable[[int, dict[str, Array]], None],
) -> None:
    """``done(place, job(items[place]))`` for every item, as they are finished by ``processes`` copies of this process.

    What is finished is kept in the store ``folder`` at once, so that an interrupt or a crash loses nothing whatever the order; the
    next call with an equal ``key`` (what the items depend on beside themselves) begins with what is there.  A process that dies
    is replaced.  The folder is removed when all items are done.

    Raises
    ------
    RuntimeError : an item failed; its words, with the job's traceback as a note.
    """
    cells = [
        Cell(digest((key, item)), "", {"item": str(item)}, None, None, {}, call=partial(_named, job, item))
        for item in items
    ]
    places = {cell.key: place for place, cell in enumerate(cells)}
    kept = Store(folder)

    def keep(data: bytes) -> None:
        for record in decode(data):
            if record.head["kind"] == "failed":
                text = record.head["traceback"].strip()
                error = RuntimeError(f"item {items[places[record.head['cells'][0][0]]]!r}: {text.splitlines()[-1]}")
                error.add_note(text)
                raise error
            kept.append(data)
            done(places[record.head["cells"][0][0]], _arrays(record, 0))

    with kept.writing():
        for place, cell in enumerate(cells):
            for entry, _, _ in kept.entries(cell.key, [0]):
                done(place, _arrays(entry.record, entry.cell))
        left = [Batch((cell,), 0, 1) for cell in cells if cell.key not in kept.done]
        work_off(
            left,
            lambda batches: engines.processes(batches, processes),
            keep,
            lambda new, failed: None,
            at_once=engines.ROUND * processes,
        )
    shutil.rmtree(folder)


def _named(job: Callable[[Any], Mapping[str, Array]], item: Any) -> dict[str, Array]:
    return {f"{_OWN}{name}": value for name, value in values_of(job(item)).items()}


def _arrays(record: Record, cell: int) -> dict[str, Array]:
    return {name.removeprefix(_OWN): array[cell, 0] for name, array in record.arrays.items() if name.startswith(_OWN)}
