"""Experiments compute and plotting draws: no module of the layer loads matplotlib."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import fltheory

CODE = """
import importlib, pkgutil, sys
import fltheory.experiments as layer

for name in layer.__all__:
    getattr(layer, name)
for module in pkgutil.iter_modules(layer.__path__):
    importlib.import_module(f"{layer.__name__}.{module.name}")
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"matplotlib", "cvxpy", "PIL"}))
"""


def test_nothing_is_drawn() -> None:
    root = Path(fltheory.__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", CODE], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
