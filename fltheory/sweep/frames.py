"""Records of a store: complete, or recognisably not.

A record is ``FLS1``, the lengths of head and body (little-endian, 4 and 8 bytes), a digest of both (16 bytes), the head (JSON),
and the body (arrays, one after the other, as the head says).  A record that was cut off, or changed, does not have its digest,
and is passed over: the next one is where a mark stands that a digest confirms.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.kinds import Array

MARK = b"FLS1"
_LENGTHS = struct.Struct("<4sIQ16s")


@dataclass(frozen=True, eq=False)
class Record:
    """One record: ``head`` is JSON data, ``arrays`` by name, ``size`` its bytes in the file."""

    head: dict[str, Any]
    arrays: dict[str, Array]
    size: int


def encode(head: Mapping[str, Any], arrays: Mapping[str, Array] | None = None) -> bytes:
    """The bytes of a record; ``ValueError`` for arrays of objects."""
    bodies, told = [], []
    for name, given in (arrays or {}).items():
        array = np.ascontiguousarray(given)
        if array.dtype.hasobject:
            raise ValueError(f"{name!r} holds objects; expected numbers, truth values or texts")
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        told.append([name, array.dtype.str, list(np.shape(given))])
        bodies.append(array.tobytes())
    top = json.dumps({**head, "arrays": told}, separators=(",", ":")).encode()
    body = b"".join(bodies)
    return _LENGTHS.pack(MARK, len(top), len(body), _digest(top, body)) + top + body


def decode(data: bytes) -> Iterator[Record]:
    """The records in ``data`` that are whole."""
    place = 0
    while place + _LENGTHS.size <= len(data):
        record = _record(data, place)
        if record is not None:
            yield record
            place += record.size
        elif (place := data.find(MARK, place + 1)) < 0:
            return


def _record(data: bytes, place: int) -> Record | None:
    mark, first, second, known = _LENGTHS.unpack_from(data, place)
    begin = place + _LENGTHS.size
    end = begin + first + second
    if mark != MARK or end > len(data):
        return None
    view = memoryview(data)
    top, body = view[begin : begin + first], view[begin + first : end]
    if _digest(top, body) != known:
        return None
    head = json.loads(bytes(top))
    return Record(head, _arrays(head.pop("arrays"), body), end - place)


def _arrays(told: list[Any], body: memoryview) -> dict[str, Array]:
    found, place = {}, 0
    for name, kind, shape in told:
        dtype = np.dtype(kind)
        count = int(np.prod(shape, dtype=np.int64))
        size = count * dtype.itemsize
        found[name] = (
            np.frombuffer(body[place : place + size], dtype).reshape(shape) if size else np.empty(shape, dtype)
        )
        place += size
    return found


def _digest(top: bytes | memoryview, body: bytes | memoryview) -> bytes:
    total = hashlib.blake2b(top, digest_size=16)
    total.update(body)
    return total.digest()
