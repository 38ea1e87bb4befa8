"""Figures and experiments: scripts outside the package that follow one convention each.

``figures/NAME.py`` defines ``main(output_dir: Path, data_dir: Path) -> None``: it reads result files below
``data_dir`` and writes pictures into ``output_dir``.  ``figures/experiments/NAME.py`` defines
``main(full: bool, results: Path) -> None``: it computes, and writes result files below ``results``.
Names that begin with an underscore are no scripts.  In an installed package the folders lie in ``fltheory/_scripts``.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fltheory.evidence.catalogue import load_module
from fltheory.evidence.places import results_folder, scripts_root, writable_results
from fltheory.experiments.origins import ATTESTING

#: Folders of the two kinds of scripts.
FIGURES, EXPERIMENTS = "figures", "figures/experiments"


def named_scripts(folder: str) -> dict[str, Path]:
    """Scripts of a folder (relative to the one that holds ``verify/``) by name."""
    paths = sorted((scripts_root() / folder).glob("*.py"))
    return {path.stem: path for path in paths if not path.name.startswith("_")}


def _main_of(path: Path, arguments: set[str]) -> Callable[..., None]:
    main: Any = getattr(load_module(path), "main", None)
    if main is None or not arguments <= set(inspect.signature(main).parameters):
        raise ValueError(f"script {path.name!r} does not define main({', '.join(sorted(arguments))})")
    function: Callable[..., None] = main
    return function


def run_figure(path: Path, *, output: Path | None = None, data: Path | None = None, own: Any = None) -> None:
    """Draw one figure without a screen; ``own`` is a caller's problem, for scripts whose ``main`` takes one.

    Raises
    ------
    ValueError : a script without ``main``; ``own`` for one that is of results only.
    """
    os.environ.setdefault("MPLBACKEND", "Agg")
    target = output or writable_results() / "figures"
    target.mkdir(parents=True, exist_ok=True)
    main = _main_of(path, {"output_dir", "data_dir"})
    if own is not None and "own" not in inspect.signature(main).parameters:
        raise ValueError(
            f"own: the figure {path.stem!r} is of committed results only; expected a figure that takes a problem"
        )
    mine = {} if own is None else {"own": own}
    main(output_dir=target, data_dir=data or results_folder(), **mine)


def run_experiment(path: Path, *, full: bool = False, results: Path | None = None, attest: bool = False) -> None:
    """Run one experiment in its reduced or full form, or (``attest``) compute one replicate of each kept set again.

    Raises
    ------
    ValueError : a script without ``main``; an experiment without replicates that is to be attested.
    """
    target = results or writable_results()
    target.mkdir(parents=True, exist_ok=True)
    if attest and "run_replicates(" not in path.read_text(encoding="utf-8"):
        raise ValueError(f"{path.stem} has no replicates to attest: run it, it computes all of its arrays again")
    token = ATTESTING.set(attest)
    try:
        _main_of(path, {"full", "results"})(full=full, results=target)
    finally:
        ATTESTING.reset(token)


def spot_check(path: Path, *, results: Path | None = None, report: Callable[[str], None] = print) -> None:
    """Compute a little of an experiment again and compare its bits with the kept file: see :mod:`fltheory.experiments.spot`.

    Raises
    ------
    ValueError : other bits from the same vector instructions.
    """
    from fltheory.evidence.rotation import turn
    from fltheory.experiments.spot import SHORT, SPOT, OtherForm, spot_whole

    target = results or writable_results()
    place = turn(scripts_root())[0]
    if "run_replicates(" not in path.read_text(encoding="utf-8"):
        if path.stem == SHORT[place % len(SHORT)]:
            kept = target / "experiments" / f"{path.stem}.npz"
            spot_whole(kept, lambda folder: run_experiment(path, results=folder), report)
        else:
            report(
                f"{path.stem}: not today"
                if path.stem in SHORT
                else f"{path.stem}: has no replicates, and takes minutes"
            )
        return
    token = SPOT.set(place)
    try:
        try:
            run_experiment(path, results=target)
        except OtherForm:
            run_experiment(path, full=True, results=target)
    finally:
        SPOT.reset(token)
