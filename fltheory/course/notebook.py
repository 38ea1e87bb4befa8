"""A lesson as a marimo notebook: the same texts, panels and exercise, with a function to fill in."""

from __future__ import annotations

from fltheory.course.parts import CitedClaim, Lesson, LessonPanel
from fltheory.course.shelf import lesson

_HEAD = '''"""Lesson {number}: {title}.  Open with: marimo edit {file}"""

import marimo

app = marimo.App(app_title="Lesson {number}: {title}")


@app.cell
def _():
    import marimo as mo

    from fltheory.course import check_answer
    from fltheory.course.drawn import draw

    return check_answer, draw, mo

'''


def _text(words: str) -> str:
    return f'\n@app.cell\ndef _(mo):\n    mo.md(r"""\n{words}\n""")\n    return\n\n'


def _panel(number: int, panel: LessonPanel, place: int) -> str:
    names = [f"{slider.name}_{place}" for slider in panel.sliders]
    made = "".join(
        f"    {name} = mo.ui.slider(steps={list(slider.values)}, value={slider.values[slider.start]}, label={slider.label!r}, "
        "show_value=True)\n"
        for name, slider in zip(names, panel.sliders, strict=True)
    )
    stack = ", ".join(names)
    given = ", ".join(f"{slider.name}={name}.value" for name, slider in zip(names, panel.sliders, strict=True))
    return (
        f"\n@app.cell\ndef _(mo):\n{made}    mo.vstack([{stack}])\n    return {stack}{',' if len(names) == 1 else ''}\n\n"
        f"\n@app.cell\ndef _({', '.join(sorted(['draw', *names]))}):\n    draw({number}, {place}, {given})\n    return\n\n"
    )


def _statement(statement: CitedClaim) -> str:
    from fltheory.evidence.ledger import read_ledger
    from fltheory.evidence.texts.words import verdict_text

    row = read_ledger()[statement.claim]
    math = f"\n\n$$\n{row['statement']}\n$$" if row["statement"] else ""
    return _text(
        f"> {statement.words}: **{row['headline']}**.{math}\n>\n> Verdict: **{verdict_text(row)}** ({row['rung']}). "
        f"`fltheory show {statement.claim}`"
    )


def notebook(number: int) -> str:
    """The notebook's text; the same bytes from the same lesson.

    Raises
    ------
    ValueError : no such lesson.
    """
    told: Lesson = lesson(number)
    file = f"lesson_{number}.py"
    parts = [_HEAD.format(number=number, title=told.title.replace('"', "'"), file=file)]
    aims = "\n".join(f"- {aim}" for aim in told.aims)
    parts.append(
        _text(f"# {number}. {told.title}\n\nAbout {told.minutes} minutes.\n\n## What you will be able to do\n\n{aims}")
    )
    place = 0
    for part in told.parts:
        if isinstance(part, str):
            parts.append(_text(part))
        elif isinstance(part, CitedClaim):
            parts.append(_statement(part))
        else:
            parts.append(_panel(number, part, place))
            place += 1
    letters = ", ".join(told.exercise.letters)
    parts.append(_text(f"## Exercise\n\n{told.exercise.task}"))
    parts.append(
        f"\n@app.cell\ndef _():\n    def answer({letters}):\n        return ...  # your formula\n\n    return (answer,)\n\n"
        f"\n@app.cell\ndef _(answer, check_answer, mo):\n    mo.md(str(check_answer({number}, answer)))\n    return\n\n"
    )
    parts.append('\nif __name__ == "__main__":\n    app.run()\n')
    return "".join(parts)
