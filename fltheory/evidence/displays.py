"""LaTeX export: every display of a document, grouped by section, with its source, its claims and its conditions."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from fltheory.evidence.places import WINGS
from fltheory.theory.bound import Bound


def _index(document: str) -> tuple[Mapping[str, str], Mapping[str, Mapping[str, Any]]]:
    """Sections and annotations that the module ``displays_index`` of the document's wing names, empty without one."""
    name = f"{WINGS}.{document}.displays_index"
    if find_spec(f"{WINGS}.{document}") is None or find_spec(name) is None:
        return {}, {}
    index = import_module(name)
    return index.SECTIONS, index.ANNOTATIONS


def _modules(document: str) -> dict[str, str]:
    """Modules with bounds by short name: those of the theory package, and those of the wing that its index lists."""
    sections, _ = _index(document)
    package = f"fltheory.theory.{document}"
    found = {}
    if find_spec(package) is not None:
        inside = pkgutil.iter_modules(import_module(package).__path__)
        found = {info.name: f"{package}.{info.name}" for info in inside}
    elif not sections:
        raise ValueError(f"document={document!r} has no symbolic bounds")
    wing = {name: f"{WINGS}.{document}.{name}" for name in sections if name not in found}
    order = [*sections, *sorted(found.keys() - sections.keys())]
    return {name: {**wing, **found}[name] for name in order}


def _in_module(module: ModuleType) -> Iterator[tuple[str, Bound]]:
    """The bounds of a module by name, those in mappings as ``name.key``."""
    for name, value in vars(module).items():
        if isinstance(value, Bound):
            yield name, value
        elif isinstance(value, Mapping) and not name.startswith("_"):
            yield from ((f"{name}.{key}", item) for key, item in value.items() if isinstance(item, Bound))


def _placed(document: str) -> Iterator[tuple[str, str, Bound]]:
    """Title of the section, full name and bound of every bound of a document."""
    sections, annotations = _index(document)
    seen: set[int] = set()
    for module, place in _modules(document).items():
        for name, value in _in_module(import_module(place)):
            if id(value) not in seen:
                seen.add(id(value))
                full = f"{module}.{name}"
                yield sections.get(module, "Further bounds"), full, replace(value, **annotations.get(full, {}))


def bounds_of(document: str) -> dict[str, Bound]:
    """All :class:`Bound` objects of a document, by module and name, in the order of the document's sections.

    They stand in ``fltheory.theory.<document>`` (what the verbs and plots use) and in the modules of the wing
    ``verify/<document>`` that its ``displays_index`` lists; the index also names the claims that a bound states.

    Raises
    ------
    ValueError : a document with neither.
    """
    return {name: bound for _, name, bound in _placed(document)}


def by_section(document: str) -> dict[str, dict[str, Bound]]:
    """:func:`bounds_of`, by title of the section."""
    sections: dict[str, dict[str, Bound]] = {}
    for title, name, bound in _placed(document):
        sections.setdefault(title, {})[name] = bound
    return sections


def to_latex(document: str) -> str:
    """A compilable LaTeX document that lists the document's displays, made from the expressions that are evaluated."""
    lines = [
        r"\documentclass{article}",
        r"\usepackage{amsmath,amssymb}",
        r"\begin{document}",
        rf"\section*{{Bounds: {_escape(document)}}}",
    ]
    for title, bounds in by_section(document).items():
        lines += [rf"\subsection*{{{_escape(title)}}}", r"\begin{enumerate}"]
        for bound in bounds.values():
            lines += _entry(bound)
        lines.append(r"\end{enumerate}")
    return "\n".join([*lines, r"\end{document}", ""])


def _entry(bound: Bound) -> list[str]:
    """One display: name, source and claims; the formula; its conditions and the row that repairs it."""
    ids = f" [{_escape(', '.join(bound.ids))}]" if bound.ids else ""
    lines = [rf"\item \textbf{{{_escape(bound.name)}}} ({_escape(bound.source)}){ids}:", rf"\[ {bound.latex()} \]"]
    lines.extend(rf"{_escape(condition.words)}." for condition in bound.conditions)
    if bound.repaired_by:
        lines.append(rf"As printed; the ledger repairs it in {_escape(bound.repaired_by)}.")
    return lines


def _escape(text: str) -> str:
    """Plain text made safe for LaTeX."""
    table = {
        "\\": r"\textbackslash{}",
        "^": r"\^{}",
        "~": r"\~{}",
        "|": r"\textbar{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
    table |= {character: "\\" + character for character in "_&%$#{}"}
    return "".join(table.get(character, character) for character in text)
