"""A lesson as one HTML page without network: text, formulas, panels that answer to sliders, the exercise with its check."""

from __future__ import annotations

import json
from html import escape
from importlib import resources
from typing import Any

from fltheory.course.parts import CitedClaim, Lesson, LessonPanel
from fltheory.course.shelf import LESSONS, kept, lesson
from fltheory.course.texts import as_html, inline


def _part(name: str) -> str:
    return (resources.files("fltheory.course") / name).read_text(encoding="utf-8")


def panel_data(panel: LessonPanel, exact: list[Any]) -> dict[str, Any]:
    """What the page's script needs of a panel: formulas as JavaScript, kept points by the places of sliders."""
    import sympy as sp

    from fltheory.course.compute import formula

    expressions = [formula(curve.formula) for curve in panel.curves]
    letters = sorted({str(s) for e in expressions for s in e.free_symbols} | {panel.x})
    steps = [b / a for a, b in zip(panel.xs, panel.xs[1:], strict=False) if a > 0]
    return {
        "title": panel.title,
        "x": panel.x,
        "x_label": panel.x_label,
        "y_label": panel.y_label,
        "xs": panel.xs,
        "logs": panel.logs,
        "logx": panel.logs and min(panel.xs) > 0 and bool(steps) and panel.xs[-1] / panel.xs[0] > 100,
        "letters": letters,
        "sliders": [{"name": slider.name, "values": slider.values} for slider in panel.sliders],
        "curves": [
            {"label": curve.label, "code": sp.jscode(expression), "bound": curve.bound}
            for curve, expression in zip(panel.curves, expressions, strict=True)
        ],
        "exact": [
            {"label": curve.label, "sliders": curve.sliders, "kept": values}
            for curve, values in zip(panel.exact, exact, strict=True)
        ],
    }


def panel_html(panel: LessonPanel, number: int, name: str) -> str:
    """The figure, its sliders and its legend."""
    controls = "".join(
        f'<label for="{name}-{slider.name}">{escape(slider.label)}: <output></output>'
        f'<input id="{name}-{slider.name}" type="range" min="0" max="{len(slider.values) - 1}" value="{slider.start}"></label>'
        for slider in panel.sliders
    )
    colours = ("#0b4f8a", "#b3541e", "#1b5e35", "#6a3d9a")
    items = [
        f'<svg viewBox="0 0 42 12" aria-hidden="true"><path d="M1 6H41" stroke="{colours[k]}" stroke-width="2.4" '
        f'stroke-dasharray="{"7 5" if curve.bound else "none"}"/></svg>{escape(curve.label)}'
        for k, curve in enumerate(panel.curves)
    ]
    for k, curve in enumerate(panel.exact):
        colour = colours[len(panel.curves) + k]
        mark = (
            f'<rect x="17" y="2" width="8" height="8" fill="none" stroke="{colour}" stroke-width="2"/>'
            if k % 2
            else f'<circle cx="21" cy="6" r="4" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        items.append(
            f'<svg viewBox="0 0 42 12" aria-hidden="true">{mark}</svg>{escape(curve.label)} (<code>{escape(curve.by)}</code>)'
        )
    legend = "".join(f"<li>{item}</li>" for item in items)
    return (
        f'<figure data-panel="{number}"><figcaption>{escape(panel.title)}</figcaption>'
        f'<svg viewBox="0 0 640 360" role="img"></svg><ul class="legend">{legend}</ul>'
        f'<div class="sliders">{controls}</div><p class="read" aria-live="polite"></p></figure>'
    )


def statement_html(statement: CitedClaim) -> str:
    """A claim's own statement, its verdict, and the command that shows all of it."""
    from fltheory.evidence.ledger import read_ledger
    from fltheory.evidence.texts.words import verdict_text
    from fltheory.report.maths import mathml

    row = read_ledger()[statement.claim]
    math = (
        f'<div class="formula" tabindex="0" role="region" aria-label="Statement">{mathml(row["statement"])}</div>'
        if row["statement"]
        else ""
    )
    said = f"{verdict_text(row)}{' (' + row['rung'] + ')' if row['rung'] else ''}"
    return (
        f'<div class="statement"><p>{escape(statement.words)}: <b>{escape(row["headline"])}</b>.</p>{math}'
        f"<p>Verdict: <b>{escape(said)}</b>. <code>fltheory show {escape(statement.claim)}</code></p></div>"
    )


def _navigation(current: int | None) -> str:
    links = ['<a href="index.html">Course</a>']
    for number in LESSONS:
        mark = ' aria-current="page"' if number == current else ""
        links.append(f'<a href="lesson_{number}.html"{mark}>{number}</a>')
    return " ".join(links)


def whole_page(title: str, body: str, data: dict[str, Any], *, current: int | None = None, kind: str = "lesson") -> str:
    """A page with the course's style and script."""
    from fltheory.report.font import face

    values = {
        "TITLE": escape(title),
        "STYLE": face() + _part("style.css"),
        "KIND": kind,
        "NAV": _navigation(current),
        "BODY": body,
        "DATA": json.dumps(data, separators=(",", ":")).replace("</", "<\\/"),
        "SCRIPT": _part("script.js"),
    }
    text = _part("page.html")
    for name, value in values.items():
        text = text.replace(f"@@{name}@@", value, 1)
    return text


def lesson_page(number: int) -> str:
    """The page of a lesson; the same bytes from the same lesson.

    Raises
    ------
    ValueError : no such lesson.
    """
    told, data = lesson(number), kept(number)
    body = [_head(told)]
    panels: list[dict[str, Any]] = []
    for part in told.parts:
        if isinstance(part, str):
            body.append(as_html(part))
        elif isinstance(part, CitedClaim):
            body.append(statement_html(part))
        else:
            place = len(panels)
            panels.append(panel_data(part, data["panels"][place]))
            body.append(panel_html(part, place, f"panel{place}"))
    body.append(_exercise(told))
    return whole_page(
        f"Lesson {number}: {told.title}",
        "".join(body),
        {"panels": panels, "exercise": data["exercise"]},
        current=number,
    )


def _head(told: Lesson) -> str:
    aims = "".join(f"<li>{inline(aim)}</li>" for aim in told.aims)
    return (
        f'<h1>{told.number}. {escape(told.title)}</h1><p class="minutes">About {told.minutes} minutes.</p>'
        f"<h2>What you will be able to do</h2><ul>{aims}</ul><h2>The lesson</h2>"
    )


def _exercise(told: Lesson) -> str:
    number = told.number
    letters = ", ".join(told.exercise.letters)
    further = "".join(f"<li><code>{escape(command)}</code></li>" for command in told.further)
    return (
        f'<h2>Exercise</h2><form id="exercise"><p id="task">{escape(told.exercise.task)}</p>'
        f'<label for="answer">Your formula in {escape(letters)}; write * for products and ^ for powers</label>'
        '<input id="answer" name="answer" autocomplete="off" autocapitalize="off" spellcheck="false">'
        '<button type="submit">Check</button></form><p id="verdict" role="status"></p>'
        f'<p class="source">With Python: <code>fltheory course check {number} FILE.py</code>, where FILE.py defines '
        f"<code>answer({escape(letters)})</code>. The solution: <code>fltheory course solution {number}</code>.</p>"
        f"<h2>Go on</h2><ul>{further}</ul>"
    )
