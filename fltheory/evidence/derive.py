"""The end of checks whose proof is a derivation: its lines are kept, and replayed by whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fltheory.derivation.statement import derived
from fltheory.evidence.decide import Instances, decide
from fltheory.evidence.model import Evidence
from fltheory.kinds import JSON

Script = Callable[[], Mapping[str, JSON]]


def by_derivation(script: Script | Mapping[str, Script], found: Instances, **words: Any) -> Evidence:
    """The statement holds if the script derives it, else the instance that breaks it decides, if there is one.

    A statement with several cases has a script for each, by name.  ``words`` as in :func:`fltheory.evidence.decide.decide`.
    """
    if callable(script):
        proved, kept = derived(script)
        return decide(proved, found, certificate=kept, **words)
    every = {name: derived(one) for name, one in script.items()}
    gap = next((reason for (good, reason), _ in every.values() if not good), "")
    return decide((not gap, gap), found, certificate={name: kept for name, (_, kept) in every.items()}, **words)
