"""The site of the pages: it builds without a warning, opens from disk, and has a section for every public name."""

from __future__ import annotations

import logging
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

import fltheory as fl
from fltheory.site.reference import GROUPS, pages, place

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    warned: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            warned.append(record.getMessage())

    listener = Listener(logging.WARNING)
    logging.getLogger("mkdocs").addHandler(listener)
    try:
        build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder)))
    finally:
        logging.getLogger("mkdocs").removeHandler(listener)
    assert warned == []
    return folder


def test_every_public_name_stands_in_the_reference() -> None:
    text = "\n".join(pages().values()) + "\n"
    named = [name for name in fl.__all__ if place(getattr(fl, name))]
    assert len(pages()) == len(GROUPS) and len(named) > 100
    assert [name for name in named if f"::: {place(getattr(fl, name))}\n" not in text] == []
    assert [path for path in set(re.findall(r"^::: (\S+)$", text, re.M)) if text.count(f"::: {path}\n") > 1] == []


def test_the_site_opens_from_disk(site: Path) -> None:
    """No file that it loads is elsewhere, and every link within it leads somewhere."""
    found = sorted(page for page in site.rglob("*.html") if page.name != "404.html")  # MkDocs makes it for servers
    assert len(found) > 30 and (site / "report.html").stat().st_size > 10**6
    broken = []
    for page in found:
        text = re.sub(r"<script.*?</script>", "", page.read_text("utf-8"), flags=re.S)
        for loaded in re.findall(r"<(?:script|img|source)[^>]*src=[\"']([^\"']+)|<link[^>]*href=[\"']([^\"']+)", text):
            assert not "".join(loaded).startswith(("http", "//")), (page.name, loaded)
        for target in re.findall(r"<a[^>]*href=[\"']([^\"'#]+)", text):
            if not target.startswith(("http", "mailto", "data:", "javascript")):
                if not (page.parent / unquote(target)).resolve().exists():
                    broken.append((page.name, target))
    assert broken == []


def test_tables_of_docstrings_are_tables(site: Path) -> None:
    from fltheory.site.docstrings import markdown

    for page in (site / "reference").glob("*.html"):
        text = page.read_text("utf-8")
        assert "=====" not in text and ":func:" not in text and ":class:" not in text, page.name
    table = markdown("Words.\n\n===== ====\nname  is\n===== ====\n``a`` one |\n      more\n===== ====\n\n:func:`x.y`")
    assert "| name | is |" in table and "| `a` | one \\| more |" in table and table.endswith("`y`")


def test_search_works_from_disk(site: Path) -> None:
    """In a browser: no request leaves the machine, and a word is found."""
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium here")
    with api.sync_playwright() as play:
        page = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"]).new_page(
            viewport={"width": 1300, "height": 900}
        )
        left: list[str] = []
        page.on("request", lambda one: left.append(one.url) if one.url.startswith("http") else None)
        page.goto((site / "index.html").as_uri())
        page.locator(".md-search__input").click()
        page.keyboard.type("applicable")
        page.wait_for_selector(".md-search-result__item", timeout=20_000)
        assert left == []


def test_formulas_and_docstrings_are_in_the_pages(site: Path) -> None:
    assert "<math" in (site / "theorems.html").read_text("utf-8")
    verbs = (site / "reference" / "verbs.html").read_text("utf-8")
    assert 'id="fltheory.questions.plan.plan"' in verbs and "local_steps_grid" in verbs
