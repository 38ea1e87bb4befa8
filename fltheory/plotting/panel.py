"""Axes that a notebook shows, as the picture that they are in."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes


class Panel(Axes):
    """Matplotlib axes; the last value of a notebook's cell is shown through ``_repr_png_``."""

    def _repr_png_(self) -> bytes | None:
        """The whole figure as PNG."""
        picture: Any = getattr(self.figure, "_repr_png_", None)
        return None if picture is None else bytes(picture())
