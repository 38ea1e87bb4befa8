"""The reference: a page for each group of public names, from which mkdocstrings makes sections out of docstrings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

#: Pages of the reference: name, title, and the drawers whose names it lists ("" stands for the top).
GROUPS = (
    ("verbs", "Verbs", ""),
    ("problems", "Problems", "problems"),
    ("algorithms", "Algorithms", "algorithms"),
    ("participation", "Participation", "participation"),
    ("schedules", "Step sizes", "schedules"),
    ("oracles", "Stochastic gradients", "oracles"),
    ("data", "Data", "data"),
    ("classes", "Classes of functions and answers", ""),
)
_LOWER = ("problems", "algorithms", "participation", "schedules", "oracles", "data")


def place(thing: Any) -> str:
    """Where a function or class is defined, as mkdocstrings names it; empty for what is neither, or of another package."""
    plain = inspect.unwrap(thing) if callable(thing) else thing
    module = getattr(plain, "__module__", "") or ""
    if not module.startswith("fltheory") or not (inspect.isfunction(plain) or inspect.isclass(plain)):
        return ""
    return f"{module}.{plain.__qualname__}"


def _names(group: str, drawer: str) -> Iterator[tuple[str, Any]]:
    import fltheory as fl

    for name in sorted(fl.__all__, key=str.lower):
        thing = getattr(fl, name)
        if name.startswith("_") or not place(thing):
            continue
        module = place(thing).split(".")[1]
        kept = drawer and name in fl._IN_DRAWERS.get(drawer, "").split()
        home = {"algorithms": "algorithms", "problems": "problems"}.get(module, "")
        if home == "algorithms" and ".schedules." in place(thing):
            home = "schedules"
        if home == "algorithms" and (".participation." in place(thing) or ".subsets." in place(thing)):
            home = "participation"
        if home == "problems" and ".oracles." in place(thing):
            home = "oracles"
        elsewhere = any(name in names.split() for other, names in fl._IN_DRAWERS.items() if other in _LOWER)
        if drawer:
            if kept or (home == drawer and not elsewhere):
                yield name, thing
        elif not home and not elsewhere and inspect.isclass(thing) == (group == "classes"):
            yield name, thing


def pages() -> dict[str, str]:
    """The Markdown of every page by its path."""
    found = {}
    for group, title, drawer in GROUPS:
        sections = dict.fromkeys(place(thing) for _, thing in _names(group, drawer))
        body = "\n\n".join(f"::: {path}" for path in sections)
        found[f"reference/{group}.md"] = f"# {title}\n\n{body}\n"
    return found
