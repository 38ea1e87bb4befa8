"""Figures: bounds dashed, measurements solid with their band, exact values dotted; a label keeps its colour."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fltheory.plotting.bounds import bound_values
    from fltheory.plotting.draw import plot
    from fltheory.plotting.files import Result, load_result, save_result
    from fltheory.plotting.mixed_bounds import mixed_values
    from fltheory.plotting.palette import color_of
    from fltheory.plotting.style import new_figure, save_figure

_HOME = {
    "bound_values": "bounds",
    "plot": "draw",
    "Result": "files",
    "load_result": "files",
    "save_result": "files",
    "mixed_values": "mixed_bounds",
    "color_of": "palette",
    "new_figure": "style",
    "save_figure": "style",
}

__all__ = [
    "Result",
    "bound_values",
    "color_of",
    "load_result",
    "mixed_values",
    "new_figure",
    "plot",
    "save_figure",
    "save_result",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"fltheory.plotting.{_HOME[name]}"), name)
    raise AttributeError(f"module 'fltheory.plotting' has no attribute {name!r}")
