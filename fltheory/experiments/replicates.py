"""The loop over the replicates of an experiment, which can be interrupted, and the attestation of what was computed before.

A replicate is independent of all others: it has data of its own (a generated data set, or a division of images among
clients), and its seed serves no other replicate of any set.  Within a replicate all algorithms see the same data, cohorts
and batches.  How many replicates are run is part of the settings: a file that was made with another number is not
continued, so that no number can be raised after a look at the result.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments.files import Result, alike, load_result, made_by, save_result
from fltheory.experiments.origins import ATTESTING, Origin, attested, cut
from fltheory.experiments.seeds import require_apart
from fltheory.experiments.spot import SPOT, spot_replicate
from fltheory.kinds import JSON, Array
from fltheory.machine import cores
from fltheory.processes import FORKS, in_order
from fltheory.sweep.items import compute_items

#: Stands beside a replicate's arrays on its way: no experiment names an array so.
_SECONDS = " seconds"


def run_replicates(
    path: Path,
    common: dict[str, JSON],
    sets: Mapping[str, dict[str, Any]],
    job: Callable[[str, int], dict[str, Array]],
    *,
    script: str | os.PathLike[str],
    data: Mapping[str, str] | None = None,
    report: Callable[[str], None] = print,
    processes: int | None = None,
) -> Result:
    """Compute ``job(name, replicate)`` for all replicates of every set (``sets[name]["replicates"]``) that are missing.

    ``job`` returns one array per label; the result holds them as ``"name/label"`` with the replicate axis in front.
    ``script`` is the experiment (its ``__file__``), ``data[name]`` the digest of the outside data of a set.  Replicates run
    in processes, one per core unless ``processes`` says how many; the file is written after every replicate, in order, and
    those that are finished out of their order wait in a folder beside it (``NAME.sweep``, removed in the end), so that an
    interrupted experiment goes on where it stopped.  What was computed with other ``common`` settings, with other
    settings of the set (their number of replicates is one), by other code or from other data is dropped, which is said; sets
    that are not asked for are kept with the origin that they have.

    Under ``experiment --attest`` nothing is added: see :func:`attest`.

    Raises
    ------
    ValueError : two sets whose replicates share seeds.
    """
    require_apart(sets)
    origins = {name: made_by(script, (data or {}).get(name, "")) for name in sets}
    if ATTESTING.get():
        return attest(path, common, sets, job, origins, report=report)
    turn = SPOT.get()
    if turn is not None:
        return spot_replicate(path, common, sets, job, turn, report)
    result = _kept(path, common, sets, origins, report)
    for name, entry in sets.items():
        count, done = entry["replicates"], result.replicates(name)
        items = range(done, count)

        def add(replicate: int, found: dict[str, Array], name: str = name, count: int = count) -> None:
            nonlocal result
            seconds = float(found.pop(_SECONDS))
            arrays = {f"{name}/{label}": value[None] for label, value in found.items()}
            result = result.with_rows(arrays, origin=origins[name], seconds=seconds)
            save_result(result, path)
            report(f"{name}: replicate {replicate + 1} of {count}, {result.seconds:.0f} s of one core in all")

        origin = origins[name]
        key = (origin.script, origin.code, origin.data, common, entry, name)
        _compute(partial(_timed, job, name), items, add, path.with_suffix(".sweep"), key, processes)
    return result


def _compute(
    job: Callable[[int], dict[str, Array]],
    items: Sequence[int],
    add: Callable[[int, dict[str, Array]], None],
    folder: Path,
    key: object,
    processes: int | None,
) -> None:
    """``add(item, job(item))`` in the order of the items; with several processes those that are finished early are kept."""
    workers = min(cores() if processes is None else processes, len(items))
    if workers <= 1 or not FORKS:
        with closing(in_order(job, items, processes=1)) as answers:
            for item, found in zip(items, answers, strict=True):
                add(item, found)
        return
    early: dict[int, dict[str, Array]] = {}
    following = 0

    def finished(place: int, found: dict[str, Array]) -> None:
        nonlocal following
        early[place] = found
        while following in early:
            add(items[following], early.pop(following))
            following += 1

    compute_items(job, items, folder=folder, key=key, processes=workers, done=finished)


def _kept(
    path: Path,
    common: dict[str, JSON],
    sets: Mapping[str, dict[str, Any]],
    origins: Mapping[str, Origin],
    report: Callable[[str], None],
) -> Result:
    """What ``path`` holds that was computed with these settings, by this code and from these data."""
    fresh = Result({"common": common, "sets": dict(sets)})
    if not path.is_file():
        return fresh
    found = load_result(path)
    if not alike(found.settings.get("common"), common):
        report(f"{path.name}: other settings, all {len(found.arrays)} arrays are dropped and computed anew")
        return fresh
    old = found.settings["sets"]
    kept = Result({"common": common, "sets": {**old, **sets}}, environment=found.environment)
    for name in old:
        keys = found.names_of(name)
        count, why = found.replicates(name), ""
        if name in sets and not alike(sets[name], old[name]):
            good, why = 0, "other settings"
        elif name in sets:
            good, why = min((_alike(found, key, origins[name]) for key in keys), default=0), "other code or data"
        else:
            good = count
        if good < count:
            report(f"{path.name}: {name}: {count - good} of {count} replicates are dropped and computed anew: {why}")
        if good:
            arrays = {key: found[key] if name not in sets else found[key][:good] for key in keys}
            stretches = {
                key: found.origins[key] if name not in sets else cut(found.origins[key], good)
                for key in keys
                if key in found.origins
            }
            kept = replace(kept, arrays={**kept.arrays, **arrays}, origins={**kept.origins, **stretches})
    whole = all(len(kept.arrays.get(key, ())) == len(array) for key, array in found.arrays.items())
    unknown = kept.arrays.keys() - kept.origins.keys()
    # The time of what is dropped cannot be told from that of what is kept.
    return replace(kept, seconds=found.seconds if whole else 0.0, environment=found.environment if unknown else {})


def _alike(result: Result, key: str, origin: Origin) -> int:
    """How many replicates at the beginning of an array were made by this code from these data."""
    count = 0
    for stretch in result.origins.get(key, ()):
        if not stretch.same(origin):
            break
        count += stretch.items
    return count


def attest(
    path: Path,
    common: dict[str, JSON],
    sets: Mapping[str, dict[str, Any]],
    job: Callable[[str, int], dict[str, Array]],
    origins: Mapping[str, Origin],
    *,
    report: Callable[[str], None] = print,
) -> Result:
    """Compute one replicate, drawn anew, of every set of other code; where all bits are equal, note the key of today's code.

    The file then says that the arrays are attested, by which replicate of how many, beside the environment in which they
    were computed, if that is known.  A set of other settings or of unequal length is left as it is, which is said.

    Raises
    ------
    ValueError : no such file or other common settings; some set has other bits (the others are noted all the same).
    """
    if not path.is_file() or not alike(load_result(path).settings.get("common"), common):
        raise ValueError(f"{path.name!r} is missing or has other settings: there is nothing to attest in this form")
    result = load_result(path)
    unequal = []
    for name, entry in sets.items():
        keys, count = result.names_of(name), result.replicates(name)
        if not count or not alike(result.settings["sets"].get(name), entry):
            report(f"{name}: not attested: absent, incomplete or of other settings")
            continue
        stretches = [each for key in keys for each in result.origins.get(key, ())]
        if all(_alike(result, key, origins[name]) == count for key in keys) and not any(s.attested for s in stretches):
            report(f"{name}: nothing to attest: it has the key of this code")
            continue
        replicate = secrets.randbelow(count)
        found = {f"{name}/{label}": value for label, value in job(name, replicate).items()}
        wrong = [key for key in sorted({*keys, *found}) if not _equal_bits(result, key, replicate, found.get(key))]
        if wrong:
            unequal.append(name)
            report(
                f"{name}: replicate {replicate} has other bits in {len(wrong)} of {len(keys)} arrays, such as {wrong[0]}"
            )
            continue
        made = {key: attested(result.origins.get(key, ()), origins[name], replicate, count) for key in keys}
        result = replace(result, origins={**result.origins, **made})
        save_result(result, path)
        report(f"{name}: attested by replicate {replicate} of {count}: equal bits in {len(keys)} arrays")
    if unequal:
        raise ValueError(
            f"{path.name}: other bits in {', '.join(unequal)}: today's code, on this processor, makes other numbers"
        )
    return result


def _equal_bits(result: Result, key: str, replicate: int, value: object) -> bool:
    if value is None or key not in result.arrays:
        return False
    kept, now = result[key][replicate], np.asarray(value)
    return bool(kept.dtype == now.dtype and kept.shape == now.shape and kept.tobytes() == now.tobytes())


def _timed(job: Callable[[str, int], dict[str, Array]], name: str, replicate: int) -> dict[str, Array]:
    begin = time.thread_time()
    found = job(name, replicate)
    return {**found, _SECONDS: np.array(time.thread_time() - begin)}
