"""Kernels of the other families: dense and tridiagonal quadratics step by step, the network."""

from __future__ import annotations

from typing import Any

import numpy as np

import fltheory as fl
from benchmarks.speed.case import Row, case
from benchmarks.speed.data import BATCH, Sampled, curved_quadratics, nothing
from benchmarks.speed.peers import quadratic_steps as peers
from benchmarks.speed.steps import against, installed, own
from benchmarks.speed.timing import Contestant, interleaved

STEPS = 10
#: Step sizes 2/(40 + t) that change at every step keep the steps apart: no round is the same map as the one before.
BETA, GAMMA = 2.0, 40.0


def _rates(number: Any) -> Any:
    """Of the local steps of round ``number``."""
    return BETA / (GAMMA + number * STEPS + np.arange(STEPS))


@case("dense d=1000", "exact gradients, step by step, N=10, d=1000, E=10", "us per client-step", limit=240)
def dense(quick: bool) -> list[Row]:
    problem = curved_quadratics(10, 1000)
    calls = {"fltheory": own(problem, fl.FedAvg(STEPS, fl.Harmonic(BETA, GAMMA)))}
    others, missing = installed((peers.numpy_dense, peers.jax_dense, peers.torch_dense), problem, _rates)
    return against(calls | others, 10 * STEPS, (1, 16), quick=quick) + _gone(missing)


@case("tridiagonal d=1000", "exact gradients, step by step, N=10, d=1001, E=10", "us per client-step")
def tridiagonal(quick: bool) -> list[Row]:
    problem = fl.li_tridiagonal(10, 100, 0.1)
    calls = {"fltheory": own(problem, fl.FedAvg(STEPS, fl.Harmonic(BETA, GAMMA)))}
    others, missing = installed((peers.numpy_tridiagonal, peers.jax_tridiagonal), problem, _rates)
    return against(calls | others, 10 * STEPS, (1, 16), quick=quick) + _gone(missing)


@case("network", "SGD on the network with one hidden layer of 16 units, d=993, E=20, K=10, b=24", "us per client-step")
def network(quick: bool) -> list[Row]:
    task = Sampled("softmax", 20, 10)
    labels = tuple(np.where(np.asarray(y) < 5, 1, -1) for y in task.data.labels)
    problem = fl.NetworkProblem(task.data.features, labels, 0, hidden=16)
    start = fl.network_start(60, 16, seed=0)
    rows = []
    for runs in (1, 16):
        field = {}
        for who, backend in (("fltheory", "auto"), ('fltheory, backend="numpy"', "numpy")):
            field[who] = Contestant(
                lambda rounds, backend=backend, runs=runs: fl.simulate(
                    problem,
                    task.algorithm,
                    rounds=rounds,
                    runs=runs,
                    oracle=fl.MiniBatch(BATCH, replacement=True),
                    record_every=rounds,
                    reference=False,
                    objective=nothing,
                    backend=backend,
                    threads=1,
                    start=start,
                ),
                task.cohort * task.steps * runs,
            )
        rows += [Row(who, seconds * 1e6, runs) for who, seconds in interleaved(field, quick=quick).items()]
    return rows


def _gone(missing: list[str]) -> list[Row]:
    return [Row(name, float("nan"), 1, "not installed") for name in missing]
