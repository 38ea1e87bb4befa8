"""The end of checks whose proof is a derivation: its lines are kept, and replayed by whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fltheory.derivation.statement import Derived, derived
from fltheory.evidence.certificates import verify_certificate
from fltheory.evidence.decide import Instances, decide
from fltheory.evidence.model import Evidence
from fltheory.kinds import JSON

Script = Callable[[], Mapping[str, JSON]]
_UNDERIVED = "The derivation stops; the instance was evaluated in exact arithmetic."


def by_derivation(
    script: Script | Mapping[str, Script] | Derived | Sequence[Derived],
    found: Instances,
    *,
    beside: Mapping[str, Mapping[str, JSON]] | None = None,
    **words: Any,
) -> Evidence:
    """The statement holds if the script derives it, else the instance that breaks it decides, if there is one.

    A statement with several cases has a script for each, by name.  What was derived already is given as it is, and says its
    length where no method is told.  ``beside``: certificates of other kinds that the statement needs too, by name, which
    must verify and are kept with the derivation.  ``words`` as in :func:`fltheory.evidence.decide.decide`.
    """
    every: Mapping[str, tuple[tuple[bool, str], Mapping[str, JSON] | None]]
    if callable(script):
        every = {"derivation": derived(script)}
    elif isinstance(script, Mapping):
        every = {name: derived(one) for name, one in script.items()}
    else:
        parts = [script] if isinstance(script, Derived) else list(script)
        every = {
            str(i): ((part.certificate is not None, part.reason), part.certificate) for i, part in enumerate(parts)
        }
        whole = all(part.certificate is not None for part in parts)
        length = sum(part.length for part in parts)
        words.setdefault("method", f"Derived in {length} lines from the hypotheses named." if whole else _UNDERIVED)
    gap = next((reason for (good, reason), _ in every.values() if not good), "")
    for name, data in (beside or {}).items():
        good, reason = verify_certificate(data)
        gap = gap or ("" if good else f"{name}: {reason}")
    kept: dict[str, Any] = {**{name: one for name, (_, one) in every.items()}, **(beside or {})}
    single = not isinstance(script, Mapping) and len(kept) == 1
    return decide((not gap, gap), found, certificate=next(iter(kept.values())) if single else kept, **words)
