"""One name, one class: what two classes of a document's wing or of two wings are called differs."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from fltheory.evidence.places import scripts_root


def test_no_two_public_classes_of_the_wings_have_one_name() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    root = scripts_root()
    for path in sorted(Path(root / "verify").rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path.relative_to(root).as_posix())
    assert len(homes) > 40
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}
