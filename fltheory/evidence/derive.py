"""The end of checks whose proof is a derivation: its lines are kept, and replayed by whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fltheory.derivation.statement import Derived, derived
from fltheory.evidence.decide import Instances, decide
from fltheory.evidence.model import Evidence
from fltheory.kinds import JSON

Script = Callable[[], Mapping[str, JSON]]
_UNDERIVED = "The derivation stops; the instance was evaluated in exact arithmetic."


def by_derivation(
    script: Script | Mapping[str, Script] | Derived | Sequence[Derived], found: Instances, **words: Any
) -> Evidence:
    """The statement holds if the script derives it, else the instance that breaks it decides, if there is one.

    A statement with several cases has a script for each, by name.  What was derived already is given as it is, and says its
    length where no method is told.  ``words`` as in :func:`fltheory.evidence.decide.decide`.
    """
    if callable(script):
        proved, kept = derived(script)
        return decide(proved, found, certificate=kept, **words)
    if isinstance(script, Mapping):
        every = {name: derived(one) for name, one in script.items()}
        gap = next((reason for (good, reason), _ in every.values() if not good), "")
        return decide((not gap, gap), found, certificate={name: kept for name, (_, kept) in every.items()}, **words)
    parts = [script] if isinstance(script, Derived) else list(script)
    gap = next((part.reason for part in parts if part.certificate is None), "")
    method = _UNDERIVED if gap else f"Derived in {sum(part.length for part in parts)} lines from the hypotheses named."
    certificates = {str(i): part.certificate for i, part in enumerate(parts)}
    kept = certificates["0"] if len(parts) == 1 else certificates
    return decide((not gap, gap), found, certificate=None if gap else kept, **{"method": method, **words})
