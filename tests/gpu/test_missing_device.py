"""What is missing for a device is said in one line: the module, the driver, the device, its memory."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gpu_on_host import fake_cupy

import fltheory as fl
from fltheory.gpu.device import find_device

PROBLEM = fl.QuadraticProblem(np.array([[[2.0]], [[1.0]]]), np.array([[1.0], [0.0]]))


def _raises(error: Exception) -> Callable[..., Any]:
    def fail(*_: Any) -> Any:
        raise error

    return fail


def _old(number: int) -> dict[str, Any]:
    return {"name": b"an old device", "major": 6, "minor": 1}


CASES: dict[str, tuple[dict[str, Any], str]] = {
    "cupy": ({"version": "12.3.0"}, "cupy 12.3.0 is too old; expected version 13 or later"),
    "no driver": ({"driverGetVersion": lambda: 0}, "no CUDA driver is installed; expected the driver of the device"),
    "driver": (
        {"driverGetVersion": lambda: 11040},
        "the driver is too old, for CUDA 11.4; expected one for CUDA 12.9, for which cupy was built",
    ),
    "silent": (
        {"getDeviceCount": _raises(RuntimeError("cudaErrorUnknown: unknown error\nmore"))},
        "no usable device (cudaErrorUnknown: unknown error); expected a CUDA device",
    ),
    "no device": ({"getDeviceCount": lambda: 0}, "no device is there; expected a CUDA device, not hidden by"),
    "device": (
        {"getDeviceProperties": _old},
        "the device an old device is too old, of compute capability 6.1; expected 7.0 or later",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    changes, words = CASES[name]
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy(**changes))
    with pytest.raises(ValueError) as caught:
        fl.simulate(PROBLEM, fl.FedAvg(1, 0.1), rounds=1, backend="cupy")
    text = str(caught.value)
    assert text.startswith(f"backend='cupy': {words}") and text.endswith(", or backend='numba'") and "\n" not in text
    # The control: with a device that is as it should be, none of this is said.
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy())
    assert find_device().name == "a processor in disguise"


def test_a_module_that_is_not_there_or_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(
        ValueError, match=r"cupy is not installed; expected pip install 'fltheory\[gpu\]', or backend='numba'"
    ):
        find_device()
    broken = ImportError("\n====\nCuPy failed to load libnvrtc.so.12: no such file\n====\n")
    monkeypatch.setattr("fltheory.gpu.device.import_module", _raises(broken))
    with pytest.raises(ValueError, match=r"cannot be imported \(CuPy failed to load libnvrtc.so.12: no such file\)"):
        find_device()


class OutOfMemoryError(MemoryError):
    """CuPy's is one, too."""


def test_a_device_without_memory_says_how_much_was_asked_for(pretended: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    full = _raises(OutOfMemoryError("Out of memory allocating 1,234,567,936 bytes (allocated so far: 512 bytes)."))
    for name in ("full", "asarray"):  # in the middle of a run, and while the problem is sent
        with monkeypatch.context() as patch:
            patch.setattr(pretended, name, full)
            with pytest.raises(ValueError) as caught:
                fl.simulate(PROBLEM, fl.FedAvg(1, 0.1), rounds=1, backend="cupy")
        text = str(caught.value)
        assert "\n" not in text and text == (
            "backend='cupy': the memory of a processor in disguise has no room for 1,234,567,936 bytes; expected fewer runs, or "
            "chunk= with fewer runs side by side"
        )
    # The control: memory of the host is another matter.
    monkeypatch.setattr(pretended, "full", _raises(MemoryError("Unable to allocate 1. GiB for an array")))
    with pytest.raises(ValueError, match="too large a request, the memory that is free now"):
        fl.simulate(PROBLEM, fl.FedAvg(1, 0.1), rounds=1, backend="cupy")


def test_a_run_that_needs_no_device_asks_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace())
    for backend in ("auto", "numpy"):
        run = fl.simulate(PROBLEM, fl.FedAvg(1, 0.1), rounds=1, backend=backend)
        assert "device" not in run.settings
