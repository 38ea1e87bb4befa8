"""Result files of experiments: one ``.npz`` with named arrays and a JSON description, whole or absent.

The description says what was run (``settings``) and, for every array, what made it: the key of code and data and the
environment at that time (:mod:`fltheory.experiments.origins`).  Writing a file changes neither for arrays that it only hands on.
A result that was computed in part can be continued: :func:`resume` returns what a file of the same settings holds that the
same code and data made.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments.origins import UNKNOWN, Origin, from_data, joined, origin_now, to_data
from fltheory.files import read_arrays, write_arrays
from fltheory.kinds import JSON, Array

#: Files of schema 1 have no origins and one environment, that of the last process that wrote the file.
SCHEMA, READABLE = 2, (1, 2)


@dataclass(frozen=True, eq=False)
class Result:
    """Arrays of an experiment by name, and what is needed to repeat it.

    ``settings`` is JSON data; ``seconds`` the computing time spent so far; ``origins`` says of the arrays what made them,
    as far as it was recorded.  ``environment`` is that of a file of schema 1, whose arrays it may or may not have made.
    """

    settings: dict[str, Any]
    arrays: dict[str, Array] = field(default_factory=dict)
    environment: dict[str, JSON] = field(default_factory=dict)
    seconds: float = 0.0
    origins: dict[str, tuple[Origin, ...]] = field(default_factory=dict)

    def with_arrays(self, arrays: dict[str, Array], *, origin: Origin, seconds: float = 0.0) -> Result:
        """A copy with more arrays, made now, and more time spent."""
        made = {name: (replace(origin, items=0),) for name in arrays}
        return replace(
            self, arrays={**self.arrays, **arrays}, seconds=self.seconds + seconds, origins={**self.origins, **made}
        )

    def with_rows(self, arrays: dict[str, Array], *, origin: Origin, seconds: float = 0.0) -> Result:
        """A copy with rows, made now, added to the arrays along their leading axis, and more time spent."""
        whole, origins = dict(self.arrays), dict(self.origins)
        for name, rows in arrays.items():
            before = origins.get(name, (replace(UNKNOWN, items=len(whole[name])),) if name in whole else ())
            whole[name] = np.concatenate([whole[name], rows]) if name in whole else rows
            origins[name] = joined([*before, replace(origin, items=len(rows))])
        return replace(self, arrays=whole, origins=origins, seconds=self.seconds + seconds)

    def only(self, names: Iterable[str]) -> Result:
        """A copy with these arrays."""
        kept = set(names)
        return replace(
            self,
            arrays={name: array for name, array in self.arrays.items() if name in kept},
            origins={name: origin for name, origin in self.origins.items() if name in kept},
        )

    def names_of(self, data: str) -> list[str]:
        """Names of the arrays of a data set, whose own name stands in front of their last ``/``."""
        return [name for name in self.arrays if name.rpartition("/")[0] == data]

    def replicates(self, data: str) -> int:
        """Number of replicates of a data set; 0 if there are none, or not equally many in all of its arrays."""
        counts = {len(self.arrays[name]) for name in self.names_of(data)}
        return counts.pop() if len(counts) == 1 else 0

    def __getitem__(self, name: str) -> Array:
        """The array of this name; ``KeyError`` lists what there is."""
        try:
            return self.arrays[name]
        except KeyError:
            raise KeyError(f"no array {name!r}; there are {', '.join(sorted(self.arrays))}") from None


def made_by(script: str | os.PathLike[str], data: str = "") -> Origin:
    """The origin of what the experiment ``script`` (its ``__file__``) computes from now on; ``data``: digest of outside data."""
    return origin_now(Path(script), data)


@dataclass(frozen=True)
class Making:
    """An experiment without replicates while it runs: what makes its arrays, and the processor's time at its beginning."""

    origin: Origin
    begin: float

    @staticmethod
    def by(script: str | os.PathLike[str]) -> Making:
        """To be called before any number is computed; ``script`` is the experiment (its ``__file__``)."""
        return Making(made_by(script), time.process_time())

    def save(self, path: Path, settings: dict[str, JSON], arrays: dict[str, Array]) -> Path:
        """Write all that was computed."""
        spent = Result(settings, seconds=time.process_time() - self.begin)
        return save_result(spent.with_arrays(arrays, origin=self.origin), path)


def save_result(result: Result, path: str | os.PathLike[str]) -> Path:
    """Write ``path`` (``.npz``), whole or not at all."""
    target = Path(path)
    if target.suffix != ".npz":
        raise ValueError(f"path={target.name!r} does not end in .npz")
    target.parent.mkdir(parents=True, exist_ok=True)
    description = {
        "schema": SCHEMA,
        "settings": result.settings,
        "origins": to_data({name: origin for name, origin in result.origins.items() if name in result.arrays}),
        "seconds": round(result.seconds, 1),
        **({"environment": result.environment} if result.environment else {}),
    }
    write_arrays(target, description, result.arrays)
    return target


def load_result(path: str | os.PathLike[str]) -> Result:
    """Read what :func:`save_result` wrote.

    Raises
    ------
    FileNotFoundError : no such file; run the experiment first.
    ValueError : a file of another kind or schema, or a damaged one.
    """
    source = Path(path)
    if not source.is_file():
        raise FileNotFoundError(f"result file {source.name!r} is missing: run the experiment that writes it first")
    description, arrays = read_arrays(source, "a result file")
    if description.get("schema") not in READABLE:
        raise ValueError(f"{source.name!r} has schema={description.get('schema')}; expected one of {READABLE}")
    return Result(
        description["settings"],
        arrays,
        description.get("environment", {}),
        float(description["seconds"]),
        from_data(description.get("origins", {})),
    )


def resume(
    path: str | os.PathLike[str], settings: dict[str, JSON], origin: Origin, *, report: Callable[[str], None] = print
) -> Result:
    """What ``path`` holds that was made with the same settings, code and data; the rest is dropped, and said.

    Without any time spent if something is dropped: what it took cannot be told from the rest.
    """
    fresh = Result(settings)
    if not Path(path).is_file():
        return fresh
    try:
        found = load_result(path)
    except ValueError:
        return fresh
    if not alike(found.settings, settings):
        return fresh
    good = [name for name in found.arrays if made_alike(found, name, origin)]
    if len(good) == len(found.arrays):
        return found
    report(
        f"{Path(path).name}: {len(found.arrays) - len(good)} arrays of other code or data are dropped and computed anew"
    )
    return replace(found.only(good), environment={}, seconds=0.0)


def alike(one: object, other: object) -> bool:
    """Whether two settings are the same once they are written down."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def made_alike(result: Result, name: str, origin: Origin) -> bool:
    """Whether all of an array was made by this code and data."""
    stretches = result.origins.get(name, ())
    return bool(stretches) and all(each.same(origin) for each in stretches)
