"""Rates and floors of certified Lyapunov theorems beside those that the documents' own recursions give at a constant step.

For methods of the mixed paper the clients share the gradient at the minimiser (its clients have one loss, which is more);
noise is that of the clients and of the server.  ``floor``: what ``|w_R - w*|^2`` comes down to, by quantity.

Beside them exact worst cases of R rounds (one, where there is sampling or noise) from the method's own start.  ``exact rate``: what
those rounds keep of ``|w_0 - w*|^2`` where all other quantities are zero, per round.  ``over exact``: the theorem's bound after R
rounds over the worst case, both certified, at quantities of one.  ``mean square``: under sampling, the factor per round on
quadratics.  ``certificate``: the theorem's, in one line of JSON.
"""

from __future__ import annotations

import json
import time
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

import fltheory as fl
from benchmarks.worst_case.table import write
from fltheory.theory.li2020 import theorems as li
from fltheory.theory.mixed2022 import curves

MU, L, N = Fraction(1, 10), Fraction(1), 10
CLIENTS = fl.SmoothStronglyConvex(MU, L)
#: The quantities that the documents' symbols stand for.
NAMES = {"V": "noise", "C": "centre_noise", "Gamma": "gamma", "G2": "G2"}

#: Name, method, options, and what is printed: the rate per round (``None``: nothing) and the floor by quantity.
Case = tuple[str, Any, dict[str, Any], Fraction | None, dict[str, float]]


def coefficients(expression: sp.Expr, values: dict[str, Any]) -> dict[str, float]:
    """The factors of the quantities in an expression that is linear in them, the other symbols by name."""
    inside = {symbol: values[symbol.name] for symbol in expression.free_symbols if symbol.name in values}
    found = sp.expand(expression.subs(inside))
    return {NAMES[symbol.name]: float(found.coeff(symbol)) for symbol in sorted(found.free_symbols, key=str)}


def li_recursion(steps: int, eta: Fraction) -> tuple[Fraction, dict[str, float]]:
    """``D+ <= (1 - eta mu) D + eta^2 B`` for each step, ``eta <= 1/(4 L)``; V = sigma^2/N."""
    values = {"L": L, "E": steps}
    floor = coefficients(li.B * sp.Rational(eta / MU), values)
    floor["noise"] /= N
    return (1 - eta * MU) ** steps, floor


def mixed_recursion(recursion: tuple[Any, Any], step: Fraction, steps: int) -> tuple[Fraction, dict[str, float]]:
    """``(1 - c mu e)`` and the noise of a round over ``c mu e``, with all N clients in the cohort."""
    contraction, noise = recursion
    values = {"K": steps, "S": N, "e": sp.Rational(step), "mu": sp.Rational(MU), "beta": sp.Rational(L)}
    lost = Fraction(int(sp.Rational(contraction).p), int(sp.Rational(contraction).q)) * MU * step
    return 1 - lost, coefficients(sp.sympify(noise) / sp.Rational(lost), values)


def cases() -> list[Case]:
    """The table's rows; step sizes and server step sizes are within the printed conditions."""
    found: list[Case] = []
    quarter = Fraction(1, 4)
    for steps in (1, 2, 5):
        options: dict[str, Any] = {"heterogeneity": "gamma", "noise": True, "n_clients": N}
        name = f"FedAvg E={steps} eta=1/4 (Li et al.)"
        found.append((name, fl.FedAvg(steps, quarter), options, *li_recursion(steps, quarter)))
    options = {"heterogeneity": "none", "centre": CLIENTS, "noise": True, "centre_noise": True, "n_clients": N}
    for steps in (2, 5):
        step, server = Fraction(1, 8), 3  # eta_s > sqrt(5 S/8) = 2.5
        method: Any = fl.OneWayGradientTransfer(steps, step / (steps * server), server)
        printed = mixed_recursion(curves.ONE_WAY, step, steps)
        found.append((f"1-way GT K={steps} e=1/8 (mixed)", method, options, *printed))
        step, server = Fraction(1, 81), 4  # eta_s >= sqrt(S)
        method = fl.TwoWayGradientTransfer(
            steps, step / (steps * server), step / steps, server, divisor="central step size", initial="gradients"
        )
        of_phi = (curves.TWO_WAY[0], curves.OF_PHI * curves.TWO_WAY[1])  # the recursion is about Phi
        printed = mixed_recursion(of_phi, step, steps)
        found.append((f"2-way GT K={steps} e=1/81 (mixed)", method, options, *printed))
    for steps in (2, 5):
        found.append((f"SCAFFOLD E={steps} eta=1/4", fl.Scaffold(steps, quarter), {}, None, {}))
        momentum = fl.FedOpt(steps, quarter, server=fl.HeavyBall(Fraction(1, 2)))
        found.append((f"FedAvg E={steps} eta=1/4, momentum 1/2", momentum, {}, None, {}))
    return found


def without_printed_rates() -> list[Case]:
    """Methods for which the documents print no rate at a constant step, and assumptions that they make elsewhere."""
    quarter, half = Fraction(1, 4), Fraction(1, 2)
    cases: list[tuple[str, Any, dict[str, Any]]] = []
    for steps in (2, 5):
        cases += [
            (f"FedAvg E={steps} eta=1/4", fl.FedAvg(steps, quarter), {}),
            (f"FedProx E={steps} eta=1/4, prox 3/10", fl.FedProx(steps, quarter, Fraction(3, 10)), {}),
            (f"two-sided FedAvg E={steps} eta=1/4, eta_s=3/2", fl.TwoSidedFedAvg(steps, quarter, Fraction(3, 2)), {}),
        ]
    unlike = {"(G,B)-dissimilarity, B=2": fl.Dissimilarity(2), "bounded gradients": "bounded gradients"}
    cases += [
        (f"FedAvg E=5 eta=1/4, {name}", fl.FedAvg(5, quarter), {"heterogeneity": k}) for name, k in unlike.items()
    ]
    for base in (1, 2):
        intervals = (base, 2 * base)
        layers = fl.FedLAMA(base=base, factor=2, step_size=quarter, intervals=intervals)
        cases.append((f"FedLAMA tau'={base} phi=2 eta=1/4", layers, {}))
    elastic = fl.ElasticFedProx(2, quarter, 0, fl.GivenElasticity((1, half)))
    cases.append(("elastic E=2 eta=1/4, zeta=(1, 1/2)", elastic, {}))
    for cohort in (1, 3, 5):
        some = fl.NormalisedUniform(cohort)
        cases.append(
            (f"SCAFFOLD E=2 eta=1/4, {cohort} of 10", fl.Scaffold(2, quarter, participation=some), {"n_clients": N})
        )
    some = fl.NormalisedUniform(3)
    cases += [
        ("SCAFFOLD E=5 eta=1/4, 3 of 10", fl.Scaffold(5, quarter, participation=some), {"n_clients": N}),
        ("FedAvg E=2 eta=1/4, 3 of 10", fl.FedAvg(2, quarter, some), {"n_clients": N}),
        ("SCAFFOLD E=2 eta=1/4, noise", fl.Scaffold(2, quarter), {"n_clients": N, "noise": True}),
    ]
    return [(name, method, options, None, {}) for name, method, options in cases]


def mean_square(method: Any) -> float:
    """The largest factor per round of the mean square over quadratics of one variable with two curvatures, in floats.

    Under sampling ``quadratics`` is the rate of the mean; this is what no V can beat there.
    """
    found = 0.0
    for first, second, count in product((0.1, 0.2, 0.3, 1.0), (0.1, 0.3, 1.0), (1, 5, 9)):
        matrices = [[[first]]] * count + [[[second]]] * (N - count)
        found = max(found, fl.round_map(fl.QuadraticProblem(matrices, [[0.0]] * N), method).mean_square.value)
    return found


def beside(method: Any, options: dict[str, Any], found: fl.LyapunovBound) -> dict[str, Any]:
    """Exact worst cases of a few rounds beside the theorem."""
    sampled = not isinstance(getattr(method, "participation", fl.Full()), fl.Full)
    random = options.get("noise", False) or sampled
    rounds = 1 if random else 3
    plain = {name: entry for name, entry in options.items() if name not in ("noise", "centre_noise", "heterogeneity")}
    alone = fl.worst_case(method, CLIENTS, rounds=rounds, heterogeneity="none", **plain)
    row: dict[str, Any] = {"R": rounds} | ({"mean square": mean_square(method)} if sampled else {})
    if alone.upper is not None:
        row["exact rate"] = float(alone.upper) ** (1 / rounds)
    try:
        exact = fl.worst_case(method, CLIENTS, rounds=rounds, **options)
    except ValueError:  # 2-way GT starts from noisy gradients: its server's draws come after its clients'
        return row
    if exact.upper is not None and exact.lower is not None and found.start is not None:
        quantities = {name: exact.quantities.get(name, 1) for name in found.after(rounds)}
        limit = found.bound(rounds, quantities)
        if limit < exact.lower:
            raise AssertionError(f"{method!r}: the theorem's {float(limit)} is below an instance, {float(exact.lower)}")
        row["over exact"] = float(limit / exact.upper)
    return row


def main() -> None:
    """Write ``results/benchmarks/lyapunov_rates.json``."""
    rows = []
    for name, method, options, rate, floor in [*cases(), *without_printed_rates()]:
        begin = time.perf_counter()
        found = fl.lyapunov(method, CLIENTS, **options)
        row = {
            "case": name,
            "printed rate": None if rate is None else float(rate),
            "certified rate": None if found.rho is None else float(found.rho),
            "quadratics": found.quadratics,
            "printed floor": floor,
            "certified floor": {} if found.rho is None else {key: float(value) for key, value in found.floor.items()},
            "V": {key: float(value) for key, value in found.V.items()},
            "seconds": time.perf_counter() - begin,
            "certificate": None if found.certificate is None else json.dumps(found.certificate, separators=(",", ":")),
        }
        row |= beside(method, options, found) if found.rho is not None else {}
        rows.append(row)
    both = [row for row in rows if row["printed rate"] is not None and row["certified rate"] is not None]
    sharper = sum(row["certified rate"] < row["printed rate"] for row in both)
    summary = {"cases": len(rows), "with a printed rate": len(both), "certified rate smaller": sharper}
    # NaN, where gradients are bounded and no quadratic is in the class, counts as no
    compared = [row["over exact"] for row in rows if "over exact" in row]
    summary |= {"with exact rounds": len(compared), "largest bound over exact": max(compared)}
    summary["one minus the rate within 0.2 % of that of quadratics"] = sum(
        row["certified rate"] is not None
        and 1 - row["quadratics"] <= Fraction(1002, 1000) * (1 - row["certified rate"])
        for row in rows
    )
    keys = (
        "case",
        "printed rate",
        "certified rate",
        "exact rate",
        "quadratics",
        "mean square",
        "over exact",
        "certified floor",
        "seconds",
    )
    write("lyapunov_rates", summary, rows, keys=keys)


if __name__ == "__main__":
    main()
