"""How often the certifier succeeds: 150 random parameter sets, convex and strongly convex, stable step sizes and beyond.

Writes ``results/benchmarks/rationaliser.json``.  A set counts as certified when both sides were accepted by the verifier.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from typing import Any

import numpy as np

import fltheory as fl
from benchmarks.worst_case.table import write
from fltheory.worstcase import verifier

KINDS = ("gradients", "gamma", "none", "bounded gradients", "zero", "Dissimilarity")


def parameters(seed: int) -> dict[str, Any]:
    """One random parameter set."""
    rng = np.random.default_rng([2026, seed])
    mu = 0.0 if rng.random() < 0.3 else round(float(10 ** rng.uniform(-2, -0.2)), 4)
    return {
        "algorithm": str(rng.choice(["FedAvg", "TwoSidedFedAvg"])),
        "local_steps": int(rng.integers(1, 7)),
        "rounds": int(rng.integers(1, 4)),
        "step_size": round(float(rng.uniform(0.02, 2.4)), 3),
        "server_step_size": round(float(rng.uniform(0.3, 2.0)), 2),
        "mu": mu,
        "kind": str(rng.choice(KINDS)),
        "measure": str(rng.choice(["distance", "gap", "gradient"])),
        "heterogeneity": round(float(10 ** rng.uniform(-2, 1)), 3),
    }


def run(case: dict[str, Any]) -> dict[str, Any]:
    """The certified width, the status and the time of one parameter set."""
    if case["algorithm"] == "FedAvg":
        algorithm: Any = fl.FedAvg(case["local_steps"], case["step_size"])
    else:
        algorithm = fl.TwoSidedFedAvg(case["local_steps"], case["step_size"], case["server_step_size"])
    kind = {"zero": "gradients", "Dissimilarity": fl.Dissimilarity(2)}.get(case["kind"], case["kind"])
    name = {"gamma": "gamma", "gradients": "heterogeneity", "zero": "heterogeneity"}.get(case["kind"], "G2")
    amount = 0 if case["kind"] == "zero" else case["heterogeneity"]
    quantities = {} if case["kind"] == "none" else {name: amount}
    begin = time.perf_counter()
    found = fl.worst_case(
        algorithm,
        fl.FunctionClass(case["mu"], 1),
        rounds=case["rounds"],
        measure=case["measure"],
        heterogeneity=kind,
        quantities=quantities,
    )
    seconds = time.perf_counter() - begin
    proved = {} if found.certificate is None else verifier.verify(found.certificate)
    certified = found.status == "certified" and {"upper", "lower"} <= set(proved) and found.lower <= found.upper
    gap = abs(found.value - float(found.upper or Fraction(0))) / max(abs(found.value), 1e-300)
    return case | {
        "status": found.status,
        "certified": bool(certified),
        "width": found.width,
        "value": found.value,
        "value_to_upper": gap,
        "solver": found.solver_status,
        "seconds": seconds,
    }


def main(count: int = 150) -> None:
    """Run all sets, print a table of the worst, write the results."""
    rows = [run(parameters(seed)) for seed in range(count)]
    certified = [row for row in rows if row["certified"]]
    summary = {
        "sets": count,
        "certified_share": len(certified) / count,
        "share_within_1e-4": sum(row["width"] <= 1e-4 for row in certified) / count,
        "share_within_1e-5": sum(row["width"] <= 1e-5 for row in certified) / count,
        "widest": max((row["width"] for row in certified), default=None),
        "seconds": sum(row["seconds"] for row in rows),
        "not_certified": [row for row in rows if not row["certified"]],
    }
    worst = sorted(rows, key=lambda row: -row["width"])[:12]
    keys = ("algorithm", "local_steps", "rounds", "step_size", "mu", "kind", "measure", "status", "width", "seconds")
    write("rationaliser", summary, rows, show=worst, keys=keys)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 150)
