"""Certified worst cases, best step sizes, theorems for every round, sweeps and tables of bounds, drawn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fltheory.plotting.looks import look_of
from fltheory.plotting.style import draw_bound
from fltheory.tables import cut

ROUNDS = r"communication rounds  $r$"
#: Step sizes at which the worst case is computed for a curve.
STEPS = 16


def worst(panel: Any, found: Any, label: str) -> None:
    """A certified worst case, drawn at its label: the enclosure, and the parts of the bound."""
    answers = getattr(found, "answers", (found,))
    for place, each in enumerate(answers):
        name = f"class {place + 1}" if len(answers) > 1 else label or "worst case"
        row = _next_row(panel, name)
        left = 0.0
        for quantity, factor in each.bound.items():
            part = float(factor * each.quantities[quantity])
            told = f"part of {quantity}"
            shown = "_" if told in panel.get_legend_handles_labels()[1] else told
            panel.barh(row, part, left=left, height=0.5, alpha=0.5, color=look_of(panel, told).color, label=shown)
            left += part
        ends = [float(end) for end in (each.lower, each.upper) if end is not None]
        if ends:
            told = "certified worst case"
            shown = "_" if told in panel.get_legend_handles_labels()[1] else told
            panel.plot(ends, [row] * len(ends), "o-", color="#222222", markersize=4, label=shown)
    panel.set(xlabel="worst case, at the quantities asked for")
    panel.margins(x=0.08)
    panel.set_xlim(left=0)


def best(panel: Any, found: Any, label: str) -> None:
    """Worst case against step size: from above at some, from below by the cover, and the best step size."""
    own = float(found.step)
    low, high = (float(found.range[0]), found.range[1]) if found.range is not None else (0.0, None)
    end = min(2.2 * own, math.inf if high is None else float(high))
    etas = np.unique(np.append(np.linspace(max(low, own / 20), end, STEPS), own))
    curve = found.curve([float(f"{eta:.6g}") for eta in etas])
    told = label or "V, certified from above"
    draw_bound(panel, np.asarray(curve.etas), np.asarray(curve.upper), told)
    edges = [(float(a), end if b is None else float(b), float(v)) for a, b, v in found.pieces if float(a) < end]
    for k, (a, b, value) in enumerate(sorted(edges)):
        words = "no V lies below, certified" if not k else "_"
        panel.fill_between([a, min(b, end)], 0, value, color=look_of(panel, told).color, alpha=0.16, lw=0, label=words)
    marked = f"best: {own:.4g}, V at most {float(found.upper):.4g}"
    panel.plot([own], [float(found.upper)], "o", color="#222222", zorder=5, label=marked)
    top = float(np.nanmax(np.where(np.isfinite(curve.upper), curve.upper, np.nan)))
    panel.set(xlabel=r"step size  $\eta$", ylabel="worst case", ylim=(0, 1.05 * min(top, 4 * float(found.upper))))


def lyapunov(panel: Any, found: Any, label: str) -> None:
    """The theorem's bound of |w_R - w*|^2 by round, all quantities one; without a start the power of the rate alone."""
    if found.rho is None:
        panel.text(0.5, 0.5, cut(found.status, 60), ha="center", transform=panel.transAxes)
        return
    rate = float(found.rho)
    rounds = np.arange(min(400, max(10, math.ceil(8 / max(1 - rate, 1e-3)))) + 1)
    if found.start is None:
        told, name, values = label or f"{rate:.6g}^R", r"$V_R/V_0$ without noise", rate**rounds
    else:
        begin = sum(float(factor) for factor in found.start.values())
        each = sum(float(factor) for factor in found.factors.values())
        summed = rounds if rate == 1 else (1 - rate**rounds) / (1 - rate)
        told, name = label or f"certified for every R, rate {rate:.6g}", r"bound of $\|w_R-w^*\|^2$"
        values = rate**rounds * begin + each * summed
    draw_bound(panel, rounds, values, told)
    panel.set(xlabel=ROUNDS, ylabel=name, yscale="log")


def sweep(panel: Any, found: Any, label: str) -> None:
    """The last record of a measure against the axis of most numbers, a line for each of the other coordinates."""
    varied = {n: v for n, v in found.coordinates.items() if len(v) > 1} or found.coordinates
    numbers = {n: v for n, v in varied.items() if all(isinstance(x, int | float) for x in v)}
    axis = max(numbers, key=lambda name: len(numbers[name]), default="")
    measure = next((m for m in ("gap", "objective") if any(m in rows.arrays for rows in found.rows)), "")
    if not measure:
        kept = [n for rows in found.rows for n, a in rows.arrays.items() if a.dtype.kind in "iuf" and n != "final"]
        measure = kept[0] if kept else ""
    if not axis or not measure:
        raise ValueError("sweep has no axis of numbers, or kept no measure of numbers: nothing to draw")
    lines: dict[str, dict[float, list[float]]] = {}
    for rows in found.rows:
        others = ", ".join(f"{n}={rows.coordinates.get(n)}" for n in varied if n != axis)
        values = np.asarray(rows.arrays[measure], dtype=np.float64)
        last = values.reshape(len(values), -1)[:, -1]
        lines.setdefault(others, {}).setdefault(float(rows.coordinates[axis]), []).extend(last.tolist())
    for others, at in lines.items():
        told = ", ".join(part for part in (label, others) if part) or measure
        places = sorted(at)
        middle = np.array([np.mean(at[x]) for x in places])
        error = np.array([np.std(at[x], ddof=1) / len(at[x]) ** 0.5 if len(at[x]) > 1 else 0.0 for x in places])
        known = np.isfinite(middle)
        color = look_of(panel, told).color
        where = np.array(places)[known]
        panel.errorbar(where, middle[known], 1.96 * error[known], fmt="o-", color=color, markersize=4, label=told)
    panel.set(xlabel=axis.replace("_", " "), ylabel=f"mean {measure} at the last record")
    if measure in ("gap", "squared_distance"):
        panel.set_yscale("log")


def comparison(panel: Any, found: Any, label: str) -> None:
    """Certified worst cases and published bounds of methods."""
    from fltheory.plotting.compare import draw_rates

    rows = [row for row in found.rows if row.published is not None or row.upper is not None]
    labels = [f"{row.rate or row.method}, E={row.local_steps}, R={row.rounds}" for row in rows]
    draw_rates(panel, rows, labels, title=label)
    measures = {row.measure for row in rows}
    panel.set_xlabel(measures.pop() if len(measures) == 1 else "the measure of each theorem")
    panel.plot([], [], "o", color="#777777", markerfacecolor="white", linestyle="--", label="published bound")
    panel.plot([], [], "o", color="#777777", linestyle="none", label="certified worst case")


def applicable(panel: Any, found: Any, label: str) -> None:
    """The bounds that have a value here and what they bound, a bar for each theorem."""
    rows = [row for row in (*found.applying, *found.undecided) if row.value is not None]
    if not rows:
        panel.text(0.5, 0.5, "no bound has a value here", ha="center", transform=panel.transAxes)
        return
    for place, row in enumerate(rows):
        told = row.status if row.status not in panel.get_legend_handles_labels()[1] else "_"
        panel.barh(place, row.value, height=0.6, color=look_of(panel, row.status).color, alpha=0.7, label=told)
        if row.truth:
            words = "what it bounds, computed"
            shown = "_" if words in panel.get_legend_handles_labels()[1] else words
            panel.plot([row.truth], [place], "|", color="#222222", markersize=12, markeredgewidth=2, label=shown)
    panel.set(
        xlabel="bound", xscale="log", yticks=range(len(rows)), yticklabels=[row.title for row in rows], title=label
    )
    panel.set_ylim(len(rows) - 0.4, -0.6 if len(rows) > 1 else -1.0)


def _next_row(panel: Any, name: str) -> int:
    """The next free row of a panel of bars, which is named."""
    names = [text.get_text() for text in panel.get_yticklabels()] if getattr(panel, "fltheory_rows", 0) else []
    row: int = getattr(panel, "fltheory_rows", 0)
    panel.fltheory_rows = row + 1
    panel.set_yticks(range(row + 1), [*names, name])
    panel.set_ylim(row + 0.7, -0.7)
    return row
