"""How the cost of softmax SGD changes with one quantity at a time, from N=100, d=610, E=20, K=10 and one run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import fltheory as fl
from benchmarks.speed.case import Row, case
from benchmarks.speed.data import BATCH, STEP, Sampled, nothing
from benchmarks.speed.timing import Contestant, interleaved

BASE = Sampled("softmax", 20, 10)


def _curve(tasks: dict[str, Sampled], *, quick: bool) -> list[Row]:
    field = {name: Contestant(task.run, task.cohort * task.steps) for name, task in tasks.items()}
    return [Row(name, seconds * 1e6) for name, seconds in interleaved(field, quick=quick).items()]


@case("scaling in N", "softmax SGD, E=20, K=10", "us per client-step")
def clients(quick: bool) -> list[Row]:
    return _curve({f"N={n:,}": replace(BASE, n_clients=n) for n in (10, 100, 1000, 5000)}, quick=quick)


@case("scaling in d", "softmax SGD, N=100, E=20, K=10, d = 10 (features + 1)", "us per client-step")
def dimension(quick: bool) -> list[Row]:
    return _curve({f"d={10 * (f + 1):,}": replace(BASE, features=f) for f in (10, 30, 60, 120, 240)}, quick=quick)


@case("scaling in E", "softmax SGD, N=100, K=10", "us per client-step")
def local_steps(quick: bool) -> list[Row]:
    return _curve({f"E={e}": replace(BASE, steps=e) for e in (1, 2, 5, 20, 100)}, quick=quick)


@case("scaling in K", "softmax SGD, N=100, E=20", "us per client-step")
def cohort(quick: bool) -> list[Row]:
    return _curve({f"K={k}": replace(BASE, clients=k) for k in (1, 3, 10, 30, 100)}, quick=quick)


@case("scaling in runs", "softmax SGD, N=100, E=20, K=10", "us per client-step")
def runs(quick: bool) -> list[Row]:
    field = {
        f"{count} runs": Contestant(lambda rounds, count=count: BASE.run(rounds, runs=count), 200 * count)
        for count in (1, 4, 16, 64)
    }
    return [Row(name, seconds * 1e6) for name, seconds in interleaved(field, quick=quick).items()]


@case("scaling in parameters", "softmax SGD, N=100, E=20, K=10, step sizes in one simulate_batch", "us per client-step")
def parameters(quick: bool) -> list[Row]:
    def batch(rounds: int, count: int) -> Any:
        methods = [fl.FedAvg(20, STEP * (1 + k) / count, BASE.scheme) for k in range(count)]
        oracle = fl.MiniBatch(BATCH, replacement=True)
        options = {"record_every": rounds, "reference": False, "objective": nothing, "threads": 1}
        return fl.simulate_batch(BASE.problem, methods, rounds=rounds, oracle=oracle, **options)

    field = {
        f"{count} step sizes": Contestant(lambda rounds, count=count: batch(rounds, count), 200 * count)
        for count in (1, 5, 20, 80)
    }
    return [Row(name, seconds * 1e6) for name, seconds in interleaved(field, quick=quick).items()]
