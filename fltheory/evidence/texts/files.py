"""All files that are made of the ledger, with their texts, and whether those of a checkout are what the ledger gives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from fltheory.evidence.ledger import ledger_path, render_ledger
from fltheory.evidence.rows import Row
from fltheory.evidence.store import write_text
from fltheory.evidence.texts.asserted import ASSERTED, render_asserted
from fltheory.evidence.texts.cards import render_cards
from fltheory.evidence.texts.errata import ERRATA, render_errata_page
from fltheory.evidence.texts.front import render_front
from fltheory.evidence.texts.pages import render_pages
from fltheory.evidence.texts.places import FOLDER, Places
from fltheory.evidence.texts.sharpened import SHARPENED, render_sharpened
from fltheory.evidence.texts.tables import render_csv, render_schema

#: The report at the root of a checkout.
REPORT = PurePosixPath("paper_checks.md")
#: The cards of the sharpened theorems.
THEOREMS = PurePosixPath("docs/theorems.md")


def ledger_files(ledger: Mapping[str, Row]) -> dict[PurePosixPath, str]:
    """The text of every file, by its path relative to the root of a checkout."""
    places = Places(ledger)
    return {
        FOLDER / ledger_path().name: render_ledger(ledger),
        FOLDER / "ledger.csv": render_csv(ledger),
        FOLDER / "schema.json": render_schema(),
        REPORT: render_front(ledger),
        ASSERTED: render_asserted(places),
        ERRATA: render_errata_page(places),
        SHARPENED: render_sharpened(places),
        THEOREMS: render_cards(ledger),
        **render_pages(ledger),
    }


def _strays(root: Path, wanted: Mapping[PurePosixPath, str]) -> list[Path]:
    """Files below the folder of pages that the ledger does not give."""
    known = {root / path for path in wanted}
    return sorted(path for path in (root / FOLDER).rglob("*") if path.is_file() and path not in known)


def file_problems(root: Path, ledger: Mapping[str, Row]) -> list[str]:
    """Files that are missing, that differ from what the ledger gives, or that it does not give."""
    texts = ledger_files(ledger)
    problems = []
    for path, text in texts.items():
        file = root / path
        present = file.read_text(encoding="utf-8").replace("\r\n", "\n") if file.is_file() else ""
        if present != text:
            problems.append(f"{path} is not what the kept evidence gives")
    extra = [path.relative_to(root).as_posix() for path in _strays(root, texts)]
    return problems + [f"{path} is no file of the ledger" for path in extra]


def write_files(root: Path, ledger: Mapping[str, Row]) -> bool:
    """Write all files of the ledger and remove pages that it has no more; returns whether ``ledger.json`` changed."""
    texts = ledger_files(ledger)
    facts = ledger_path(root)
    before = facts.read_text(encoding="utf-8") if facts.is_file() else ""
    for path, text in texts.items():
        write_text(root / path, text)
    for stray in _strays(root, texts):
        stray.unlink()
        if not any(stray.parent.iterdir()):
            stray.parent.rmdir()
    return before != facts.read_text(encoding="utf-8")
