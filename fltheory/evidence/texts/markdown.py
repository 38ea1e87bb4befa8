"""Markdown that code hosts render as it is meant: plain text, tables and display formulas.

Formulas stand in fenced blocks of kind ``math``: nothing in them is taken for Markdown.  In running text and in tables
there is no mathematics, and every sign that Markdown could take for its own is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SIGNS = re.compile(r"[\\`*<\[\]|~$]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|&(?=#?\w+;)")
_OPENERS = re.compile(r"^(\d+)([.)]\s)|^([-+#=>])")


def plain(text: str) -> str:
    """Text on one line that shows as it is, in a paragraph, a list or a cell of a table."""
    one_line = re.sub(r"\s+", " ", text).strip()
    return _OPENERS.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", _SIGNS.sub(r"\\\g<0>", one_line))


def code(text: str) -> str:
    """Text as code, in a paragraph, a list or a cell."""
    return f"`{text.replace('`', chr(39))}`"


def link(text: str, target: str) -> str:
    """A link; signs in the text are escaped, the target is taken as it is."""
    return f"[{plain(text)}]({target})"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are ready."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(cells) + " |" for cells in rows]
    return "\n".join(lines) + "\n"


def display(latex: str) -> str:
    """A formula of its own lines; empty for none."""
    formula = re.sub(r"\s+", " ", latex).strip()
    return f"```math\n{formula}\n```\n" if formula else ""
