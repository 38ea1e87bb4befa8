"""The report in headless Chromium: filters, addresses, the console, requests, narrow pages, focus, contrast, print, pixels."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("latex2mathml")
api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")

from fltheory.report import write_report  # noqa: E402

_CONTRAST = """() => {
  const light = (c) => { const v = c.match(/[\\d.]+/g).slice(0, 3).map((x) => x / 255)
    .map((x) => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
  const behind = (e) => { for (; e; e = e.parentElement) { const b = getComputedStyle(e).backgroundColor;
    if (!b.endsWith(", 0)")) return b; } return "rgb(255,255,255)"; };
  let least = 99;
  for (const e of document.querySelectorAll("main *, header *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility()) continue;
    const a = light(getComputedStyle(e).color), b = light(behind(e));
    least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return least;
}"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path)
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.problems, page.requests, page.start = [], [], path.as_uri()
        page.on("console", lambda message: page.problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("request", lambda request: page.requests.append(request.url.partition("#")[0]))
        started = time.perf_counter()
        page.goto(page.start)
        page.wait_for_selector("html[data-ready]")
        page.seconds = time.perf_counter() - started
        yield page
        browser.close()


def _open(page: Any, address: str, visible: str) -> None:
    page.goto("about:blank")  # an address that differs in its fragment only is not loaded anew
    page.goto(page.start + address)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector(visible, state="visible")


def test_the_first_view_is_quick(page: Any) -> None:
    assert page.seconds < 2


def test_filters_work_and_stand_in_the_address(page: Any) -> None:
    _open(page, "#view=claims", "#count")
    every = page.locator(".row:not([hidden])").count()
    page.select_option("[name=document]", "li2020")
    page.select_option("[name=verdict]", "wrong as printed")
    told = page.inner_text("#count")
    shown = page.locator(".row:not([hidden])").count()
    assert 0 < shown < every and told.startswith(f"{shown} of")
    address = page.url
    assert "document=li2020" in address and "verdict=wrong" in address
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    assert page.inner_text("#count") == told
    spent = page.evaluate("""() => { const q = document.querySelector("[name=q]"); q.value = "lemma 2";
      const t = performance.now(); q.dispatchEvent(new Event("input", { bubbles: true })); document.body.offsetHeight;
      return performance.now() - t; }""")
    assert spent < 200  # 25 ms on an idle machine


def test_a_bound_answers_to_its_sliders_and_says_which_condition_is_broken(page: Any) -> None:
    _open(page, "#claim=LI-THM1", "#claim .live")
    value = page.locator(".live .value")
    before, curve = value.inner_text(), page.inner_html(".live svg")
    assert before.startswith("Right-hand side: ")
    page.locator(".live input[aria-label=D1]").focus()
    page.keyboard.press("ArrowRight")
    assert value.inner_text() != before and page.inner_html(".live svg") != curve
    page.locator(".live input[aria-label=mu]").focus()
    page.keyboard.press("End")
    page.locator(".live input[aria-label=L]").focus()
    page.keyboard.press("Home")
    assert value.inner_text().startswith("No value: ") and "mu <= L" in value.inner_text()
    assert page.locator(".live li", has_text="worst case").count()


@pytest.mark.parametrize("document", ["li2020", "lecture2022", "mixed2022", "fedlama2021", "elastic2023"])
def test_an_errata_sheet_prints_on_a_page(page: Any, document: str) -> None:
    _open(page, f"#sheet={document}", f"#errata-{document}")
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    # 65 entries of one document take a second page; those of substance stand first
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) <= 1 + (document == "elastic2023")


def test_a_derivation_opens_down_to_an_assumption(page: Any) -> None:
    _open(page, "#claim=LI-ABS1", "#claim details")
    for _ in range(40):
        closed = page.locator("#claim details:not([open]) > summary")
        if page.locator("#claim .leaf", has_text="(assume)").count() or not closed.count():
            break
        closed.last.click()  # depth first
        page.wait_for_timeout(20)  # a node's premises are made when it has opened
    assert page.locator("#claim .leaf", has_text="(assume)").count()


@pytest.mark.parametrize(
    "address", ["#", "#view=claims&document=li2020", "#claim=LI-ABS1", "#claim=MX-THMB1-MAP.2", "#sheet=mixed2022"]
)
def test_narrow_pages_do_not_overflow_and_texts_are_dark_enough(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    _open(page, address, "main > :not([hidden])")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(_CONTRAST) >= 4.5
    page.set_viewport_size({"width": 1200, "height": 900})


def test_the_keyboard_reaches_the_content_first(page: Any) -> None:
    page.goto("about:blank")
    _open(page, "", "#overview")
    reached = []
    for _ in range(4):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.textContent"))
    assert reached[:3] == ["To the content", "Overview", "All claims, in reading order"]


def test_a_sheet_prints_without_what_is_for_the_screen(page: Any) -> None:
    _open(page, "#sheet=li2020", "#errata-li2020")
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible() and not page.locator("#errata-li2020 .print").is_visible()
    assert page.locator("#errata-li2020 li").first.is_visible()
    page.emulate_media(media="screen")


def test_radicals_and_fences_are_drawn(page: Any) -> None:
    ink = """(text) => { const d = document.createElement("div"); d.id = "probe";
      d.style = "position:fixed;inset:0 auto auto 0;background:#fff;padding:9px;z-index:9";
      d.innerHTML = text; document.body.append(d); }"""
    high = "<mfrac><mfrac><mi>a</mi><mi>b</mi></mfrac><mi>c</mi></mfrac>"
    shots = {}
    for name, inner in {
        "plain": high,
        "root": f"<msqrt>{high}</msqrt>",
        "fences": f"<mrow><mo stretchy='true' form='prefix'>(</mo>{high}<mo stretchy='true' form='postfix'>)</mo></mrow>",
    }.items():
        page.evaluate(ink, f"<math display='block'>{inner}</math>")
        box = page.locator("#probe math").bounding_box()
        shots[name] = (box["width"], box["height"], page.locator("#probe").screenshot())
        page.evaluate("document.getElementById('probe').remove()")
    assert shots["root"][0] > shots["plain"][0] + 4 and shots["fences"][0] > shots["plain"][0] + 6
    image = pytest.importorskip("PIL.Image")
    import io

    def dark(name: str) -> int:
        return sum(value < 128 for value in image.open(io.BytesIO(shots[name][2])).convert("L").tobytes())

    assert dark("root") > dark("plain") + 40 and dark("fences") > dark("plain") + 40


def test_nothing_was_asked_of_the_network_and_no_error_was_told(page: Any) -> None:
    assert set(page.requests) <= {page.start, "about:blank"}
    assert page.problems == []
