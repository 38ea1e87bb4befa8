"""Where the arrays of a result file come from, and which of them the code of today would make otherwise.

Every array of ``results/experiments/*.npz`` carries its :class:`Origin`, or several where replicates were added at
different times: the experiment, the key of its code (:func:`fltheory.evidence.keys.experiment_key`), the digest of the data
that entered from outside the package, and the environment at the time.  Files from before this was kept have none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.evidence.environment import describe
from fltheory.evidence.keys import experiment_key

NO_KEY = "no key recorded"
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
    environment: Mapping[str, Any] = field(default_factory=dict)
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


def to_data(origins: Origins) -> dict[str, Any]:
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


def read_origins(path: Path) -> tuple[list[str], dict[str, tuple[Origin, ...]]]:
    """Names of the arrays of a result file, and their origins."""
    with np.load(path, allow_pickle=False) as file:
        names = [name for name in file.files if name != "description"]
        description = json.loads(str(file["description"])) if "description" in file.files else {}
    return names, from_data(description.get("origins", {}))


@dataclass(frozen=True)
class Standing:
    """Arrays of one group of a result file that share the reason why they are stale, or the words of their attestation."""

    file: str
    group: str
    arrays: int
    why: str
    stale: bool

    def __str__(self) -> str:
        arrays = "1 array" if self.arrays == 1 else f"{self.arrays} arrays"
        return f"{self.file}: {self.group} ({arrays}): {self.why}"


def standings(folder: Path, scripts: Mapping[str, Path]) -> list[Standing]:
    """Every group of arrays below ``folder`` that is stale or attested; ``scripts`` are the experiments by name.

    The data are not compared: they may not be here.  A group is what stands in front of the last ``/`` of the names.
    """
    found: list[Standing] = []
    for path in sorted(folder.rglob("*.npz")):
        names, origins = read_origins(path)
        reasons: dict[tuple[str, str, bool], int] = {}
        for name in names:
            for why, stale in _reasons(origins.get(name, ()), scripts):
                place = (name.rpartition("/")[0] or name, why, stale)
                reasons[place] = reasons.get(place, 0) + 1
        found += _shortened(path.relative_to(folder).as_posix(), len(names), reasons)
    return found


def _reasons(stretches: tuple[Origin, ...], scripts: Mapping[str, Path]) -> Iterator[tuple[str, bool]]:
    found: dict[tuple[str, bool], int] = {}
    for origin in stretches or (UNKNOWN,):
        again = origin.attested
        if not origin.code:
            why = NO_KEY, True
        elif origin.script not in scripts:
            why = f"the experiment {origin.script} that made it is gone", True
        elif origin.code != experiment_key(scripts[origin.script]):
            why = f"the code of {origin.script} has changed since", True
        elif again:
            why = (
                f"attested: {len(again['replicates'])} of {again['of']} replicates computed anew, with equal bits",
                False,
            )
        else:
            continue
        found[why] = found.get(why, 0) + origin.items
    total = sum(origin.items for origin in stretches)
    for kind in (True, False):
        lines = [
            words if items == total else f"{words} ({items} of {total} replicates)"
            for (words, stale), items in found.items()
            if stale is kind
        ]
        if lines:
            yield "; ".join(lines), kind


def _shortened(file: str, names: int, reasons: Mapping[tuple[str, str, bool], int]) -> list[Standing]:
    """One line where all arrays of a file are stale for the same reason."""
    causes = {(why, stale) for _, why, stale in reasons}
    if len(causes) == 1 and sum(reasons.values()) == names:
        ((why, stale),) = causes
        return [Standing(file, "all groups", names, why, stale)]
    return [Standing(file, group, count, why, stale) for (group, why, stale), count in reasons.items()]
