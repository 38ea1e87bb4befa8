"""Rows of a user's folder as ``fltheory show`` and ``fltheory report`` tell them: run now, or as they are declared."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from fltheory.evidence.catalogue import load_for
from fltheory.evidence.references import defined_elsewhere
from fltheory.evidence.rows import declared
from fltheory.evidence.runner import run_claims
from fltheory.evidence.sentences import headline_of


def own_row(folder: Path, claim_id: str) -> dict[str, Any] | None:
    """The row of a claim of the folder, with its file and the command that runs it; ``None`` where no script defines it.

    Raises
    ------
    ValueError : the folder does not exist, or holds no script.
    """
    catalogue = load_for([claim_id], folder)
    claim = catalogue.claims.get(claim_id)
    if claim is None:
        return None
    script = catalogue.scripts[claim_id]
    place = {"file": script.name, "command": shlex.join(["fltheory", "verify", "--path", str(folder), claim_id])}
    if not claim.quick:
        return {**declared(claim, document=script.document), **place, "verdict": "not run", "rung": ""}
    known = defined_elsewhere(catalogue, folder)
    run = run_claims(catalogue, [claim_id], expected={}, known=known, in_process=True, own=True)
    (row,) = (row for row in run.rows if row["id"] == claim_id)
    return {**_with_derived(row), **place, "found": row["verdict"]}


def own_rows(folder: Path) -> dict[str, dict[str, Any]]:
    """All claims of a folder, run now, by id: rows as the ledger has them, with their certificates.

    Raises
    ------
    ValueError : the folder does not exist, or holds no script.
    """
    catalogue = load_for(None, folder)
    known = defined_elsewhere(catalogue, folder)
    run = run_claims(catalogue, list(catalogue.claims), expected={}, known=known, in_process=True, own=True)
    found = {}
    for row in run.rows:
        script = catalogue.scripts[row["id"]]
        told = {
            "document": folder.resolve().name,
            "headline": headline_of(row),
            "found": row["verdict"],
            "file": script.name,
            "command": shlex.join(["fltheory", "verify", "--path", str(folder), row["id"]]),
        }
        found[row["id"]] = {"proof_verdict": "", **_with_derived(row), **told}
    return found


def _with_derived(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose hypotheses and range are those that came out of its derivation, where it has one."""
    told = row.get("derived") or {}
    own = {name: told[key] for name, key in (("assumptions", "hypotheses"), ("valid_for", "valid_for")) if key in told}
    return {**row, **own}
