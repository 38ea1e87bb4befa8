"""Figures by name, of the committed results or of a problem of one's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def figure(
    name: str, *, own: Any = None, output: str | os.PathLike[str] = ".", data: str | os.PathLike[str] | None = None
) -> list[Path]:
    """Draw the figure ``name`` into the folder ``output``: PDF, SVG, PNG and a caption; the paths that were written.

    ``own`` stands in place of the problem of the results, in figures that can do without these; ``data`` is a folder of results
    files (default: those of the package).

    Raises
    ------
    ValueError : no such figure; ``own`` for a figure that is of results only.
    """
    from fltheory.experiments.scripts import FIGURES, named_scripts, run_figure
    from fltheory.problems.checks import check_choice

    found = named_scripts(FIGURES)
    check_choice("name", name, tuple(found))
    folder = Path(output)
    run_figure(found[name], output=folder, data=None if data is None else Path(data), own=own)
    return sorted(path for path in folder.glob(f"{name}.*") if path.suffix in (".pdf", ".svg", ".png", ".md"))
