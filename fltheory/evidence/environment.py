"""What a result was computed with: versions, processor and cores.  No host, user or folder names."""

from __future__ import annotations

import os
import platform
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from fltheory import __version__
from fltheory.machine import processor

VECTORS = ("sse4_2", "avx", "avx2", "fma", "avx512f", "avx512dq", "avx512_bf16", "avx512_fp16", "asimd", "sve")
PACKAGES = ("numpy", "scipy", "sympy", "cvxpy", "numba", "matplotlib", "scikit-learn", "click")
#: Packages that have a say in what checks find.
COMPUTING = ("numpy", "scipy", "sympy", "cvxpy", "clarabel", "numba", "scikit-learn")


def version_of(package: str) -> str:
    """Installed version of a package, empty when it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


@cache
def versions_in_words() -> str:
    """Versions of Python and of what checks compute with, in one line."""
    each = [f"{name} {version}" for name in COMPUTING if (version := version_of(name))]
    return ", ".join([f"python {platform.python_version()}", *each])


def instructions() -> list[str]:
    """Which of the vector instructions are here that decide on the last bits of sums, exponentials and logarithms."""
    cpuinfo = Path("/proc/cpuinfo")
    if not cpuinfo.is_file():
        return []
    for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(("flags", "Features")):
            found = set(line.partition(":")[2].split())
            return [name for name in VECTORS if name in found]
    return []


def describe() -> dict[str, object]:
    """The environment of this run, as JSON-able data."""
    return {
        "fltheory": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": processor(),
        "instructions": instructions(),
        "cores": os.cpu_count() or 1,
        "byte_order": sys.byteorder,
        "versions": {name: version for name in PACKAGES if (version := version_of(name))},
    }
