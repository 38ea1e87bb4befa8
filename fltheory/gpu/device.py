"""The CUDA device behind ``backend="cupy"``, or one sentence about what is missing for it."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from fltheory.gpu import source
from fltheory.kinds import Array

#: The first CuPy whose raw modules, memory errors and array functions are those used here.
LEAST_CUPY = 13
#: The oldest devices that these kernels are meant for (Volta).
LEAST_CAPABILITY = (7, 0)
#: Bytes of shared memory that every such device gives to a block unasked.
SHARED_BYTES = 48 * 1024
#: Small arrays that are kept on the device by their contents: step sizes, masks, factors.
MOST_CONSTANTS = 256

#: An array of the device; CuPy has no types to tell.
DeviceArray: TypeAlias = Any


class Device:
    """CuPy on its current device: the array module ``xp``, kernels by name, and what stays in the device's memory."""

    def __init__(self, xp: Any) -> None:
        self.xp = xp
        self.name = device_name(xp)
        self._modules: dict[str, Any] = {}
        self._kernels: dict[str, tuple[Any, Any, Any]] = {}
        self._constants: OrderedDict[tuple[Any, ...], DeviceArray] = OrderedDict()
        self._kept: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()

    def launch(self, kernel: str, blocks: int, threads: int, shared: int = 0, **arguments: Any) -> None:
        """Run ``kernel`` on ``blocks`` of ``threads`` with ``shared`` bytes; arguments by the names of its declaration.

        Numbers become the declared types; arrays must have them, which is checked.
        """
        call, declared, names = self._kernels.get(kernel) or self._kernel(kernel)
        if arguments.keys() != names:
            raise TypeError(f"{kernel} takes {sorted(names)}, got {sorted(arguments)}")
        given = []
        for name, kind, is_array in declared:
            value = arguments[name]
            if not is_array:
                value = kind(value)
            elif value.dtype != kind:
                raise TypeError(f"{name} of {kernel} is an array of {value.dtype}; expected {np.dtype(kind)}")
            given.append(value)
        call((blocks,), (threads,), tuple(given), shared_mem=shared)

    def _kernel(self, kernel: str) -> tuple[Any, Any, Any]:
        """The compiled kernel, its parameters and their names."""
        file = source.home(kernel)
        if file not in self._modules:
            self._modules[file] = self.xp.RawModule(code=source.text(file), options=("--std=c++17",))
        declared = source.declared(source.text(file))[kernel]
        found = (self._modules[file].get_function(kernel), declared, {name for name, _, _ in declared})
        self._kernels[kernel] = found
        return found

    def constant(self, values: Array) -> DeviceArray:
        """A small array on the device, sent once however often it is asked for; it must not be written to."""
        key = (values.dtype.str, values.shape, values.tobytes())
        if key not in self._constants:
            self._constants[key] = self.xp.asarray(np.ascontiguousarray(values))
            if len(self._constants) > MOST_CONSTANTS:
                self._constants.popitem(last=False)
        self._constants.move_to_end(key)
        return self._constants[key]

    def kept(self, owner: Any, name: str, make: Callable[[], Any]) -> Any:
        """``make()``, kept under ``name`` as long as ``owner`` lives: the data of a problem travel once."""
        mine = self._kept.setdefault(owner, {})
        if name not in mine:
            mine[name] = make()
        return mine[name]

    def points(self, name: str, x: DeviceArray) -> dict[str, Any]:
        """The arguments ``name, name_run, name_slot`` for points ``(runs, slots, d)``: one vector may serve all slots."""
        run, slot, one = x.strides
        if one != 8 and x.shape[2] > 1:
            x = self.xp.ascontiguousarray(x)
            run, slot, _ = x.strides
        return {name: x, f"{name}_run": run // 8, f"{name}_slot": slot // 8}


def find_device() -> Device:
    """The device that CuPy uses.

    Raises
    ------
    ValueError : CuPy is missing, broken or too old; there is no driver, too old a driver, no device, too old a device.
    """
    try:
        cupy = import_module("cupy")
    except ModuleNotFoundError:
        raise _unusable("the module cupy is not installed", "pip install 'fltheory[gpu]'") from None
    except Exception as error:  # CuPy's own checks of its installation, and the loader's of its libraries
        raise _unusable(
            f"the module cupy cannot be imported ({_short(error)})", "a sound installation of it"
        ) from error
    version = str(getattr(cupy, "__version__", ""))
    major = re.match(r"\d+", version)
    if major is not None and int(major[0]) < LEAST_CUPY:
        raise _unusable(f"cupy {version} is too old", f"version {LEAST_CUPY} or later")
    runtime = cupy.cuda.runtime
    driver, needed = _asked(runtime, "driverGetVersion"), _asked(runtime, "runtimeGetVersion")
    if driver == 0:
        raise _unusable("no CUDA driver is installed", "the driver of the device")
    if driver is not None and needed is not None and driver // 1000 < needed // 1000:
        raise _unusable(
            f"the driver is too old, for CUDA {_version(driver)}",
            f"one for CUDA {_version(needed)}, for which cupy was built",
        )
    try:
        count = int(runtime.getDeviceCount())
    except Exception as error:  # CuPy raises its own classes where a driver or a device is missing
        raise _unusable(f"no usable device ({_short(error)})", "a CUDA device") from error
    if count == 0:
        raise _unusable("no device is there", "a CUDA device, not hidden by CUDA_VISIBLE_DEVICES")
    number = int(runtime.getDevice())
    properties = runtime.getDeviceProperties(number)
    capability = (int(properties["major"]), int(properties["minor"]))
    if capability < LEAST_CAPABILITY:
        raise _unusable(
            f"the device {device_name(cupy)} is too old, of compute capability {capability[0]}.{capability[1]}",
            f"{LEAST_CAPABILITY[0]}.{LEAST_CAPABILITY[1]} or later",
        )
    return _opened(cupy, number)


def device_name(cupy: Any) -> str:
    """The model of CuPy's current device."""
    runtime = cupy.cuda.runtime
    name = runtime.getDeviceProperties(runtime.getDevice())["name"]
    return name.decode() if isinstance(name, bytes) else str(name)


@contextmanager
def clear_errors(name: str) -> Iterator[None]:
    """Inside, a device without memory for a request ends in ``ValueError`` with the number of bytes asked for."""
    try:
        yield
    except MemoryError as error:
        found = re.search(r"allocating ([\d,]+) bytes", str(error))
        if found is None:  # the host's memory
            raise
        raise ValueError(
            f"backend='cupy': the memory of {name} has no room for {found[1]} bytes; expected fewer runs, or chunk= with fewer "
            "runs side by side"
        ) from error


@lru_cache(maxsize=4)
def _opened(cupy: Any, number: int) -> Device:
    return Device(cupy)


def _unusable(what: str, expected: str) -> ValueError:
    return ValueError(f"backend='cupy': {what}; expected {expected}, or backend='numba'")


def _asked(runtime: Any, name: str) -> int | None:
    """A version that the runtime knows, or ``None`` where it cannot even say that."""
    try:
        return int(getattr(runtime, name)())
    except Exception:  # of CuPy's own classes; what is wrong comes out when devices are counted
        return None


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _short(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip(" =")]
    return lines[0][:200] if lines else type(error).__name__
