"""Figures for print: one width, one smallest type, a title that states what is found, and three files with a caption.

A sheet is :data:`WIDTH` inches wide and is printed as wide as that, so that a size in points is the size on paper.  Legends
stand below the panels, never on data; settings stand in the caption, never in the title.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fltheory.files import written_whole
from fltheory.plotting.style import new_figure, save_figure

if TYPE_CHECKING:
    from fltheory.plotting.captions import Caption

#: Printed width in inches, and the sizes of type in points; sub- and superscripts of formulas are smaller, as in print.
WIDTH = 7.0
SMALLEST, PANEL, TITLE = 8.0, 8.5, 10.0
#: Dots per inch of the PNG.
DOTS = 150
FORMATS = (".pdf", ".svg", ".png")
#: How the title begins where the results do not support the sentence that it would be.
UNSHOWN = "Not shown by these results: "


def new_sheet(rows: int, columns: int, *, height: float = 2.2) -> tuple[Any, Any]:
    """A figure of the printed width and its panels ``(rows, columns)``, each ``height`` inches high."""
    figure, axes = new_figure(rows, columns, width=WIDTH / columns, height=height)
    figure.get_layout_engine().set(w_pad=0.05, h_pad=0.05)
    for panel in axes.flat:
        for word in (panel.title, panel.xaxis.label, panel.yaxis.label):
            word.set_fontsize(PANEL if word is panel.title else SMALLEST)
        panel.tick_params(which="both", labelsize=SMALLEST)
        for axis in (panel.xaxis, panel.yaxis):
            axis.get_offset_text().set_fontsize(SMALLEST)
    return figure, axes


def finding(holds: bool, words: str) -> str:
    """A sentence as a title where the data say so; else the same sentence, called not shown."""
    return words if holds else UNSHOWN + words[0].lower() + words[1:]


def legend_below(figure: Any, panels: Sequence[Any], *, columns: int = 0) -> None:
    """One legend for ``panels``, below all of them: a label once, in as many columns as have room.

    A label that looks different in two panels would be explained wrongly.

    Raises
    ------
    ValueError : such a label.
    """
    found: dict[str, Any] = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            if _look(found.setdefault(label, handle)) != _look(handle):
                raise ValueError(f"label={label!r} has two looks in one figure")
    size = {"fontsize": SMALLEST, "frameon": False, "columnspacing": 1.4, "handlelength": 2.4}
    for tried in [columns] if columns else range(min(6, len(found)), 0, -1):
        legend = figure.legend(found.values(), list(found), loc="outside lower center", ncols=tried, **size)
        if columns or tried == 1 or legend.get_window_extent().width < 0.97 * figure.dpi * WIDTH:
            return
        legend.remove()


def note(panel: Any, x: float, y: float, words: str, *, color: str = "#444444", ha: str = "right") -> None:
    """Words in a panel, in shares of its width and height; a test holds that they stand on no data."""
    panel.text(x, y, words, transform=panel.transAxes, fontsize=SMALLEST, color=color, ha=ha, va="center")


def publish(figure: Any, folder: Path, caption: Caption) -> list[Path]:
    """Write ``NAME.pdf``, ``.svg``, ``.png`` and the caption ``NAME.md``; the title is what the caption says is found."""
    for panel in figure.axes:
        panel.title.set_fontsize(PANEL)
    _entitle(figure, caption.finding)
    figure.fltheory_caption = caption
    paths = [save_figure(figure, folder / (caption.name + suffix), dpi=DOTS) for suffix in FORMATS]
    paths.append(folder / f"{caption.name}.md")
    with written_whole(paths[-1]) as file:
        file.write(caption.text())
    return paths


def _entitle(figure: Any, words: str) -> None:
    """The title, left, in lines that fit."""
    title = figure.suptitle("", x=0.01, ha="left", fontsize=TITLE, fontweight="bold")
    pieces, lines = words.split(" "), [""]
    for piece in pieces:
        title.set_text((lines[-1] + " " + piece).strip())
        if title.get_text().count("$") % 2 == 0 and title.get_window_extent().width > 0.97 * figure.dpi * WIDTH:
            lines.append(piece)
        else:
            lines[-1] = (lines[-1] + " " + piece).strip()
    title.set_text("\n".join(lines))
    figure.set_size_inches(WIDTH, figure.get_size_inches()[1] + 0.19 * len(lines))


def _look(handle: Any) -> Any:
    parts = ("get_color", "get_linestyle", "get_marker", "get_facecolor", "get_hatch")
    return tuple(
        {"": "None"}.get(str(value), str(value))
        for value in (getattr(handle, part)() for part in parts if hasattr(handle, part))
    )
