"""Closed forms: exact rational values, values that are roots of irreducible polynomials, formulas; with the seconds they take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import fltheory as fl
from benchmarks.worst_case.table import write

F = Fraction
STRONG, CONVEX = fl.SmoothStronglyConvex(F(1, 10), 1), fl.SmoothConvex(1)
RATIONAL: list[tuple[str, Any, fl.FunctionClass, dict[str, Any]]] = [
    ("gradient descent, eta = 1/2", fl.FedAvg(1, F(1, 2)), STRONG, {}),
    ("gradient descent, eta = 1/2, R = 3", fl.FedAvg(1, F(1, 2)), STRONG, {"rounds": 3}),
    ("gradient descent, eta = 19/10", fl.FedAvg(1, F(19, 10)), STRONG, {}),
    ("FedAvg, E = 5, identical clients", fl.FedAvg(5, F(1, 4)), STRONG, {"heterogeneity": "identical"}),
    ("FedAvg, E = 3, R = 3, common minimiser", fl.FedAvg(3, F(1, 4)), STRONG, {"rounds": 3, "heterogeneity": "none"}),
    ("SCAFFOLD, E = 1, R = 3", fl.Scaffold(1, F(1, 4)), STRONG, {"rounds": 3}),
    ("1-way GT, E = 1, R = 2", fl.OneWayGradientTransfer(1, F(1, 4)), STRONG, {"centre": CONVEX, "rounds": 2}),
    ("gap after five steps 1/L, mu = 0", fl.FedAvg(1, F(1)), CONVEX, {"measure": "gap", "rounds": 5}),
]
ALGEBRAIC: list[tuple[str, Any, fl.FunctionClass, dict[str, Any]]] = [
    ("FedAvg, E = 2, eta = 1/4", fl.FedAvg(2, F(1, 4)), STRONG, {}),
    (
        "FedAvg, E = 2, eta = 1/4, zeta^2 = 1/4",
        fl.FedAvg(2, F(1, 4)),
        STRONG,
        {"quantities": {"heterogeneity": F(1, 4)}},
    ),
    ("FedAvg, E = 2, eta = 1/2", fl.FedAvg(2, F(1, 2)), STRONG, {}),
    ("FedAvg, E = 2, eta = 1", fl.FedAvg(2, F(1)), STRONG, {}),
    ("FedAvg, E = 2, eta = 1/4, mu = 0", fl.FedAvg(2, F(1, 4)), CONVEX, {}),
    ("SCAFFOLD's first round, E = 2, eta = 1/4", fl.Scaffold(2, F(1, 4)), STRONG, {}),
    ("2 of 5 clients, E = 1, eta = 1/2", fl.FedAvg(1, F(1, 2), fl.NormalisedUniform(2)), STRONG, {"n_clients": 5}),
]
FORMULAS: list[tuple[str, Callable[[Any], Any], dict[str, Any]]] = [
    ("gradient descent", lambda eta: fl.FedAvg(1, eta), {}),
    ("FedAvg, E = 2", lambda eta: fl.FedAvg(2, eta), {}),
    ("gradient descent, gap from distance, mu = 0", lambda eta: fl.FedAvg(1, eta), {"measure": "gap", "convex": True}),
]


def rows() -> Iterator[dict[str, Any]]:
    """A row for each question."""
    for name, algorithm, clients, options in RATIONAL:
        begin = time.perf_counter()
        found = fl.worst_case(algorithm, clients, exact=True, **options)
        value = str(found.upper) if found.upper == found.lower else found.note
        yield _row(name, "rational", value, begin)
    for name, algorithm, clients, options in ALGEBRAIC:
        begin = time.perf_counter()
        root = fl.worst_case(algorithm, clients, **options).algebraic()
        words = {True: "roots write it", False: "no roots write it", None: "roots: not known"}[root.solvable]
        yield _row(name, f"degree {root.degree}", f"{root.value:.15g}, {words}", begin)
    for name, make, options in FORMULAS:
        begin = time.perf_counter()
        formula = fl.worst_case_formula(make, **options)
        yield _row(name, "formula", repr(formula), begin)


def _row(name: str, kind: str, value: str, begin: float) -> dict[str, Any]:
    return {"question": name, "kind": kind, "value": value, "seconds": time.perf_counter() - begin}


def main() -> None:
    """Write ``results/benchmarks/closed_forms.json``."""
    found = list(rows())
    write("closed_forms", {"questions": len(found)}, found, keys=("question", "kind", "value", "seconds"))


if __name__ == "__main__":
    main()
