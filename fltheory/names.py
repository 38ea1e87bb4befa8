"""What to say of a name that does not exist: the names that are spelt nearly so."""

from __future__ import annotations

from collections.abc import Iterable

#: Names of before, which were given up for one name per thing.
RENAMED = {"ridge": "ridge_regression"}


def similar(name: str, known: Iterable[str]) -> list[str]:
    """At most three of the ``known`` names that are spelt like ``name``, letters' case aside; the nearest first."""
    from difflib import get_close_matches

    plain = {entry.lower(): entry for entry in known if not entry.startswith("_")}
    return [plain[near] for near in get_close_matches(name.lower(), plain, n=3, cutoff=0.6)]


def unknown(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """The error of a module that has no attribute ``name``, with the nearest of the ``known`` names."""
    text = f"module {module!r} has no attribute {name!r}"
    near = [RENAMED[name]] if name in RENAMED else similar(name, known)
    # Names with two underscores are asked for by Python itself.
    if near and not name.startswith("_"):
        text += f"; did you mean {' or '.join(near)}?"
    return AttributeError(text, name=name)
