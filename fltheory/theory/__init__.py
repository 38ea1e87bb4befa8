"""Bounds as symbolic expressions, by document: ``fltheory.theory.li2020.theorem_1``.

``bounds_of(document)`` lists all bounds of a document by module and name, as ``fltheory latex`` prints them.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fltheory.names import unknown

_DOCUMENTS = ("li2020", "lecture2022", "mixed2022", "fedlama2021", "elastic2023")
#: Papers beyond the documents: bounds without claims of their own, held against exact worst cases by ``fl.compare``.
_PAPERS = ("karimireddy2020", "khaled2020", "mitra2021", "nesterov2004", "stich2019")


def __getattr__(name: str) -> Any:
    if name in (*_DOCUMENTS, *_PAPERS):
        return import_module(f"fltheory.theory.{name}")
    if name == "bounds_of":
        return import_module("fltheory.evidence.displays").bounds_of
    raise unknown(__name__, name, __dir__())


def __dir__() -> list[str]:
    return [*_DOCUMENTS, *_PAPERS, "bounds_of"]
