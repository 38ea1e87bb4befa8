"""The text of the kernels, and what each of them takes: their declarations are read, so that no list can disagree with them."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

#: Files of ``cuda/`` with kernels; each is compiled together with ``common.cu``.
FILES = ("softmax", "linear", "quadratic", "tridiagonal", "rounds")
#: Types of parameters as kernels declare them: those of numbers, and those that arrays must have.
TYPES: dict[str, Any] = {"int": np.int32, "Index": np.int64, "Key": np.uint64, "double": np.float64}

_KERNEL = re.compile(r'extern "C" __global__ void (\w+)\(([^)]*)\)')
_PARAMETER = re.compile(r"(?:const )?(\w+)(\*?) (\w+)")


@cache
def text(file: str) -> str:
    """The source of one file, whole."""
    folder = files("fltheory.gpu") / "cuda"
    return "\n".join((folder / f"{name}.cu").read_text("utf-8") for name in ("common", file))


@cache
def declared(code: str) -> dict[str, tuple[tuple[str, Any, bool], ...]]:
    """``kernel -> ((name, NumPy type, whether an array), ...)`` in the order of the declaration."""
    found = {}
    for kernel, listed in _KERNEL.findall(code):
        each = [_PARAMETER.fullmatch(" ".join(one.split())) for one in listed.split(",")]
        found[kernel] = tuple((one[3], TYPES[one[1]], bool(one[2])) for one in each if one is not None)
        assert len(found[kernel]) == len(each), kernel
    return found


@cache
def home(kernel: str) -> str:
    """The file of a kernel."""
    return next(file for file in FILES if kernel in declared(text(file)))
