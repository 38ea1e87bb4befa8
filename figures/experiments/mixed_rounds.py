"""Rounds to an accuracy of Parallel Training, 1-way and 2-way GT on quadratics, at each method's best step of a grid.

In the plane, coordinate by coordinate: ``f_f = x^2/2 + g x``, ``f_c = x^2/4 - g x`` and a tenth of these curvatures without
slope, start (1, 1); S clients alike, all taking part, with gradient noise of variance sigma^2, the server's of variance
sigma_c^2, half of it in each coordinate; eta_c = eta, eta_s = eta_m = 1.  Expectations are exact.  Beside T(eps): the order of
Table 1 of Augenstein et al. (2022, strongly convex case) with all its constants set to one, on the instance's own beta, mu,
sigma^2, sigma_c^2, and with G and B of Definition 4.2 computed: the admissible pair for which the order is least.  The order
carries log(1/eps); beta and mu are the largest and smallest curvature of the two parts.

Where B is varied the centre is concave along the first coordinate, of curvature ``delta - 1``: f is still convex there with
curvature delta and G = 0 is admissible.  No case of Table 1 is about such parts; the order is drawn with mu of f.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from fltheory.experiments.files import Making
from fltheory.problems import MixedProblem, QuadraticProblem
from verify.mixed2022.scalar_moments import ALGORITHMS, ClientRates, Scalar, rounds_to

START = 1.0
BASE = Scalar(federated=1.0, central=0.5, slope=1.0, steps=2)
#: Curvatures of the second coordinate over those of the first in the base case.
FLAT = 0.1
#: Step sizes: a ratio of ten over so many points, up to 2 over the largest curvature.
PER_DECADE, LOWEST = 60, 1e-8
SHORT = {"Parallel Training": "PT", "1-way GT": "1-w GT", "2-way GT": "2-w GT"}


def plane(case: Scalar) -> list[Scalar]:
    """Both coordinates of an instance, each with half of the noise."""
    half = case.but(variance=case.variance / 2, central_variance=case.central_variance / 2)
    return [half, half.but(federated=FLAT * BASE.federated, central=FLAT * BASE.central, slope=0.0)]


def step_sizes(case: Scalar, per_decade: int) -> np.ndarray:
    """The grid of eta."""
    top = 2 / max(case.federated, abs(case.central))
    return np.geomspace(LOWEST * top, top, int(np.ceil(-np.log10(LOWEST) * per_decade)) + 1)


def best(case: Scalar, accuracy: float, per_decade: int) -> list[tuple[float, float]]:
    """Least T(eps) over the grid, and its eta, for each algorithm."""
    found = []
    eta = step_sizes(case, per_decade)
    for name in ALGORITHMS:
        rounds = rounds_to(name, plane(case), ClientRates(eta), accuracy, START)
        place = int(np.argmin(rounds))
        found.append((float(rounds[place]), float(eta[place])))
    return found


def dissimilarity(case: Scalar) -> list[tuple[float, float]]:
    """Admissible (G^2, B^2) of Definition 4.2 with w_f = 1/2: the least B^2, and larger ones each with its least G^2."""
    both = plane(case)
    slopes = np.array([each.slope for each in both])
    part = [
        QuadraticProblem(np.diag(diagonal)[None], vector[None])
        for diagonal, vector in (
            ([each.federated for each in both], -slopes),
            ([each.central for each in both], slopes),
        )
    ]
    found = MixedProblem(*part).constants.dissimilarity(Fraction(1, 2))
    pairs = []
    for excess in (0.0, *np.geomspace(1e-4, 1e4, 60)):
        squared = found.least_B2 * (1 + excess) if excess else found.least_B2
        slope = found.least_G2_given(squared)
        if slope is not None:
            pairs.append((float(slope), float(squared)))
    return pairs


def order(name: str, case: Scalar, accuracy: float) -> float:
    """Table 1, strongly convex case, constants one, at the best admissible (G, B)."""
    import sympy as sp

    from fltheory.theory.mixed2022 import orders

    both = plane(case)
    curvatures = [curvature for each in both for curvature in (each.federated, each.central)]
    smoothness, modulus = max(map(abs, curvatures)), min(curvatures)
    if modulus <= 0:
        modulus = min(each.curvature for each in both)
    total = sum(orders.terms(SHORT[name], "strongly convex").values())
    at = {
        orders.V: case.variance,
        orders.C: case.central_variance,
        orders.K: case.steps,
        orders.S: case.clients,
        orders.beta: smoothness,
        orders.mu: modulus,
        orders.eps: accuracy,
    }
    function = sp.lambdify((orders.G, orders.B), total.subs(at), "math")
    return float(min(function(g2**0.5, b2**0.5) for g2, b2 in dissimilarity(case)))


def axes(full: bool) -> dict[str, tuple[str, np.ndarray, list[tuple[Scalar, float]]]]:
    """Panels: what is varied, its values, and the (instance, accuracy) pairs."""
    count = 13 if full else 9
    accuracies = np.geomspace(1e-1, 1e-8, count)
    slopes = np.geomspace(1e-2, 1e2, count)
    deltas = np.geomspace(1.0, 1e-2, count)
    central = np.geomspace(1e-4, 1e2, count)
    counts = np.unique(np.geomspace(1, 64, 7).astype(int))
    still = BASE.but(slope=0.0)
    return {
        "accuracy": ("1/eps", 1 / accuracies, [(BASE, float(eps)) for eps in accuracies]),
        "G": ("slope g", slopes, [(BASE.but(slope=float(g)), 1e-4) for g in slopes]),
        "B": ("delta", deltas, [(BASE.but(slope=0.0, central=float(d) - 1.0), 1e-4) for d in deltas]),
        "central variance": ("sigma_c^2", central, [(still.but(central_variance=float(v)), 1e-3) for v in central]),
        "K": ("K", counts.astype(float), [(still.but(central_variance=1.0, steps=int(k)), 1e-3) for k in counts]),
        "S": ("S", counts.astype(float), [(still.but(variance=1.0, clients=int(s)), 1e-3) for s in counts]),
    }


def main(full: bool, results: Path, per_decade: int | None = None) -> None:
    """Write ``experiments/mixed_rounds.npz``."""
    making = Making.by(__file__)
    per_decade = per_decade or PER_DECADE
    arrays: dict[str, np.ndarray] = {}
    named = {}
    for panel, (label, values, cases) in axes(full).items():
        named[panel] = label
        arrays[f"{panel}/values"] = values
        table = np.array([best(case, eps, per_decade) for case, eps in cases])
        pairs = [dissimilarity(case) for case, _ in cases]
        arrays[f"{panel}/least B^2"] = np.array([min(b2 for _, b2 in each) for each in pairs])
        arrays[f"{panel}/least G^2"] = np.array([min(g2 for g2, _ in each) for each in pairs])
        for place, name in enumerate(ALGORITHMS):
            arrays[f"{panel}/{name}/T"], arrays[f"{panel}/{name}/eta"] = table[:, place, 0], table[:, place, 1]
            arrays[f"{panel}/{name}/order"] = np.array([order(name, case, eps) for case, eps in cases])
    settings = {
        "form": "full" if full else "reduced",
        "lambda_f": BASE.federated,
        "lambda_c": BASE.central,
        "g": BASE.slope,
        "second coordinate": f"{FLAT} times these curvatures, no slope",
        "K": BASE.steps,
        "start": START,
        "rates": "eta_c = eta, eta_s = eta_m = 1, constant",
        "panels": named,
        "grid of eta": f"{per_decade} per decade from {LOWEST:g} to 1 times 2/(largest curvature)",
        "accuracy": "eps as given; 1e-4 for G and B; 1e-3 for sigma_c^2, K, S (there g = 0)",
    }
    making.save(results / "experiments" / "mixed_rounds.npz", settings, arrays)


if __name__ == "__main__":
    main(False, Path("results"))
