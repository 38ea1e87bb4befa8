"""Ids of claims: the list of all documents' claims, and how the id of a row names the claim it belongs to.

The list is package data (``data/index.tsv``).  A row of the ledger is a claim of that list or derives from one by
suffixes: ``ID[reading]`` a reading, ``ID.1`` a part, ``ID-R1`` a repaired and ``ID-S1`` a sharpened statement, ``ID-U1`` a
limit of the use that the print makes of a statement, which may itself hold.
Suffixes may be stacked (``ID.2[reading]``, ``ID.2-R1``).  Ids of the list are matched before any suffix is taken off,
so that ids which look as if they had a suffix (``LI-D1..D3``, ``LI-L3PF1..5``) keep it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

_SUFFIX = re.compile(r"(\[[^\[\]]+\]|\.[0-9A-Za-z]+|-[RSU]\d+)$")
_VARIANT = re.compile(r"-[RSU]\d+")
DATA = Path(__file__).parent / "data"


@cache
def index() -> Mapping[str, str]:
    """Every claim of every document: id -> document, in the order of the list."""
    lines = (DATA / "index.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t") for line in lines[1:] if line]
    return MappingProxyType({identifier: document for identifier, document in pairs})


def documents() -> tuple[str, ...]:
    """The documents in the order in which the list first names them."""
    return tuple(dict.fromkeys(index().values()))


def parent(row_id: str) -> str | None:
    """The id with its last suffix taken off; ``None`` for a claim of the list and for an id without suffix."""
    if row_id in index():
        return None
    match = _SUFFIX.search(row_id)
    return row_id[: match.start()] if match and match.start() else None


def suffix(row_id: str) -> str:
    """The last suffix of a row's id, empty for a claim itself."""
    above = parent(row_id)
    return "" if above is None else row_id[len(above) :]


def base(row_id: str) -> str:
    """The claim that a row belongs to."""
    above = parent(row_id)
    return row_id if above is None else base(above)


def judges_parent(row_id: str) -> bool:
    """Whether the row is a part or a reading of the id above it, which may be a variant; a variant judges nothing above."""
    return parent(row_id) is not None and not _VARIANT.fullmatch(suffix(row_id))


def is_reading(row_id: str) -> bool:
    """Whether the row's last suffix names a reading."""
    return suffix(row_id).startswith("[")


def _natural(text: str) -> list[tuple[int, int | str]]:
    return [(0, int(piece)) if piece.isdigit() else (1, piece) for piece in re.split(r"(\d+)", text) if piece]


def in_order(row_ids: Iterable[str]) -> list[str]:
    """Rows in the order of the list, sub-rows after their claim; ids outside the list at the end."""
    position = {identifier: number for number, identifier in enumerate(index())}

    def key(row_id: str) -> tuple[int, str, list[tuple[int, int | str]], str]:
        claim = base(row_id)
        # The id itself decides between 0.06 and 0.6, whose numbers are alike.
        return position.get(claim, len(position)), claim, _natural(row_id[len(claim) :]), row_id

    return sorted(row_ids, key=key)


def closest(unknown: str, known: Iterable[str]) -> list[str]:
    """Known names that look like an unknown one, best first, at most three."""
    import difflib

    names = list(known)
    upper = {name.upper(): name for name in names}
    hits = difflib.get_close_matches(unknown.upper(), upper, n=3, cutoff=0.6)
    return [upper[hit] for hit in hits]
