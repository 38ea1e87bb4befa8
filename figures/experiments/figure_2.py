"""FedAvg on the tridiagonal example (Figure 2 of Li et al. 2020): fixed and annealed step sizes, and the exact limits.

N = 5, p = 4, mu = 2e-4, full gradients, w_0 = 0.  The paper does not say which E and which fixed step sizes it drew:
here E = 1, 5, 10, 20 and the fixed step sizes 1/25 (where the annealing (1/5)/(5 + t a) starts) and 1/5.  It does not
say either whether t counts local steps or rounds: both are run.
"""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path

import numpy as np

from fltheory.algorithms import Annealed, FedAvg
from fltheory.experiments.files import made_by, resume, save_result
from fltheory.problems import li_counterexample
from fltheory.readings.fixed_points import fixed_point
from fltheory.simulate import simulate

LOCAL_STEPS = (1, 5, 10, 20)
FIXED = ("1/25", "1/5")
RATES = (1e-2, 1e-4, 1e-6)
COUNTS = ("steps", "rounds")
RIDGE = Fraction(1, 5000)


def exact_limit(local_steps: int, step_size: str) -> Fraction:
    """``F(w~) - F*`` of the fixed point, in rational numbers."""
    problem = li_counterexample(n_clients=5, block=4, ridge=RIDGE, exact=True)
    limit = fixed_point(problem, FedAvg(local_steps, Fraction(step_size)), exact=True)
    return Fraction(problem.value(limit) - problem.constants.minimum)


def gaps(local_steps: int, step_size: object, steps: int) -> np.ndarray:
    """``F(w) - F*`` at 101 evenly spaced rounds of ``steps`` local steps in all."""
    problem = li_counterexample(n_clients=5, block=4, ridge=float(RIDGE))
    rounds = steps // local_steps
    run = simulate(problem, FedAvg(local_steps, step_size), rounds=rounds, record_every=rounds // 100)
    return run.values("gap")[0]


def main(full: bool, results: Path, steps: int | None = None) -> None:
    """Write ``experiments/figure_2.npz``: arrays ``fixed/eta/E=..``, ``limit/eta/E=..``, ``annealed/count/a/E=..``."""
    steps = steps or (1_000_000 if full else 200_000)
    path = results / "experiments" / "figure_2.npz"
    settings = {
        "form": "full" if full else "reduced",
        "N": 5,
        "p": 4,
        "mu": float(RIDGE),
        "E": list(LOCAL_STEPS),
        "fixed": list(FIXED),
        "a": list(RATES),
        "schedule": "(1/5)/(5 + t a)",
        "t counts": list(COUNTS),
        "steps": steps,
        "start": "zero",
        "oracle": "full gradients",
        "chosen here": "E, the fixed step sizes and the number of steps",
    }
    origin = made_by(__file__)
    result = resume(path, settings, origin)
    jobs: dict[str, tuple[int, object]] = {}
    for e in LOCAL_STEPS:
        jobs |= {f"fixed/{eta}/E={e}": (e, float(Fraction(eta))) for eta in FIXED}
        for count in COUNTS:
            if e > 1 or count == "steps":  # with one local step both readings of t are the same run
                schedules = {a: Annealed(0.2, 5.0, a, per_round=count == "rounds") for a in RATES}
                jobs |= {f"annealed/{count}/{a:g}/E={e}": (e, schedule) for a, schedule in schedules.items()}
    for e in LOCAL_STEPS:
        for eta in FIXED:
            if f"limit/{eta}/E={e}" not in result.arrays:
                limit = {f"limit/{eta}/E={e}": np.array(float(exact_limit(e, eta)))}
                result = result.with_arrays(limit, origin=origin)
    for name, (e, step_size) in jobs.items():
        if name not in result.arrays:
            begin = time.process_time()
            found = {name: gaps(e, step_size, steps)}
            result = result.with_arrays(found, origin=origin, seconds=time.process_time() - begin)
            save_result(result, path)
            print(name, flush=True)
    save_result(result, path)


if __name__ == "__main__":
    main(False, Path("results"))
