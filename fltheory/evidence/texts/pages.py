"""The pages of full rows: ``results/ledger/<document>/<section>.md``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from fltheory.evidence import ids
from fltheory.evidence.rows import Row
from fltheory.evidence.texts.blocks import References, block
from fltheory.evidence.texts.markdown import plain
from fltheory.evidence.texts.places import Places, section, title


def render_pages(ledger: Mapping[str, Row]) -> dict[PurePosixPath, str]:
    """The text of every page, by its path relative to the root of a checkout."""
    places, references = Places(ledger), References(ledger)
    return {path: _page(path, rows, places, references) for path, rows in places.pages.items()}


def _page(path: PurePosixPath, rows: list[Row], places: Places, references: References) -> str:
    claims = [row["id"] for row in rows if row["id"] in ids.index()]
    head = (
        f"# {plain(title(rows[0]['document']))}: {plain(section(rows[0]['id']))}\n\n"
        f"{len(claims)} claims in {len(rows)} rows, each with its statement, its verdict and the evidence. "
        "What the words mean, and the index of all claims: [paper_checks.md](../../../paper_checks.md). "
        "Written by `fltheory verify --write`.\n\n"
        f"{places.links(claims, on=path)}\n"
    )
    return "\n".join([head, *(block(row, places, references) for row in rows)])
