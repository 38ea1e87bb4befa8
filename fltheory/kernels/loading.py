"""Numba, loaded in less time: what every process that runs a kernel waits for, before any kernel runs.

Numba reads some hundred modules when it meets the first kernel.  They make objects that live as long as the process, through
which the collector would go again and again; and one of them imports all of ``scipy.linalg``, to see that it is there.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

#: What Numba imports to see that it can be imported.
ASKED_FOR = "scipy.linalg.cython_blas"


@lru_cache(maxsize=1)
def load_numba() -> Any:
    """The module ``numba``, with all that it needs for the first kernel.

    Raises
    ------
    ImportError : it is not installed.
    """
    with _without_collections():
        numba = import_module("numba")
        if not numba.config.DISABLE_JIT:
            try:
                target = import_module("numba.core.registry").cpu_target
                with _present(ASKED_FOR):
                    target.typing_context.refresh()
                    target.target_context.refresh()
            except (ImportError, AttributeError):
                pass  # another Numba: it does the same by itself, later
    return numba


@contextmanager
def _without_collections() -> Iterator[None]:
    """No garbage collection meanwhile."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@contextmanager
def _present(name: str) -> Iterator[None]:
    """An empty module in place of an extension module that is installed and not imported yet, as long as this lasts.

    Where other threads run, which may import it meanwhile, or where its file is not found, nothing is put in its place.
    """
    if name in sys.modules or threading.active_count() > 1 or not _is_installed(name):
        yield
        return
    module = sys.modules[name] = ModuleType(name)
    try:
        yield
    finally:
        if sys.modules.get(name) is module:
            del sys.modules[name]


def _is_installed(name: str) -> bool:
    """Whether the file of an extension module is there; nothing but its outermost package is looked up."""
    package, *folders, module = name.split(".")
    spec = find_spec(package)
    places = [] if spec is None else spec.submodule_search_locations or []
    return any(Path(place, *folders, module + suffix).is_file() for place in places for suffix in EXTENSION_SUFFIXES)
