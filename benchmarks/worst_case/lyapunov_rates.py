"""Rates and floors of certified Lyapunov theorems beside those that the documents' own recursions give at a constant step.

For methods of the mixed paper the clients share the gradient at the minimiser (its clients have one loss, which is more);
noise is that of the clients and of the server.  ``floor``: what ``|w_R - w*|^2`` comes down to, by quantity.
"""

from __future__ import annotations

import time
from fractions import Fraction
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


def main() -> None:
    """Write ``results/benchmarks/lyapunov_rates.json``."""
    rows = []
    for name, method, options, rate, floor in cases():
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
        }
        rows.append(row)
    both = [row for row in rows if row["printed rate"] is not None and row["certified rate"] is not None]
    sharper = sum(row["certified rate"] < row["printed rate"] for row in both)
    summary = {"cases": len(rows), "with a printed rate": len(both), "certified rate smaller": sharper}
    keys = ("case", "printed rate", "certified rate", "quadratics", "printed floor", "certified floor", "V", "seconds")
    write("lyapunov_rates", summary, rows, keys=keys)


if __name__ == "__main__":
    main()
