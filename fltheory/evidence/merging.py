"""How rows of a new run are merged into kept evidence.

A row replaces a kept one unless it says less.  It says less if it stands on a weaker rung, has lost a certificate, or has
fewer controls; a kept row that says ``proof`` or ``steps`` and keeps nothing that can be verified counts as ``asserted``.  It
is refused then, with these exceptions:

* it refutes, by the current code, what the kept row says holds, and the kept row was found by code that has since
  changed (a counterexample outranks a proof by code that is no longer there);
* the kept row is damaged: what it says counts for nothing;
* a person lowers the row by its name (``--lower ID``), which shows in the history of the file.

A kept row whose claim is gone stays until a person retires it (``--retire ID REASON``); ``retired.tsv`` keeps the reason.
Rows that crashed, ran out of time or broke a rule are never kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from fltheory.evidence.model import Outcome, Rung
from fltheory.evidence.rows import Row
from fltheory.evidence.store import DAMAGED, evidence_folder, read_table, write_text

_RETIRED_HEAD = ("id", "reason")


def _says_less(kept: Row, new: Row) -> str:
    """In what a new row says less than the kept one; empty if in nothing."""
    from fltheory.evidence.certificates import can_verify, certificates_in

    held, given = (any(map(can_verify, certificates_in(row.get("certificate")))) for row in (kept, new))
    bare = kept["rung"] in (Rung.PROOF.value, Rung.STEPS.value) and not held
    if Rung(new["rung"]).strength < (Rung.ASSERTED if bare else Rung(kept["rung"])).strength:
        return f"rung {new['rung']!r} is weaker than the kept {kept['rung']!r}"
    if held and not given:
        return "the kept row has a certificate"
    before, now = len(kept.get("controls", ())), len(new.get("controls", ()))
    return f"it has {now} controls, the kept row {before}" if now < before else ""


def refusal(kept: Row | None, new: Row, *, lower: Collection[str] = ()) -> str:
    """Why a new row does not replace the kept one; empty when it does."""
    if new["status"] != "done" or new["problems"]:
        return f"{new['id']} is not kept: " + "; ".join(new["problems"] or [new["error"]])
    if kept is None or kept.get(DAMAGED) or new["id"] in lower:
        return ""
    less = _says_less(kept, new)
    refutes = new["outcome"] == Outcome.REFUTED.value != kept["outcome"] and new["key"] != kept["key"]
    return f"{new['id']} is not kept: {less} (--lower {new['id']} accepts it)" if less and not refutes else ""


def merge(
    kept: Mapping[str, Row],
    new: Iterable[Row],
    *,
    exist: Collection[str] | None = None,
    lower: Collection[str] = (),
    retire: Collection[str] = (),
) -> tuple[dict[str, Row], list[str]]:
    """Kept rows with new ones merged in, and the refusals.

    Parameters
    ----------
    exist : ids of all claims that scripts define; a kept row of no claim is refused to go unless it is retired.  ``None``:
        not known.
    lower : ids whose row may be replaced by one that says less.
    retire : ids of rows that go.
    """
    rows = {row_id: row for row_id, row in kept.items() if row_id not in retire}
    refusals = [
        f"{row_id}: no script defines it any more, and its row stays (--retire {row_id} REASON removes it)"
        for row_id in rows
        if exist is not None and row_id not in exist
    ]
    for row in new:
        reason = refusal(rows.get(row["id"]), row, lower=lower)
        if reason:
            refusals.append(reason)
        else:
            rows[row["id"]] = row
    fresh = [row_id for row_id, row in rows.items() if row.get(DAMAGED)]
    if fresh:
        raise ValueError(
            f"{', '.join(fresh[:5])}: kept facts were changed since they were written, so that nothing is written beside them; "
            f"fltheory verify --write {fresh[0]} computes the row anew"
        )
    return rows, refusals


def read_retired(root: Path) -> dict[str, str]:
    """Reasons of rows that were retired, by id."""
    table = read_table(evidence_folder(root) / "retired.tsv", _RETIRED_HEAD)
    return {row_id: reason for row_id, (reason,) in table.items()}


def write_retired(root: Path, more: Mapping[str, str]) -> None:
    """Add rows with the reasons why they go."""
    table = {**read_retired(root), **{row_id: " ".join(reason.split()) for row_id, reason in more.items()}}
    if more:
        lines = "".join(f"{row_id}\t{reason}\n" for row_id, reason in sorted(table.items()))
        write_text(evidence_folder(root) / "retired.tsv", "\t".join(_RETIRED_HEAD) + "\n" + lines)
