"""With what results were made: written into each file of a store, since keys do not hold it."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fltheory.machine import cores, processor
from fltheory.sweep.frames import encode

#: Libraries whose versions can change last bits.
LIBRARIES = ("fltheory", "numpy", "scipy", "numba")


@cache
def maker() -> dict[str, str | int]:
    """Versions of Python and of the libraries, the processor's model and its cores, of this process."""
    found: dict[str, str | int] = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # a folder that was not installed
            continue
    return {**found, "processor": processor(), "cores": cores()}


def maker_record(made: Mapping[str, Any] | None = None) -> bytes:
    """The record that says it; default: of this process."""
    return encode({"kind": "made", "by": maker() if made is None else made})


def told(made: Mapping[str, Any]) -> str:
    """In words."""
    versions = ", ".join(f"{name} {made[name]}" for name in ("python", *LIBRARIES) if name in made)
    return f"made with {versions} on {made.get('processor') or 'an unknown processor'}, {made.get('cores', '?')} cores"


def mixed(makers: Sequence[Mapping[str, Any]]) -> list[str]:
    """A sentence for each library, or the processor, of which there is more than one: last bits may differ between them."""
    found = []
    for name in ("python", *LIBRARIES, "processor"):
        values = dict.fromkeys(str(made[name]) for made in makers if name in made)
        if len(values) > 1:
            found.append(f"the store mixes results of several kinds of {name}: {', '.join(values)}")
    return found
