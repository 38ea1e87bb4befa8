"""Shards put together: what other stores hold is added to one, each result once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fltheory.problems.checks import check_path
from fltheory.sweep.compact import compact_store, items_of
from fltheory.sweep.frames import encode
from fltheory.sweep.maker import maker_record
from fltheory.sweep.store import Store, StoredRuns


def merge(
    store: str | os.PathLike[str],
    others: Sequence[str | os.PathLike[str]] | None = None,
    *,
    compact: bool = False,
) -> dict[str, int]:
    """Add what ``others`` hold (default: the folders ``shard-i-of-n`` in ``store``) to ``store``; they stay as they are.

    It can be repeated, and done while shards are at work.  Returns the numbers of configurations: "added", "had" already,
    "failed", and "unequal": those of which the store has other bits, and keeps them.

    Raises
    ------
    ValueError : no such folder, another driver is at work in the store.
    """
    target = check_path("store", store)
    if others is None:
        folders = sorted(target.glob("shard-*-of-*"))
        if not folders:
            raise ValueError(f"store={target.name!r} has no folders shard-i-of-n; expected some, or others=[...]")
    else:
        folders = [check_path("others", other) for other in others]
    for folder in folders:
        if not folder.is_dir():
            raise ValueError(f"{str(folder)!r} is no folder; expected the store of a sweep")
    counts = {"added": 0, "had": 0, "failed": 0, "unequal": 0}
    kept = Store(target)
    with kept.writing():
        for folder in folders:
            _add(kept, Store(folder), counts)
        if compact:
            compact_store(kept)
    return counts


def _add(kept: Store, other: Store, counts: dict[str, int]) -> None:
    for made in other.made:
        if made not in kept.made:
            kept.append(maker_record(made))
    for head, arrays in items_of(other):
        (key, _), first = head["cells"][0], head["first"]
        mine = kept.done.get(key, {})
        if head["kind"] == "failed":
            if first not in mine and first not in kept.failed.get(key, {}):
                kept.append(encode(head))
                counts["failed"] += 1
            continue
        new = [run for run in range(head["count"]) if first + run not in mine]
        for run in range(head["count"]):
            if run not in new:
                counts["had"] += 1
                counts["unequal"] += not _equal(
                    mine[first + run], first + run, {n: a[0, run] for n, a in arrays.items()}
                )
        if len(new) == head["count"]:
            kept.append(encode(head, arrays))
        else:
            for run in new:
                one = {name: array[:, run : run + 1] for name, array in arrays.items()}
                kept.append(encode({**head, "first": first + run, "count": 1}, one))
        counts["added"] += len(new)


def _equal(entry: StoredRuns, run: int, found: dict[str, object]) -> bool:
    mine = {name: array[entry.cell, run - entry.first] for name, array in entry.record.arrays.items()}
    return mine.keys() == found.keys() and all(
        np.asarray(mine[name]).tobytes() == np.asarray(value).tobytes() for name, value in found.items()
    )


def default_store(file: Path) -> Path:
    """The folder of the results of a sweep's file: beside it, ``NAME.sweep``."""
    return file.with_suffix(".sweep")
