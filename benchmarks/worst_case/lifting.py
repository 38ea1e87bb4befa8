"""Symmetric certificates lifted to N separate clients with nonuniform weights, in exact arithmetic.

    python -m benchmarks.worst_case.lifting

For every case the multipliers ``y_ij`` of the generic client become ``p_k y_ij`` of client k; the explicit model must
prove exactly the same bound.  As controls the largest multiplier of the interpolation inequalities (function values no longer
cancel), and that of the assumptions (the slack is no longer semidefinite), are lowered by 0.1 %, which must be refused.
Writes ``results/benchmarks/lifting.json``.
"""

from __future__ import annotations

import copy
import time
from fractions import Fraction
from typing import Any

from benchmarks.worst_case.cases import Case, cases
from benchmarks.worst_case.table import write
from fltheory.worstcase.entry import solve_model
from fltheory.worstcase.explicit import lift

WEIGHTS = {
    2: [Fraction(1, 3), Fraction(2, 3)],
    3: [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)],
    5: [Fraction(k, 15) for k in (1, 2, 3, 4, 5)],
}


CONTROLS = ("interpolation", "assumptions")


def lowered(certificate: dict[str, Any], what: str) -> dict[str, Any]:
    """The certificate with its largest multiplier of interpolation, or of an assumption, lowered by 0.1 %."""
    changed = copy.deepcopy(certificate)
    upper, factor = changed["upper"], Fraction(999, 1000)
    if what == "interpolation":
        listed = [entry for group in upper["interpolation"].values() for entry in group]
        largest = max(listed, key=lambda entry: Fraction(entry[2]))
        largest[2] = str(Fraction(largest[2]) * factor)
    else:
        place = max(range(len(upper["assumptions"])), key=lambda k: Fraction(upper["assumptions"][k]))
        upper["assumptions"][place] = str(Fraction(upper["assumptions"][place]) * factor)
    return changed


def refused(certificate: dict[str, Any], weights: list[Fraction]) -> bool:
    """Whether the lift of a certificate is refused."""
    try:
        lift(certificate, weights)
    except ValueError:
        return True
    return False


def measure(case: Case) -> dict[str, Any]:
    """One case: whether the bound is the same for every N."""
    model = case.model()
    found = solve_model(model, case.quantities(model))
    row: dict[str, Any] = case.describe() | {"status": found.status}
    if found.certificate is None or found.upper is None:
        return row | {"same": False, "refused": False}
    row["bound"] = {name: float(factor) for name, factor in found.bound.items()}
    row["same"], row["refused"] = True, True
    for n, weights in WEIGHTS.items():
        begin = time.perf_counter()
        try:
            row["same"] &= lift(found.certificate, weights) == dict(found.bound)
        except ValueError as error:
            row["same"], row["reason"] = False, str(error)
        row[f"seconds, N={n}"] = round(time.perf_counter() - begin, 3)
        row["refused"] &= all(refused(lowered(found.certificate, what), weights) for what in CONTROLS)
    return row


def main() -> None:
    rows = []
    for case in cases():
        rows.append(measure(case))
        print(*(f"{key}={entry}" for key, entry in rows[-1].items() if key not in ("bound", "start")), flush=True)
    summary = {
        "cases": len(rows),
        "exactly the same bound for N = 2, 3, 5": sum(row["same"] for row in rows),
        "lowered multipliers refused for N = 2, 3, 5": sum(row["refused"] for row in rows),
        "longest lift in seconds": max(row.get(f"seconds, N={n}", 0.0) for row in rows for n in WEIGHTS),
    }
    write("lifting", summary, rows)


if __name__ == "__main__":
    main()
