"""Docstrings of the package as Markdown: their tables and roles are those of reStructuredText."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:py:)?[a-z]+:`~?([^`]+)`")
_RULE = re.compile(r"=+(?: +=+)+")


def markdown(text: str) -> str:
    """Roles as code, simple tables as tables of Markdown, literals as code."""
    lines, found, at = text.splitlines(), [], 0
    while at < len(lines):
        if _RULE.fullmatch(lines[at].strip()):
            ends = [n for n in range(at + 1, len(lines)) if _RULE.fullmatch(lines[n].strip())]
            if ends:
                last = ends[1] if len(ends) > 1 else ends[0]
                found += _table(lines[at : last + 1])
                at = last + 1
                continue
        found.append(lines[at])
        at += 1
    return _ROLE.sub(lambda m: f"`{m[1].rpartition('.')[2]}`", "\n".join(found)).replace("``", "`")


def _table(lines: list[str]) -> list[str]:
    """A simple table, whose columns are where the equals signs are; a row without a first cell goes on with the row before."""
    indent = len(lines[0]) - len(lines[0].lstrip())
    spans = [match.span() for match in re.finditer("=+", lines[0])]
    ends = [start for start, _ in spans[1:]] + [10_000]
    rows: list[list[str]] = []
    head: list[list[str]] | None = None
    for line in lines[1:]:
        if _RULE.fullmatch(line.strip()):
            if head is None:
                head, rows = rows, []
            continue
        cells = [line[start:end].strip().replace("|", "\\|") for (start, _), end in zip(spans, ends, strict=True)]
        if rows and not cells[0]:
            rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cells, strict=True)]
        elif any(cells):
            rows.append(cells)
    if head is not None and not rows:  # a table without a head of its own
        head, rows = [[""] * len(spans)], head
    top = (head or [[""] * len(spans)])[0]
    space = " " * indent
    written = [f"{space}| {' | '.join(row)} |" for row in (top, ["---"] * len(spans), *rows)]
    return ["", *written, ""]


class MarkdownDocstrings(griffe.Extension):
    """What mkdocstrings is handed: every docstring in Markdown."""

    def on_object(self, *, obj: griffe.Object, **more: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)
