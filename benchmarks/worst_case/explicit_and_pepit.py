"""The symmetric worst case against N clients one by one: the explicit formulation, and PEPit's own language.

    python -m benchmarks.worst_case.explicit_and_pepit

All three are solvers' values (Clarabel, tolerance 1e-9).  With uniform weights the symmetric value is attained; with weights
1/5 and 4/5 the explicit formulation is compared with PEPit, and may not exceed it.
Writes ``results/benchmarks/explicit_and_pepit.json``.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from benchmarks.worst_case import in_pepit
from benchmarks.worst_case.cases import Case, cases
from benchmarks.worst_case.table import write
from fltheory.worstcase.entry import solve_model
from fltheory.worstcase.explicit import explicit_worst_case

UNEVEN = (Fraction(1, 5), Fraction(4, 5))


def in_pepit_language(case: Case, weights: Sequence[Fraction]) -> dict[str, Any]:
    """PEPit's answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "solution may be inaccurate": the status is recorded
        answer = in_pepit.worst_case_in_pepit(
            getattr(in_pepit, case.method),
            [float(p) for p in weights],
            mu=case.mu,
            rounds=case.rounds,
            measure=case.measure,
            heterogeneity=case.heterogeneity,
            start=case.start,
            with_centre=case.with_centre,
            bound=case.bound,
            dissimilarity=case.dissimilarity,
            **case.settings,
        )
    return {"value": answer.value, "status": answer.status}


def compare(case: Case, *, clients: tuple[int, ...] = (2, 3)) -> dict[str, Any]:
    """One case: values and relative disagreements."""
    model = case.model()
    quantities = case.quantities(model)
    symmetric = solve_model(model, quantities, certify=False)
    row: dict[str, Any] = case.describe() | {"symmetric": symmetric.solver_value, "status": symmetric.solver_status}
    for n in clients:
        weights = [Fraction(1, n)] * n
        explicit = explicit_worst_case(model, weights, quantities)
        row[f"explicit, N={n}"] = {"value": explicit.value, "status": explicit.status}
        row[f"PEPit, N={n}"] = in_pepit_language(case, weights)
        for kind in ("explicit", "PEPit"):
            row[f"{kind}, N={n}"]["disagreement"] = abs(row[f"{kind}, N={n}"]["value"] / symmetric.solver_value - 1)
    explicit, oracle = explicit_worst_case(model, UNEVEN, quantities), in_pepit_language(case, UNEVEN)
    row["uneven weights"] = {
        "explicit": explicit.value,
        "PEPit": oracle["value"],
        "statuses": [explicit.status, oracle["status"]],
    }
    row["uneven weights"]["disagreement"] = abs(explicit.value / oracle["value"] - 1)
    row["uneven weights"]["share of symmetric"] = explicit.value / symmetric.solver_value
    return row


def main() -> None:
    rows = [compare(case) for case in cases()]
    summary: dict[str, Any] = {"cases": len(rows)}
    for n in (2, 3):
        for kind in (f"explicit, N={n}", f"PEPit, N={n}"):
            worst = max(rows, key=lambda row: row[kind]["disagreement"])
            summary[f"largest relative disagreement, {kind}"] = worst[kind]["disagreement"]
            summary[f"beyond 2e-6, {kind}"] = sum(row[kind]["disagreement"] > 2e-6 for row in rows)
    uneven = [row["uneven weights"] for row in rows]
    summary["largest relative disagreement of explicit and PEPit, uneven weights"] = max(
        r["disagreement"] for r in uneven
    )
    summary["largest share of the symmetric value, uneven weights"] = max(r["share of symmetric"] for r in uneven)
    summary["smallest share of the symmetric value, uneven weights"] = min(r["share of symmetric"] for r in uneven)
    for row in rows:
        found = [f"{row[kind]['disagreement']:.1e}" for kind in row if "N=" in kind or "uneven" in kind]
        print(row["method"], row["E"], row["rounds"], row["measure"], row["heterogeneity"], row["symmetric"], *found)
    write("explicit_and_pepit", summary, rows)


if __name__ == "__main__":
    main()
