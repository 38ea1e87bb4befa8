"""The focus graph of a claim: what it rests on at the left, what rests on it at the right, as a small SVG."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from fltheory.report.data import tone

#: Claims of a column beyond this number are counted and not drawn.
MOST = 8
_WIDE, _HIGH, _GAP = 190, 24, 6


def _box(row_id: str, row: Mapping[str, Any], x: int, y: float) -> str:
    name = row_id if len(row_id) <= 25 else row_id[:24] + "…"
    told = html.escape(f"{row_id}: {row['verdict']}")
    shape = f'<rect x="{x}" y="{y}" width="{_WIDE}" height="{_HIGH}" rx="4"/>'
    words = f'<text x="{x + 8}" y="{y + 16}">{html.escape(name)}</text>'
    link = html.escape(row_id, quote=True)
    return f'<a data-claim="{link}" href="#" class="{tone(row["verdict"])}"><title>{told}</title>{shape}{words}</a>'


def _column(
    names: Sequence[str], rows: Mapping[str, Mapping[str, Any]], x: int, height: int
) -> tuple[str, list[float]]:
    shown = names[:MOST]
    top = (height - len(shown) * (_HIGH + _GAP)) / 2
    heights = [top + i * (_HIGH + _GAP) for i in range(len(shown))]
    text = "".join(_box(name, rows[name], x, y) for name, y in zip(shown, heights, strict=True))
    if len(names) > MOST:
        text += f'<text class="more" x="{x + 8}" y="{height - 4}">and {len(names) - MOST} more</text>'
    return text, [y + _HIGH / 2 for y in heights]


def focus_graph(
    row_id: str, rests: Sequence[str], carries: Sequence[str], rows: Mapping[str, Mapping[str, Any]]
) -> str:
    """The SVG of a claim between its premises and its dependants; empty where it has neither.

    Parameters
    ----------
    rests, carries : ids of the rows that it rests on, and of those that rest on it; all in ``rows``.
    """
    if not rests and not carries:
        return ""
    most = max(min(len(rests), MOST), min(len(carries), MOST), 1)
    height = most * (_HIGH + _GAP) + (18 if max(len(rests), len(carries)) > MOST else 0)
    middle = height / 2
    left, ends = _column(rests, rows, 0, height)
    right, starts = _column(carries, rows, 2 * (_WIDE + 40), height)
    lines = "".join(f'<path d="M{_WIDE} {y} L{_WIDE + 40} {middle}"/>' for y in ends)
    lines += "".join(f'<path d="M{2 * _WIDE + 40} {middle} L{2 * _WIDE + 80} {y}"/>' for y in starts)
    own = _box(row_id, rows[row_id], _WIDE + 40, middle - _HIGH / 2)
    name = html.escape(f"{row_id} rests on {len(rests)} claims, {len(carries)} rest on it", quote=True)
    size = f'viewBox="0 0 {3 * _WIDE + 80} {height}" width="{3 * _WIDE + 80}" height="{height}"'
    return f'<svg role="group" aria-label="{name}" {size}>{lines}{left}{own}{right}</svg>'
