"""The text of a user's own functions and classes, as far as a result depends on it.

Own is what is neither part of Python, nor of this package, nor installed.  The text counts without comments, documentation and
layout; what it names among the functions, classes and plain data of its own module, or of another own one, counts with it.
What it reaches in other ways (names looked up by text, files that it reads) cannot be seen.
"""

from __future__ import annotations

import ast
import builtins
import dis
import inspect
import linecache
import sys
import textwrap
import types
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from fractions import Fraction
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import Any

import numpy as np

_DATA = (bool, int, float, str, bytes, Fraction, list, tuple, dict, set, frozenset, np.ndarray, np.generic)
_INSTALLED = ("site-packages", "dist-packages")


def name_of(value: Any) -> str:
    """Module and name of a function, class or module; with the version of what is installed."""
    if isinstance(value, types.ModuleType):
        return _versioned(value.__name__)
    name = getattr(value, "__qualname__", getattr(value, "__name__", ""))
    return name if is_own(value) else f"{_versioned(getattr(value, '__module__', None) or '')}.{name}"


def _versioned(module: str) -> str:
    root = module.split(".")[0]
    # Numerical libraries are named beside the results: their upgrade would make every key another one.
    if root in ("fltheory", "numpy", "scipy", "numba", "builtins") or root in sys.stdlib_module_names:
        return module
    return f"{module} {getattr(sys.modules.get(root), '__version__', '')}"


def is_own(value: Any) -> bool:
    """Whether a function or a class is the user's own."""
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return bool(name) and isinstance(value, type | types.FunctionType | types.ModuleType) and _own(str(name))


def own_modules() -> list[types.ModuleType]:
    """The user's own modules that are imported, those of a package of tests included."""
    return [
        module
        for name, module in list(sys.modules.items())
        if name != "__main__"
        and isinstance(module, types.ModuleType)
        and getattr(module, "__file__", None)
        and _own(name)
    ]


@cache
def _own(module: str) -> bool:
    root = module.split(".")[0]
    if root in ("fltheory", "builtins") or (root in sys.stdlib_module_names and root != "__main__"):
        return False
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not any(part in file for part in _INSTALLED)


def parts_of(value: Any) -> Iterator[Any]:
    """What the result of an own function or class depends on: its text, and what it holds and names."""
    yield _text(value)
    if isinstance(value, type):
        yield from (base for base in value.__bases__ if base is not object)
        for name, entry in sorted(vars(value).items()):
            if (function := function_in(entry)) is not None:
                yield name, function
            elif _is_data(name, entry) or (is_own(entry) and entry is not value):
                yield name, entry
        return
    yield value.__defaults__
    yield value.__kwdefaults__
    names = _names(value.__code__)
    for name, held in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
        if name == "__class__":
            continue
        try:
            found = held.cell_contents
        except ValueError:  # not bound yet
            continue
        yield name, list(_reached(found, names)) if isinstance(found, types.ModuleType) else found
    for name in sorted(names):
        found = value.__globals__.get(name, getattr(builtins, name, None))
        yield from ((name, each) for each in _reached(found, names))
    for module in _imported(value):
        yield from ((module.__name__, each) for each in _reached(module, names))


def _reached(found: Any, names: set[str], met: tuple[Any, ...] = ()) -> Iterator[Any]:
    """What counts of an object that code names; of an own module that which the same code names in it."""
    if isinstance(found, types.ModuleType):
        if is_own(found) and found not in met:
            yield found.__name__
            for name in sorted(names & vars(found).keys()):
                yield from ((name, each) for each in _reached(vars(found)[name], names, (*met, found)))
    elif (function := function_in(found)) is not None:
        yield function
    elif is_own(found) or isinstance(found, _DATA):
        yield found
    elif isinstance(found, partial) or (is_dataclass(found) and not isinstance(found, type)) or is_own(type(found)):
        yield Held(found)


@dataclass(frozen=True)
class Held:
    """An object that code names: it counts as far as it has a content (a lock or an open file has none)."""

    value: Any


def _imported(function: types.FunctionType) -> Iterator[types.ModuleType]:
    """Own modules that a function imports itself; it will do so anyway when it is called."""
    package = function.__globals__.get("__package__") or ""
    for code in _codes(function.__code__):
        depth: Any = 0
        constants: list[Any] = []
        for each in dis.get_instructions(code):
            if each.opname == "LOAD_CONST":
                constants.append(each.argval)
            elif each.opname == "IMPORT_NAME":
                depth = constants[-2] if len(constants) > 1 and isinstance(constants[-2], int) else 0
                try:
                    yield import_module("." * depth + each.argval, package or None)
                except Exception:  # the call will say so
                    continue


def _is_data(name: str, entry: object) -> bool:
    return not name.startswith("__") and isinstance(entry, _DATA)


def function_in(entry: object) -> types.FunctionType | None:
    """The own function that an object is or wraps: a method, a property, what is cached or compiled."""
    if isinstance(entry, types.FunctionType):
        return entry if is_own(entry) else None
    for name in ("__func__", "fget", "func", "py_func", "__wrapped__", "pyfunc"):
        inner = entry.__dict__.get(name) if isinstance(entry, type) else getattr(entry, name, None)
        if isinstance(inner, types.FunctionType) and not isinstance(entry, partial):
            return inner if is_own(inner) else None
    return None


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from _codes(each)


def _names(code: types.CodeType) -> set[str]:
    return {name for each in _codes(code) for name in each.co_names}


def _text(value: Any) -> Any:
    """The syntax tree without what stands beside it; the compiled code where no text of it is kept."""
    try:
        # Of a decorated function that which is called: what it decorates is in its closure.
        tree = ast.parse(textwrap.dedent(inspect.getsource(getattr(value, "__code__", value))))
    except (OSError, TypeError, SyntaxError):  # typed into an interpreter, or a lambda in the middle of an expression
        return _compiled(value)
    if isinstance(value, types.FunctionType) and value.__name__ == "<lambda>":
        return _compiled(value)  # its line may hold several
    if not _is_what_runs(value):
        return _compiled(value)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree)


def _is_what_runs(value: Any) -> bool:
    """Whether the file still says what was executed: it may have been edited since it was imported."""
    codes = [each.__code__ for each in _functions(value)]
    known: dict[str, dict[Any, list[Any]]] = {}
    for code in codes:
        file = code.co_filename
        if file not in known:
            known[file] = _in_file("".join(linecache.getlines(file)), file)
        if known[file].get((code.co_qualname, code.co_firstlineno)) != _instructions(code):
            return False
    return True


@lru_cache(maxsize=64)
def _in_file(text: str, file: str) -> dict[Any, list[Any]]:
    try:
        top = compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return {}
    return {(code.co_qualname, code.co_firstlineno): _instructions(code) for code in _codes(top)}


def _functions(value: Any) -> list[types.FunctionType]:
    """An own function, or those that a class defines in its own text."""
    if isinstance(value, types.FunctionType):
        return [value]
    inside = (each for each in map(function_in, vars(value).values()) if each is not None)
    return [each for each in inside if each.__qualname__ == f"{value.__qualname__}.{each.__name__}" and _written(each)]


def _written(function: types.FunctionType) -> bool:
    return not function.__code__.co_filename.startswith("<")  # made by dataclass


def _compiled(value: Any) -> Any:
    if isinstance(value, types.FunctionType):
        return _instructions(value.__code__)
    return [_instructions(each.__code__) for each in _functions(value)]


def _instructions(code: types.CodeType) -> list[Any]:
    inner = [_instructions(each) if isinstance(each, types.CodeType) else _constant(each) for each in code.co_consts]
    return [code.co_code, code.co_names, code.co_varnames, inner]


def _constant(value: object) -> str:
    # The order of a set differs from process to process.
    return f"set {sorted(map(repr, value))}" if isinstance(value, frozenset) else repr(value)
