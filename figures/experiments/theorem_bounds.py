"""Bound against exact expectation against simulation: Theorems 1, 2, 3 of Li et al. (2020), Theorem 1 of the lecture.

Li et al.: the tridiagonal example with N = 4, p = 2 and ridge 1 (kappa = 4.2), additive noise, E = 4, K = 2,
``eta_t = 2/(mu (gamma+t))`` from t = 1, so the start is w_1.  Every constant is that of the instance; G^2 is the largest
second moment of a stochastic gradient along the run, exactly.  Lecture: four clients in the plane whose mean Hessian is the
identity, so that ``|grad f|^2 = |x - x*|^2``; constant step size; left side: the running average over the steps so far.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.algorithms import FedAvg, Full, Harmonic, SchemeI, SchemeII
from fltheory.experiments.bounds import bound_values
from fltheory.experiments.files import Making
from fltheory.problems import AdditiveNoise, QuadraticProblem, li_counterexample
from fltheory.readings.moments import inside_rounds, moments
from fltheory.simulate import simulate
from fltheory.theory import lecture2022, li2020

E, K = 4, 2
THEOREMS = {
    "theorem 1": (li2020.theorem_1, li2020.theorem_1_sharpened, li2020.theorem_1_improved, Full()),
    "theorem 2": (li2020.theorem_2, li2020.theorem_2_sharpened, li2020.theorem_2_improved, SchemeI(K)),
    "theorem 3": (li2020.theorem_3, li2020.theorem_3_sharpened, li2020.theorem_3_improved, SchemeII(K)),
}
VARIANCE = 0.01
LECTURE_STEP = 0.05


def li_example() -> QuadraticProblem:
    """The tridiagonal example with a ridge that makes kappa moderate."""
    return li_counterexample(n_clients=4, block=2, ridge=1.0)


def lecture_example() -> QuadraticProblem:
    """Four clients with mean Hessian I and different minimisers."""
    matrices = np.array([[[0.5, 0], [0, 1.5]], [[1.5, 0], [0, 0.5]], [[1, 0.4], [0.4, 1]], [[1, -0.4], [-0.4, 1]]])
    return QuadraticProblem(matrices, np.array([[1.0, 0], [0, 1.0], [0.5, 0.5], [1.0, 1.0]]))


def li_curves(name: str, rounds: int, runs: int) -> dict[str, np.ndarray]:
    """Exact gap, bounds and simulated gaps of one theorem."""
    printed, sharpened, improved, scheme = THEOREMS[name]
    problem, oracle = li_example(), AdditiveNoise(np.array(VARIANCE))
    constants = problem.constants
    schedule = Harmonic(
        2 / constants.strong_convexity, max(8 * constants.smoothness / constants.strong_convexity, E), 1
    )
    algorithm = FedAvg(E, schedule, scheme)
    exact = moments(problem, algorithm, rounds=rounds, oracle=oracle)
    keep = np.unique(np.concatenate([[0], np.geomspace(1, rounds, 60).round().astype(int)]))
    values = bound_values(problem, algorithm, oracle, exact)
    times = 1 + E * keep
    unmet = printed.unmet(**values, T=1 + E * rounds)
    if unmet:
        raise ValueError(f"{name}: unmet conditions {unmet}")
    run = simulate(problem, algorithm, rounds=rounds, runs=runs, seed=1, oracle=oracle)
    band = run.band("gap")
    return {
        "T": times,
        "exact": exact.gap[keep],
        "bound": printed.curve(**printed.select(values), T=times),
        "sharpened": sharpened.curve(**sharpened.select(values), T=times),
        "improved": improved.curve(**improved.select(values), T=times),
        "simulated mean": band.mean[keep],
        "simulated low": band.low[keep],
        "simulated high": band.high[keep],
        **{f"value of {symbol}": np.array(float(value)) for symbol, value in values.items()},
    }


def lecture_curves(rounds: int, runs: int) -> dict[str, np.ndarray]:
    """Running averages of ``E |grad f|^2`` (exact over all steps; exact and simulated over synchronised models)."""
    problem, oracle = lecture_example(), AdditiveNoise(np.array(VARIANCE))
    algorithm = FedAvg(E, LECTURE_STEP)
    inside = inside_rounds(problem, algorithm, rounds=rounds, oracle=oracle)
    steps = np.arange(1, E * rounds + 1)
    every = np.cumsum(inside.distance.ravel()) / steps
    exact = moments(problem, algorithm, rounds=rounds, oracle=oracle).squared_distance
    run = simulate(problem, algorithm, rounds=rounds, runs=runs, seed=2, oracle=oracle)
    synchronised = np.cumsum(run.values("squared_distance")[:, :-1], axis=1) / np.arange(1, rounds + 1)
    keep = np.unique(np.geomspace(1, rounds, 60).round().astype(int))
    values = {
        "s": LECTURE_STEP,
        "K": E,
        "N": problem.n_clients,
        "L": problem.constants.smoothness,
        "G": float(inside.G2) ** 0.5,
        "sigma": float(oracle.variance(problem, np.zeros(2)).max()) ** 0.5,
        "gap": float(problem.value(np.zeros(2)) - problem.constants.minimum),
    }
    half = 1.96 * synchronised[:, keep - 1].std(axis=0, ddof=1) / runs**0.5
    middle = synchronised[:, keep - 1].mean(axis=0)
    return {
        "T": E * keep,
        "exact": every[E * keep - 1],
        "exact, synchronised": (np.cumsum(exact[:-1]) / np.arange(1, rounds + 1))[keep - 1],
        "bound": lecture2022.theorem_1.curve(**values, T=E * keep),
        "simulated mean": middle,
        "simulated low": middle - half,
        "simulated high": middle + half,
        **{f"value of {symbol}": np.array(float(value)) for symbol, value in values.items()},
    }


def main(full: bool, results: Path, rounds: int | None = None) -> None:
    """Write ``experiments/theorem_bounds.npz``."""
    making = Making.by(__file__)
    rounds, runs = rounds or (10_000 if full else 2_000), 1000 if full else 200
    arrays: dict[str, np.ndarray] = {}
    for name in THEOREMS:
        arrays |= {f"{name}/{key}": value for key, value in li_curves(name, rounds, runs).items()}
    arrays |= {f"lecture theorem 1/{key}": value for key, value in lecture_curves(min(rounds, 1000), runs).items()}
    settings = {
        "form": "full" if full else "reduced",
        "rounds": rounds,
        "runs": runs,
        "E": E,
        "K": K,
        "noise variance per coordinate": VARIANCE,
        "lecture step size": LECTURE_STEP,
        "seeds": [1, 2],
        "problem": "tridiagonal example, N=4, p=2, ridge 1; start zero = w_1",
    }
    making.save(results / "experiments" / "theorem_bounds.npz", settings, arrays)


if __name__ == "__main__":
    main(False, Path("results"))
