"""All records of a store in one file: Parquet, one row per configuration and seed, or one file of records without pyarrow.

Columns: the coordinates by name, ``seed``, ``status``, ``rounds``, and the measures, each a list of numbers (with several axes:
row by row, the shape is in ``_told``).  So other programs read it without this package.  ``_told`` is what a store needs to
read it back.  The new file takes its name when it is whole, and the old ones are removed after that: it names them, so that
they do not count where a crash in between has left them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.files import written_whole
from fltheory.sweep.frames import Record, encode
from fltheory.sweep.maker import maker_record
from fltheory.sweep.store import Store, StoredRuns, record_files

FORMAT = "fltheory sweep 1"


def compact_store(store: Store) -> Path | None:
    """Replace all files of records by one; whoever calls is the store's driver.  ``None`` where there is nothing to do.

    Without pyarrow the file is ``results.frames``, which ``store.notes`` say.
    """
    if store.folder is None:
        return None
    old = record_files(store.folder)
    if not old or (len(old) == 1 and old[0].parent == store.folder):
        return None
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        target = store.folder / "results.frames"
        store.notes.append("compacted to results.frames: for Parquet, pip install 'fltheory[sweep]'")
        with written_whole(target, binary=True) as file:
            file.write(encode({"kind": "compacted", "replaces": _names(old, target)}))
            for made in store.made:
                file.write(maker_record(made))
            for head, arrays in items_of(store):
                file.write(encode(head, arrays))
    else:
        target = store.folder / "results.parquet"
        _write_parquet(store, target, _names(old, target))
    for path in old:
        if path != target:
            path.unlink()
    return target


def items_of(store: Store) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Head and arrays, ``(1, runs, ...)``, of everything once; of failures those that have no result since."""
    for key, runs in store.done.items():
        for entry, first, count in store.entries(key, sorted(runs)):
            yield _part(entry, first, count)
    for key, failed in store.failed.items():
        for run, text in failed.items():
            if run not in store.done.get(key, {}):
                yield {"kind": "failed", "cells": [[key, {}]], "first": run, "count": 1, "traceback": text}, {}


def _part(entry: StoredRuns, first: int, count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    head, a = entry.record.head, first - entry.first
    arrays = {name: array[entry.cell : entry.cell + 1, a : a + count] for name, array in entry.record.arrays.items()}
    return {**head, "cells": [head["cells"][entry.cell]], "first": first, "count": count}, arrays


def _names(old: list[Path], target: Path) -> list[str]:
    return [path.name for path in old if path != target]


def _write_parquet(store: Store, target: Path, replaces: list[str]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    tables = []
    for head, arrays in items_of(store):
        key, coordinates = head["cells"][0]
        count = head["count"]
        shapes = {name: [array.dtype.str, list(array.shape[2:])] for name, array in arrays.items()}
        told = {"kind": head["kind"], "coordinates": coordinates, "shapes": shapes, "rounds": head.get("rounds")}
        if head["kind"] != "failed":
            told["digest"] = _digest(key, head["first"], count, arrays)
        columns: dict[str, Any] = {name: [value] * count for name, value in coordinates.items()}
        columns |= {"_key": [key] * count, "_told": [json.dumps(told)] * count}
        columns["seed"] = list(range(head["first"], head["first"] + count))
        if head["kind"] == "failed":
            columns |= {"status": ["failed"], "traceback": [head["traceback"]]}
        else:
            columns["status"] = [
                "completed" if e < 0 else f"diverged at round {e}" for e in arrays["ended"][0].tolist()
            ]
            if "rounds" in head:
                columns["rounds"] = [head["rounds"]] * count
            for name, array in arrays.items():
                if name != "ended":
                    flat = np.ascontiguousarray(array[0]).reshape(count, -1)
                    if flat.dtype.kind == "c":
                        flat = flat.view(flat.real.dtype)
                    width = flat.shape[1]
                    offsets = np.arange(count + 1, dtype=np.int64) * width
                    columns[name] = pa.LargeListArray.from_arrays(offsets, pa.array(flat.ravel()))
        tables.append(pa.table(columns))
    # Coordinates of one name may be numbers here and texts there.
    kinds: dict[str, set[Any]] = {}
    for table in tables:
        for part in table.schema:
            kinds.setdefault(part.name, set()).add(part.type)
    mixed = {name for name, found in kinds.items() if len(found) > 1}
    whole = pa.concat_tables([_as_text(table, mixed) for table in tables], promote_options="default")
    whole = whole.replace_schema_metadata(
        {"format": FORMAT, "replaces": json.dumps(replaces), "made": json.dumps(store.made)}
    )
    with written_whole(target, binary=True) as file:
        pq.write_table(whole, file, compression="zstd", write_page_checksum=True)


def _as_text(table: Any, mixed: set[str]) -> Any:
    import pyarrow as pa

    for place, name in enumerate(table.column_names):
        if name in mixed:
            texts = [json.dumps(value) for value in table.column(place).to_pylist()]
            table = table.set_column(place, name, pa.array(texts))
    return table


def read_parquet(path: Path) -> Iterator[Record]:
    """The records of a file that :func:`compact_store` wrote.

    Raises
    ------
    ImportError : pyarrow is not installed.
    ValueError : another file, or a damaged one.
    """
    try:
        import pyarrow.parquet as pq
    except ImportError:
        raise ImportError(f"{path.name} needs pyarrow to be read: pip install 'fltheory[sweep]'") from None
    try:
        yield from _read(pq.read_table(path, page_checksum_verification=True))
    except FileNotFoundError:
        raise
    except Exception as error:  # whatever a changed byte makes of the file
        words = (str(error) or type(error).__name__).splitlines()[0]
        raise ValueError(f"{path.name!r} is damaged: {words}; remove it to have its results anew") from None


def _read(table: Any) -> Iterator[Record]:
    if (table.schema.metadata or {}).get(b"format") != FORMAT.encode():
        raise ValueError(f"it is not of the format {FORMAT!r}")
    yield Record({"kind": "compacted", "replaces": json.loads(table.schema.metadata[b"replaces"])}, {}, 0)
    for made in json.loads(table.schema.metadata.get(b"made", b"[]")):
        yield Record({"kind": "made", "by": made}, {}, 0)
    yield from _records(table.combine_chunks())


def _records(table: Any) -> Iterator[Record]:
    keys, told, seeds = (table.column(name).to_pylist() for name in ("_key", "_told", "seed"))
    statuses = table.column("status").to_pylist()
    begin = 0
    for end in range(1, len(keys) + 1):
        if end < len(keys) and (keys[end], told[end], seeds[end]) == (
            keys[begin],
            told[begin],
            seeds[begin] + end - begin,
        ):
            continue
        about = json.loads(told[begin])
        head = {"kind": about["kind"], "cells": [[keys[begin], about["coordinates"]]], "first": seeds[begin]}
        head["count"] = end - begin
        if about["kind"] == "failed":
            for row in range(begin, end):
                text = table.column("traceback")[row].as_py()
                yield Record({**head, "first": seeds[row], "count": 1, "traceback": text}, {}, 0)
            begin = end
            continue
        if about["rounds"] is not None:
            head["rounds"] = about["rounds"]
        arrays = {}
        for name, (kind, shape) in about["shapes"].items():
            if name == "ended":
                words = statuses[begin:end]
                arrays[name] = np.array([-1 if each == "completed" else int(each.rsplit(" ", 1)[1]) for each in words])[
                    None
                ]
            else:
                arrays[name] = _column(table, name, begin, end, np.dtype(kind), shape)
        if about.get("digest") != _digest(keys[begin], seeds[begin], end - begin, arrays):
            raise ValueError("it has other numbers than were written")
        yield Record(head, arrays, 0)
        begin = end


def _digest(key: str, first: int, count: int, arrays: Mapping[str, Any]) -> str:
    """Of one record: checksums of pages do not cover what says where they are."""
    total = hashlib.blake2b(f"{key} {first} {count}".encode(), digest_size=8)
    for name, array in sorted(arrays.items()):
        total.update(f"{name} {array.dtype.str} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return total.hexdigest()


def _column(table: Any, name: str, begin: int, end: int, kind: np.dtype[Any], shape: list[int]) -> Any:
    part = table.column(name).slice(begin, end - begin).combine_chunks()
    import pyarrow as pa

    if pa.types.is_string(part.type):  # lists of several kinds were kept as text
        flat = np.array([each for text in part.to_pylist() for each in json.loads(text)])
    elif kind.kind == "U":
        flat = np.array(part.flatten().to_pylist())
    else:
        flat = part.flatten().to_numpy(zero_copy_only=False)
    flat = flat.view(kind) if kind.kind == "c" else flat.astype(kind)
    return flat.reshape(1, end - begin, *shape)
