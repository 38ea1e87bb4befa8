"""Texts of lessons as HTML: paragraphs, lists, code, emphasis, and formulas as MathML."""

from __future__ import annotations

import re
from html import escape

_PIECES = re.compile(r"(\$[^$]+\$|`[^`]+`|\*[^*]+\*)")


def inline(text: str) -> str:
    """One paragraph's words."""
    from fltheory.report.maths import mathml

    found = []
    for piece in _PIECES.split(text):
        if piece.startswith("$") and len(piece) > 1:
            found.append(mathml(piece[1:-1]).replace('display="block"', 'display="inline"', 1))
        elif piece.startswith("`") and len(piece) > 1:
            found.append(f"<code>{escape(piece[1:-1])}</code>")
        elif piece.startswith("*") and len(piece) > 1:
            found.append(f"<em>{escape(piece[1:-1])}</em>")
        else:
            found.append(escape(piece, quote=False))
    return "".join(found)


def as_html(text: str) -> str:
    """Paragraphs and lists."""
    found = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.splitlines()
        items = [n for n, line in enumerate(lines) if line.startswith("- ")]
        if not items:
            found.append(f"<p>{inline(' '.join(lines))}</p>")
            continue
        if items[0]:
            found.append(f"<p>{inline(' '.join(lines[: items[0]]))}</p>")
        entries, after = [], []
        for line in lines[items[0] :]:
            if line.startswith("- "):
                entries.append(line[2:])
            elif line.startswith("  ") and entries:
                entries[-1] += " " + line.strip()
            else:
                after.append(line)
        found.append("<ul>" + "".join(f"<li>{inline(entry)}</li>" for entry in entries) + "</ul>")
        if after:
            found.append(f"<p>{inline(' '.join(after))}</p>")
    return "".join(found)
