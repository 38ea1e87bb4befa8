"""CertifiedBounds worst cases on the grid of ``fl.compare``: best step sizes, those that theorems prescribe, and one for all.

Writes ``experiments/compare.npz``: a JSON record per question, and the certificates of those that rankings rest on (E = 2, 5,
R = 2, distance).  It goes on where it was interrupted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fltheory.comparison.certified import KeptAnswers
from fltheory.comparison.entry import compare
from fltheory.experiments.files import load_result, made_by, resume, save_result

#: zeta^2 of the grid; clients of one loss have theorems of their own, at the step sizes that these prescribe.
SPREADS = ("0", "1/100", "1/4")
#: (E, R).
POINTS = ((2, 1), (2, 2), (2, 4), (5, 1), (5, 2))
LONG = ((5, 4),)
COMMON = "1/4"
SETTINGS = {
    "units": "L = 1, mu = 1/10, |w_0 - w*|^2 <= 1",
    "spreads": list(SPREADS),
    "(E, R)": [list(p) for p in POINTS + LONG],
}


def questions(*, full: bool) -> Iterator[dict[str, Any]]:
    """Arguments of ``compare``, the cheap ones first."""
    for steps, rounds in POINTS:
        place = {"local_steps": steps, "rounds": rounds}
        for spread in SPREADS:
            yield {**place, "heterogeneity": spread, "step_size": COMMON}
            yield {**place, "heterogeneity": spread, "step_size": "best"}
        for spread in (*SPREADS, "identical"):
            yield {**place, "heterogeneity": spread, "step_size": "published"}
    for spread in SPREADS[1:]:
        yield {"local_steps": 5, "rounds": 2, "heterogeneity": spread, "step_size": "best", "measure": "gap"}
    for steps, rounds in LONG:
        place = {"local_steps": steps, "rounds": rounds}
        for spread in (*SPREADS, "identical") if full else ():
            yield {**place, "heterogeneity": spread, "step_size": "published"}
        for spread in SPREADS if full else ():
            yield {**place, "heterogeneity": spread, "step_size": "best"}


def keeps_certificate(record: Mapping[str, Any]) -> bool:
    """Whether rankings rest on the record that are shown with their certificates."""
    words = record["key"]
    return "step=best, distance" in words and "R=2" in words and "zeta^2=0" not in words


def main(full: bool, results: Path, *, report: Callable[[str], None] = print) -> None:
    """Write ``experiments/compare.npz``."""
    path = results / "experiments" / "compare.npz"
    origin = made_by(__file__)
    result = resume(path, SETTINGS, origin, report=report)
    if path.is_file() and not result.arrays:
        path.unlink()
    for asked in questions(full=full):
        begin = time.process_time()
        shelf = KeptAnswers.at(path)
        found = compare(**asked, shelf=shelf)
        if not shelf.computed:
            continue
        arrays = shelf.arrays(keeps_certificate)
        result = (load_result(path) if path.is_file() else result).with_arrays(
            arrays, origin=origin, seconds=time.process_time() - begin
        )
        save_result(result, path)
        report(f"{asked}: {len(shelf.computed)} worst cases computed, {found!r}")


if __name__ == "__main__":
    main(False, Path("results"))
