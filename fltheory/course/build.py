"""The built course: kept points, pages, notebooks, the lecturer's page and slides, all made from the lessons."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from fltheory.course.compute import computed
from fltheory.course.notebook import notebook
from fltheory.course.page import lesson_page, panel_data, panel_html, whole_page
from fltheory.course.shelf import DATA, LESSONS, kept, lesson
from fltheory.course.texts import as_html

LECTURER = r"""A course of eight lessons of about 45 minutes, for students who know gradients, eigenvalues and expectations.
Nothing of federated learning is assumed. Each lesson is a page that opens from disk, with sliders that answer in
the page, and the same lesson as a marimo notebook in which the exercise is a function to write.

**Without a network.** Copy the folder `course/html` to the machines, or to a stick: a page loads nothing from
elsewhere. For the notebooks, prepare an environment once where there is a network, `pip download "fltheory[course]"
-d wheels`, and install it in the lab with `pip install --no-index --find-links wheels "fltheory[course]"`; then
`marimo edit course/notebooks/lesson_1.py`.

**In class.** The slides hold the lessons' panels, live, one to a screen. `fltheory course sheet 1` prints the
exercise as a sheet, `fltheory course solution 1` its solution with the derivation, `fltheory course check 1
FILE.py` checks a student's file: it accepts any right answer and tells the usual wrong ones what is wrong.

**How the numbers were made.** Curves are formulas, evaluated in the page. Points are exact answers of the package
(fixed points, moments over all cohorts, certified worst cases), kept when the course was built; no run was
simulated."""
_SCHEDULE = (
    ("1 and 2", "A round is a map; a proof is a sum.", "linear algebra"),
    ("3 and 4", "What rates promise; what sampling costs.", "expectations"),
    ("5 and 6", "The worst function; two objectives.", "lessons 1 and 2"),
    ("7 and 8", "Layers; reading critically. For a project: a statement of one's own.", "all of them"),
)


def index_page() -> str:
    """The page with all lessons, for students and for who teaches."""
    rows = "".join(
        f'<tr><td>{n}</td><td><a href="lesson_{n}.html">{escape(lesson(n).title)}</a></td><td>{lesson(n).minutes} min</td></tr>'
        for n in LESSONS
    )
    plan = "".join(
        f"<tr><td>{when}</td><td>{escape(what)}</td><td>{before}</td></tr>" for when, what, before in _SCHEDULE
    )
    text = as_html(LECTURER.replace("**", "*"))
    body = (
        "<h1>Federated optimisation, executed: a course</h1><h2>Lessons</h2>"
        f"<table><thead><tr><th>No.</th><th>Lesson</th><th>Time</th></tr></thead><tbody>{rows}</tbody></table>"
        f'<p><a href="slides.html">Slides: all panels</a></p><h2>For lecturers</h2>{text}<h3>Schedule, two lessons a week</h3>'
        f"<table><thead><tr><th>Lessons</th><th>Subject</th><th>Needs</th></tr></thead><tbody>{plan}</tbody></table>"
    )
    return whole_page("Federated optimisation, executed: a course", body, {"panels": []}, kind="lesson")


def slides_page() -> str:
    """All panels, one to a screen."""
    panels: list[dict[str, Any]] = []
    body = ["<h1>Panels of all lessons</h1>"]
    for number in LESSONS:
        for place, panel in enumerate(lesson(number).panels):
            body.append(f"<h2>{number}. {escape(lesson(number).title)}</h2>")
            body.append(panel_html(panel, len(panels), f"slide{len(panels)}"))
            panels.append(panel_data(panel, kept(number)["panels"][place]))
    return whole_page("Slides of the course", "".join(body), {"panels": panels}, kind="slides")


def sheet(number: int, *, solved: bool = False) -> str:
    """The exercise as text for printing, or its solution."""
    told = lesson(number)
    letters = ", ".join(told.exercise.letters)
    head = f"Lesson {number}: {told.title}\n\n"
    if solved:
        words = told.exercise.solution.replace("$", "")
        return f"{head}{told.exercise.task}\n\nAnswer: {told.exercise.right}\n\n{words}\n"
    aims = "\n".join(f"  - {aim}" for aim in told.aims)
    code = f"def answer({letters}):\n    return ...  # your formula"
    return (
        f"{head}Aims\n{aims}\n\nExercise\n{told.exercise.task}\n\nWrite a file with\n\n{code}\n\n"
        f"and check it: fltheory course check {number} FILE.py\n"
    )


def keep(number: int) -> None:
    """Compute a lesson's points and samples and keep them."""
    text = json.dumps(computed(lesson(number)), separators=(",", ":")) + "\n"
    (DATA / f"lesson_{number}.json").write_text(text, encoding="utf-8")
    kept.cache_clear()


def pages() -> dict[str, Callable[[], str]]:
    """What is built, by path within ``course/``."""
    made: dict[str, Callable[[], str]] = {"html/index.html": index_page, "html/slides.html": slides_page}
    for number in LESSONS:
        made[f"html/lesson_{number}.html"] = lambda n=number: lesson_page(n)  # type: ignore[misc]
        made[f"notebooks/lesson_{number}.py"] = lambda n=number: notebook(n)  # type: ignore[misc]
    return made


def build(folder: Path, *, recompute: bool = False) -> list[Path]:
    """Write all pages and notebooks below ``folder``; ``recompute`` makes the kept points anew first."""
    if recompute:
        for number in LESSONS:
            keep(number)
    written = []
    for name, make in pages().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(), encoding="utf-8")
        written.append(path)
    return written
