"""Rounds of quadratics with exact gradients and with noise, and exact moments: what one more round costs."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np

import fltheory as fl
from benchmarks.speed.case import Row, Skip, case
from benchmarks.speed.data import curved_quadratics
from benchmarks.speed.peers import quadratic_steps as peers
from benchmarks.speed.steps import against, installed, own
from benchmarks.speed.timing import per_round, seconds_of

STEP = 0.05


def _slope(problem: Any, steps: int, runs: int, *, quick: bool) -> float:
    """Microseconds of one more round of one run; starts differ from run to run."""
    call = own(
        problem, fl.FedAvg(steps, STEP), start=np.random.default_rng(1).standard_normal((runs, problem.dimension))
    )
    return per_round(lambda rounds: call(rounds, runs=runs), quick=quick) / runs * 1e6


@case("quadratic rounds", "one more round of exact FedAvg on quadratics, d=N=100, E=10", "us per round and run")
def quadratic_rounds(quick: bool) -> list[Row]:
    problem = curved_quadratics(100, 100)
    rows = [Row("fltheory", _slope(problem, 10, runs, quick=quick), runs) for runs in (1, 64)]
    rows.append(
        Row(
            "fltheory, problem and set-up",
            seconds_of(lambda: own(curved_quadratics(100, 100), fl.FedAvg(10, STEP))(1)),
            unit="s",
        )
    )
    calls = {"fltheory": own(problem, fl.FedAvg(10, STEP))}

    def rates(number: int) -> Any:
        return np.full(10, STEP)

    others, _ = installed((peers.numpy_dense, peers.jax_dense, peers.torch_dense), problem, rates)
    found = against(calls | others, 1, (1, 64), quick=quick)
    return rows + [row for row in found if row.who != "fltheory"]


@case("flat rounds", "one more round of exact FedAvg on quadratics, d=100", "us per round and run", limit=240)
def flat_rounds(quick: bool) -> list[Row]:
    small, large = curved_quadratics(10, 100), curved_quadratics(1000, 100)
    rows = []
    for runs in (1, 64):
        rows.append(Row("N=10, E=1", _slope(small, 1, runs, quick=quick), runs))
        rows.append(Row("N=1000, E=100", _slope(large, 100, runs, quick=quick), runs))
    return rows


@case(
    "noise in law",
    "one more round of FedAvg with Gaussian noise on quadratics, d=N=100, E=10",
    "us per round and run",
    limit=300,
)
def noise_in_law(quick: bool) -> list[Row]:
    problem, method, oracle = curved_quadratics(100, 100), fl.FedAvg(10, STEP), fl.AdditiveNoise(0.01)
    rows = []
    for runs in (1, 64):
        call = own(problem, method, oracle=oracle)
        slope = per_round(lambda rounds, call=call, runs=runs: call(rounds, runs=runs), quick=quick, least=2)
        rows.append(Row("step by step", slope / runs * 1e6, runs))
    in_law = _law()
    if in_law is None:
        return [*rows, Row("in law", float("nan"), 1, "no verb draws a round in law yet")]
    for runs in (1, 64):
        slope = per_round(
            lambda rounds, runs=runs: in_law(
                problem, method, rounds=rounds, runs=runs, oracle=oracle, record_every=rounds, reference=False
            ),
            quick=quick,
        )
        rows.append(Row("in law", slope / runs * 1e6, runs))
    return rows


def _law() -> Any:
    """The verb that draws from the exact law of a round, under either of its names, or ``None``."""
    if hasattr(fl, "simulate_law"):
        return fl.simulate_law
    if "method" in signature(fl.simulate).parameters:
        return lambda *where, **options: fl.simulate(*where, method="law", **options)
    return None


@case("moments", "one more round of exact moments, quadratics, d=N=100, E=10, Gaussian noise", "us per round")
def exact_moments(quick: bool) -> list[Row]:
    problem, method, oracle = curved_quadratics(100, 100), fl.FedAvg(10, STEP), fl.AdditiveNoise(0.01)
    if "keep" not in signature(fl.moments).parameters:
        raise Skip('fl.moments has no keep="traces" yet')
    slope = per_round(
        lambda rounds: fl.moments(problem, method, rounds=rounds, oracle=oracle, keep="traces"),
        quick=quick,
        least=200_000,
        most=20_000_000,
    )
    return [Row('fltheory, keep="traces"', slope * 1e6)]
