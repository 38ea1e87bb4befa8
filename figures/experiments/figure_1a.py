"""Rounds to a target against the number E of local steps (Figure 1(a) of Li et al. 2020): Scheme I, K = 30, eta0 = 0.1.

The paper's targets belong to data that were not published.  Each lies a certain fraction of the way above the smallest
loss that was found, (target - smallest)/(loss at zero - smallest), and that fraction is what is kept here: 0.100 for
synthetic(0,0), 0.061 for synthetic(1,1), 0.080 for balanced and 0.015 for unbalanced MNIST.  The smallest loss is that of
all E of the replicate within the rounds allowed.  The objective after every round is kept, so other targets can be read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.algorithms import FedAvg, HarmonicPerRound, SchemeI
from fltheory.plotting.experiments import SEEDS, DataSet, data_sets, run_replicates
from fltheory.problems import MiniBatch
from fltheory.simulate import simulate

#: (target, smallest loss found) of Appendix D.2.
PRINTED = {
    "synthetic(0,0)": (0.95, 0.7999),
    "synthetic(1,1)": (1.15, 1.075),
    "MNIST balanced": (0.50, 0.3429),
    "MNIST unbalanced": (0.29, 0.2591),
}


def local_steps(data: DataSet, *, full: bool) -> list[int]:
    """The grid of E."""
    grid = [5, 10, 20, 50, 100, 200, 400, 800]
    if data.name.startswith("Fashion"):
        return grid[:5]
    if data.name.startswith("MNIST"):
        return grid[:6] if full else grid[:5]
    if full:
        return [1, 2, *grid]
    return grid if data.name.startswith("synthetic") else grid[:7]


def plan(data: DataSet, *, full: bool) -> dict[str, int]:
    """Rounds, replicates and K on one data set; K is 30 of 100 clients, and as large a share of fewer."""
    cohort = round(0.3 * data.n_clients)
    if full:
        if data.name.startswith("Fashion"):
            return {"rounds": 60, "replicates": 5, "K": cohort}
        return {"rounds": 100 if data.name.startswith("MNIST") else 200, "replicates": 10, "K": cohort}
    if data.name.startswith("MNIST"):
        return {"rounds": 40, "replicates": 5, "K": cohort}
    return {"rounds": 60, "replicates": 10, "K": cohort}


def one(data: DataSet, replicate: int, rounds: int, cohort: int, grid: list[int]) -> dict[str, np.ndarray]:
    """Objective after every round for every E, and the rounds."""
    problem = data.problem(replicate)
    found = {}
    for steps in grid:
        algorithm = FedAvg(steps, HarmonicPerRound(0.1), SchemeI(cohort))
        run = simulate(problem, algorithm, rounds=rounds, seed=replicate, oracle=MiniBatch(data.batch), reference=False)
        found[f"E={steps}"] = run.objective[0]
    return {**found, "rounds": run.rounds}


def fraction(data: DataSet) -> float:
    """How far above the smallest loss the printed target lies, as a fraction of the way from the loss at zero."""
    target, smallest = PRINTED[data.paper]
    return (target - smallest) / (float(np.log(10)) - smallest)


def main(full: bool, results: Path, limit: int | None = None, rounds: int | None = None) -> None:
    """Write ``experiments/figure_1a.npz``; ``limit`` and ``rounds`` cut replicates and rounds (for trials)."""
    data = {item.name: item for item in data_sets(full=full) if full or not item.name.startswith("Fashion")}
    plans: dict[str, Any] = {name: plan(item, full=full) for name, item in data.items()}
    counts = {name: min(entry.pop("replicates"), limit or 10**6) for name, entry in plans.items()}
    for name, entry in plans.items():
        entry |= {"rounds": rounds or entry["rounds"], "batch": data[name].batch, "clients": data[name].n_clients}
        entry |= {"E": local_steps(data[name], full=full), "fraction": fraction(data[name])}
    common = {
        "form": "full" if full else "reduced", "eta0": 0.1, "lambda": 1e-4, "scheme": "Scheme I", "start": "zero",
        "regulariser": "lambda |w|^2", "step_size": "eta0/(1+round)", "seeds": SEEDS,
    }  # fmt: skip

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        entry = plans[name]
        return one(data[name], replicate, entry["rounds"], entry["K"], entry["E"])

    run_replicates(results / "experiments" / "figure_1a.npz", common, plans, job, counts=counts)


if __name__ == "__main__":
    main(False, Path("results"))
