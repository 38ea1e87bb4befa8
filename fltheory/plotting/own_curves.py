"""Arrays for figures of a quadratic problem of one's own, by the names that results files give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.kinds import Array

#: Local steps of both figures; steps of a run; shares of 1/L that are tried as fixed step sizes; constants of decaying ones.
LOCAL_STEPS, STEPS, SHARES, RATES = (1, 5, 10, 20), 20_000, (0.1, 0.5), (1e-2, 1e-3, 1e-4)
BIAS_STEPS = (2, 5, 20, 100)


def step_size_curves(problem: Any) -> tuple[dict[str, Array], dict[str, Any]]:
    """Fixed and decaying step sizes from zero with exact gradients: arrays ``fixed/eta/E=..``, ``limit/..``, ``annealed/..``.

    Decaying steps begin at the smaller fixed one.  Runs are exact: without noise they are their own expectation.

    Raises
    ------
    ValueError : a problem without a minimiser, or one that is not quadratic, of which fixed points are not exact.
    """
    from fltheory.algorithms import Annealed, FedAvg
    from fltheory.readings.fixed_points import fixed_point
    from fltheory.simulate import simulate

    known = problem.constants
    sizes = [f"{share / float(known.smoothness):.3g}" for share in SHARES]
    found: dict[str, Array] = {}

    def gaps(e: int, step_size: Any) -> Array:
        rounds = STEPS // e
        run = simulate(problem, FedAvg(e, step_size), rounds=rounds, record_every=rounds // 100)
        return np.asarray(run.values("gap")[0])

    for e in LOCAL_STEPS:
        for eta in sizes:
            end = fixed_point(problem, FedAvg(e, float(eta)))
            found[f"limit/{eta}/E={e}"] = np.array(float(problem.value(end)) - float(known.minimum) if e > 1 else 0.0)
            found[f"fixed/{eta}/E={e}"] = gaps(e, float(eta))
        for a in RATES:
            for count in ("steps", "rounds") if e > 1 else ("steps",):
                schedule = Annealed(5 * float(sizes[0]), 5.0, a, per_round=count == "rounds")
                found[f"annealed/{count}/{a:g}/E={e}"] = gaps(e, schedule)
    settings = {"steps": STEPS, "fixed": sizes, "E": list(LOCAL_STEPS), "a": list(RATES), "oracle": "full gradients"}
    return found, settings


def bias_curves(problem: Any) -> dict[str, Array]:
    """``|w~ - w*|`` of FedAvg's fixed point over step sizes up to 9/10 of 1/L: ``E``, ``eta``, ``bias``; nan beyond stability."""
    from fltheory.algorithms import FedAvg
    from fltheory.readings.round_map import round_map

    sizes = np.geomspace(1e-3, 0.9, 30) / float(problem.constants.smoothness)
    target = np.asarray(problem.constants.minimiser, dtype=float)

    def bias(e: int, eta: float) -> float:
        rounds = round_map(problem, FedAvg(e, eta))
        if rounds.spectral_radius() >= 1:
            return float("nan")
        return float(np.linalg.norm(rounds.model @ rounds.fixed_point() - target))

    return {
        "E": np.array(BIAS_STEPS),
        "eta": sizes,
        "bias": np.array([[bias(e, float(eta)) for eta in sizes] for e in BIAS_STEPS]),
    }


def stability_curves(
    problem: Any, counts: tuple[int, ...] = (1, 2, 3, 5, 8, 12, 20, 32)
) -> tuple[Array, dict[str, Array]]:
    """Local steps K, and the largest stable step size of the three methods of mixed FL by name; nan where none was found.

    Raises
    ------
    ValueError : a problem without a loss of the server, or one that is not quadratic.
    """
    from fltheory.algorithms import OneWayGradientTransfer, ParallelTraining, TwoWayGradientTransfer
    from fltheory.readings import stability_limit

    if not hasattr(problem, "centre_gradient"):
        raise ValueError(f"own={type(problem).__name__} has no loss of the server; expected a MixedProblem")
    upper = 4 / float(problem.constants.strong_convexity)

    def limit(kind: Any, count: int) -> float:
        rates = () if kind is OneWayGradientTransfer else (1.0, 1.0)

        def made(eta: Any) -> Any:
            return kind(count, eta) if not rates else kind(count, eta, eta, *rates)

        for share in (1.0, 1 / 16, 1 / 256):  # the smallest step size tried must be a stable one
            try:
                found = stability_limit(problem, made, upper * share).mean
            except ValueError:
                continue
            return float("nan") if found is None else float(found)
        return float("nan")

    kinds = {
        "Parallel Training": ParallelTraining,
        "1-way GT": OneWayGradientTransfer,
        "2-way GT": TwoWayGradientTransfer,
    }
    return np.array(counts, dtype=float), {
        name: np.array([limit(kind, count) for count in counts]) for name, kind in kinds.items()
    }
