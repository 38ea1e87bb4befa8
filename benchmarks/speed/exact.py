"""Exact rational fixed points and moments of schemes with many clients."""

from __future__ import annotations

import fltheory as fl
from benchmarks.speed.case import Row, case
from benchmarks.speed.timing import median_seconds


def _fixed_point(n_clients: int, block: int, quick: bool) -> list[Row]:
    problem, method = fl.li_counterexample(n_clients, block, 0.1), fl.FedAvg(10, 0.05)
    call = lambda: fl.fixed_point(problem, method, exact=True)  # noqa: E731
    return [Row("fixed_point(exact=True)", median_seconds(call, quick=quick, warm=False))]


@case("exact d=41", "rational fixed point of the counterexample, N=10, d=41, E=10", "s")
def exact_41(quick: bool) -> list[Row]:
    return _fixed_point(10, 4, quick)


@case("exact d=101", "rational fixed point of the counterexample, N=25, d=101, E=10", "s", limit=60)
def exact_101(quick: bool) -> list[Row]:
    return _fixed_point(25, 4, quick)


@case("scheme moments", "joint second moments of the random scalars of SchemeII(10)", "s", limit=60)
def scheme_moments(quick: bool) -> list[Row]:
    rows = []
    for n in (1000, 100_000):
        scheme, weights = fl.SchemeII(10), [1.0 / n] * n
        try:
            seconds = median_seconds(lambda: scheme.moments(weights), quick=quick, warm=False)  # noqa: B023
        except (ValueError, MemoryError) as error:
            rows.append(Row(f"N={n:,}", float("nan"), 1, f"refused: {type(error).__name__}"))
            continue
        rows.append(Row(f"N={n:,}", seconds))
    return rows
