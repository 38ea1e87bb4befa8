"""Chained one-round certificates against certified exact rounds, R <= 5."""

from __future__ import annotations

import time

import fltheory as fl
from benchmarks.worst_case.table import write
from fltheory.worstcase.chain import chain

CASES = [
    (steps, eta, rounds, heterogeneity)
    for steps, eta in ((1, 0.5), (2, 0.25), (5, 0.25), (5, 0.125))
    for rounds in (2, 3, 5)
    for heterogeneity in (1, 0.01)
]


def main() -> None:
    """Write ``results/benchmarks/chains.json``."""
    clients, rows = fl.SmoothStronglyConvex(0.1, 1), []
    for steps, eta, rounds, heterogeneity in CASES:
        algorithm, quantities = fl.FedAvg(steps, eta), {"heterogeneity": heterogeneity}
        begin = time.perf_counter()
        chained = chain(algorithm, clients, rounds=rounds, quantities=quantities)
        seconds = time.perf_counter() - begin
        exact = fl.worst_case(algorithm, clients, rounds=rounds, quantities=quantities)
        loss = None
        if chained is not None and exact.lower is not None:
            loss = float(chained.bound / exact.lower) - 1
        rows.append(
            {"E": steps, "eta": eta, "R": rounds, "heterogeneity": heterogeneity, "loss": loss, "seconds": seconds}
        )
    losses = [row["loss"] for row in rows if row["loss"] is not None]
    summary = {"cases": len(rows), "with both certificates": len(losses), "largest loss": max(losses)}
    write("chains", summary, rows, keys=("E", "eta", "R", "heterogeneity", "loss", "seconds"))


if __name__ == "__main__":
    main()
