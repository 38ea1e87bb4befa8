"""Small parts of evidence: how many exchanges a bundle's rule stands, why a row is what it is, where a module's file lies."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from fltheory.evidence.bundles import RULES, _exchanged
from fltheory.evidence.keys import PACKAGE, _file, _is_main_guard
from fltheory.evidence.model import Verdict
from fltheory.evidence.show import _why


def test_a_rule_is_tried_with_every_verdict_of_every_part_and_without_it() -> None:
    parts = ["A", "B", "C"]
    assert _exchanged(parts, RULES["worst part"]) == (3 * (len(Verdict) + 1), [])
    count, faults = _exchanged(parts, RULES["best part"])
    assert count == 3 * (len(Verdict) + 1) and len(faults) == 3 * len(
        Verdict
    )  # all but "holds" itself, and the part left out


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"method": "added up", "found": "holds", "verdict": "holds"}, ["added up"]),
        ({"method": "added up", "found": "holds", "verdict": "wrong"}, ["added up", "(its own check found: holds)"]),
        (
            {"method": "added up", "found": "open", "verdict": "holds", "bundles": ["A"]},
            ["it follows from A: see there", "added up"],
        ),
        ({"verdict": "open"}, []),
    ],
)
def test_reasons_of_a_verdict(row: dict[str, Any], said: list[str]) -> None:
    assert list(_why(row, {})) == said


def test_files_of_modules() -> None:
    assert _file("fltheory") == PACKAGE / "__init__.py"
    assert _file("fltheory.evidence") == PACKAGE / "evidence" / "__init__.py"
    assert _file("fltheory.evidence.keys") == PACKAGE / "evidence" / "keys.py"
    assert _file("fltheory.no_such") is None and _file("numpy") is None and _file("verify") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('if __name__ == "__main__": pass', True),
        ("if __name__: pass", False),
        ('if name == "__main__": pass', False),
        ('__name__ == "__main__"', False),
        ("x = 1", False),
    ],
)
def test_what_runs_only_as_a_program_is_known_by_its_condition(text: str, expected: bool) -> None:
    assert _is_main_guard(ast.parse(text).body[0]) is expected
