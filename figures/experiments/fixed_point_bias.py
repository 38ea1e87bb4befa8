"""The bias of FedAvg's fixed point over (E, eta) on the tridiagonal example, with the printed lower bound.

``|w~ - w*|`` from the round map against ``((E-1) eta/16) |A_1 A_2 w*|`` (Theorem 5 of Li et al. 2020), for N = 5, p = 4,
with mu = 0 and with mu = 2e-4 (where the clients' matrices are A_k + mu I).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.algorithms import FedAvg
from fltheory.experiments.files import Making
from fltheory.problems import QuadraticProblem, li_counterexample
from fltheory.readings.round_map import round_map

RIDGES = (0.0, 2e-4)


def grid(full: bool) -> tuple[np.ndarray, np.ndarray]:
    """Local steps and step sizes; the latter below the limit 1/4 of the printed analysis."""
    steps = (
        [2, 3, 5, 10, 20, 50, 100, 500] if not full else [2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000]
    )
    return np.array(steps), np.logspace(-4, np.log10(0.24), 60 if full else 30)


def bias(problem: QuadraticProblem, local_steps: int, step_size: float) -> tuple[float, float]:
    """``|w~ - w*|``, and the spectral radius of the round map."""
    rounds = round_map(problem, FedAvg(local_steps, step_size))
    w = rounds.model @ rounds.fixed_point()
    return float(np.linalg.norm(w - problem.constants.minimiser)), rounds.spectral_radius()


def main(full: bool, results: Path) -> None:
    """Write ``experiments/fixed_point_bias.npz``."""
    making = Making.by(__file__)
    steps, sizes = grid(full)
    arrays = {"E": steps, "eta": sizes}
    for ridge in RIDGES:
        problem = li_counterexample(n_clients=5, block=4, ridge=ridge)
        found = np.array([[bias(problem, int(e), float(eta)) for eta in sizes] for e in steps])
        first, second = problem.matrices[0], problem.matrices[1]
        factor = float(np.linalg.norm(first @ second @ problem.constants.minimiser))
        arrays |= {
            f"bias/{ridge:g}": found[:, :, 0],
            f"radius/{ridge:g}": found[:, :, 1],
            f"bound/{ridge:g}": (steps[:, None] - 1) * sizes[None, :] / 16 * factor,
            f"distance from zero/{ridge:g}": np.array(np.linalg.norm(problem.constants.minimiser)),
        }
    settings = {"form": "full" if full else "reduced", "N": 5, "p": 4, "mu": list(RIDGES), "oracle": "full gradients"}
    making.save(results / "experiments" / "fixed_point_bias.npz", settings, arrays)


if __name__ == "__main__":
    main(False, Path("results"))
