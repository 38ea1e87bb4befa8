"""Actual rates of FedAvg with the step sizes of Theorem 1 of Li et al. (2020), from exact expectations.

Two one-dimensional clients, ``F_1 = (w-1)^2/2``, ``F_2 = 3 (w+1)^2/2``, equal weights, additive noise of variance one or
none, ``eta_t = 2/(mu (gamma+t))``, ``gamma = max(8 kappa, E)``, first step t = 1.  With ``P_k`` the product of ``1 - eta a_k``
over the steps of a round the error obeys ``e' = sum_k p_k (P_k e + (1 - P_k) (w_k* - w*)) + noise``; its first two
moments are carried on exactly, up to rounding.  Part one: fixed E.  Part two: E grows with T like T^(1/2), T^(3/4), T.
Part three: two equal clients ``F_1 = F_2 = F``, the i.i.d. case, with E = 1 and E = T^(1/2).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fltheory.algorithms import FedAvg, Harmonic
from fltheory.experiments.files import Making
from fltheory.problems import AdditiveNoise, QuadraticProblem
from fltheory.readings.moments import moments

CURVATURES = np.array([1.0, 3.0])
MINIMISERS = np.array([1.0, -1.0])
START = 0.0
MU, KAPPA = 1.0, 3.0


def minimiser() -> float:
    """``w*`` of ``F``."""
    return float(CURVATURES @ MINIMISERS / CURVATURES.sum())


def gap_along(local_steps: int, rounds: int, variance: float, record: np.ndarray, *, same: bool = False) -> np.ndarray:
    """``E F(w) - F*`` after the numbers of rounds in ``record`` (ascending); ``same``: both clients equal ``F``."""
    curvature, centre = float(CURVATURES.mean()), minimiser()
    curvatures, minimisers = (np.full(2, curvature), np.full(2, centre)) if same else (CURVATURES, MINIMISERS)
    start = max(8 * KAPPA, local_steps)
    mean, second = START - centre, (START - centre) ** 2
    wanted, found = set(record.tolist()), []
    for round in range(rounds):
        rates = 2 / (MU * (start + 1 + round * local_steps + np.arange(local_steps)))
        logs = np.log1p(-rates * curvatures[:, None])
        total = logs.sum(axis=1)
        kept, lost = float(np.exp(total).mean()), -np.expm1(total)
        shift = float((lost * (minimisers - centre)).mean())
        after = total[:, None] - np.cumsum(logs, axis=1)
        noise = variance * float((rates**2 * np.exp(2 * after)).sum()) / 4
        second = kept**2 * second + 2 * kept * shift * mean + shift**2 + noise
        mean = kept * mean + shift
        if round + 1 in wanted:
            found.append(curvature * second / 2)
    return np.array(found)


def by_readings(local_steps: int, rounds: int, variance: float) -> float:
    """The same last number by the package's exact moments, as a check."""
    problem = QuadraticProblem(CURVATURES[:, None, None], (CURVATURES * MINIMISERS)[:, None])
    algorithm = FedAvg(local_steps, Harmonic(2 / MU, max(8 * KAPPA, local_steps), first=1))
    oracle = AdditiveNoise(np.array(variance)) if variance else None
    return float(moments(problem, algorithm, rounds=rounds, oracle=oracle, every=rounds).gap[-1])


def fixed(local_steps: int, horizon: int, variance: float) -> tuple[np.ndarray, np.ndarray]:
    """Steps T (log-spaced from 100) and the gap there."""
    rounds = horizon // local_steps
    record = np.unique(np.geomspace(100 / local_steps, rounds, 25).round().astype(int))
    return record * local_steps, gap_along(local_steps, rounds, variance, record)


def growing(exponent: str, horizon: int, variance: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """T, E = T^exponent and the gap after T steps; E divides T."""
    if exponent == "1/2":
        pairs = [(m * m, m) for m in np.unique(np.geomspace(10, horizon**0.5, 13).round().astype(int)).tolist()]
    elif exponent == "3/4":
        pairs = [(m**4, m**3) for m in np.unique(np.geomspace(4, horizon**0.25, 10).round().astype(int)).tolist()]
    else:
        pairs = [(t, t) for t in np.geomspace(100, horizon, 9).round().astype(int).tolist()]
    gaps = [gap_along(e, t // e, variance, np.array([t // e]))[0] for t, e in pairs]
    return np.array([t for t, _ in pairs]), np.array([e for _, e in pairs]), np.array(gaps)


def main(full: bool, results: Path, horizon: int | None = None) -> None:
    """Write ``experiments/rates.npz``."""
    making = Making.by(__file__)
    horizon = horizon or (5_000_000 if full else 1_000_000)
    arrays: dict[str, np.ndarray] = {}
    for oracle, variance in (("noisy", 1.0), ("full gradient", 0.0)):
        for steps in (1, 4, 20):
            reach = horizon // 10 if steps == 1 else horizon
            arrays[f"{oracle}/E={steps}/T"], arrays[f"{oracle}/E={steps}/gap"] = fixed(steps, reach, variance)
        for exponent in ("1/2", "3/4", "1"):
            found = growing(exponent, horizon, variance)
            arrays |= {f"{oracle}/E=T^{exponent}/{k}": v for k, v in zip(("T", "E", "gap"), found, strict=True)}
    pairs = [(m * m, m) for m in np.unique(np.geomspace(10, horizon**0.5, 13).round().astype(int)).tolist()]
    arrays["same clients/T"] = np.array([t for t, _ in pairs])
    for name, grow in (("E=1", False), ("E=T^1/2", True)):
        gaps = [
            gap_along(m if grow else 1, m if grow else t, 1.0, np.array([m if grow else t]), same=True)[0]
            for t, m in pairs
            if t <= horizon // 10 or grow
        ]
        arrays[f"same clients/{name}/gap"] = np.array(gaps)
    checks = [(4, 250, 1.0), (20, 50, 0.0), (31, 31, 1.0)]
    arrays["check/readings"] = np.array([by_readings(*case) for case in checks])
    arrays["check/recursion"] = np.array([gap_along(e, r, v, np.array([r]))[0] for e, r, v in checks])
    settings = {
        "form": "full" if full else "reduced",
        "curvatures": CURVATURES.tolist(),
        "minimisers": MINIMISERS.tolist(),
        "start": START,
        "noise variance": 1.0,
        "schedule": "2/(mu (gamma+t)), gamma = max(8 kappa, E), t from 1",
        "horizon": horizon,
        "horizon for E=1": horizon // 10,
        "check (E, rounds, variance)": [list(case) for case in checks],
    }
    making.save(results / "experiments" / "rates.npz", settings, arrays)


if __name__ == "__main__":
    main(False, Path("results"))
