"""References between claims of different scripts: which of the ids that a claim names are defined where it cannot see."""

from __future__ import annotations

import re
from pathlib import Path

from fltheory.evidence import ids
from fltheory.evidence.bundles import parts_of
from fltheory.evidence.catalogue import Catalogue, find_scripts, load


def defined_elsewhere(catalogue: Catalogue, folder: Path | None = None) -> list[str]:
    """Ids that the catalogue's claims refer to and that a script outside the catalogue defines.

    An id that no text has as the first argument of ``claim(...)`` may be computed: scripts whose text names it are loaded.
    """
    named = {
        name
        for claim in catalogue.claims.values()
        for name in (claim.repair, *claim.proof_steps, *claim.depends, *parts_of(claim))
    } - {"", *catalogue.claims, *ids.index()}
    if not named:
        return []
    loaded = {script.path for script in catalogue.scripts.values()}
    others = [script for script in find_scripts(folder) if script.path not in loaded]
    texts = {script: script.path.read_text(encoding="utf-8", errors="replace") for script in others}
    whole = "\n".join(texts.values())
    plain = {name for name in named if re.search(rf"""claim\(\s*['"]{re.escape(name)}(['"]|\[|\.)""", whole)}
    computed = [script for script, text in texts.items() if any(ids.base(name) in text for name in named - plain)]
    found = load(computed)
    return sorted(plain | {name for name in named - plain if found.ids_of(name)})
