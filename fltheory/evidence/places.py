"""Where the folders ``verify/``, ``figures/`` and ``results/`` are, and ``verify`` as something that can be imported.

In a checkout they lie next to the package; in an installed package they were copied to ``fltheory/_scripts``.
"""

from __future__ import annotations

import hashlib
import importlib
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
        _package(WINGS, folder, "A wing for each document: its statements, proofs, instances and claims.")


def _package(name: str, folder: str, text: str) -> None:
    package = ModuleType(name, text)
    package.__path__ = [folder]
    sys.modules[name] = package


def _package_of(root: Path) -> str:
    return f"_fltheory_{hashlib.sha256(str(root).encode()).hexdigest()[:12]}"


def own_module(path: Path, root: Path) -> str:
    """The dotted name of a file in a user's folder, which is a package of a name that no other folder has.

    So its scripts share modules: ``from .symbols import kappa``, or ``from ..symbols`` from a folder in it.
    """
    folder, stem = path.parent, path.stem
    if any("." in part for part in (*folder.relative_to(root).parts, stem)):  # no name that an import could reach
        root, stem = folder, stem.replace(".", "_")
    package = _package_of(root)
    if package not in sys.modules:
        _package(package, str(root), "A folder of scripts.")
    parent = ".".join([package, *folder.relative_to(root).parts])
    importlib.import_module(parent)
    return f"{parent}.{stem}"


def forget_own(root: Path) -> None:
    """Drop the modules of a user's folder, so that the next import reads them from their files."""
    package = _package_of(root)
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    importlib.invalidate_caches()


def wing_module(path: Path) -> str | None:
    """The dotted name of a file of the package's own ``verify/``; ``None`` for any other file."""
    folder = scripts_root() / WINGS
    path = Path(path).resolve()
    if folder.resolve() not in path.parents:
        return None
    parts = path.relative_to(folder.resolve()).with_suffix("").parts
    return ".".join([WINGS, *parts]) if all(part.isidentifier() for part in parts) else None
