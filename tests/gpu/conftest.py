"""The device that is none, for tests of everything that needs none; and a real one, where there is one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from fltheory.gpu.device import find_device

sys.path.insert(0, str(Path(__file__).parent))

import gpu_on_host  # noqa: E402


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module ``cupy`` whose kernels run on the processor."""
    if gpu_on_host.COMPILER is None:
        pytest.skip("no g++ to compile the kernels for this processor")
    cupy = gpu_on_host.fake_cupy()
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    gpu_on_host.RawModule.launches.clear()
    return cupy


@pytest.fixture(params=["pretended", "real"])
def device(request: pytest.FixtureRequest) -> Any:
    """The device that is none, and then CuPy's, which is skipped with what is missing for it."""
    if request.param == "pretended":
        request.getfixturevalue("pretended")
    try:
        return find_device()
    except ValueError as error:
        pytest.skip(str(error))
