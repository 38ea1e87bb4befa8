"""A comparison as pictures: published bounds (open, dashed) over certified worst cases (filled), a line for each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fltheory.comparison.answer import ComparisonRow, MethodComparison
from fltheory.plotting.palette import OTHERS

#: Colours of the methods, the same in all figures.
COLORS = dict(zip(("GD", "FedAvg", "SCAFFOLD", "FedLin"), ("#444444", *OTHERS[:3]), strict=True))


def draw_rates(panel: Any, rows: Sequence[ComparisonRow], labels: Sequence[str], *, title: str) -> None:
    """One line for each row: the certified worst case, and the published bound that many times above it.

    Raises
    ------
    ValueError : not as many labels as rows.
    """
    if len(rows) != len(labels):
        raise ValueError(f"{len(labels)} labels for {len(rows)} rows")
    for place, row in enumerate(rows):
        color = COLORS.get(row.method, OTHERS[-1])
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
                f"{row.ratio:.3g}", (told, place), xytext=(6, 0), textcoords="offset points", va="center", fontsize=7
            )
    panel.set(xscale="log", yticks=range(len(rows)), yticklabels=labels, title=title)
    panel.tick_params(axis="y", labelsize=7.5)
    panel.margins(x=0.12)
    panel.invert_yaxis()


def draw_key(panel: Any, methods: Sequence[str]) -> None:
    """What the marks mean, and the methods' colours."""
    panel.plot([], [], "o", color="#777777", markerfacecolor="white", linestyle="--", label="published bound")
    panel.plot([], [], "o", color="#777777", linestyle="none", label="certified worst case")
    for name in methods:
        panel.plot([], [], "s", color=COLORS.get(name, OTHERS[-1]), linestyle="none", label=name)
    panel.legend(frameon=False, fontsize=7.5, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncol=3)


def speaking(comparison: MethodComparison) -> list[ComparisonRow]:
    """The rows in which a theorem has a value and the worst case is certified."""
    return [row for row in comparison.rows if row.published is not None and row.upper is not None]
