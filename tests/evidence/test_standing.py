"""What ``verify --check`` sees without running a check: another script, another statement; and the statement of a bare claim."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fltheory.evidence import check
from fltheory.evidence.catalogue import ClaimEntry, load_for
from fltheory.evidence.expression_size import parsed
from fltheory.evidence.rows import declared, jsonable
from fltheory.evidence.store import DAMAGED


@pytest.mark.parametrize("change", [{}, {"script": "li2020/other.py"}, {"statement": "1 = 1"}])
def test_a_row_that_moved_is_told(change: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = load_for(["LI-LEM2"])
    (row_id,) = [row for row in catalogue.claims if row == "LI-LEM2"]
    for other in [row for row in catalogue.claims if row != row_id]:
        del catalogue.claims[other]
    script = catalogue.scripts[row_id]
    row = jsonable(declared(catalogue.claims[row_id], document=script.document))
    kept = {row_id: {**row, "script": script.name, "rung": "proof", DAMAGED: False, **change}}
    monkeypatch.setattr(check, "read_evidence", lambda root: kept)
    monkeypatch.setattr(check, "checksum_problems", lambda root: [])
    monkeypatch.setattr(check, "kept_ids", lambda root: {row_id})
    monkeypatch.setattr(check, "read_retired", lambda root: {})
    monkeypatch.setattr(check, "removed", lambda root: (set(), {}))
    monkeypatch.setattr(check, "build_ledger", lambda kept: None)
    monkeypatch.setattr(check, "file_problems", lambda root, ledger: [])
    expected = [f"{row_id}: {', '.join(change)} changed since the evidence was kept"] if change else []
    assert check.standing_problems(Path(), catalogue) == expected


def test_a_claim_without_a_row_of_its_own_has_the_statements_of_all_others() -> None:
    rows = ({"id": "A"}, {"id": "A.1", "statement": "a"}, {"id": "A.2", "statement": "b"})
    assert ClaimEntry("A", rows).statement == "a; b"


def test_a_power_of_a_symbol_has_the_size_of_its_base() -> None:
    assert parsed("x**n").op.__class__.__name__ == "Pow"
    with pytest.raises(ValueError, match="power 10001"):
        parsed("x**10001")
