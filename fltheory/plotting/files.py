"""Result files of experiments: one ``.npz`` with named arrays and a JSON description, whole or absent.

The description says what was run (``settings``) and with what (``environment``: versions, processor, cores).  A result
that was computed in part can be continued: :func:`resume` returns what a file of the same settings already holds.
"""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
SCHEMA = 1


@dataclass(frozen=True, eq=False)
class Result:
    """Arrays of an experiment by name, and what is needed to repeat it.

    ``settings`` is JSON data; ``seconds`` the computing time spent so far.
    """

    settings: dict[str, Any]
    arrays: dict[str, Array] = field(default_factory=dict)
    environment: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def with_arrays(self, arrays: dict[str, Array], *, seconds: float = 0.0) -> Result:
        """A copy with more arrays and more time spent."""
        return replace(self, arrays={**self.arrays, **arrays}, seconds=self.seconds + seconds)

    def __getitem__(self, name: str) -> Array:
        """The array of this name; ``KeyError`` lists what there is."""
        try:
            return self.arrays[name]
        except KeyError:
            raise KeyError(f"no array {name!r}; there are {', '.join(sorted(self.arrays))}") from None


def save_result(result: Result, path: str | os.PathLike[str]) -> Path:
    """Write ``path`` (``.npz``) under another name first, then rename it."""
    from fltheory.evidence.environment import describe

    target = Path(path)
    if target.suffix != ".npz":
        raise ValueError(f"path={target.name!r} does not end in .npz")
    for name in result.arrays:
        if name == "description":
            raise ValueError("array name 'description' is reserved")
    target.parent.mkdir(parents=True, exist_ok=True)
    description = {
        "schema": SCHEMA,
        "settings": result.settings,
        "environment": result.environment or describe(),
        "seconds": round(result.seconds, 1),
    }
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=target.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            text = np.array(json.dumps(description, sort_keys=True))
            np.savez_compressed(file, allow_pickle=False, description=text, **result.arrays)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return target


def load_result(path: str | os.PathLike[str]) -> Result:
    """Read what :func:`save_result` wrote.

    Raises
    ------
    FileNotFoundError : no such file; run the experiment first.
    ValueError : a file of another kind or schema.
    """
    source = Path(path)
    if not source.is_file():
        raise FileNotFoundError(f"result file {source.name!r} is missing: run the experiment that writes it first")
    with np.load(source, allow_pickle=False) as file:
        if "description" not in file.files:
            raise ValueError(f"{source.name!r} is not a result file: it has no description")
        arrays = {name: file[name] for name in file.files}
    description = json.loads(str(arrays.pop("description")))
    if description.get("schema") != SCHEMA:
        raise ValueError(f"{source.name!r} has schema={description.get('schema')}; expected {SCHEMA}")
    return Result(description["settings"], arrays, description["environment"], float(description["seconds"]))


def resume(path: str | os.PathLike[str], settings: dict[str, Any]) -> Result:
    """The result in ``path`` if it was made with the same settings, otherwise an empty one."""
    fresh = Result(settings)
    if not Path(path).is_file():
        return fresh
    try:
        found = load_result(path)
    except ValueError:
        return fresh
    same = json.dumps(found.settings, sort_keys=True) == json.dumps(settings, sort_keys=True)
    return replace(found, environment={}) if same else fresh
