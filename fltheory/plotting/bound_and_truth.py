"""Theorem 1 of Li et al. (2020) on one's own problem: bound, exact expectation, simulation, as a results file keeps them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.kinds import Array

#: Local steps, variance of the noise in each coordinate, runs of the simulation.
E, VARIANCE, RUNS = 4, 0.01, 200


def curves_of(problem: Any, *, rounds: int = 2_000, runs: int = RUNS) -> dict[str, Array]:
    """``theorem 1/T``, ``/exact``, ``/bound``, ``/improved``, ``/simulated mean`` ... for FedAvg with the theorem's steps.

    ``problem`` has exact constants (quadratics); gradients have additive noise of variance :data:`VARIANCE` per coordinate.

    Raises
    ------
    ValueError : a condition of the theorem that fails for this problem.
    """
    from fltheory.algorithms import FedAvg, Harmonic
    from fltheory.experiments.bounds import bound_values
    from fltheory.problems import AdditiveNoise
    from fltheory.readings.moments import moments
    from fltheory.simulate import simulate
    from fltheory.theory import li2020

    known, oracle = problem.constants, AdditiveNoise(np.array(VARIANCE))
    gamma = max(8 * known.smoothness / known.strong_convexity, E)
    algorithm = FedAvg(E, Harmonic(2 / known.strong_convexity, gamma, 1))
    exact = moments(problem, algorithm, rounds=rounds, oracle=oracle)
    values = bound_values(problem, algorithm, oracle, exact)
    unmet = li2020.theorem_1.unmet(**values, T=1 + E * rounds)
    if unmet:
        raise ValueError(f"problem: conditions of Theorem 1 fail: {', '.join(map(str, unmet))}")
    keep = np.unique(np.concatenate([[0], np.geomspace(1, rounds, 60).round().astype(int)]))
    times = 1 + E * keep
    band = simulate(problem, algorithm, rounds=rounds, runs=runs, seed=1, oracle=oracle).band("gap")
    found = {"T": times, "exact": exact.gap[keep]}
    for name, bound in (("bound", li2020.theorem_1), ("improved", li2020.theorem_1_improved)):
        found[name] = bound.curve(**bound.select(values), T=times)
    found |= {f"simulated {part}": getattr(band, part)[keep] for part in ("mean", "low", "high")}
    return {f"theorem 1/{name}": np.asarray(values) for name, values in found.items()}
