"""Figures without a screen and without global state: matplotlib's pyplot is never imported."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from fltheory.plotting.palette import color_of

#: Line styles by the kind of curve.
BOUND, MEASURED, EXACT = "--", "-", ":"
_SETTINGS: Any = {"font.size": 9.0, "svg.hashsalt": "fltheory", "svg.fonttype": "path"}


def new_figure(rows: int = 1, columns: int = 1, *, width: float = 4.2, height: float = 3.2) -> tuple[Any, Any]:
    """A figure and its axes ``(rows, columns)``; ``width`` and ``height`` of one panel in inches."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots(rows, columns, squeeze=False)
    for panel in axes.flat:
        panel.grid(True, which="major", color="#dddddd", linewidth=0.6)
        panel.set_axisbelow(True)
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
    return figure, axes


def save_figure(figure: Any, path: str | os.PathLike[str], *, dpi: int = 110) -> Path:
    """Write a figure; the bytes do not depend on the date.  PNG files get a palette of 256 colours, to be small."""
    import matplotlib

    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.suffix.lower() == ".png":
        from PIL import Image

        buffer = io.BytesIO()
        with matplotlib.rc_context(_SETTINGS):
            figure.savefig(buffer, format="png", dpi=dpi)
        buffer.seek(0)
        picture = Image.open(buffer).convert("RGB")
        picture.quantize(256, dither=Image.Dither.NONE).save(target, optimize=True, dpi=(dpi, dpi))
        return target
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(target.suffix.lower())
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(target, dpi=dpi, metadata=metadata)
    return target


def draw_bound(panel: Any, x: Any, y: Any, label: str = "bound", *, color: str = "") -> None:
    """A dashed line."""
    panel.plot(x, y, BOUND, color=color or color_of(label), label=label, linewidth=1.6)


def draw_exact(panel: Any, x: Any, y: Any, label: str = "exact expectation", *, color: str = "") -> None:
    """A dotted line, on top of what was measured."""
    panel.plot(x, y, EXACT, color=color or color_of(label), label=label, linewidth=2.0, zorder=3)


def draw_measured(
    panel: Any, x: Any, y: Any, low: Any = None, high: Any = None, label: str = "simulation", *, color: str = ""
) -> None:
    """A solid line with its band."""
    shade = color or color_of(label)
    panel.plot(x, y, MEASURED, color=shade, label=label, linewidth=1.4)
    if low is not None and high is not None:
        panel.fill_between(x, low, high, color=shade, alpha=0.22, linewidth=0)
