"""Spot checks of committed result files: a little of each is computed again, and its bits are compared with what is kept.

Of a file with replicates one replicate of one set, of the others one file per run that takes seconds, computed in whole; whose
turn it is, the commit decides as for rows (:mod:`fltheory.evidence.rotation`).  Nothing is written.  Where the arrays were made
with other vector instructions their last bits may differ, and what diverges makes much of that: such differences are said, and
fail only where both sides have the same instructions.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.evidence.environment import instructions
from fltheory.experiments.files import Result, alike, load_result
from fltheory.experiments.origins import Origin
from fltheory.kinds import Array

#: Whose turn it is, while experiments are spot-checked; ``None`` otherwise.
SPOT: ContextVar[int | None] = ContextVar("spot", default=None)
#: Experiments without replicates that take less than a minute.
SHORT = ("fixed_point_bias", "mixed_bias_and_variance", "mixed_rounds", "mixed_stability", "rates", "theorem_bounds")


class OtherForm(ValueError):
    """The kept file is of the other form, reduced or full, of its experiment."""


def spot_replicate(
    path: Path,
    common: dict[str, Any],
    sets: Mapping[str, dict[str, Any]],
    job: Callable[[str, int], dict[str, Array]],
    turn: int,
    report: Callable[[str], None],
) -> Result:
    """Compare one replicate of one set, chosen by ``turn``, and return what is kept.

    Raises
    ------
    OtherForm : no set of the file has these settings.
    ValueError : other bits, from the same instructions.
    """
    kept = load_result(path)
    same = alike(kept.settings.get("common"), common)
    names = [
        name for name in sets if same and kept.replicates(name) and alike(kept.settings["sets"].get(name), sets[name])
    ]
    if not names:
        raise OtherForm(f"{path.name}: no set has the settings of this form")
    name = names[turn % len(names)]
    replicate = (turn // len(names)) % kept.replicates(name)
    found = {f"{name}/{label}": np.asarray(value) for label, value in job(name, replicate).items()}
    before = {key: kept[key][replicate] for key in kept.names_of(name)}
    what = f"{name}: replicate {replicate} of {kept.replicates(name)}"
    report(_judged(path.name, what, before, found, _environments(kept, before, replicate)))
    return kept


def spot_whole(path: Path, run: Callable[[Path], None], report: Callable[[str], None]) -> None:
    """Compare all arrays of a short experiment with what ``run`` writes into another folder."""
    kept = load_result(path)
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder))
        found = load_result(Path(folder) / path.parent.name / path.name).arrays
    report(_judged(path.name, path.stem, kept.arrays, found, _environments(kept, kept.arrays, 0)))


def _environments(kept: Result, names: Iterable[str], replicate: int) -> list[Mapping[str, Any]]:
    """Where the arrays were made, or attested."""
    found: list[Mapping[str, Any]] = []
    for name in names:
        for origin in kept.origins.get(name, ()):
            found += _of(origin)
    return found


def _of(origin: Origin) -> list[Mapping[str, Any]]:
    return [place for place in (origin.environment, origin.attested.get("environment", {})) if place]


def _judged(
    file: str,
    what: str,
    before: Mapping[str, Array],
    found: Mapping[str, Array],
    environments: Iterable[Mapping[str, Any]],
) -> str:
    """A line about the comparison; ``ValueError`` where the same instructions make other bits."""
    wrong = [name for name in sorted({*before, *found}) if not _equal(before.get(name), found.get(name))]
    if not wrong:
        return f"{file}, {what}: equal bits in {len(before)} arrays"
    here = instructions()
    words = f"{file}, {what}: other bits in {len(wrong)} of {len(before)} arrays, such as {wrong[0]}"
    if any(place.get("instructions") == here for place in environments) or not all(
        name in before and name in found and before[name].shape == found[name].shape for name in wrong
    ):
        raise ValueError(words)
    return f"{words}; they were made with other vector instructions"


def _equal(before: Any, found: Any) -> bool:
    if before is None or found is None:
        return False
    return bool(before.dtype == found.dtype and before.shape == found.shape and before.tobytes() == found.tobytes())
