"""A row of a user's folder as ``fltheory show`` tells it: run now where that is quick, else as it is declared."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from fltheory.evidence.catalogue import load_for
from fltheory.evidence.references import defined_elsewhere
from fltheory.evidence.rows import declared
from fltheory.evidence.runner import run_claims


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
    told = row.get("derived") or {}
    own = {name: told[key] for name, key in (("assumptions", "hypotheses"), ("valid_for", "valid_for")) if key in told}
    return {**row, **own, **place, "found": row["verdict"]}
