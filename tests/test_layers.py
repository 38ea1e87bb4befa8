"""Layers import downwards only: each one may use itself and what stands above it in the list."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import fltheory

ROOT = Path(fltheory.__file__).parent
#: from the top; modules without a folder (streams) may be used by all
LAYERS = (
    "problems",
    "algorithms",
    "readings",
    "kernels",
    "gpu",
    "simulate",
    "conformance",
    "derivation",
    "theory",
    "worstcase",
    "evidence",
    "mutation",
    "questions",
    "sweep",
    "experiments",
    "comparison",
    "plotting",
    "report",
    "course",
    "site",
    "commands",
)


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if (ROOT / layer).is_dir()])
def test_a_layer_uses_only_what_stands_above(layer: str) -> None:
    below = LAYERS[LAYERS.index(layer) + 1 :]
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in (ROOT / layer).rglob("*.py")
        for name in _imports(path)
        if any(name == f"fltheory.{low}" or name.startswith(f"fltheory.{low}.") for low in below)
    ]
    assert not wrong


def test_the_package_never_imports_a_wing() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in ROOT.rglob("*.py")
        if "_scripts" not in path.relative_to(ROOT).parts
        for name in _imports(path)
        if name.split(".")[0] in ("verify", "figures", "tests")
    ]
    assert not wrong
