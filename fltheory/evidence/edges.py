"""The edges between rows that nobody types: what a proof passes through, and what a check reads.

A derived row *passes through* another one where every conclusion of the other's derivation stands among the facts on which its own
conclusions rest (:mod:`fltheory.derivation.told`), and takes as given a row whose bound is one of its hypotheses.  A check *reads*
the rows that state a bound whose expression it asks for (:mod:`fltheory.evidence.reads`), as a premise or to compare: what is read
may be wrong.  Rows of one claim, such as a printed statement and its repair, are tied by their ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fltheory.evidence import ids

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Edges:
    """From a row to others, in the order of the list: what its derivation rests on, and what its check reads besides."""

    rests_on: list[str]
    reads: list[str]


def computed_edges(rows: Mapping[str, Row]) -> dict[str, Edges]:
    """The edges of all rows of evidence."""
    stated: dict[str, list[str]] = {}
    for row_id in ids.in_order(rows):
        for sign in _signs(rows[row_id].get("states")):
            stated.setdefault(sign, []).append(row_id)
    through = _passed_through(rows)
    found = {}
    for row_id, row in rows.items():
        known = {*through[row_id], *row.get("depends", ())}
        own = {ids.base(name) for name in (row_id, *known)}
        texts = [text for text in row.get("reads", ()) if not _signs([text]) & _signs(row.get("states"))]
        foreign = (row.get("derived") or {}).get("foreign", ())
        given = [text for text in texts if text.partition(" ")[2] in foreign]
        read = [stated[sign] for sign in sorted(_signs(texts) - _signs(given)) if sign in stated]
        goals = {_one_of(goal, known) for goal in read if not own & {*map(ids.base, goal)}}
        premises = {_one_of(stated[sign], known) for sign in _signs(given) if sign in stated}
        found[row_id] = Edges(ids.in_order(through[row_id] | premises), ids.in_order(goals - premises))
    return found


def self_contained(row: Row) -> bool:
    """Whether a row is derived from hypotheses of packs alone, so that nothing it names is taken as given."""
    derived: Any = row.get("derived")
    return bool(derived) and not derived["foreign"]


def _signs(texts: Iterable[str] | None) -> set[str]:
    return {text.partition(" ")[0] for text in texts or ()}


def _one_of(rows: list[str], known: set[str]) -> str:
    """The row that states a display; of several one that is known, else the claim of the first."""
    named = [row_id for row_id in rows if row_id in known] or rows
    return named[0] if named is not rows or len(rows) == 1 else ids.base(rows[0])


def _passed_through(rows: Mapping[str, Row]) -> dict[str, set[str]]:
    """Rows of which every conclusion stands in a row's derivation, but for those that say the same as the row."""
    derived = {row_id: row["derived"] for row_id, row in rows.items() if row.get("derived")}
    ends = {row_id: _signs(facts["concludes"]) for row_id, facts in derived.items()}
    whole = {row_id: _signs(facts["displays"]) | ends[row_id] for row_id, facts in derived.items()}
    return {
        row_id: {
            other
            for other in (derived if row_id in derived else ())
            if ends[other] and ends[other] <= whole[row_id] and not ends[row_id] <= whole[other]
        }
        for row_id in rows
    }
