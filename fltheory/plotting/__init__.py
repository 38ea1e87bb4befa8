"""Figures: bounds dashed, measurements solid with their band, exact values dotted; a label keeps its colour."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from fltheory.names import unknown

if TYPE_CHECKING:
    from fltheory.plotting.entry import plot
    from fltheory.plotting.own import figure
    from fltheory.plotting.palette import color_of
    from fltheory.plotting.style import new_figure, save_figure

_HOME = {"color_of": "palette", "figure": "own", "new_figure": "style", "plot": "entry", "save_figure": "style"}

__all__ = ["color_of", "figure", "new_figure", "plot", "save_figure"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"fltheory.plotting.{_HOME[name]}"), name)
    raise unknown(__name__, name, __all__)
