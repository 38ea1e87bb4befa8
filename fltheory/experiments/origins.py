"""Where the arrays of a result file come from.

Every array of ``results/experiments/*.npz`` carries its :class:`Origin`, or several where replicates were added at
different times: the experiment, the key of its code (:func:`fltheory.evidence.keys.experiment_key`), the digest of the data
that entered from outside the package, and the environment at the time.  Files from before this was kept have none.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.evidence.environment import describe
from fltheory.evidence.keys import experiment_key
from fltheory.kinds import JSON

#: Whether experiments recompute one replicate of what is kept instead of computing what is missing (``--attest``).
ATTESTING: ContextVar[bool] = ContextVar("attesting", default=False)


@dataclass(frozen=True)
class Origin:
    """What made an array, or a stretch of its replicates.

    ``script``: name of the experiment; ``code``: its key; ``data``: digest of outside data, empty if there is none;
    ``environment``: versions and processor, empty if nobody wrote them down; ``items``: how many replicates, 0 for an array
    that was made at once.  ``attested`` stands where the code is not the one that computed the array: which replicates were
    computed anew with ``code`` and had equal bits, out of how many, in which environment, and the code before.
    """

    script: str
    code: str
    data: str = ""
    environment: Mapping[str, object] = field(default_factory=dict)
    items: int = 0
    attested: Mapping[str, Any] = field(default_factory=dict)

    def same(self, other: Origin) -> bool:
        """Whether code and data are the same."""
        return (self.script, self.code, self.data) == (other.script, other.code, other.data)


Origins = Mapping[str, tuple[Origin, ...]]
UNKNOWN = Origin("", "")


def origin_now(script: Path, data: str = "") -> Origin:
    """What this process makes with the experiment ``script``; to be called before its numbers are computed."""
    return Origin(script.stem, experiment_key(script), data, describe())


def digest_of(*parts: Any) -> str:
    """SHA-256 of arrays (type, shape, bytes), of bytes and of texts."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, str | bytes):
            raw = part.encode() if isinstance(part, str) else part
            head = f"{type(part).__name__} {len(raw)}"
        else:
            array = np.ascontiguousarray(part)
            head, raw = f"{array.dtype.str} {array.shape}", array.tobytes()
        total.update(f"{head}\n".encode() + raw)
    return total.hexdigest()


def joined(origins: Iterable[Origin]) -> tuple[Origin, ...]:
    """The stretches of an array, neighbours of one origin as one."""
    found = []
    for origin, alike in groupby(origins, key=lambda origin: replace(origin, items=0)):
        found.append(replace(origin, items=sum(each.items for each in alike)))
    return tuple(found)


def cut(origins: tuple[Origin, ...], items: int) -> tuple[Origin, ...]:
    """The origins of the first ``items`` replicates."""
    found = []
    for origin in origins:
        if items > 0:
            found.append(replace(origin, items=min(items, origin.items)))
        items -= origin.items
    return tuple(found)


def attested(before: tuple[Origin, ...], now: Origin, replicate: int, count: int) -> tuple[Origin, ...]:
    """The origins of ``count`` replicates of which one, computed anew as ``now`` says, has the bits that were kept."""
    found = []
    for each in before or (replace(UNKNOWN, items=count),):
        again = each.attested if each.same(now) else {}
        note = {
            "replicates": sorted({*again.get("replicates", ()), replicate}),
            "of": count,
            "environment": now.environment,
            "code before": again.get("code before", each.code),
        }
        found.append(replace(now, environment=each.environment, items=each.items, attested=note))
    return tuple(found)


def to_data(origins: Origins) -> dict[str, JSON]:
    """JSON data: the different origins once, and their numbers with counts of replicates for every array."""
    made: list[dict[str, Any]] = []
    arrays: dict[str, list[list[int]]] = {}
    for name, stretches in sorted(origins.items()):
        for origin in stretches:
            entry = {key: value for key, value in asdict(origin).items() if key != "items"}
            if entry not in made:
                made.append(entry)
            arrays.setdefault(name, []).append([made.index(entry), origin.items])
    return {"made": made, "arrays": arrays}


def from_data(data: Mapping[str, Any]) -> dict[str, tuple[Origin, ...]]:
    """What :func:`to_data` wrote; nothing for a file that has no origins."""
    made = [Origin(**entry) for entry in data.get("made", ())]
    return {
        name: tuple(replace(made[place], items=items) for place, items in stretches)
        for name, stretches in data.get("arrays", {}).items()
    }
