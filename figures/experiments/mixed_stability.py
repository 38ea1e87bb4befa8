"""Largest stable step sizes of Parallel Training, 1-way and 2-way GT on two parabolas, no noise.

``f_f = lambda_f x^2/2``, ``f_c = lambda_c x^2/2``, eta_c = eta, as many central as client steps, 2-way GT with the printed
divisor.  The largest eta is the first at which the round's linear map has an eigenvalue of modulus one (closed forms; the
package's stability limit, read off its own rounds, is the check).  Beside it: the largest eta that Theorems B.1 to B.3 of
Augenstein et al. (2022) allow in the strongly convex case, with B the least admissible one.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.algorithms import OneWayGradientTransfer, ParallelTraining, TwoWayGradientTransfer
from fltheory.experiments.files import Making
from fltheory.problems import MixedProblem, QuadraticProblem
from fltheory.readings import stability_limit
from verify.mixed2022.scalar_moments import ALGORITHMS, Scalar, largest_step

#: Curvature ratios lambda_c/lambda_f of the first panel (lambda_f = 1), and the base case of the others.
RATIOS = (0.2, 0.8, 5.0)
STEPS = 4
SHORT = {"Parallel Training": "PT", "1-way GT": "1-w GT", "2-way GT": "2-w GT"}


def mixed(case: Scalar) -> MixedProblem:
    """The two parabolas."""
    return MixedProblem(
        *(QuadraticProblem(np.array([[[c]]]), np.zeros((1, 1))) for c in (case.federated, case.central))
    )


def allowed(name: str, case: Scalar, server: float, merge: float) -> float:
    """The theorems' largest eta; zero where eta_m < 1, or eta_s <= sqrt(5/8) in 1-way GT (one client), is not covered."""
    from fltheory.theory.mixed2022 import orders

    if (name == "1-way GT" and not 8 * server**2 > 5) or (name != "1-way GT" and merge < 1):
        return 0.0
    squared = float(mixed(case).constants.dissimilarity(Fraction(1, 2)).least_B2)
    at = {
        orders.B: squared**0.5,
        orders.beta: max(case.federated, case.central),
        orders.mu: min(case.federated, case.central),
        orders.K: case.steps,
        orders.eta_m: merge,
    }
    limit = min(float(found.subs(at)) for found in orders.limits(SHORT[name], "strongly convex"))
    return min(limit / server, limit) if name != "1-way GT" else limit / server


def largest(name: str, case: Scalar, server: float, merge: float, points: int) -> tuple[float, float]:
    """The first unstable eta up to 4 over the smaller curvature, and what the theorems allow."""
    upper = 4 / min(case.federated, case.central)
    return largest_step(name, case, upper=upper, server=server, merge=merge, points=points), allowed(
        name, case, server, merge
    )


def read_off(name: str, case: Scalar, server: float, merge: float) -> float:
    """The package's stability limit."""

    def made(eta: float) -> Any:
        if name == "1-way GT":
            return OneWayGradientTransfer(case.steps, eta, server)
        kind = ParallelTraining if name == "Parallel Training" else TwoWayGradientTransfer
        return kind(case.steps, eta, eta, server, merge)

    found = stability_limit(mixed(case), made, 4 / min(case.federated, case.central), points=400).mean
    return np.inf if found is None else found


def main(full: bool, results: Path, points: int | None = None) -> None:
    """Write ``experiments/mixed_stability.npz``."""
    making = Making.by(__file__)
    points = points or (8000 if full else 4000)
    counts = np.unique(np.geomspace(1, 64, 19 if full else 13).round().astype(int))
    ratios = np.geomspace(0.02, 50, 62 if full else 42)  # without 1, where even K touch -1 and turn
    factors = np.geomspace(0.125, 8, 37 if full else 25)
    arrays: dict[str, np.ndarray] = {"K": counts, "ratio": ratios, "factor": factors}
    for name in ALGORITHMS:
        for ratio in RATIOS:
            found = [largest(name, Scalar(central=ratio, steps=int(k)), 1.0, 1.0, points) for k in counts]
            arrays[f"K/{name}/{ratio:g}"], arrays[f"K/{name}/{ratio:g}/theorem"] = np.array(found).T
        found = [largest(name, Scalar(central=float(ratio), steps=STEPS), 1.0, 1.0, points) for ratio in ratios]
        arrays[f"ratio/{name}"], arrays[f"ratio/{name}/theorem"] = np.array(found).T
        base = Scalar(central=RATIOS[1], steps=STEPS)
        for kind in ("server", "merge"):
            rates = [(float(f), 1.0) if kind == "server" else (1.0, float(f)) for f in factors]
            found = [largest(name, base, *rate, points) for rate in rates]
            arrays[f"{kind}/{name}"], arrays[f"{kind}/{name}/theorem"] = np.array(found).T
    checks = [
        (name, Scalar(central=ratio, steps=k), s, m)
        for name in ALGORITHMS
        for ratio, k, s, m in ((0.2, 3, 1.0, 1.0), (5.0, 4, 2.0, 0.5), (0.8, 8, 0.5, 2.0))
    ]
    arrays["check/closed form"] = np.array([largest(*case, points)[0] for case in checks])
    arrays["check/package"] = np.array([read_off(*case) for case in checks])
    settings = {
        "form": "full" if full else "reduced",
        "lambda_f": 1.0,
        "ratios": list(RATIOS),
        "K of the other panels": STEPS,
        "rates": "eta_c = eta; eta_s = eta_m = 1 unless varied (there the second of the ratios)",
        "points of the scan": points,
        "checks": [[name, case.central, case.steps, s, m] for name, case, s, m in checks],
    }
    making.save(results / "experiments" / "mixed_stability.npz", settings, arrays)


if __name__ == "__main__":
    main(False, Path("results"))
