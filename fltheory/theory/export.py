"""LaTeX export: every bound of a document as a numbered list with its source and its conditions."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from fltheory.theory.bound import Bound


def bounds_of(document: str) -> dict[str, Bound]:
    """All :class:`Bound` objects in the modules of ``fltheory.theory.<document>``, by module and name.

    Raises
    ------
    ValueError : a document without a theory package.
    """
    try:
        package = import_module(f"fltheory.theory.{document}")
    except ModuleNotFoundError as error:
        raise ValueError(f"document={document!r} has no symbolic bounds") from error
    found: dict[str, Bound] = {}
    seen: set[int] = set()
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda item: item.name):
        module = import_module(f"{package.__name__}.{info.name}")
        for name, value in vars(module).items():
            if isinstance(value, Bound) and id(value) not in seen:
                seen.add(id(value))
                found[f"{info.name}.{name}"] = value
    return found


def to_latex(document: str) -> str:
    """A compilable LaTeX document that lists the document's bounds, made from the expressions that are evaluated."""
    lines = [
        r"\documentclass{article}",
        r"\usepackage{amsmath,amssymb}",
        r"\begin{document}",
        rf"\section*{{Bounds: {document}}}",
        r"\begin{enumerate}",
    ]
    for bound in bounds_of(document).values():
        lines.append(rf"\item \textbf{{{_escape(bound.name)}}} ({_escape(bound.source)}):")
        lines.append(rf"\[ {bound.latex()} \]")
        lines.extend(rf"{_escape(condition.words)}." for condition in bound.conditions)
    return "\n".join([*lines, r"\end{enumerate}", r"\end{document}", ""])


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
