"""What the other algorithms cost per stochastic gradient, beside FedAvg on the same problem."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

import fltheory as fl
from benchmarks.speed.case import Row, case
from benchmarks.speed.data import BATCH, RIDGE, STEP, Sampled, nothing
from benchmarks.speed.timing import Contestant, interleaved

STEPS = 20


class _Mixed(Sampled):
    """The clients' problem with a server's loss on 2,000 rows, the same in kind."""

    @cached_property
    def mixed(self) -> Any:
        ridge = fl.Regulariser(RIDGE, "lambda/2|w|^2")
        centre = fl.synthetic(1, 1, seed=3, n_clients=1, sizes=np.array([2000])).softmax(ridge)
        return fl.MixedProblem(self.problem, centre)


def _contestants(task: _Mixed, runs: int) -> dict[str, Contestant]:
    scheme, local = task.scheme, task.cohort * STEPS
    # Gradients of a round: K E at the clients, and what the server or a correction asks for beside them.
    federated = {
        "FedAvg": (fl.FedAvg(STEPS, STEP, scheme), local),
        "FedProx": (fl.FedProx(STEPS, STEP, 0.1, scheme), local),
        "SCAFFOLD": (fl.Scaffold(STEPS, STEP, 1, scheme), local),
    }
    mixed = {
        "Parallel Training": (fl.ParallelTraining(STEPS, STEP, STEP, participation=scheme), local + STEPS),
        "1-way Gradient Transfer": (fl.OneWayGradientTransfer(STEPS, STEP, participation=scheme), local + 1),
        "2-way Gradient Transfer": (
            fl.TwoWayGradientTransfer(STEPS, STEP, STEP, participation=scheme),
            local + STEPS,
        ),
    }
    oracle = fl.MiniBatch(BATCH, replacement=True)
    field = {}
    for name, (method, work) in federated.items():
        field[name] = Contestant(
            lambda rounds, method=method: task.run(rounds, runs=runs, algorithm=method), work * runs, least=5
        )
    for name, (method, work) in mixed.items():
        field[name] = Contestant(
            lambda rounds, method=method: fl.simulate(
                task.mixed,
                method,
                rounds=rounds,
                runs=runs,
                oracle=oracle,
                centre_oracle=oracle,
                record_every=rounds,
                reference=False,
                objective=nothing,
                threads=1,
            ),
            work * runs,
            least=5,
        )
    return field


@case("algorithms", "SGD on softmax regression, E=20, K=10, b=24, per stochastic gradient", "us per gradient")
def algorithms(quick: bool) -> list[Row]:
    task = _Mixed("softmax", STEPS, 10)
    rows = []
    for runs in (1, 16):
        rows += [Row(who, s * 1e6, runs) for who, s in interleaved(_contestants(task, runs), quick=quick).items()]
    return rows
