"""A comparison as pictures: published bounds (open, dashed) over certified worst cases (filled), a line for each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fltheory.comparison.answer import ComparisonRow, MethodComparison
from fltheory.plotting.palette import color_of


def draw_rates(panel: Any, rows: Sequence[ComparisonRow], labels: Sequence[str], *, title: str) -> None:
    """One line for each row: the certified worst case, and the published bound that many times above it.

    Raises
    ------
    ValueError : not as many labels as rows.
    """
    if len(rows) != len(labels):
        raise ValueError(f"{len(labels)} labels for {len(rows)} rows")
    for place, row in enumerate(rows):
        color = color_of(row.method)
        told = None if row.published is None else float(row.published)
        worst = None if row.upper is None else float(row.upper)
        if told is not None and worst is not None:
            panel.plot([worst, told], [place, place], "--", color=color, linewidth=1.1)
        if told is not None:
            panel.plot([told], [place], "o", color=color, markerfacecolor="white", markersize=6, linestyle="none")
        if worst is not None:
            panel.plot([worst], [place], "o", color=color, markersize=6, linestyle="none")
        if row.ratio is not None and told is not None:
            panel.annotate(
                f"{row.ratio:.3g}", (told, place), xytext=(6, 0), textcoords="offset points", va="center", fontsize=8
            )
    panel.set(xscale="log", yticks=range(len(rows)), yticklabels=labels, title=title)
    panel.tick_params(axis="y", labelsize=8)
    panel.margins(x=0.2)
    panel.invert_yaxis()


def draw_key(figure: Any, methods: Sequence[str]) -> None:
    """What the marks mean, and the methods' colours, below the panels of a figure."""
    from matplotlib.lines import Line2D

    grey = {"color": "#777777", "marker": "o"}
    keys = [Line2D([], [], linestyle="--", markerfacecolor="white", label="published bound", **grey)]  # type: ignore[arg-type]
    keys.append(Line2D([], [], linestyle="none", label="certified worst case", **grey))  # type: ignore[arg-type]
    keys += [Line2D([], [], color=color_of(name), marker="s", linestyle="none", label=name) for name in methods]
    figure.legend(handles=keys, frameon=False, fontsize=8, loc="outside lower center", ncols=6, columnspacing=1.4)


def speaking(comparison: MethodComparison) -> list[ComparisonRow]:
    """The rows in which a theorem has a value and the worst case is certified."""
    return [row for row in comparison.rows if row.published is not None and row.upper is not None]
