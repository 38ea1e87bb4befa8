"""Sizes of figures: of a notebook, of a column of a paper, of a slide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fltheory.problems.checks import check_choice, check_count, check_positive, check_sequence, shown


@dataclass(frozen=True)
class Preset:
    """``size`` in inches, ``font`` in points, ``dpi`` of pictures; lines and marks are ``lines`` times as thick as they are."""

    size: tuple[float, float]
    font: float
    dpi: int
    lines: float


PRESETS = {
    "notebook": Preset((5.4, 3.8), 9.0, 110, 1.0),
    "column": Preset((3.4, 2.6), 7.5, 300, 0.8),
    "slide": Preset((9.6, 5.4), 17.0, 160, 1.9),
}


def preset_of(name: str | None, size: Any, dpi: int | None) -> Preset:
    """What a caller asks for: a preset, with a size and dots per inch of the caller's own where they are given.

    Raises
    ------
    ValueError : an unknown preset; a size that is no pair of positive numbers; dots per inch that are no positive count.
    """
    if name is not None:
        check_choice("preset", name, tuple(PRESETS))
    chosen = PRESETS[name or "notebook"]
    width, height = chosen.size
    if size is not None:
        pair = check_sequence("size", size, "(width, height) in inches")
        if len(pair) != 2:
            raise ValueError(f"size={shown(size)} is no pair; expected (width, height) in inches")
        for value in pair:
            check_positive("size", value)
        width, height = float(pair[0]), float(pair[1])
    return Preset((width, height), chosen.font, chosen.dpi if dpi is None else check_count("dpi", dpi), chosen.lines)


def apply(preset: Preset, panel: Any) -> None:
    """Fonts, lines and marks of axes that are drawn; those of a notebook stay as they are."""
    legend = panel.get_legend()
    words = [panel.title, panel.xaxis.label, panel.yaxis.label, *panel.get_xticklabels(), *panel.get_yticklabels()]
    words += [*panel.texts, *(legend.get_texts() if legend is not None else [])]
    for word in words:
        word.set_fontsize(preset.font)
    panel.title.set_fontsize(1.1 * preset.font)
    panel.tick_params(labelsize=preset.font)
    panel.xaxis.get_offset_text().set_fontsize(preset.font)
    panel.yaxis.get_offset_text().set_fontsize(preset.font)
    for line in [*panel.get_lines(), *(legend.get_lines() if legend is not None else [])]:
        line.set_linewidth(preset.lines * line.get_linewidth())
        line.set_markersize(preset.lines * line.get_markersize())
