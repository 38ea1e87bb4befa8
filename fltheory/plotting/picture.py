"""A matplotlib figure that notebooks show although pyplot, which would tell them how, is not used."""

from __future__ import annotations

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

#: Dots per inch in a notebook.
DPI = 110


class Picture(Figure):
    """A figure with its own canvas; the last value of a notebook's cell is shown through ``_repr_png_``."""

    #: Dots per inch with which it is shown.
    dots: int = DPI

    def __init__(self, *args: object, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        """The picture as PNG."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=self.dots)
        return buffer.getvalue()
