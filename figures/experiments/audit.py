"""The audit: published bound over exact worst case, as certified enclosures, on a grid for each rate theorem.

Writes ``experiments/audit.npz`` (one JSON record per point), the table ``audit.md``, and under ``certificates/`` both
certificates of the point with the largest ratio of each theorem, among those whose certificates are small.  It goes on where it
was interrupted.  ``case_of(key)`` makes any single point again, ``fltheory.worstcase.audit.audit`` its enclosure and
certificates; their digests are those of the records where solver and processor give the same floats.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.experiments.audit_table import table
from fltheory.experiments.files import Result, made_by, resume, save_result
from fltheory.files import written_whole
from fltheory.worstcase import certificate, verifier
from fltheory.worstcase.audit import PRINTED, Case, Finding, audit, digest, outward
from verify.lecture2022.audit_cases import lecture_case
from verify.li2020.audit_cases import li_case

Builder = Callable[[], Case]
KAPPAS = (2, 10, 100)
#: Gamma, and the G^2 that it allows the gradients at |w - w*| = 1: (1 + sqrt(2 Gamma))^2; a quarter of it binds.
SPREADS = {Fraction(0): Fraction(1), Fraction(1, 8): Fraction(9, 4), Fraction(2): Fraction(9)}
#: (E, T) and (K, T): horizons of the two documents.
LI = ((1, 2), (1, 6), (1, 11), (2, 2), (2, 6), (2, 12), (5, 5), (5, 10), (10, 10))
LI_LONG = ((1, 21), (2, 20), (5, 20), (10, 20))
LI_LONGEST = ((2, 1, 31), (2, 5, 30), (2, 10, 40), (100, 10, 40))
LECTURE = ((1, 2), (1, 5), (1, 10), (2, 2), (2, 6), (2, 10), (5, 5), (5, 10))
LECTURE_LONG = ((1, 16), (2, 16), (5, 15))
#: (N, T, K): step sizes sqrt(N/T) that are rational.
COROLLARY = (
    (2, 2, 1),
    (2, 2, 2),
    (2, 8, 1),
    (2, 8, 2),
    (2, 8, 4),
    (4, 4, 1),
    (4, 4, 2),
    (4, 16, 1),
    (3, 12, 1),
    (3, 12, 3),
)
COROLLARY_SECOND = ((2, 8, 1), (2, 18, 1))
#: Symbols whose terms the printed bounds add up.
TERMS = {
    "Li": {"D1": "start", "Gamma": "Gamma", "G2": "G", "V": "noise"},
    "Lecture": {"gap": "start", "G": "G", "sigma_G": "dissimilarity"},
}
TIME_LIMIT = 240.0
LARGEST_KEPT = 64 * 1024


def grid(*, full: bool) -> Iterator[Builder]:
    """The declared points; the full form adds the longest horizons."""
    first, third, half = Fraction(1, 8), Fraction(13, 4), Fraction(1, 2)
    for (E, T), kappa, (Gamma, G2), part in product(LI, KAPPAS, SPREADS.items(), (1, Fraction(1, 4))):
        yield partial(li_case, "1", kappa=kappa, E=E, T=T, Gamma=Gamma, G2=part * G2)
    for (E, T), kappa, part in product(LI, KAPPAS, (1, Fraction(1, 4))):
        if E > 1:  # heterogeneity far beyond the start
            yield partial(li_case, "1", kappa=kappa, E=E, T=T, Gamma=32, G2=part * 81)
    for E, kappa, N in product((2, 5, 10), KAPPAS, (2, 10)):
        yield partial(li_case, "1", kappa=kappa, E=E, T=E, Gamma=first, G2=third, sigma2=1, N=N)
    for E, kappa, K, Gamma in product((2, 5, 10), KAPPAS, (1, 5), (first, Fraction(2))):
        for theorem, N in (("2", None), ("3", 10)):
            yield partial(li_case, theorem, kappa=kappa, E=E, T=E, Gamma=Gamma, G2=SPREADS[Gamma], N=N, K=K)
    for (K, T), s, G in product(LECTURE, (Fraction(1), half, Fraction(1, 10)), (half, 3 * half)):
        yield partial(lecture_case, "1", s=s, K=K, T=T, G=G)
    for (N, T, K), G in product(COROLLARY, (half, 3 * half)):
        yield partial(lecture_case, "2, first", s=_root(Fraction(N, T)), K=K, T=T, G=G, N=N)
    for (N, T, K), G in product(COROLLARY_SECOND, (half, 3 * half)):
        yield partial(lecture_case, "2, second", s=_root(Fraction(N, T)), K=K, T=T, G=G, N=N)
    for (K, T), part, spread in product(LECTURE, (Fraction(1), half), (half, Fraction(2))):
        yield partial(lecture_case, "3", s=part / (6 * K), K=K, T=T, G=3, sigma_G=spread)
    for (E, T), kappa, Gamma in product(LI_LONG, KAPPAS, (first, Fraction(2))):
        yield partial(li_case, "1", kappa=kappa, E=E, T=T, Gamma=Gamma, G2=SPREADS[Gamma])
    for (K, T), s in product(LECTURE_LONG, (Fraction(1), Fraction(1, 10))):
        yield partial(lecture_case, "1", s=s, K=K, T=T, G=3 * half)
    for kappa, E, T in LI_LONGEST if full else ():
        yield partial(li_case, "1", kappa=kappa, E=E, T=T, Gamma=first, G2=SPREADS[first])


def _root(number: Fraction) -> Fraction:
    root = Fraction(math.isqrt(number.numerator), math.isqrt(number.denominator))
    if root**2 != number:
        raise ValueError(f"{number} is no square: its root is no rational step size")
    return root


def case_of(key: str) -> Case:
    """The case of a recorded point."""
    for build in grid(full=True):
        case = build()
        if case.key == key:
            return case
    raise ValueError(f"{key!r} is no point of the grid")


def record(case: Case, found: Finding) -> dict[str, Any]:
    """What is kept of one point: floats of bounds are rounded outwards, values of bounds are exact fractions in text."""
    printed = case.bound()
    symbols = TERMS["Lecture" if case.theorem.startswith("Lecture") else "Li"]
    terms = {words: printed - case.bound(**{symbol: 0}) for symbol, words in symbols.items() if symbol in case.values}
    if sum(terms.values()) != printed:
        raise ValueError(f"{case.key}: the terms do not add up to the printed bound")
    return {
        "key": case.key,
        "theorem": case.theorem,
        "parameters": {name: str(entry) for name, entry in case.parameters.items()},
        "scale": str(case.scale),
        "status": found.status,
        "solver": found.solver_status,
        "value": found.value,
        "lower": None if found.lower is None else outward(found.lower, -1),
        "upper": None if found.upper is None else outward(found.upper, 1),
        "bounds": {name: str(case.bound(name)) for name in case.bounds},
        "ratios": {name: _finite(found.ratio(case.bound(name))) for name in case.bounds},
        "terms": {name: str(entry) for name, entry in terms.items() if entry},
        "factors": {name: outward(entry, 1) for name, entry in found.factors.items()},
        "sha256": {side: digest(data) for side, data in found.certificates.items()},
        "seconds": round(found.seconds, 2),
    }


def _finite(pair: tuple[float, float]) -> list[float | None]:
    return [number if math.isfinite(number) else None for number in pair]


def run(
    path: Path, builders: Sequence[Builder], folder: Path, *, time_limit: float, report: Callable[[str], None]
) -> Result:
    """All points that ``path`` does not hold yet, saved after each; certificates of the largest ratios go to ``folder``."""
    settings = {
        "units": "L = 1; |w_1 - w*|^2 <= 1 (Li et al.), f(x^0) - f* <= 1 (lecture)",
        "seconds per model": time_limit,
    }
    origin = made_by(__file__)
    result = resume(path, settings, origin, report=report)
    records: dict[str, dict[str, Any]] = {}
    if "record" in result.arrays:
        records = {item["key"]: item for item in map(json.loads, result["record"].tolist())}
    wanted = [build() for build in builders]
    for case in wanted:
        if case.key in records:
            continue
        begin = time.process_time()
        found = audit(case, time_limit=time_limit)
        item = record(case, found)
        _keep_certificates(folder, item, found, list(records.values()))
        records[case.key] = item
        arrays = _arrays(list(records.values()))
        last = {name: rows[-1:] for name, rows in arrays.items()}
        result = result.with_rows(last, origin=origin, seconds=time.process_time() - begin)
        # an earlier record may have lost its note that its certificates are kept
        result = replace(result, arrays=arrays)
        save_result(result, path)
        report(
            f"{sum(c.key in records for c in wanted)} of {len(wanted)}: {case.key}: {found.status}, ratio {item['ratios'][PRINTED]}"
        )
    return result


def _arrays(records: Sequence[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    sides = np.array([[np.nan if x is None else x for x in (r["lower"], r["upper"])] for r in records])
    ratios = np.array([[np.nan if x is None else x for x in r["ratios"][PRINTED]] for r in records])
    texts = np.array([json.dumps(r, sort_keys=True) for r in records])
    return {"record": texts, "worst case": sides, "ratio": ratios, "status": np.array([r["status"] for r in records])}


def _keep_certificates(folder: Path, item: dict[str, Any], found: Finding, earlier: list[dict[str, Any]]) -> None:
    """Write both certificates of a point whose ratio is the largest of its theorem so far, if they are small."""
    sizes = [len(json.dumps(data, separators=(",", ":"))) for data in found.certificates.values()]
    if found.status != "certified" or max(sizes) > LARGEST_KEPT:
        return
    rivals = [r for r in earlier if r["theorem"] == item["theorem"] and "kept" in r]
    if any(r["ratios"][PRINTED][0] >= item["ratios"][PRINTED][0] for r in rivals):
        return
    for rival in rivals:
        del rival["kept"]
    folder.mkdir(parents=True, exist_ok=True)
    item["kept"] = "audit_" + "_".join("".join(c if c.isalnum() else " " for c in item["theorem"].lower()).split())
    for side, data in found.certificates.items():
        certificate.save(data, folder / f"{item['kept']}_{side}.json")


def upgrade(folder: Path, recorded: Path) -> list[str]:
    """Give certificates of version 1 in ``folder`` the claim of the point that they were made for; the verifier decides.

    Returns the names of the files that were written.
    """
    with np.load(recorded) as kept:
        records = [json.loads(text) for text in kept["record"].tolist()]
    points = {(side, sha): r["key"] for r in records for side, sha in r["sha256"].items()}
    written = []
    for path in sorted(folder.glob("audit_*.json")):
        data = json.loads(path.read_text("utf-8"))
        if data["format"] != certificate.PART:
            continue
        side = path.stem.rsplit("_", 1)[1]
        case = case_of(points[side, digest(data)])
        model = case.above if side == "upper" else case.below
        whole = certificate.statement(model) | {side: data[side]}
        if digest(whole) != digest(data):
            raise ValueError(f"{path.name}: the program of {case.key} is another one today")
        verifier.verify(whole)
        certificate.save(whole, path)
        written.append(path.name)
    return written


def main(
    full: bool,
    results: Path,
    builders: Sequence[Builder] | None = None,
    *,
    time_limit: float = TIME_LIMIT,
    report: Callable[[str], None] = print,
) -> None:
    """Write ``experiments/audit.npz``, ``audit.md`` and ``certificates/audit_*.json``; ``builders`` replace the grid."""
    chosen = list(grid(full=full)) if builders is None else list(builders)
    result = run(
        results / "experiments" / "audit.npz", chosen, results / "certificates", time_limit=time_limit, report=report
    )
    with written_whole(results / "audit.md") as file:
        file.write(table([json.loads(text) for text in result["record"].tolist()]))


if __name__ == "__main__":
    main(False, Path("results"))
