"""Where the folders ``verify/``, ``figures/`` and ``results/`` are, and ``verify`` as something that can be imported.

In a checkout they lie next to the package; in an installed package they were copied to ``fltheory/_scripts``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

PACKAGE = Path(__file__).resolve().parents[1]
#: The name under which what a document's scripts share is imported: ``from verify.li2020 import frontier``.
WINGS = "verify"


def checkout() -> Path | None:
    """The root of the checkout that the package lies in, ``None`` for an installed package."""
    root = PACKAGE.parent
    return root if (root / WINGS).is_dir() and (root / "pyproject.toml").is_file() else None


def scripts_root() -> Path:
    """The folder that holds ``verify/``, ``figures/`` and ``results/``."""
    return checkout() or PACKAGE / "_scripts"


def results_folder() -> Path:
    """Where committed result files are: ``results/`` of the checkout, or the copy in an installed package."""
    return scripts_root() / "results"


def writable_results() -> Path:
    """Where new result files go: ``results/`` of the checkout, or of the current folder."""
    return (checkout() or Path.cwd()) / "results"


def make_wings_importable() -> None:
    """Let ``import verify.<document>.<module>`` find the folder of this package, whatever the search path is."""
    folder = str(scripts_root() / WINGS)
    if folder not in list(getattr(sys.modules.get(WINGS), "__path__", [])):
        wings = ModuleType(WINGS, "A wing for each document: its statements, proofs, instances and claims.")
        wings.__path__ = [folder]
        sys.modules[WINGS] = wings


def wing_module(path: Path) -> str | None:
    """The dotted name of a file of the package's own ``verify/``; ``None`` for any other file."""
    folder = scripts_root() / WINGS
    path = Path(path).resolve()
    if folder.resolve() not in path.parents:
        return None
    parts = path.relative_to(folder.resolve()).with_suffix("").parts
    return ".".join([WINGS, *parts]) if all(part.isidentifier() for part in parts) else None
