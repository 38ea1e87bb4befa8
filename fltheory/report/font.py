"""The font of formulas: a subset of STIX Two Math (OFL, its licence is ``stix_licence.txt``) with what the statements use.

``python -m fltheory.report.font FONT`` makes ``stix.woff`` anew from the whole font.  The table of stretched signs is kept with
every variant of a glyph, and signs that a browser takes for itself (radicals, fences, accents, italics of single letters) are in
the subset whether or not a statement spells them.
"""

from __future__ import annotations

import base64
import html
import re
import sys
from collections.abc import Iterable
from pathlib import Path

FILE = Path(__file__).parent / "stix.woff"
#: Signs that MathML draws by itself or stretches.
ALWAYS = "√∑∏∫()[]{}|‖∥⟨⟩⌊⌋⌈⌉¯̅ˆ^˜~˙→−+=<>≤≥⋅·…∞′″‴ⅆ,.;:/"
_HELD = {"h": "ℎ"}  # italic h is an older sign


def italic(letter: str) -> str:
    """The sign that a browser draws for a single letter of a formula."""
    if letter in _HELD:
        return _HELD[letter]
    if "A" <= letter <= "Z":
        return chr(0x1D434 + ord(letter) - ord("A"))
    if "a" <= letter <= "z":
        return chr(0x1D44E + ord(letter) - ord("a"))
    if "Α" <= letter <= "Ω":
        return chr(0x1D6E2 + ord(letter) - ord("Α"))
    if "α" <= letter <= "ω":
        return chr(0x1D6FC + ord(letter) - ord("α"))
    return {"∂": "𝜕", "ϵ": "𝜖", "ϑ": "𝜗", "ϕ": "𝜙", "ϱ": "𝜚", "ϖ": "𝜛"}.get(letter, letter)


def needed(formulas: Iterable[str]) -> set[int]:
    """Code points that formulas in MathML show."""
    found = set(ALWAYS)
    for formula in formulas:
        for tag, text in re.findall(r"<(\w+)[^>]*>([^<]+)<", formula):
            shown = html.unescape(text)
            found |= set(shown)
            if tag == "mi" and len(shown) == 1:
                found.add(italic(shown))
    return {ord(sign) for sign in found if not sign.isspace()}


def statements() -> list[str]:
    """Every statement of the ledger, and every name of a slider, in MathML."""
    from fltheory.evidence.ledger import read_ledger
    from fltheory.report.live import live_bounds
    from fltheory.report.maths import mathml

    own = [mathml(row["statement"]) for row in read_ledger().values() if row["statement"]]
    return own + [slider["math"] for told in live_bounds().values() for slider in told["sliders"]]


def face() -> str:
    """The rule of a style sheet that holds the subset."""
    coded = base64.b64encode(FILE.read_bytes()).decode()
    return f'@font-face{{font-family:"Statements";src:url(data:font/woff;base64,{coded}) format("woff")}}'


def make(source: Path) -> int:
    """Write the subset of a whole font and return its size."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    font = TTFont(source)
    options = Options(flavor="woff", layout_features=["*"], hinting=False, notdef_outline=True, glyph_names=False)
    subsetter = Subsetter(options)
    known = font.getBestCmap()
    subsetter.populate(unicodes=sorted(point for point in needed(statements()) if point in known))
    subsetter.subset(font)
    font.flavor = "woff"
    font.recalcTimestamp = False
    font.save(FILE)
    return FILE.stat().st_size


if __name__ == "__main__":
    print(f"{FILE.name}: {make(Path(sys.argv[1])):,} bytes")
