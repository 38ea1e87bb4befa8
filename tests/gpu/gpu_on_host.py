"""A CUDA device that is none: the kernels' own text compiled by g++, and as much of CuPy as the package asks for.

:class:`Numbers` is as strict as CuPy's arrays: it does not mix with NumPy's, and does not become one unless it is asked to.
"""

from __future__ import annotations

import ctypes
import hashlib
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from fltheory.gpu import source

COMPILER = shutil.which("g++")
FOLDER = tempfile.TemporaryDirectory(prefix="fltheory-gpu-")
NAMES = {np.int32: "int", np.int64: "Index", np.uint64: "Key", np.float64: "double"}
C_TYPES = {
    np.int32: ctypes.c_int,
    np.int64: ctypes.c_longlong,
    np.uint64: ctypes.c_ulonglong,
    np.float64: ctypes.c_double,
}
ERRORS = {1: "a barrier that not all threads reach", 2: "shared memory written that was not asked for"}


@cache
def compiled(text: str) -> ctypes.CDLL:
    """Kernels, each behind a function ``host_NAME(blocks, threads, shared, backwards, *parameters)``."""
    wrappers = []
    for kernel, declared in source.declared(text).items():
        listed = ", ".join(f"{NAMES[kind]}{'*' if array else ''} {name}" for name, kind, array in declared)
        names = ", ".join(name for name, _, _ in declared)
        wrappers.append(
            f'extern "C" int host_{kernel}(int blocks, int threads, int shared, int backwards, {listed}) {{'
            f"return run_grid(blocks, threads, shared, backwards, [=] {{ {kernel}({names}); }}); }}"
        )
    path = Path(FOLDER.name) / hashlib.sha256(text.encode()).hexdigest()
    shim = (Path(__file__).parent / "host.cpp").read_text("utf-8")
    path.with_suffix(".cpp").write_text("\n".join([shim, text, *wrappers]), encoding="utf-8")
    command = [str(COMPILER), "-std=c++17", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "-fvisibility=default"]
    target = path.with_suffix(".so")
    done = subprocess.run(
        [*command, "-o", str(target), str(path.with_suffix(".cpp"))], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(target))


def call(text: str, kernel: str, grid: Any, threads: int, shared: int, values: Any, *, backwards: bool = False) -> None:
    """Launch a kernel; ``values`` are NumPy arrays and scalars of exactly the declared types."""
    given = []
    for (name, kind, array), value in zip(source.declared(text)[kernel], values, strict=True):
        assert value.dtype == kind and isinstance(value, np.ndarray) == array, (kernel, name, value)
        given.append(ctypes.c_void_p(value.ctypes.data) if array else C_TYPES[kind](value.item()))
    found = getattr(compiled(text), f"host_{kernel}")(grid, threads, shared, int(backwards), *given)
    assert found == 0, f"{kernel}: {ERRORS[found]}"


def inner(value: Any) -> Any:
    """What NumPy computes with; ``TypeError`` for its own arrays, as CuPy has it."""
    if isinstance(value, Numbers):
        return value.host
    if isinstance(value, tuple):
        return tuple(inner(one) for one in value)
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    return value


class Numbers:
    """An array of the device that is none."""

    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, host: Any) -> None:
        self.host = np.asarray(host)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed")

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "strides", "dtype", "size", "itemsize", "ndim"):
            return getattr(self.host, name)
        if name in ("sum", "all", "any", "copy", "reshape", "transpose"):
            return lambda *given, **more: Numbers(getattr(self.host, name)(*given, **more))
        raise AttributeError(name)

    def __getitem__(self, key: Any) -> Numbers:
        return Numbers(self.host[inner(key)])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.host[inner(key)] = inner(value)

    def __bool__(self) -> bool:
        return bool(self.host)

    def __invert__(self) -> Numbers:
        return Numbers(~self.host)


def _operator(name: str) -> Any:
    def apply(self: Numbers, other: Any) -> Numbers:
        with np.errstate(all="ignore"):
            return Numbers(getattr(self.host, name)(inner(other)))

    return apply


for _name in ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "and", "or", "lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Numbers, f"__{_name}__", _operator(f"__{_name}__"))


class RawModule:
    """Kernels by name; ``orders`` alternates the order of threads from launch to launch."""

    launches: list[str] = []

    def __init__(self, code: str, options: tuple[str, ...] = ()) -> None:
        assert code in map(source.text, source.FILES)
        self.code = code

    def get_function(self, name: str) -> Any:
        def launch(grid: Any, block: Any, args: Any, shared_mem: int = 0) -> None:
            self.launches.append(name)
            values = [one.host if isinstance(one, Numbers) else one for one in args]
            call(self.code, name, grid[0], block[0], shared_mem, values, backwards=len(self.launches) % 2 == 0)

        return launch


def _wrapped(function: Any) -> Any:
    def apply(*given: Any, **more: Any) -> Numbers:
        with np.errstate(all="ignore"):
            return Numbers(function(*(inner(one) for one in given), **more))

    return apply


def fake_cupy(**changes: Any) -> Any:
    """A module ``cupy`` with one device; ``changes`` replace functions of its runtime or, as ``version``, its version."""

    def asarray(values: Any) -> Numbers:
        return values if isinstance(values, Numbers) else Numbers(np.array(values))

    def asnumpy(values: Numbers) -> Any:
        assert isinstance(values, Numbers)
        return np.array(values.host)

    def stack(parts: Any, axis: int = 0) -> Numbers:
        return Numbers(np.stack([inner(one) for one in parts], axis=axis))

    runtime = {
        "driverGetVersion": lambda: 13000,
        "runtimeGetVersion": lambda: 12090,
        "getDeviceCount": lambda: 1,
        "getDevice": lambda: 0,
        "getDeviceProperties": lambda number: {"name": b"a processor in disguise", "major": 9, "minor": 0},
    }
    version = changes.pop("version", "14.2.0")
    plain = {
        name: _wrapped(getattr(np, name)) for name in ("zeros", "full", "arange", "eye", "where", "isfinite", "matmul")
    }
    plain |= {name: _wrapped(getattr(np, name)) for name in ("broadcast_to", "ascontiguousarray")}
    return Module(
        __version__=version,
        cuda=SimpleNamespace(runtime=SimpleNamespace(**(runtime | changes))),
        empty=lambda shape: Numbers(np.full(shape, np.nan)),  # what no kernel writes is seen
        asarray=asarray,
        asnumpy=asnumpy,
        stack=stack,
        RawModule=RawModule,
        **plain,
    )


class Module(SimpleNamespace):
    """A module can be a key, which namespaces cannot."""

    __hash__ = object.__hash__  # type: ignore[assignment]
