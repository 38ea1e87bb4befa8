"""Worst cases made explicit and run: the project's own algorithm on two clients must give the value.

    python -m benchmarks.worst_case.replay

The clients' functions come from the Gram blocks; class membership is checked by the interpolation inequality between
random points.  The algorithm runs in the simulator and in the arrays reading.  Writes ``results/benchmarks/replay.json``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.worst_case.cases import Case, cases, random_cases
from benchmarks.worst_case.table import write
from fltheory.problems.interpolated import InterpolatedFunction
from fltheory.simulate import simulate
from fltheory.worstcase.entry import solve_model
from fltheory.worstcase.instance import WorstInstance, worst_instance

POINTS = 40


def membership(function: InterpolatedFunction, rng: np.random.Generator) -> float:
    """The smallest ``q_ij`` between random points around the data, relative to the values' size; at least 0 in the class."""
    reach = np.abs(function.points).max() + 1.0
    x = rng.normal(size=(POINTS, function.dimension)) * reach * rng.choice([1e-2, 1.0, 10.0], size=(POINTS, 1))
    x = np.concatenate([x, function.points])
    f, g = function(x), function.derivative(x)
    h = g - function.mu * x
    squares = (x * x).sum(axis=1)
    inner = h @ x.T
    turn = ((h[:, None] - h[None]) ** 2).sum(axis=2)
    gaps = f[:, None] - f[None] - function.mu / 2 * (squares[:, None] - squares[None])
    gaps = gaps - (inner.T - np.diag(inner)[None]) - turn / (2 * (function.L - function.mu))
    return float(gaps.min() / np.abs(f).max())


def measured(case: Case, instance: WorstInstance, model: np.ndarray[Any, Any]) -> float:
    """The case's measure at a model; the minimiser is the origin."""
    problem = instance.problem
    if case.measure == "distance":
        return float(model @ model)
    if case.measure == "gradient":
        slope = problem.gradient(model)
        return float(slope @ slope)
    return float(problem.value(model) - problem.value(np.zeros(problem.dimension)))


def replay(case: Case, rng: np.random.Generator) -> dict[str, Any]:
    """One case: the replayed measure against the solver's value and against the certified bounds."""
    model = case.model()
    found = solve_model(model, case.quantities(model))
    row: dict[str, Any] = case.describe() | {"status": found.status, "value": found.value}
    instance = worst_instance(found)
    run = simulate(
        instance.problem, case.algorithm, rounds=case.rounds, start=instance.start, backend="numpy", reference=False
    )
    by_simulator = measured(case, instance, run.final[0])
    by_reading = measured(case, instance, instance.run(case.algorithm, rounds=case.rounds)[0])
    functions = [*instance.clients.functions, *([] if instance.centre is None else [instance.centre])]
    row |= {
        "dimension": instance.problem.dimension,
        "ranks": list(instance.ranks.values()),
        "simulated": by_simulator,
        "disagreement": abs(by_simulator / found.value - 1),
        "simulator against reading": abs(by_simulator / by_reading - 1),
        "gradient at the minimiser": float(
            np.abs(instance.problem.gradient(np.zeros(instance.problem.dimension))).max()
        ),
        "excess over assumptions": instance.excess(found.quantities),
        "smallest interpolation gap": min(membership(f, rng) for f in functions),
        "above the certified upper bound": found.upper is not None and by_simulator > float(found.upper) * (1 + 1e-9),
        "caveat": instance.caveat,
    }
    return row


def larger() -> list[Case]:
    """More local steps and rounds than the other comparisons can afford."""
    found = [Case("fedavg", {"E": 5, "eta": 0.25}, 3, 0.1, measure) for measure in ("distance", "gap", "gradient")]
    found += [Case("fedavg", {"E": 10, "eta": 0.1}, 1, 0.01), Case("corrected", {"E": 5, "eta": 0.125}, 3, 0.1)]
    return [*found, Case("scaffold", {"E": 5, "eta": 0.1}, 3, 0.1)]


def summarise(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The extremes of a table."""
    convex = [row for row in rows if not row["caveat"]]
    return {
        "cases": len(rows),
        "largest relative disagreement": max(row["disagreement"] for row in rows),
        "beyond 1e-5": sum(row["disagreement"] > 1e-5 for row in rows),
        "largest excess over assumptions": max(row["excess over assumptions"] for row in rows),
        "largest gradient at the minimiser": max(row["gradient at the minimiser"] for row in convex),
        "smallest relative interpolation gap": min(row["smallest interpolation gap"] for row in rows),
        "above the certified upper bound": sum(row["above the certified upper bound"] for row in rows),
        "largest dimension": max(row["dimension"] for row in rows),
    }


def main() -> None:
    rng = np.random.default_rng(20240607)
    tables: dict[str, list[dict[str, Any]]] = {}
    for name, listed in (("grid", [*cases(), *larger()]), ("random", list(random_cases(60, seed=8)))):
        tables[name] = []
        for case in listed:
            tables[name].append({"set": name} | replay(case, rng))
            shown = (
                "method",
                "E",
                "rounds",
                "measure",
                "value",
                "dimension",
                "disagreement",
                "excess over assumptions",
            )
            print(*(f"{key}={tables[name][-1][key]}" for key in shown), flush=True)
    summary = {name: summarise(rows) for name, rows in tables.items()}
    write("replay", summary, [row for rows in tables.values() for row in rows])


if __name__ == "__main__":
    main()
