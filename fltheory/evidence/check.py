"""Whether the kept evidence, the ledger and the report still say what the scripts say: ``verify --check``.

What needs no run is compared first: every row has the digest that it was written with, every claim has a kept row and every
kept row a claim, no row is gone that was not retired, what the script declares (statement, source ...) is what is kept, the
ledger is what the evidence gives and all texts are what the ledger gives, and every kept certificate verifies.  Then the rows
whose key is missing or changed, all quick checks, and a share of the rest (:mod:`fltheory.evidence.rotation`) are computed anew,
and every fact is compared with what is kept (:mod:`fltheory.evidence.compare`).  Worst cases that are not among them are run
again on their kept certificates, which binds these to what the scripts state (:mod:`fltheory.evidence.replay`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from fltheory.evidence.catalogue import Catalogue
from fltheory.evidence.checksums import checksum_problems, write_checksums
from fltheory.evidence.environment import versions_in_words
from fltheory.evidence.keys import data_of, key_of
from fltheory.evidence.ledger import build_ledger
from fltheory.evidence.merging import read_retired
from fltheory.evidence.model import Rung
from fltheory.evidence.replay import can_replay
from fltheory.evidence.rotation import due, removed
from fltheory.evidence.rows import Row, declared, jsonable
from fltheory.evidence.store import DAMAGED, kept_ids, read_evidence, write_evidence
from fltheory.evidence.texts.files import file_problems, write_files

#: Rungs that mean that something is kept that is verified again without the script.
_KEEPING = (Rung.PROOF.value, Rung.STEPS.value)
#: In how many lots certificates are verified.
_LOTS = 64


def with_key(row: Row, catalogue: Catalogue) -> Row:
    """The row with the key of its script, the script's name and the versions that it was found with."""
    script = catalogue.scripts[row["id"]]
    problems = [*row["problems"], *_unnamed(row, script.path)]
    found = {"key": key_of(script.path), "script": script.name, "versions": versions_in_words()}
    return {**row, **found, "problems": problems}


def _unnamed(row: Row, path: Path) -> list[str]:
    """Result files that a check read and that are no part of its key, in words."""
    named = {data.name for data in data_of(path)}
    return [f"reads {name}, which its key does not cover" for name in row.get("data", ()) if name not in named]


def stale(catalogue: Catalogue, kept: Mapping[str, Row], *, place: int | None = None, whole: bool = False) -> list[str]:
    """Rows to compute anew: no kept row, a damaged one, a changed key, a quick check, or its turn; ``whole``: all of them."""
    standing = []
    found = set()
    for row_id, claim in catalogue.claims.items():
        row = kept.get(row_id, {})
        if whole or claim.quick or row.get(DAMAGED) or row.get("key") != key_of(catalogue.scripts[row_id].path):
            found.add(row_id)
        else:
            standing.append(row_id)
    found |= set() if place is None else set(due(standing, place))
    return [row_id for row_id in catalogue.claims if row_id in found]


def standing_problems(root: Path, catalogue: Catalogue) -> list[str]:
    """What is wrong with the kept files, found without running a check."""
    kept = read_evidence(root)
    problems = [
        f"{row_id}: the kept facts were changed since they were written" for row_id in kept if kept[row_id][DAMAGED]
    ]
    problems += [f"{row_id}: no kept evidence" for row_id in catalogue.claims if row_id not in kept]
    orphans = [row_id for row_id in kept if row_id not in catalogue.claims]
    problems += [f"{row_id}: kept evidence of a claim that no script defines" for row_id in orphans]
    problems += [f"{row_id}: a key, and no kept evidence" for row_id in sorted(kept_ids(root) - set(kept))]
    bare = [row_id for row_id, row in kept.items() if row["rung"] == Rung.WORST_CASE.value and not can_replay(row)]
    problems += [f"{row_id}: a worst case whose kept certificate is none of a worst case" for row_id in bare]
    gone = removed(root)[0] - set(kept) - set(read_retired(root))
    problems += [
        f"{row_id}: its row is gone, and it was not retired (--retire {row_id} REASON)" for row_id in sorted(gone)
    ]
    for row_id, claim in catalogue.claims.items():
        if row_id in kept:
            now = jsonable(declared(claim, document=catalogue.scripts[row_id].document))
            now["script"] = catalogue.scripts[row_id].name
            changed = [name for name, value in now.items() if kept[row_id].get(name) != value]
            problems += [f"{row_id}: {', '.join(changed)} changed since the evidence was kept"] if changed else []
    return problems + checksum_problems(root) + file_problems(root, build_ledger(kept))


def tabled_certificates(root: Path) -> list[tuple[str, str]]:
    """The certificates in the rows of ``results/benchmarks`` (some keep a digest only), each with the name of its row."""
    found = []
    for path in sorted((root / "results" / "benchmarks").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = data.get("rows", []) if isinstance(data, dict) else []
        found += [
            (f"{path.name}, {row.get('case')}", str(row["certificate"]))
            for row in rows
            if isinstance(row, dict) and str(row.get("certificate", "")).startswith('{"format"')
        ]
    return found


def certificate_problems(
    kept: Mapping[str, Row], *, beside: Sequence[tuple[str, str]] = (), processes: int | None = 1
) -> tuple[int, list[str]]:
    """How many kept certificates were verified, and those that fail.

    Parameters
    ----------
    beside : further certificates as JSON text, each with a name.
    processes : how many share the work; ``None`` one per core.
    """
    from fltheory.evidence.certificates import can_verify, certificates_in
    from fltheory.processes import in_order

    problems = []
    found: list[tuple[str, str]] = []
    for row_id, row in kept.items():
        own = list(certificates_in(row.get("certificate")))
        known = [one for one in own if can_verify(one)]
        if row.get("rung") in _KEEPING and not known:
            problems.append(f"{row_id}: its rung is {row['rung']}, and nothing is kept that can be verified")
        if len(known) < len(own):
            problems.append(f"{row_id}: its kept certificate is of no kind that can be verified")
        found += [(row_id, json.dumps(one, sort_keys=True)) for one in known]
    found += beside
    different = list(dict.fromkeys(text for _, text in found))  # rows share steps
    lots = [different[first::_LOTS] for first in range(min(_LOTS, len(different)))]
    failures: dict[str, str] = {}
    for one in in_order(_failures, lots, processes=processes):
        failures |= one
    problems += [
        f"{row_id}: its kept certificate does not verify: {failures[text]}"
        for row_id, text in found
        if text in failures
    ]
    return len(found), problems


def _failures(texts: Sequence[str]) -> dict[str, str]:
    """Certificates that do not verify, with the reason."""
    from fltheory.evidence.certificates import verify_certificate

    failures = {}
    for text in texts:
        try:
            good, reason = verify_certificate(json.loads(text))
        except ValueError as error:
            good, reason = False, str(error)
        if not good:
            failures[text] = reason
    return failures


def write_all(root: Path, rows: Mapping[str, Row]) -> tuple[int, bool]:
    """Write evidence, ledger and all texts; returns the number of ledger rows and whether the ledger changed."""
    write_evidence(root, rows)
    write_checksums(root)
    ledger = build_ledger(rows)
    return len(ledger), write_files(root, ledger)
