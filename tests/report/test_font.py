"""The subset of the font has every sign that formulas show, also those that a browser stretches or draws by itself."""

from __future__ import annotations

import shutil
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from fontTools.ttLib import TTFont

pytest.importorskip("latex2mathml")

from fltheory.report.font import FILE, face, italic, needed, statements  # noqa: E402


def test_every_sign_has_a_glyph_and_stretched_ones_their_parts() -> None:
    font = TTFont(FILE)
    known = font.getBestCmap()
    assert FILE.stat().st_size < 127_000
    assert [hex(point) for point in needed(statements()) if point not in known] == []
    stretched = set(font["MATH"].table.MathVariants.VertGlyphCoverage.glyphs)
    assert {known[ord(sign)] for sign in "√()[]{}|"} <= stretched
    assert ord("√") in needed([]) and ord(italic("x")) == 0x1D465 and italic("h") == "ℎ"
    assert ord("ℵ") not in known  # a control: the subset is one


_PROBE = """<!doctype html><style>@@FACE@@ math{font-family:"Statements";font-size:40px}</style>
<math id=root><msqrt><mfrac><mi>a</mi><mi>b</mi></mfrac></msqrt></math><br>
<math id=low><mo>(</mo><mi>a</mi><mo>)</mo></math><br>
<math id=high><mrow><mo stretchy=true>(</mo><mfrac><mi>a</mi><mfrac><mi>b</mi><mi>c</mi></mfrac></mfrac>
<mo>)</mo></mrow></math><br>
<math id=bare><mi>x</mi></math><br><math id=hat><mover accent=true><mi>x</mi><mo>^</mo></mover></math>"""


def ink(page: Any, place: str) -> Any:
    """Which pixels of an element are dark, as rows of truth values."""
    image = pytest.importorskip("PIL.Image").open(BytesIO(page.locator(place).screenshot())).convert("L")
    return np.asarray(image) < 128


def test_radicals_fences_and_accents_are_drawn() -> None:
    """By pixels: the bar over a root, a fence as tall as its fraction, a hat over a letter."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium here")
    with api.sync_playwright() as play:
        page = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"]).new_page()
        page.set_content(_PROBE.replace("@@FACE@@", face()))
        page.evaluate("document.fonts.ready")
        assert page.evaluate("document.fonts.check('40px Statements')")
        root = ink(page, "#root")
        assert root[: len(root) // 6].sum(axis=1).max() > 0.25 * root.shape[1]  # the bar, over the fraction
        tall = ink(page, "#high")
        first = int(np.flatnonzero(tall.any(axis=0))[0])
        rows = np.flatnonzero(tall[:, first : first + 14].any(axis=1))
        assert rows[-1] - rows[0] > 0.7 * len(tall)
        assert ink(page, "#hat").sum() > ink(page, "#bare").sum()
