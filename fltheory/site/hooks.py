"""What MkDocs is told beside its configuration: pages made from docstrings, the report, and links out of docs/."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fltheory.site.reference import GROUPS, pages

ROOT = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")
#: Links out of docs/ to what the site holds under another name.
_HELD = {
    "../README.md": "readme.md",
    "../CHANGELOG.md": "changes.md",
    "../results/figures/readme.png": "results/figures/readme.png",
}


def on_config(config: Any) -> Any:
    """Append the reference, and what else is made, to the navigation."""
    config.nav.append({"Reference": [{title: f"reference/{name}.md"} for name, title, _ in GROUPS]})
    if (ROOT / "docs" / "figures.md").is_file():
        config.nav.append({"Figures": "figures.md"})
    config.nav.append({"All claims and errata": "claims.md"})
    if lessons():
        config.nav.append({"Course": "course.md"})
    config.nav.append({"Changes": "changes.md"})
    return config


def lessons() -> list[Path]:
    """The built pages of the course."""
    return sorted((ROOT / "course" / "html").glob("*.html"))


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    from fltheory.evidence import ids
    from fltheory.evidence.texts.places import title
    from fltheory.report import build_report

    made: dict[str, str | bytes] = {
        **pages(),
        "readme.md": (ROOT / "README.md").read_text("utf-8"),
        "changes.md": (ROOT / "CHANGELOG.md").read_text("utf-8"),
        "report.html": build_report(),
        "assets/frames.js": (Path(__file__).parent / "frames.js").read_text("utf-8"),
        "results/figures/readme.png": (ROOT / "results" / "figures" / "readme.png").read_bytes(),
    }
    sheets = [f"- <a href='report.html#sheet={name}'>{title(name)}: errata sheet</a>" for name in ids.documents()]
    made["claims.md"] = "\n".join(
        [
            "# All claims and errata",
            "",
            "<a href='report.html'>All claims, with filters, trees and exports</a>",
            "",
            *sheets,
            "",
        ]
    )
    listed = []
    for lesson in lessons():
        text = lesson.read_text("utf-8")
        heading = re.search(r"<title>(.*?)</title>", text)
        listed.append(f"- <a href='course/{lesson.name}'>{heading[1] if heading else lesson.stem}</a>")
        made[f"course/{lesson.name}"] = text
    if listed:
        made["course.md"] = "\n".join(["# Course", "", *listed, ""])
    for path, content in made.items():
        files.append(File.generated(config, path, content=content))
    return files


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """Search from disk needs a script of the theme's makers elsewhere; the site has its own in the place."""
    depth = "../" * page.url.count("/")
    return re.sub(r"https?://[^\"']+/iframe-worker/shim", f"{depth}assets/frames.js", output)


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Links of the repository as links of the site; what the site does not hold is named and not linked."""
    from fltheory.evidence.ledger import read_ledger

    index = read_ledger()
    outside = page.file.src_uri in ("readme.md", "changes.md")

    def mended(match: re.Match[str]) -> str:
        picture, words, target = match.groups()
        if target.startswith(("http", "#", "mailto")):
            return match[0]
        path, _, anchor = target.partition("#")
        inside = path.removeprefix("docs/") if outside and path.startswith("docs/") else path
        if inside == path and outside:
            inside = f"../{path}"
        inside = _HELD.get(inside, inside)
        if inside.startswith("../results/ledger/") and words.replace("\\", "") in index:
            row = urlencode({"claim": words.replace("\\", "")})
            return f"<a href='report.html#{row}'>{words}</a>"
        if inside.startswith("../"):
            return words
        return f"{picture}[{words}]({inside}{'#' + anchor if anchor else ''})"

    return _LINK.sub(mended, markdown)
