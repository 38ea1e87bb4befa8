"""The number K of active clients (Figures 1(b) and 3 of Li et al. 2020): Scheme I, E = 5, eta0 = 0.1."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.algorithms import FedAvg, HarmonicPerRound, SchemeI
from fltheory.plotting.experiments import SEEDS, DataSet, data_sets, run_replicates
from fltheory.problems import MiniBatch
from fltheory.simulate import simulate

LOCAL_STEPS = 5


def cohorts(data: DataSet) -> list[int]:
    """The values of K: about 10, 30, 50, 70 and 100 per cent of the clients."""
    return [round(data.n_clients * share) for share in (0.1, 0.3, 0.5, 0.7, 1.0)]


def plan(data: DataSet, *, full: bool) -> dict[str, int]:
    """Rounds and replicates on one data set."""
    if full:
        fashion = data.name.startswith("Fashion")
        return {"rounds": 200 if fashion else 500, "replicates": 5 if fashion else 20}
    if data.name.startswith("Fashion"):
        return {"rounds": 50, "replicates": 5}
    return {"rounds": 100, "replicates": 10 if data.name.startswith("MNIST") else 20}


def one(data: DataSet, replicate: int, rounds: int) -> dict[str, np.ndarray]:
    """Objective after every fifth round for every K, and the rounds."""
    problem = data.problem(replicate)
    found = {}
    for clients in cohorts(data):
        algorithm = FedAvg(LOCAL_STEPS, HarmonicPerRound(0.1), SchemeI(clients))
        run = simulate(
            problem, algorithm, rounds=rounds, seed=replicate, oracle=MiniBatch(data.batch), record_every=5,
            reference=False,
        )  # fmt: skip
        found[f"K={clients}"] = run.objective[0]
    return {**found, "rounds": run.rounds}


def main(full: bool, results: Path, limit: int | None = None, rounds: int | None = None) -> None:
    """Write ``experiments/figure_1b_3.npz``; ``limit`` and ``rounds`` cut replicates and rounds (for trials)."""
    data = {item.name: item for item in data_sets(full=full)}
    plans: dict[str, Any] = {name: plan(item, full=full) for name, item in data.items()}
    counts = {name: min(entry.pop("replicates"), limit or 10**6) for name, entry in plans.items()}
    for name, entry in plans.items():
        entry |= {"rounds": rounds or entry["rounds"], "batch": data[name].batch, "clients": data[name].n_clients}
        entry["K"] = cohorts(data[name])
    common = {
        "form": "full" if full else "reduced", "E": LOCAL_STEPS, "eta0": 0.1, "lambda": 1e-4, "scheme": "Scheme I",
        "regulariser": "lambda |w|^2", "step_size": "eta0/(1+round)", "start": "zero", "seeds": SEEDS,
    }  # fmt: skip

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        return one(data[name], replicate, plans[name]["rounds"])

    run_replicates(results / "experiments" / "figure_1b_3.npz", common, plans, job, counts=counts)


if __name__ == "__main__":
    main(False, Path("results"))
