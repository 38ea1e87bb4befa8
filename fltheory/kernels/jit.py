"""The one decorator of all kernels, and where their compiled code is kept.

Kernels call helpers of other files, which numba's own cache does not notice; the cache folder therefore carries a
digest of all kernel sources.  Where no folder can be written, kernels are compiled anew in each process.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from fltheory.kernels.loading import load_numba

Function = TypeVar("Function", bound=Callable[..., Any])

#: Contraction to fused multiply-adds is the only freedom given to the compiler: no reordering of sums.
OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"contract"}, "error_model": "numpy"}


def kernel(function: Function) -> Function:
    """``function`` compiled on first use: no lock held, IEEE division, cached on disk where a folder is writable."""
    return _compiled(function, OPTIONS)


def rounded(function: Function) -> Function:
    """As :func:`kernel`, every product and every sum rounded by itself, as NumPy rounds them."""
    return _compiled(function, {**OPTIONS, "fastmath": False})


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    numba = load_numba()
    folder = cache_folder()
    if folder is not None:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = folder
        try:
            cached: Function = numba.njit(cache=True, **options)(function)
            return cached
        except RuntimeError:
            pass  # numba was told to look for its cache elsewhere, and found no place
        finally:
            numba.config.CACHE_DIR = before
    compiled: Function = numba.njit(**options)(function)
    return compiled


@lru_cache(maxsize=1)
def cache_folder() -> str | None:
    """The first writable folder for compiled kernels, or ``None``."""
    name = f"fltheory-kernels-{_digest()}"
    for parent in _parents():
        folder = os.path.join(parent, name)
        try:
            os.makedirs(folder, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return folder
    return None


def _parents() -> Iterator[str]:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    yield chosen or os.path.join(os.path.dirname(__file__), "__pycache__")
    user = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    yield user or os.path.join(os.path.expanduser("~"), ".cache")


def _digest() -> str:
    total = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        total.update(path.read_bytes())
    return total.hexdigest()[:16]
