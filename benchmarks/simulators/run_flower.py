"""Flower: its simulation engine with FedAvg; clients are NumPy clients whose steps are PyTorch's."""

from __future__ import annotations

import logging

import numpy as np
import torch
from flwr.client import ClientApp, NumPyClient
from flwr.common import ndarrays_to_parameters
from flwr.server import ServerApp, ServerAppComponents, ServerConfig
from flwr.server.strategy import FedAvg
from flwr.simulation import run_simulation

from benchmarks.simulators.task import BATCH, CLIENTS, COHORT, RIDGE, STEP, STEPS, arguments, load, timed

logging.disable(logging.CRITICAL)
torch.set_num_threads(1)
path = arguments().data.resolve()
tensors: list[tuple[torch.Tensor, torch.Tensor]] = []


class Client(NumPyClient):  # type: ignore[misc]
    """One client's steps from the server's model."""

    def __init__(self, number: int) -> None:
        if not tensors:
            tensors.extend((torch.from_numpy(x), torch.from_numpy(y)) for x, y in zip(*load(path), strict=True))
        self.x, self.y = tensors[number]

    def fit(self, parameters, config):  # type: ignore[no-untyped-def]
        w, b = (torch.tensor(part, requires_grad=True) for part in parameters)
        optimizer = torch.optim.SGD([w, b], lr=STEP, weight_decay=RIDGE)
        for _ in range(STEPS):
            rows = torch.randint(len(self.y), (BATCH,))
            loss = torch.nn.functional.cross_entropy(self.x[rows] @ w.T + b, self.y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return [w.detach().numpy(), b.detach().numpy()], len(self.y), {}


def client_of(context):  # type: ignore[no-untyped-def]
    return Client(int(context.node_config["partition-id"])).to_client()


def run(rounds: int) -> object:
    def server_of(context):  # type: ignore[no-untyped-def]
        strategy = FedAvg(
            fraction_fit=COHORT / CLIENTS,
            fraction_evaluate=0.0,
            min_fit_clients=COHORT,
            min_available_clients=CLIENTS,
            initial_parameters=ndarrays_to_parameters([np.zeros((10, 60)), np.zeros(10)]),
        )
        return ServerAppComponents(strategy=strategy, config=ServerConfig(num_rounds=rounds))

    resources = {"client_resources": {"num_cpus": 1, "num_gpus": 0.0}, "init_args": {"num_cpus": 1}}
    return run_simulation(
        ServerApp(server_fn=server_of), ClientApp(client_fn=client_of), CLIENTS, backend_config=resources
    )


timed(
    run,
    package="flwr",
    note="float64; on the clock, without the start of its workers",
    warm=1,
    rounds=40,
    without=10,
    workers=True,
)
