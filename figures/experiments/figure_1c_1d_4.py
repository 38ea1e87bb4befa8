"""Sampling and averaging schemes (Figures 1(c), 1(d) and 4 of Li et al. 2020): who wins, on balanced and unbalanced data.

K = 10 and eta_t = eta0/(1 + round); E = 20 on images, E = 10 on the synthetic sets, as in Appendix D.2; eta0 = 0.1,
and 0.1, 0.5, 0.9, 1.1 for the original scheme.  Every round the same uniforms choose the cohorts of all schemes.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.algorithms import (
    FedAvg,
    HarmonicPerRound,
    NormalisedUniform,
    Original,
    SchemeI,
    SchemeII,
    TransformedSchemeII,
)
from fltheory.plotting.experiments import SEEDS, DataSet, data_sets, run_replicates
from fltheory.problems import MiniBatch
from fltheory.simulate import simulate

K = 10
TUNED = (0.1, 0.5, 0.9, 1.1)
SCHEMES = {
    "Scheme I": (SchemeI(K), 0.1),
    "Scheme II": (SchemeII(K), 0.1),
    "transformed Scheme II": (TransformedSchemeII(K), 0.1),
    "normalised uniform": (NormalisedUniform(K), 0.1),
    **{f"original, eta0={eta:g}": (Original(K), eta) for eta in TUNED},
}


def plan(data: DataSet, *, full: bool) -> dict[str, int]:
    """Rounds, replicates and local steps on one data set."""
    synthetic = data.name.startswith("synthetic")
    small = synthetic or data.name.startswith("digits")
    if full:
        replicates = 5 if data.name.startswith("Fashion") else 20
        return {"rounds": 500 if small else 200, "replicates": replicates, "local_steps": 10 if synthetic else 20}
    if data.name.startswith("Fashion"):
        return {"rounds": 60, "replicates": 5, "local_steps": 20}
    return {"rounds": 200 if small else 100, "replicates": 20 if small else 16, "local_steps": 10 if synthetic else 20}


def one(data: DataSet, replicate: int, rounds: int, local_steps: int) -> dict[str, np.ndarray]:
    """Objective after every fifth round under every scheme, and the rounds, on one replicate."""
    problem = data.problem(replicate)
    found = {}
    for label, (scheme, eta0) in SCHEMES.items():
        algorithm = FedAvg(local_steps, HarmonicPerRound(eta0), scheme)
        run = simulate(
            problem, algorithm, rounds=rounds, seed=replicate, oracle=MiniBatch(data.batch), record_every=5,
            reference=False,
        )  # fmt: skip
        found[label] = run.objective[0]
    return {**found, "rounds": run.rounds, "sizes": problem.sample_sizes}


def main(full: bool, results: Path, limit: int | None = None, rounds: int | None = None) -> None:
    """Write ``experiments/figure_1c_1d_4.npz``; ``limit`` and ``rounds`` cut replicates and rounds (for trials)."""
    data = {item.name: item for item in data_sets(full=full)}
    plans = {name: plan(item, full=full) for name, item in data.items()}
    counts = {name: min(entry.pop("replicates"), limit or 10**6) for name, entry in plans.items()}
    for name, entry in plans.items():
        entry |= {"rounds": rounds or entry["rounds"], "batch": data[name].batch, "clients": data[name].n_clients}
    common = {
        "form": "full" if full else "reduced", "K": K, "eta0": {label: eta for label, (_, eta) in SCHEMES.items()},
        "lambda": 1e-4, "regulariser": "lambda |w|^2", "step_size": "eta0/(1+round)", "start": "zero", "seeds": SEEDS,
    }  # fmt: skip

    def job(name: str, replicate: int) -> dict[str, np.ndarray]:
        return one(data[name], replicate, plans[name]["rounds"], plans[name]["local_steps"])

    run_replicates(results / "experiments" / "figure_1c_1d_4.npz", common, plans, job, counts=counts)


if __name__ == "__main__":
    main(False, Path("results"))
