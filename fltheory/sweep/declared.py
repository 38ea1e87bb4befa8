"""Files that declare a sweep: Python that leaves a :class:`~fltheory.sweep.grid.Sweep` under the name ``sweep``.

Python, and not TOML or YAML: problems, algorithms and grids of numbers are expressions of Python, and a problem or an algorithm
of one's own stands in the same file.  The file is executed, here and on a cluster's workers.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from fltheory.sweep.grid import Sweep

#: The module's name, so that what the file defines can be found again by its name.
MODULE = "fltheory_sweep_file"


def load_sweep(file: str | os.PathLike[str]) -> Sweep:
    """Execute ``file`` and return its ``sweep``.

    Raises
    ------
    FileNotFoundError : no such file.
    ValueError : it leaves no ``Sweep`` under that name.
    """
    path = Path(file)
    if not path.is_file():
        raise FileNotFoundError(f"{str(path)!r}: no such file; expected Python that declares sweep = fl.Sweep(...)")
    described = importlib.util.spec_from_file_location(MODULE, path.resolve())
    if described is None or described.loader is None:
        raise ValueError(f"{path.name!r} is no Python file; expected NAME.py")
    module = importlib.util.module_from_spec(described)
    sys.modules[MODULE] = module
    sys.path.insert(0, str(path.resolve().parent))
    try:
        described.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.resolve().parent))
    found = getattr(module, "sweep", None)
    if not isinstance(found, Sweep):
        raise ValueError(
            f"{path.name!r} has no sweep = fl.Sweep(...); it leaves {type(found).__name__} under that name"
        )
    return found
