"""Figures without a screen and without global state: matplotlib's pyplot is never imported."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.files import written_whole
from fltheory.plotting.looks import Look, look_of
from fltheory.problems.checks import check_instance

#: Line styles by the kind of curve.
BOUND, MEASURED, EXACT = "--", "-", ":"
#: Kinds of files that can be written.
SUFFIXES = (".png", ".svg", ".pdf")
#: Fonts are embedded as TrueType (42): text stays text, which journals ask for.
_SETTINGS: Any = {
    "font.size": 9.0,
    "svg.hashsalt": "fltheory",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
}


def new_figure(rows: int = 1, columns: int = 1, *, width: float = 4.2, height: float = 3.2) -> tuple[Any, Any]:
    """A figure and its axes ``(rows, columns)``; ``width`` and ``height`` of one panel in inches."""
    import matplotlib

    from fltheory.plotting.panel import Panel
    from fltheory.plotting.picture import Picture

    with matplotlib.rc_context(_SETTINGS):
        figure = Picture(figsize=(width * columns, height * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False, subplot_kw={"axes_class": Panel})
    for panel in axes.flat:
        panel.grid(True, which="major", color="#dddddd", linewidth=0.6)
        panel.set_axisbelow(True)
        for side in ("top", "right"):
            panel.spines[side].set_visible(False)
    return figure, axes


def check_picture_path(path: str | os.PathLike[str]) -> Path:
    """The path of a picture that can be written there.

    Raises
    ------
    ValueError : a folder, a name that does not end in ``.png``, ``.svg`` or ``.pdf``, a place where nothing can be written.
    """
    check_instance("path", path, (str, os.PathLike), "the name of a file")
    named = os.fspath(path)
    target = Path(path)
    expected = f"expected the name of a file that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
    if target.is_dir() or named.endswith(("/", os.sep)) or not named:
        raise ValueError(f"path={named!r} is a folder; {expected}")
    if target.suffix.lower() not in SUFFIXES:
        raise ValueError(f"path={named!r} ends in {target.suffix!r}; {expected}")
    parent = target.parent
    while not parent.exists() and parent != parent.parent:
        parent = parent.parent
    if not parent.is_dir():
        raise ValueError(f"path={named!r}: {str(parent)!r} is a file; expected a folder there")
    if not os.access(parent, os.W_OK | os.X_OK):
        raise ValueError(f"path={named!r}: nothing can be written in {str(parent)!r}; expected a folder that can be")
    return target


def save_figure(figure: Any, path: str | os.PathLike[str], *, dpi: int = 110) -> Path:
    """Write a figure, whole or not at all; the bytes do not depend on the date.

    Raises
    ------
    ValueError : see :func:`check_picture_path`; a file that the system refuses to write.
    """
    import matplotlib

    target = check_picture_path(path)
    suffix = target.suffix.lower()
    metadata: Any = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[suffix]
    buffer = io.BytesIO()
    with matplotlib.rc_context(_SETTINGS):
        figure.savefig(buffer, format=suffix[1:], dpi=dpi, metadata=metadata)
    data = _opaque(buffer, dpi) if suffix == ".png" else buffer.getvalue()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(target, binary=True) as file:
            file.write(data)
    except OSError as error:
        raise ValueError(f"path={os.fspath(path)!r} cannot be written: {error.strerror or error}") from None
    return target


def _opaque(buffer: io.BytesIO, dpi: int) -> bytes:
    """The PNG without its channel of transparency, in all its colours, as small as its format makes it."""
    from PIL import Image

    buffer.seek(0)
    small = io.BytesIO()
    Image.open(buffer).convert("RGB").save(small, format="PNG", optimize=True, dpi=(dpi, dpi))
    return small.getvalue()


def draw_bound(panel: Any, x: Any, y: Any, label: str = "bound", *, color: str = "", shown: str = "") -> None:
    """A dashed line; ``shown`` stands in the legend in place of ``label``, by which the colour goes."""
    _line(panel, x, y, look_of(panel, label, color=color), label=shown or label, linestyle=BOUND, linewidth=1.6)


def draw_exact(panel: Any, x: Any, y: Any, label: str = "exact expectation", *, color: str = "") -> None:
    """A dotted line, on top of what was measured."""
    _line(panel, x, y, look_of(panel, label, color=color), label=label, linestyle=EXACT, linewidth=2.0, zorder=3)


def draw_measured(
    panel: Any,
    x: Any,
    y: Any,
    low: Any = None,
    high: Any = None,
    label: str = "simulation",
    *,
    color: str = "",
    shown: str = "",
    quantiles: bool = False,
) -> None:
    """A solid line with its band; a band of ``quantiles``, which is none of a mean, is hatched.

    ``shown`` stands in the legend in place of ``label``, by which the colour goes.
    """
    look = look_of(panel, label, color=color)
    _line(panel, x, y, look, label=shown or label, linestyle=MEASURED, linewidth=1.4)
    if low is None or high is None:
        return
    if quantiles:
        panel.fill_between(
            x, low, high, facecolor="none", edgecolor=look.color, hatch="////", alpha=0.45, linewidth=0.6
        )
    else:
        panel.fill_between(x, low, high, color=look.color, alpha=0.22, linewidth=0)


def draw_ends(panel: Any, x: Any, y: Any, label: str, *, color: str = "") -> None:
    """Crosses where runs, or an expectation, left all bounds."""
    look = look_of(panel, label, color=color)
    panel.plot(
        x, y, linestyle="none", marker="x", color=look.color, markersize=7, markeredgewidth=1.8, zorder=4, clip_on=False
    )


def _line(panel: Any, x: Any, y: Any, look: Look, **more: Any) -> None:
    every = max(1, int(np.size(x)) // 8)
    marks = {"marker": look.mark, "markevery": every, "markersize": 4.5} if look.mark else {}
    panel.plot(x, y, color=look.color, **marks, **more)
