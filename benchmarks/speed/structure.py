"""Round maps and fixed points: seconds, and gigabytes at their peak."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import Any

import fltheory as fl
from benchmarks.speed.case import Row, case
from benchmarks.speed.data import curved_quadratics
from benchmarks.speed.timing import median_seconds

STEP = 0.05


def _peak() -> float:
    """The most memory that this process has held so far, GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def _seconds(who: str, call: Callable[[], Any], *, quick: bool) -> list[Row]:
    try:
        seconds = median_seconds(call, quick=quick, warm=False)
    except (ValueError, MemoryError) as error:
        return [Row(who, float("nan"), 1, f"refused: {type(error).__name__}: {' '.join(str(error).split())[:200]}")]
    return [Row(who, seconds), Row(f"{who}, peak memory of its process", _peak(), unit="GB")]


@case("round map d=N=100", "quadratics, d=N=100, E=10", "s")
def small(quick: bool) -> list[Row]:
    problem, method = curved_quadratics(100, 100), fl.FedAvg(10, STEP)
    rows = _seconds("fixed_point", lambda: fl.fixed_point(problem, method), quick=quick)
    return rows + _seconds("round_map", lambda: fl.round_map(problem, method), quick=quick)


@case("round map d=1000", "quadratics, d=1000, N=10, E=10", "s", gigabytes=4)
def large(quick: bool) -> list[Row]:
    problem, method = curved_quadratics(10, 1000), fl.FedAvg(10, STEP)
    rows = _seconds("fixed_point", lambda: fl.fixed_point(problem, method), quick=quick)
    return rows + _seconds("round_map", lambda: fl.round_map(problem, method), quick=quick)


def _tridiagonal(block: int, quick: bool) -> list[Row]:
    rows = []
    for steps in (2, 10):
        problem, method = fl.li_tridiagonal(10, block, 0.1), fl.FedAvg(steps, STEP)
        rows += _seconds(f"fixed_point, E={steps}", lambda: fl.fixed_point(problem, method), quick=quick)  # noqa: B023
    return rows


@case("tridiagonal d=10,001", "fixed point of the tridiagonal counterexample, N=10", "s", limit=120, gigabytes=4)
def tridiagonal_10(quick: bool) -> list[Row]:
    return _tridiagonal(1000, quick)


@case("tridiagonal d=50,001", "fixed point of the tridiagonal counterexample, N=10", "s", limit=120, gigabytes=4)
def tridiagonal_50(quick: bool) -> list[Row]:
    return _tridiagonal(5000, quick)
