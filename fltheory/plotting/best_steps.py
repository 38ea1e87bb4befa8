"""Worst case against step size, as certified: what ``benchmarks.worst_case.best_steps`` keeps of one question."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.plotting.captions import Caption
from fltheory.plotting.palette import OTHERS
from fltheory.plotting.style import draw_bound

Row = Mapping[str, Any]
#: Marks of the documents' step sizes.
MARKS = ("s", "^")


def rows_of(data_dir: Path, document: str) -> list[Row]:
    """The questions of one document in ``benchmarks/best_steps.json``.

    Raises
    ------
    FileNotFoundError : there is no such file below ``data_dir``.
    """
    with (data_dir / "benchmarks" / "best_steps.json").open(encoding="utf-8") as file:
        found = json.load(file)["rows"]
    return [row for row in found if row["document"] == document]


def draw_worst_cases(panel: Any, row: Row, *, color: str = "", title: str = "", measure: str = "worst case") -> None:
    """One question: V from above (dashed), the cover from below (shaded), the best step and those of the document.

    ``row`` is as in the file; ``measure`` names V on the axis.
    """
    own = color or OTHERS[0]
    etas, upper = np.array(row["curve"]["etas"]), np.array([_number(entry) for entry in row["curve"]["upper"]])
    draw_bound(panel, etas, upper, "V, certified from above", color=own)
    edges, values = _steps(row["pieces"], float(etas[0]), float(etas[-1]))
    floor = _floor(row, values)
    panel.fill_between(
        edges, floor, values, step="post", color=own, alpha=0.16, linewidth=0, label="no V lies here, certified"
    )
    for low, high in row["where"]:
        end = float(etas[-1]) if high is None else high
        panel.axvspan(low, end, color="#777777", alpha=0.35, linewidth=0, label="the best step is here, certified")
    best = float(Fraction(row["step"]))
    panel.plot(
        [best],
        [row["upper"]],
        "o",
        color=own,
        markersize=6,
        zorder=5,
        label=f"best: {best:.3g}, V = {row['upper']:.3g}",
    )
    for mark, shape, shade in zip(row["prescribed"], MARKS, ("#222222", "#B22222"), strict=False):
        place = float(Fraction(mark["step"]))
        words = f"{mark['words']}:\n{place:.3g}, {price_in_words(mark)}"
        panel.plot([place], [mark["upper"]], shape, color=shade, markersize=6, zorder=4, linestyle="none", label=words)
    top = max([*(mark["upper"] for mark in row["prescribed"]), 3 * row["upper"]])
    panel.set(xscale="log", yscale="log", ylim=(floor, 1.6 * min(top, float(np.nanmax(upper)) * 1.1)))
    panel.set(xlabel=r"step size  $\eta L$", ylabel=measure, xlim=(float(etas[0]), float(etas[-1])))
    _plain_ticks(panel)
    panel.set_title(title)
    panel.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.45, -0.2), labelspacing=0.5)


def caption_of(name: str, found: str, setting: str, claims: tuple[str, ...], data_dir: Path) -> Caption:
    """The caption of a figure of best steps, with what the file says of how it was made."""
    with (data_dir / "benchmarks" / "best_steps.json").open(encoding="utf-8") as file:
        summary = json.load(file)["summary"]
    return Caption(
        name,
        found,
        "Dashed: the worst case V from above, certified; shaded: no V lies there, certified; grey band: where the best step size "
        "is; circle: the best step found; square and triangle: steps that the document prescribes.",
        setting,
        "benchmarks/best_steps.json",
        (
            f"Replicates: none, {summary['certified']} of {summary['cases']} cases are certified; no seeds",
            f"Widest enclosure of a worst case: {summary['widest enclosure']:.2g} of its value",
        ),
        claims,
    )


def price_in_words(mark: Mapping[str, Any]) -> str:
    """``V`` at a document's step over the least ``V``, as far as both ends of its enclosure agree."""
    low, high = (_number(entry) for entry in mark["price"])
    if not math.isfinite(high):
        return f"V at least {low:.3g} times the least"
    if high < 1.05:
        return f"V at most {100 * (high - 1):.2g} % above the least"
    for digits in (3, 4, 2):
        if f"{low:.{digits}g}" == f"{high:.{digits}g}":
            return f"V {low:.{digits}g} times the least"
    return f"V {low:.4g} to {high:.4g} times the least"


def _number(entry: Any) -> float:
    return math.nan if entry is None else float(entry)


def _steps(pieces: Sequence[Sequence[Any]], start: float, end: float) -> tuple[Any, Any]:
    """The cover's lower bound as a step function on ``[start, end]``."""
    edges, values = [], []
    for low, high, value in pieces:
        if (high is None or high > start) and low < end:
            edges.append(max(low, start))
            values.append(value)
    return np.array([*edges, end]), np.array([*values, values[-1]])


def _floor(row: Row, values: Any) -> float:
    """Where the axis begins: below all that is drawn."""
    return 0.75 * min(float(row["upper"]), float(values[values > 0].min()))


def _plain_ticks(panel: Any) -> None:
    """Decimals in the place of powers of ten, as many as an axis of little more than a decade wants."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda value, place: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
