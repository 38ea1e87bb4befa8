"""Which arrays of the committed result files the code of today would make otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fltheory.evidence.keys import experiment_key
from fltheory.experiments.origins import UNKNOWN, Origin, from_data
from fltheory.experiments.scripts import EXPERIMENTS, named_scripts
from fltheory.files import read_description

NO_KEY = "no key recorded"


def read_origins(path: Path) -> tuple[list[str], dict[str, tuple[Origin, ...]]]:
    """Names of the arrays of a result file, and their origins."""
    description, names = read_description(path, "a result file")
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


def report(root: Path) -> tuple[list[str], dict[str, list[str]]]:
    """Lines about the result files of a checkout, and as data which arrays are stale and which are only attested."""
    found = standings(root / "results" / "experiments", named_scripts(EXPERIMENTS))
    stale, known = [item for item in found if item.stale], [item for item in found if not item.stale]
    first = (
        f"{sum(item.arrays for item in stale)} arrays of {len({item.file for item in stale})} experiment files are stale "
        "(the exit code does not count them; fltheory experiment NAME computes them anew)"
    )
    data = {"stale": [str(item) for item in stale], "attested": [str(item) for item in known]}
    return [first, *(f"  {item}" for item in [*stale, *known])], data
