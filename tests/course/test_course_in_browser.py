"""The built pages in a browser: no error, no request, no overflow; sliders move curves, and the exercise is solved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="no playwright: pages are not opened in a browser here")
from playwright.sync_api import Error, sync_playwright  # noqa: E402

from fltheory.course import lesson  # noqa: E402

HTML = Path(__file__).parents[2] / "course" / "html"
PAGES = sorted(HTML.glob("*.html"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as play:
        try:
            system = Path("/usr/bin/chromium")
            found = play.chromium.launch(
                executable_path=str(system) if system.exists() else None, args=["--no-sandbox"]
            )
        except Error as error:
            pytest.skip(f"no browser: {str(error).splitlines()[0]}")
        yield found
        found.close()


def opened(browser: Any, page: Path, width: int) -> tuple[Any, list[str]]:
    view = browser.new_page(viewport={"width": width, "height": 844})
    wrong: list[str] = []
    view.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    view.on("pageerror", lambda error: wrong.append(str(error)))
    view.on(
        "request", lambda request: wrong.append(request.url) if not request.url.startswith(("file:", "data:")) else None
    )
    view.goto(page.as_uri())
    view.wait_for_function("document.documentElement.dataset.ready === 'true'")
    return view, wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.parametrize("width", [390, 1100])
def test_a_page_opens(browser: Any, page: Path, width: int) -> None:
    view, wrong = opened(browser, page, width)
    assert view.evaluate("document.documentElement.scrollWidth <= innerWidth") and wrong == []
    assert view.evaluate(
        "[...document.querySelectorAll('figure > svg')].every((s) => s.querySelectorAll('path').length > 3)"
    )
    view.close()


@pytest.mark.parametrize("number", [1, 6])
def test_a_student_moves_a_slider_and_solves_the_exercise(browser: Any, number: int) -> None:
    view, wrong = opened(browser, HTML / f"lesson_{number}.html", 390)
    curve = "document.querySelector('figure [data-curve]').getAttribute('d')"
    before, said = view.evaluate(curve), view.locator(".read").first.text_content()
    view.locator("input[type=range]").first.focus()
    view.keyboard.press("ArrowRight")
    assert view.evaluate(curve) != before and view.locator(".read").first.text_content() != said
    exercise = lesson(number).exercise
    text, hint = exercise.wrong[0]
    for answer, words in (
        (text, f"Not yet: {hint}"),
        ("eta +", "Not yet: the formula ends too early."),
        ("q", "Not yet: q is no letter of this exercise"),
        (exercise.right, "Right."),
        (exercise.right.replace("**", "^").replace(" ", ""), "Right."),
        (f"0 + ({exercise.right})*2/2", "Right."),
    ):
        view.fill("#answer", answer)
        view.keyboard.press("Enter")
        assert (view.locator("#verdict").text_content() or "").startswith(words), answer
    assert wrong == []
    view.close()


def test_the_page_evaluates_every_exercise_as_python_does(browser: Any) -> None:
    for page in PAGES:
        found = re.fullmatch(r"lesson_(\d)", page.stem)
        if not found:
            continue
        view, _ = opened(browser, page, 1100)
        exercise = lesson(int(found[1])).exercise
        for text, words in [(exercise.right, "Right."), *((t, f"Not yet: {h}") for t, h in exercise.wrong)]:
            view.fill("#answer", text)
            view.keyboard.press("Enter")
            assert (view.locator("#verdict").text_content() or "").startswith(words), (page.stem, text)
        view.close()
