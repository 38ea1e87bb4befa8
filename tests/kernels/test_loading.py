"""Numba loaded by the package: nothing that it looked for is left in another state."""

from __future__ import annotations

import gc
import subprocess
import sys
from types import ModuleType

import pytest

from fltheory.kernels import loading

NAME = "scipy.linalg.cython_blas"


def test_numba_knows_its_products_of_matrices_afterwards_and_scipy_is_whole() -> None:
    code = """
import gc, sys
from fltheory.kernels.loading import load_numba
numba = load_numba()
assert gc.isenabled() and "scipy.linalg" not in sys.modules
from numba.np import arraymath, linalg
assert arraymath._HAVE_BLAS and linalg.ensure_blas() is None
import scipy.linalg.cython_blas as blas
assert blas.__pyx_capi__ and load_numba() is numba
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_placeholder_stays_no_longer_than_it_must(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading.threading, "active_count", lambda: 1)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    with pytest.raises(KeyError), loading._present(NAME):
        assert type(sys.modules[NAME]) is ModuleType
        raise KeyError
    assert NAME not in sys.modules
    with loading._present("scipy.linalg.no_such_module"):
        assert "scipy.linalg.no_such_module" not in sys.modules
    monkeypatch.setattr(loading.threading, "active_count", lambda: 2)
    with loading._present(NAME):
        assert NAME not in sys.modules


def test_collections_go_on_as_before() -> None:
    assert gc.isenabled()
    with pytest.raises(KeyError), loading._without_collections():
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()
