"""Box certificates of one FedAvg round: a cover of eta L in [1/32, 1/4], mu/L in [1/20, 1/5], against pointwise optima."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import fltheory as fl
from benchmarks.worst_case.table import write
from fltheory.worstcase import box_verifier
from fltheory.worstcase.boxes import BoxClaim, certify_box
from fltheory.worstcase.constants import best_constant
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.polynomial import ETA, MU

OCTAVES = tuple((Fraction(1, 2 ** (k + 1)), Fraction(1, 2**k)) for k in (4, 3, 2))
MODULI = (Fraction(1, 20), Fraction(1, 5))


def one(steps: int, side: tuple[Fraction, Fraction]) -> dict[str, Any]:
    """One box, with b over the certified best constant at a grid of 5 x 5 points."""
    contraction = (1 - ETA * MU) ** steps
    begin = time.perf_counter()
    found = certify_box(BoxClaim(lambda eta: fl.FedAvg(steps, eta), contraction, (2, 2), (3, 2)), (side, MODULI))
    seconds = time.perf_counter() - begin
    row: dict[str, Any] = {
        "E": steps,
        "eta": f"[{side[0]}, {side[1]}]",
        "seconds": seconds,
        "certified": found is not None,
    }
    if found is None:
        return row
    begin = time.perf_counter()
    box_verifier.verify(found.data)
    row["verify_seconds"] = time.perf_counter() - begin
    ratios = []
    for s in range(5):
        for t in range(5):
            eta = side[0] + Fraction(s, 4) * (side[1] - side[0])
            mu = MODULI[0] + Fraction(t, 4) * (MODULI[1] - MODULI[0])
            model = build_model(fl.FedAvg(steps, eta), fl.SmoothStronglyConvex(mu))
            best = best_constant(model, "heterogeneity", {"distance": contraction.value_at(eta, mu)})
            reference = best.lower if best.lower is not None else Fraction(best.solver_value)
            ratios.append(found.bound(float(eta), float(mu)) / float(reference))
    return {**row, "least_ratio": min(ratios), "largest_ratio": max(ratios), "points": len(ratios)}


def main() -> None:
    """Write ``results/benchmarks/boxes.json``."""
    rows = [one(steps, side) for steps in (2, 3, 4, 5) for side in OCTAVES]
    certified = [row for row in rows if row["certified"]]
    summary = {
        "claim": "|w+|^2 <= (1 - eta mu)^E |w|^2 + b(eta, mu) sum p |grad f_k(w*)|^2, any N and p, L = 1",
        "mu": f"[{MODULI[0]}, {MODULI[1]}]",
        "boxes": len(rows),
        "certified": len(certified),
        "largest ratio to the best constant": max(row["largest_ratio"] for row in certified),
    }
    write("boxes", summary, rows, keys=("E", "eta", "certified", "seconds", "verify_seconds", "largest_ratio"))


if __name__ == "__main__":
    main()
