"""One name, one class: public classes of the package, of a document's wing or of two wings are called differently."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import fltheory
from fltheory.evidence.places import scripts_root

PACKAGE = Path(fltheory.__file__).parent


def test_no_two_public_classes_have_one_name() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for root in (PACKAGE, scripts_root() / "verify"):
        for path in sorted(root.rglob("*.py")):
            if "_scripts" in path.relative_to(root).parts:
                continue
            for node in ast.parse(path.read_text("utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes[node.name].append(path.relative_to(root.parent).as_posix())
    assert len(homes) > 300
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}
