"""Objects that show themselves: one line of text, a table as text or HTML, a data frame.

A class that is :class:`Shown` says two things, ``headline()`` (what stands between the brackets of its one line; or it has a
``__repr__`` of its own) and, if there is more to tell, ``facts()`` (rows of two cells); the line and the HTML follow.  A
:class:`Framed` class lists ``records()``.
Nothing of the package is imported here, so that every layer may use it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

#: Characters of a line that an object prints as.
WIDEST = 160


def cut(text: str, widest: int = WIDEST) -> str:
    """A text on one line, cut where it is longer than ``widest``."""
    line = " ".join(text.split())
    return line if len(line) <= widest else f"{line[: widest - 3]}..."


def number(value: Any, digits: int = 6) -> str:
    """A number as it is read: integers whole, others to ``digits`` digits, exact ones as they are; "" for ``None``."""
    if value is None:
        return ""
    if isinstance(value, Fraction):
        exact = str(value)
        return exact if len(exact) <= 12 else f"{float(value):.{digits}g}"
    return str(value) if isinstance(value, bool | int | str) else f"{float(value):.{digits}g}"


def text_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines with columns as wide as their widest cell, two spaces between them."""
    table = [tuple(head), *(tuple(row) for row in rows)]
    widths = [max(len(cells[place]) for cells in table) for place in range(len(head))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip() for cells in table]


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The same in HTML.  Cells are escaped; lines of a cell stay lines; a head of empty cells is left out."""
    top = f"<tr>{''.join(f'<th>{escaped(name)}</th>' for name in head)}</tr>" if any(head) else ""
    body = "".join("<tr>" + "".join(f"<td>{escaped(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>{top}{body}</table>"


def html_list(title: str, lines: Iterable[str]) -> str:
    """A title and a list."""
    items = "".join(f"<li>{escaped(line)}</li>" for line in lines)
    return f"<div><p><b>{escaped(title)}</b></p>" + (f"<ul>{items}</ul>" if items else "") + "</div>"


def escaped(text: str) -> str:
    """A text as HTML; a formula between dollars is left to what typesets it."""
    return html.escape(text, quote=False).replace("\n", "<br>")


def frame(records: Sequence[Mapping[str, Any]], instead: str = "records()") -> Any:
    """A pandas data frame with a row for each record.

    Raises
    ------
    ModuleNotFoundError : pandas is not installed; the same data without it are ``instead``.
    """
    try:
        import pandas
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"to_frame needs pandas, which is not installed: pip install 'fltheory[frames]'; {instead} is the same data"
        ) from None
    return pandas.DataFrame([dict(record) for record in records])


def ends(values: Any) -> str:
    """ "2 -> 0.1": the first and the last of some numbers, "inf" where the last is not finite."""
    first, last = float(values[0]), float(values[-1])
    return f"{first:.4g} -> {last:.4g}" if math.isfinite(last) else f"{first:.4g} -> {last}"


class Shown:
    """What prints as ``Kind(headline)`` on one line, and in a notebook as a table of its facts."""

    def headline(self) -> str:
        """The main numbers in a few words."""
        return ""

    def facts(self) -> list[tuple[str, str]]:
        """Rows of a name and what it is, for notebooks."""
        return []

    def __repr__(self) -> str:
        room = WIDEST - len(type(self).__name__) - 2
        return f"{type(self).__name__}({cut(self.headline(), room)})"

    def _repr_html_(self) -> str:
        name, _, rest = repr(self).partition("(")
        title = f"<p><b>{escaped(name)}</b>{escaped('(' + rest if rest else '')}</p>"
        facts = self.facts()
        return f"<div>{title}{html_table(('', ''), facts) if facts else ''}</div>"


class Framed:
    """What lists ``records()``, plain dicts, and makes a data frame of them."""

    def records(self) -> list[dict[str, Any]]:
        """Plain data, a dict for each row."""
        raise NotImplementedError

    def to_frame(self) -> Any:
        """:meth:`records` as a pandas data frame.

        Raises
        ------
        ModuleNotFoundError : pandas is not installed.
        """
        return frame(self.records())
