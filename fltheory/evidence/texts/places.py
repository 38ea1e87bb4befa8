"""Where a row stands: its document, its section, its page below ``results/ledger`` and its anchor there.

Sections are data (``sections.tsv``): the place in its document of each claim of the list.  A sub-row stands with its
claim.  A claim without a line there stands on the page ``claims`` of its document.  Pages are named after what stands
before the colon of a section's title, so that the title's words may change and the links stay.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import PurePosixPath
from types import MappingProxyType

from fltheory.evidence import ids
from fltheory.evidence.rows import Row
from fltheory.evidence.texts.markdown import link

TITLES = {
    "li2020": "Li et al. (2020), On the Convergence of FedAvg on Non-IID Data",
    "lecture2022": "Lecture note (2022) on federated averaging",
    "mixed2022": "Mixed federated and centralised learning (2022)",
    "fedlama2021": "FedLAMA (2021)",
    "elastic2023": "Elastic aggregation (2023)",
}
#: The folder of pages, relative to the root of a checkout.
FOLDER = PurePosixPath("results/ledger")
_NO_SECTION = "Claims"


@cache
def sections() -> Mapping[str, str]:
    """The title of the section that each claim of the list stands in."""
    lines = (ids.DATA / "sections.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return MappingProxyType(dict(line.split("\t") for line in lines if line))


def title(document: str) -> str:
    """The document's name for people."""
    return TITLES.get(document, document)


def section(row_id: str) -> str:
    """The title of the section that a row's claim stands in."""
    return sections().get(ids.base(row_id), _NO_SECTION)


def page(row: Row) -> PurePosixPath:
    """The page of a row, relative to the root of a checkout."""
    name = re.sub(r"[^a-z0-9]+", "-", section(row["id"]).partition(":")[0].lower()).strip("-")
    return FOLDER / str(row["document"]) / f"{name}.md"


@dataclass(frozen=True)
class Places:
    """Pages and anchors of all rows of a ledger."""

    ledger: Mapping[str, Row]

    @cached_property
    def anchors(self) -> Mapping[str, str]:
        """The anchor of each row: its id in the letters that addresses allow; a second row of one anchor gets a number."""
        taken: dict[tuple[PurePosixPath, str], int] = {}
        found = {}
        for row_id, row in self.ledger.items():
            name = re.sub(r"[^a-z0-9.]+", "-", row_id.lower()).strip("-")
            number = taken[page(row), name] = taken.get((page(row), name), 0) + 1
            found[row_id] = name if number == 1 else f"{name}--{number}"
        return MappingProxyType(found)

    @cached_property
    def pages(self) -> Mapping[PurePosixPath, list[Row]]:
        """The rows of each page, in the order of the ledger."""
        found: dict[PurePosixPath, list[Row]] = {}
        for row in self.ledger.values():
            found.setdefault(page(row), []).append(row)
        return MappingProxyType(found)

    def link(self, row_id: str, *, on: PurePosixPath | None = None) -> str:
        """A link to a row from a file of the checkout, or (``on=None``) from its root; its name if there is none."""
        if row_id not in self.ledger:
            return f"`{row_id}`"
        target = page(self.ledger[row_id])
        path = "" if on == target else posixpath.relpath(target, on.parent if on else ".")
        return link(row_id, f"{path}#{self.anchors[row_id]}")

    def links(self, row_ids: Iterable[str], *, on: PurePosixPath | None = None) -> str:
        """Links to several rows, with commas between them."""
        return ", ".join(self.link(row_id, on=on) for row_id in row_ids)
