"""Whether the kept evidence, the ledger and the report still say what the scripts say: ``verify --check``.

What needs no run is compared first: every claim has a kept row and every kept row a claim, what the script
declares (statement, source ...) is what is kept, the ledger is what the evidence gives and all texts are what the ledger
gives, and every kept certificate verifies.  Then the rows whose key is missing or changed and all quick checks
are computed anew and compared with what is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fltheory.evidence.catalogue import Catalogue
from fltheory.evidence.keys import key_of
from fltheory.evidence.ledger import build_ledger
from fltheory.evidence.model import Rung
from fltheory.evidence.rows import Row, declared, jsonable
from fltheory.evidence.store import read_evidence, write_evidence
from fltheory.evidence.texts.files import file_problems, write_files

#: Rungs on which a margin is a number that any machine finds again, to this relative precision.
_REPEATABLE = (Rung.PROOF.value, Rung.EXACT.value, Rung.READING.value)
_PRECISION = 1e-3


def with_key(row: Row, catalogue: Catalogue) -> Row:
    """The row with the key of its script and the script's name."""
    script = catalogue.scripts[row["id"]]
    return {**row, "key": key_of(script.path), "script": script.name}


def stale(catalogue: Catalogue, kept: Mapping[str, Row]) -> list[str]:
    """Rows to compute anew: no kept row, a changed key, or a quick check."""
    return [
        row_id
        for row_id, claim in catalogue.claims.items()
        if claim.quick or kept.get(row_id, {}).get("key") != key_of(catalogue.scripts[row_id].path)
    ]


def standing_problems(root: Path, catalogue: Catalogue) -> list[str]:
    """What is wrong with the kept files, found without running a check."""
    kept = read_evidence(root)
    problems = [f"{row_id}: no kept evidence" for row_id in catalogue.claims if row_id not in kept]
    orphans = [row_id for row_id in kept if row_id not in catalogue.claims]
    problems += [f"{row_id}: kept evidence of a claim that no script defines" for row_id in orphans]
    for row_id, claim in catalogue.claims.items():
        if row_id in kept:
            now = jsonable(declared(claim, document=catalogue.scripts[row_id].document))
            changed = [name for name, value in now.items() if kept[row_id].get(name) != value]
            problems += [f"{row_id}: {', '.join(changed)} changed since the evidence was kept"] if changed else []
    return problems + file_problems(root, build_ledger(kept))


def certificate_problems(kept: Mapping[str, Row]) -> tuple[int, list[str]]:
    """How many kept certificates were verified, and those that fail."""
    from fltheory.evidence.certificates import can_verify, verify_certificate

    count, problems = 0, []
    for row_id, row in kept.items():
        for certificate in certificates_in(row.get("certificate")):
            if not can_verify(certificate):
                continue
            count += 1
            try:
                good, reason = verify_certificate(certificate)
            except ValueError as error:
                good, reason = False, str(error)
            if not good:
                problems.append(f"{row_id}: its kept certificate does not verify: {reason}")
    return count, problems


def certificates_in(data: object) -> Iterable[Mapping[str, Any]]:
    """All certificates in nested data."""
    if isinstance(data, Mapping):
        if "type" in data or "format" in data:
            yield data
        else:
            for item in data.values():
                yield from certificates_in(item)
    elif isinstance(data, list):
        for item in data:
            yield from certificates_in(item)


def differences(kept: Mapping[str, Any] | None, new: Row) -> list[str]:
    """Facts in which a row computed anew differs from the kept one of the same rung."""
    if kept is None or new["status"] != "done":
        return []
    if kept["rung"] != new["rung"]:
        return [f"rung {new['rung']!r} differs from the kept {kept['rung']!r}"]
    found = [
        f"{name} {new[name]!r} differs from the kept {kept[name]!r}"
        for name in ("verdict", "outcome")
        if kept[name] != new[name]
    ]
    before = {control["name"]: control["outcome"] for control in kept["controls"]}
    after = {control["name"]: control["outcome"] for control in new["controls"]}
    if before != after:
        found.append(f"controls {after} differ from the kept {before}")
    if new["rung"] in _REPEATABLE and not _close(kept["margin"], new["margin"]):
        found.append(f"margin {new['margin']} differs from the kept {kept['margin']}")
    return found


def _close(before: object, after: object) -> bool:
    if isinstance(before, float | int) and isinstance(after, float | int):
        return abs(before - after) <= _PRECISION * abs(before) + 1e-9
    return bool(before == after)


def write_all(root: Path, rows: Mapping[str, Row]) -> tuple[int, bool]:
    """Write evidence, ledger and all texts; returns the number of ledger rows and whether the ledger changed."""
    write_evidence(root, rows)
    ledger = build_ledger(rows)
    return len(ledger), write_files(root, ledger)
