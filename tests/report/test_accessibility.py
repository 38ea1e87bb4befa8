"""axe-core finds nothing serious in the report and in the course, wide and narrow; a page without labels is a control."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("latex2mathml")
api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")

from fltheory.evidence import ids  # noqa: E402
from fltheory.evidence.ledger import read_ledger  # noqa: E402
from fltheory.report import write_report  # noqa: E402

COURSE = Path(__file__).parents[2] / "course" / "html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with api.sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def violations(browser: Any, address: str, width: int) -> list[str]:
    page = browser.new_page(viewport={"width": width, "height": 844})
    page.goto(address)
    page.wait_for_load_state()
    if not address.startswith("data:"):
        page.wait_for_function("document.documentElement.dataset.ready === 'true'")
    found = axe.Axe().run(page).response["violations"]
    page.close()
    return [f"{one['id']}: {one['nodes'][0]['html'][:80]}" for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("width", [390, 1100])
def test_the_report(browser: Any, tmp_path: Path, width: int) -> None:
    write_report(tmp_path / "report.html")
    first: dict[str, str] = {}
    for name, row in read_ledger().items():
        first.setdefault(row["verdict"], name)
    places = ["", "#view=claims", "#claim=" + quote("LI-THM1[main-text step sizes]")]
    places += [f"#claim={quote(name)}" for name in first.values()] + [f"#sheet={name}" for name in ids.documents()]
    for place in places:
        assert violations(browser, (tmp_path / "report.html").as_uri() + place, width) == [], place


@pytest.mark.parametrize("width", [390, 1100])
def test_the_course(browser: Any, width: int) -> None:
    for page in sorted(COURSE.glob("*.html")):
        assert violations(browser, page.as_uri(), width) == [], page.name


def test_a_page_without_labels_is_found(browser: Any) -> None:
    assert violations(browser, "data:text/html,<title>x</title><input><img src='data:,'>", 390) != []
