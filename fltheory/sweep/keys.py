"""Content addresses: the digest of all that a result depends on, and of nothing else.

In the key of a configuration: every number of the problem (its fields, to the last bit), the algorithm's class and fields, the
parameters, the settings, and the text of what computes: the package's own modules (:func:`package_digest`), and of a class or
function of the user's own its text, without comments and layout, with the functions, classes and numbers of its own files that it
names (:mod:`fltheory.sweep.sources`).  Not in the key: names and the order in the grid, how work is shared (jobs, batches,
threads, engine), the machine, and the versions of Python, NumPy, SciPy and numba, which are written into the store's files
(:mod:`fltheory.sweep.maker`); after an upgrade results are kept, and another folder is the way to have them anew.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.problems.checks import shown
from fltheory.sweep.sources import Held, function_in, is_own, name_of, parts_of

#: What a run is computed with: folders of the package, and modules beside them.
RUNS = ("problems", "algorithms", "readings", "kernels", "simulate", "gpu")
VERBS = (*RUNS, "derivation", "theory", "worstcase", "evidence", "experiments", "conformance")
_BESIDE = ("files", "kinds", "limits", "streams")
#: Takes the place of a number that configurations of one batch may differ in.
_ANY_NUMBER = b"any number"


@cache
def package_digest(folders: tuple[str, ...] = RUNS) -> str:
    """SHA-256 of the text of the package's modules in these folders, line ends normalised."""
    root = Path(__file__).parents[1]
    files = [path for folder in folders for path in sorted((root / folder).rglob("*.*"))]
    files = [path for path in files if path.suffix in (".py", ".cu")]
    total = hashlib.sha256()
    for path in [*files, *(root / f"{name}.py" for name in _BESIDE)]:
        total.update(f"{path.relative_to(root).as_posix()}\n".encode() + path.read_bytes().replace(b"\r\n", b"\n"))
    return total.hexdigest()


def digest(value: object, *, structure: bool = False) -> str:
    """32 hexadecimal digits that stand for ``value``.

    With ``structure`` floats and fractions that are fields count as equal, whatever they are: what has equal structure can share
    a batch.

    Raises
    ------
    ValueError : something that has no content to be told by, such as an open file.
    """
    total = _Total(structure)
    total.add(value)
    return total.hexdigest()


class _Total:
    """A hash that grows with values; whatever is added is told apart by a tag and its length."""

    def __init__(self, structure: bool) -> None:
        self._hash = hashlib.sha256()
        self._structure = structure
        self._met: dict[int, int] = {}
        self._kept: list[object] = []  # so that no number of an object is given twice

    def hexdigest(self) -> str:
        return self._hash.hexdigest()[:32]

    def _tag(self, tag: str, content: bytes = b"") -> None:
        self._hash.update(f"{tag} {len(content)}\n".encode())
        self._hash.update(content)

    def add(self, value: Any) -> None:
        if value is None or isinstance(value, bool | np.bool_):
            self._tag("truth", str(value).encode())
        elif isinstance(value, int | np.integer):
            self._tag("int", str(int(value)).encode())
        elif isinstance(value, float | np.floating):
            self._tag("float", _ANY_NUMBER if self._structure else float(value).hex().encode())
        elif isinstance(value, Fraction):
            self._tag("fraction", _ANY_NUMBER if self._structure else str(value).encode())
        elif isinstance(value, str):
            self._tag("str", value.encode())
        elif isinstance(value, bytes):
            self._tag("bytes", value)
        elif isinstance(value, np.ndarray):
            self._array(value)
        elif isinstance(value, types.ModuleType):
            self._tag("module", name_of(value).encode())
        else:
            self._composed(value)

    def _array(self, value: np.ndarray[Any, Any]) -> None:
        self._tag("array", f"{value.dtype.str} {value.shape}".encode())
        if value.dtype.hasobject:
            for entry in value.ravel().tolist():
                self.add(entry)
        else:
            self._tag("numbers", np.ascontiguousarray(value).tobytes())

    def _composed(self, value: Any) -> None:
        if id(value) in self._met:  # a cycle, or an object that occurs twice
            self._tag("again", str(self._met[id(value)]).encode())
            return
        self._met[id(value)] = len(self._met)
        self._kept.append(value)
        if isinstance(value, list | tuple):
            self._tag("list" if isinstance(value, list) else "tuple", f"{type(value).__name__} {len(value)}".encode())
            for entry in value:
                self.add(entry)
        elif isinstance(value, Mapping):
            self._tag("mapping", str(len(value)).encode())
            for name in sorted(value, key=lambda key: (type(key).__name__, str(key))):
                self.add(name)
                self.add(value[name])
        elif isinstance(value, set | frozenset):
            self._tag("set", "".join(sorted(digest(entry) for entry in value)).encode())
        elif isinstance(value, partial):
            self._tag("partial")
            self.add((value.func, value.args, value.keywords))
        elif isinstance(value, types.MethodType):
            self._tag("method", value.__func__.__name__.encode())
            self.add(value.__self__)
        elif isinstance(value, types.BuiltinMethodType) and not isinstance(value.__self__, types.ModuleType | None):
            self._tag("method", value.__name__.encode())
            self.add(value.__self__)
        elif isinstance(value, type | types.FunctionType | types.BuiltinFunctionType | np.ufunc):
            self._code(value)
        elif isinstance(value, Held):
            self._held(value.value)
        elif (function := function_in(value)) is not None:  # cached or compiled
            self._tag("function in", type(value).__name__.encode())
            self.add(function)
        else:
            self._object(value)

    def _code(self, value: Any) -> None:
        self._tag("code", name_of(value).encode())
        if is_own(value):
            structure, self._structure = self._structure, False
            for part in parts_of(value):
                self.add(part)
            self._structure = structure

    def _held(self, value: Any) -> None:
        try:
            content = digest(value)
        except ValueError:
            content = "no content"
        self._tag("held", content.encode())

    def _object(self, value: Any) -> None:
        kind = type(value)
        self._tag("object")
        self._code(kind)
        if is_dataclass(value):
            for each in fields(value):
                self.add(each.name)
                self.add(getattr(value, each.name))
            if is_own(kind):  # what its own __init__ or __post_init__ keeps beside its fields
                known = {each.name for each in fields(value)}
                beside = {n: v for n, v in getattr(value, "__dict__", {}).items() if n not in known}
                self.add({n: v for n, v in beside.items() if not isinstance(getattr(kind, n, None), cached_property)})
            return
        held = getattr(value, "__dict__", None)
        if held is None or isinstance(value, types.GeneratorType) or hasattr(value, "fileno"):
            raise ValueError(
                f"{shown(value)} of type {kind.__name__} has no content that a key can be made of; expected numbers, texts, "
                "arrays, dataclasses, or functions and objects of them"
            )
        found = {name for name in held if not isinstance(getattr(kind, name, None), cached_property)}
        self.add({name: held[name] for name in found})
