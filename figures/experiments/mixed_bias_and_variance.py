"""Where Parallel Training, 1-way and 2-way GT end on two parabolas: bias, and stationary variance against the local steps.

``f_f = x^2/2 + x``, ``f_c = x^2/4 - x`` (minimiser 0, gradients 1 and -1 there), eta_c = eta, eta_s = eta_m = 1; four clients
alike, all taking part.  Bias: distance of the fixed point from the minimiser, from the package's exact round map, at a fixed
eta and at a fixed eta K.  Variance: that of the limit's model at a fixed eta K, with noise of variance one of the server's
gradients only, or of the clients' only; exact.  2-way GT adds the other side's gradient of the round before to each side's
own, so that it moves twice as far in a round as Parallel Training; it is shown with eta_m = 1/2 as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fltheory.algorithms import OneWayGradientTransfer, ParallelTraining, TwoWayGradientTransfer
from fltheory.experiments.files import Making
from fltheory.problems import AdditiveNoise, MixedProblem, QuadraticProblem
from fltheory.readings import round_map
from fltheory.readings import stationary as stationary_law
from verify.mixed2022.scalar_moments import ALGORITHMS, ClientRates, Scalar, stationary

BASE = Scalar(federated=1.0, central=0.5, slope=1.0, clients=4)
#: Fixed eta, and fixed product eta K.
STEP, EFFECTIVE = 0.02, 0.1


def mixed(case: Scalar) -> MixedProblem:
    """Clients alike, and the centre."""
    clients = QuadraticProblem(np.full((case.clients, 1, 1), case.federated), np.full((case.clients, 1), -case.slope))
    return MixedProblem(clients, QuadraticProblem(np.full((1, 1, 1), case.central), np.full((1, 1), case.slope)))


def made(name: str, steps: int, eta: float, merge: float = 1.0) -> Any:
    """The algorithm in the package."""
    if name == "1-way GT":
        return OneWayGradientTransfer(steps, eta)
    kind = ParallelTraining if name == "Parallel Training" else TwoWayGradientTransfer
    return kind(steps, eta, eta, 1.0, merge)


def bias(name: str, steps: int, eta: float) -> float:
    """``|lim x|`` from the package's round map; infinity where the rounds diverge."""
    rounds = round_map(mixed(BASE), made(name, steps, eta))
    return float(abs((rounds.model @ rounds.fixed_point())[0])) if rounds.contraction() < 1 else np.inf


def variance(name: str, steps: int, noise: str, merge: float = 1.0) -> float:
    """Of the model's stationary law."""
    oracle = AdditiveNoise(np.array(1.0))
    which = {"oracle": oracle} if noise == "variance" else {"centre_oracle": oracle}
    algorithm = made(name, steps, EFFECTIVE / steps, merge)
    return float(stationary_law(mixed(BASE), algorithm, **which).variance)


def by_recursion(name: str, steps: int, noise: str) -> float:
    """The same by the closed-form recursion."""
    case = BASE.but(steps=steps, **{noise: 1.0})
    return float(stationary(name, case, ClientRates(np.array([EFFECTIVE / steps])))[1][0])


def main(full: bool, results: Path, largest: int | None = None) -> None:
    """Write ``experiments/mixed_bias_and_variance.npz``."""
    making = Making.by(__file__)
    top = largest or (256 if full else 64)
    counts = np.unique(np.geomspace(1, top, 17 if full else 13).round().astype(int))
    arrays: dict[str, np.ndarray] = {"K": counts}
    for name in ALGORITHMS:
        arrays[f"bias/{name}/eta"] = np.array([bias(name, int(k), STEP) for k in counts])
        arrays[f"bias/{name}/eta K"] = np.array([bias(name, int(k), EFFECTIVE / int(k)) for k in counts])
        for noise, words in (("central_variance", "central noise"), ("variance", "client noise")):
            arrays[f"{words}/{name}"] = np.array([variance(name, int(k), noise) for k in counts])
            if name == "2-way GT":
                arrays[f"{words}/{name}, eta_m=1/2"] = np.array([variance(name, int(k), noise, 0.5) for k in counts])
    checks = [(name, k, noise) for name in ALGORITHMS for k in (1, 3) for noise in ("central_variance", "variance")]
    arrays["check/recursion"] = np.array([by_recursion(*case) for case in checks])
    arrays["check/package"] = np.array([variance(*case) for case in checks])
    settings = {
        "form": "full" if full else "reduced",
        "lambda_f": BASE.federated,
        "lambda_c": BASE.central,
        "g": BASE.slope,
        "clients": BASE.clients,
        "eta": STEP,
        "eta K": EFFECTIVE,
        "rates": "eta_c = eta, eta_s = eta_m = 1",
        "checks": [list(case) for case in checks],
    }
    making.save(results / "experiments" / "mixed_bias_and_variance.npz", settings, arrays)


if __name__ == "__main__":
    main(False, Path("results"))
