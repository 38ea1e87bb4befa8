"""The tables of ``docs/scaling.md``, written from ``results/benchmarks/speed.json`` and from nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.speed import store
from benchmarks.speed.figures import table_of, value_of
from fltheory.files import written_whole

PAGE = store.ROOT / "docs" / "scaling.md"
SIMULATORS = store.FILE.with_name("simulators.json")


def begin(name: str) -> str:
    """The line before a generated table."""
    return f"<!-- {name}: written by python -m benchmarks.speed --table -->"


END = "<!-- end -->"


def tables(result: Mapping[str, Any]) -> dict[str, str]:
    """Markdown by the name of its place in the page."""
    cases = result["cases"]
    if not cases:
        return dict.fromkeys(("figures", "client-steps", "cases", "scaling"), "Not measured yet.") | _simulators()
    words = f"Measured on one core of {result['processor']}; " + ", ".join(
        f"{name} {version}" for name, version in result["versions"].items()
    )
    return {
        "figures": f"{words}.\n\n{_figures(cases)}",
        "client-steps": _client_steps(cases),
        "cases": _cases({name: one for name, one in cases.items() if not name.startswith("scaling")}),
        "scaling": _cases({name: one for name, one in cases.items() if name.startswith("scaling")}),
    } | _simulators()


def with_tables(page: str, result: Mapping[str, Any]) -> str:
    """The page with every table written anew."""
    for name, text in tables(result).items():
        head, found, rest = page.partition(begin(name))
        if not found:
            raise ValueError(f"the page has no line {begin(name)!r}")
        _, found, tail = rest.partition(END)
        if not found:
            raise ValueError(f"the page has no line {END!r} after {begin(name)!r}")
        page = f"{head}{begin(name)}\n\n{text}\n\n{END}{tail}"
    return page


def write(path: Path = PAGE) -> None:
    """Renew the page from the stored result."""
    page = with_tables(path.read_text("utf-8"), store.load())
    with written_whole(path) as file:
        file.write(page)


def _simulators() -> dict[str, str]:
    if not SIMULATORS.is_file():
        return {"simulators": "Not measured yet."}
    found = json.loads(SIMULATORS.read_text("utf-8"))
    lines = [
        f"{found['date']}, {found['processor']}; {found['what']}.",
        "",
        "| | version | us | |",
        "|---|---|---|---|",
    ]
    for name, one in found["simulators"].items():
        lines.append(
            f"| {name} | {one.get('version', '')} | {one.get('us', '')} | {one.get('note', one.get('why', ''))} |"
        )
    return {"simulators": "\n".join(lines)}


def _figures(cases: Any) -> str:
    lines = ["| | measured | at least | stretch | |", "|---|---|---|---|---|"]
    for figure, value in table_of(cases):
        sign = ">=" if figure.factor else "<="
        stretch = "" if figure.stretch is None else f"{sign} {short(figure.stretch)}"
        measured = "" if value is None else f"{short(value)} {figure.unit}"
        lines.append(
            f"| {figure.what} | {measured} | {sign} {short(figure.least)} | {stretch} | {figure.verdict(value)} |"
        )
    return "\n".join(lines)


def _client_steps(cases: Any) -> str:
    """What a million client-steps cost: microseconds each are seconds per million."""
    lines = ["| a million client-steps of | one run | a batch |", "|---|---|---|"]
    for name, one in cases.items():
        if (
            one["status"] != "done"
            or not _what(name, one)[1].startswith("us per client-step")
            or name.startswith("scaling")
        ):
            continue
        alone, batch = (value_of(cases, name, "fltheory", runs) for runs in (1, 16))
        cells = ["" if value is None else f"{short(value)} s" for value in (alone, batch)]
        lines.append(f"| {_what(name, one)[0]} ({name}) | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def _cases(cases: Any) -> str:
    parts = []
    for name, one in cases.items():
        what, unit = _what(name, one)
        if one["status"] != "done":
            parts.append(f"**{name}** ({what}): {one['status']}, {one.get('why', '')}")
            continue
        widths = sorted({row["runs"] for row in one["rows"]})
        lines = [f"**{name}**: {what}; {unit}", "", "| | " + " | ".join(_runs(runs) for runs in widths) + " |"]
        lines.append("|---|" + "---|" * len(widths))
        for who in dict.fromkeys(row["who"] for row in one["rows"]):
            cells = []
            for runs in widths:
                (row,) = [row for row in one["rows"] if row["who"] == who and row["runs"] == runs] or [{"value": None}]
                cells.append(
                    row.get("note", "")
                    if row["value"] is None
                    else f"{short(row['value'])} {row.get('unit', '')}".strip()
                )
            lines.append(f"| {who} | " + " | ".join(cells) + " |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _what(name: str, one: Mapping[str, Any]) -> tuple[str, str]:
    return str(one["what"]), str(one["unit"])


def _runs(runs: int) -> str:
    return "one run" if runs == 1 else f"{runs} runs"


def short(number: float) -> str:
    """Three digits."""
    text = f"{number:.3g}"
    return f"{float(text):,.0f}" if "e+" in text else text
