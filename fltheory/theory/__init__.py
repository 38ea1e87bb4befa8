"""Bounds as symbolic expressions, by document: ``fltheory.theory.li2020.theorem_1``.

``bounds_of(document)`` lists all bounds of a document by module and name, as ``fltheory latex`` prints them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fltheory.names import unknown

_DOCUMENTS = ("li2020", "lecture2022", "mixed2022", "fedlama2021", "elastic2023")


def __getattr__(name: str) -> Any:
    if name in _DOCUMENTS:
        return import_module(f"fltheory.theory.{name}")
    if name == "bounds_of":
        return import_module("fltheory.evidence.displays").bounds_of
    raise unknown(__name__, name, __dir__())


def __dir__() -> list[str]:
    return [*_DOCUMENTS, "bounds_of"]
