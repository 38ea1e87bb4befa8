"""What stands beside a picture: what is seen, from which data, how many replicates, which seeds, which claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fltheory.experiments.files import Result


@dataclass(frozen=True)
class Caption:
    """``finding`` is the title; ``shows`` says what is drawn and how; ``setting`` what was run.

    ``source`` names the results file below ``results/``, ``facts`` are lines about data, replicates and seeds that are read from
    it, ``claims`` the ids of the ledger's rows.
    """

    name: str
    finding: str
    shows: str
    setting: str
    source: str
    facts: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()

    def text(self) -> str:
        """Markdown."""
        lines = [
            f"- Setting: {self.setting}",
            f"- Data: `results/{self.source}`" if self.source[0] != "(" else f"- Data: {self.source[1:-1]}",
            *(f"- {fact}" for fact in self.facts),
        ]
        if self.claims:
            lines.append(f"- Claims: {', '.join(self.claims)}")
        words = plain(self.finding)
        return "\n".join((f"**{words}**", "", self.shows, "", *lines, f"- Drawn by: `fltheory figure {self.name}`", ""))


def facts_of(result: Result, sets: Sequence[str] = (), *, shown: int | None = None) -> tuple[str, ...]:
    """Data sets, replicates and seeds as a results file states them; ``shown`` of the replicates where not all are drawn."""
    entries: Mapping[str, Mapping[str, Any]] = result.settings.get("sets", {})
    common: Mapping[str, Any] = result.settings.get("common", result.settings)
    some = f", of which {shown} are drawn" if shown is not None else ""
    lines = [_one_set(name, entries[name], some) for name in (sets or entries)]
    if "runs" in common:
        lines.append(f"Replicates: {common['runs']} runs")
    if not entries and "runs" not in common:
        lines.append("Replicates: none, the numbers are computed and not sampled; no seeds")
    told = common.get("seeds")
    if told is not None:
        lines.append(f"Seeds: {told if isinstance(told, str) else ', '.join(map(str, told))}")
    codes = sorted({origin.code[:12] for made in result.origins.values() for origin in made})
    lines.append(f"Form: {common.get('form', 'the only one')}; made by code of the key {', '.join(codes)}")
    return tuple(lines)


def _one_set(name: str, entry: Mapping[str, Any], some: str) -> str:
    size = entry.get("clients", entry.get("users"))
    clients = f", {size} {'clients' if 'clients' in entry else 'users'}" if size is not None else ""
    return f"{name}: {entry['replicates']} replicates{some}{clients}; first seed {entry['first seed']}"


def plain(words: str) -> str:
    """A title without the marks of formulas."""
    for mark, sign in (
        (r"\eta", "η"),
        (r"\kappa", "κ"),
        (r"\zeta^2", "ζ²"),
        (r"\Gamma", "Γ"),
        (r"\phi", "φ"),
        ("$", ""),
    ):
        words = words.replace(mark, sign)
    return words
