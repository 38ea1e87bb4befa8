"""FedLab: its serial trainer and synchronous server in one process."""

from __future__ import annotations

import sys
from unittest.mock import MagicMock

# FedLab imports torchvision, of which nothing is used here.
for name in ("", ".transforms", ".datasets", ".datasets.utils", ".models"):
    sys.modules.setdefault(f"torchvision{name}", MagicMock())

import logging  # noqa: E402

import torch  # noqa: E402
from fedlab.contrib.algorithm.basic_client import SGDSerialClientTrainer  # noqa: E402
from fedlab.contrib.algorithm.basic_server import SyncServerHandler  # noqa: E402
from fedlab.core.standalone import StandalonePipeline  # noqa: E402

from benchmarks.simulators.task import BATCH, CLIENTS, COHORT, RIDGE, STEP, STEPS, arguments, load, timed  # noqa: E402

logging.disable(logging.CRITICAL)
torch.set_num_threads(1)
features, labels = load(arguments().data)
data = [(torch.from_numpy(x), torch.from_numpy(y)) for x, y in zip(features, labels, strict=True)]


class Batches:
    """So many batches drawn from tensors in memory, without a ``DataLoader``."""

    def get_dataloader(self, client: int, size: int):  # type: ignore[no-untyped-def]
        x, y = data[client]
        for _ in range(STEPS):
            rows = torch.randint(len(y), (size,))
            yield x[rows], y[rows]


class Pipeline(StandalonePipeline):  # type: ignore[misc]
    """No evaluation between the rounds."""

    def evaluate(self) -> None:
        return None


def run(rounds: int) -> object:
    model = torch.nn.Linear(60, 10).double()
    handler = SyncServerHandler(model, rounds, COHORT / CLIENTS)
    trainer = SGDSerialClientTrainer(model, CLIENTS, cuda=False)
    trainer.setup_dataset(Batches())
    trainer.setup_optim(1, BATCH, STEP)
    trainer.optimizer.param_groups[0]["weight_decay"] = RIDGE
    handler.num_clients = CLIENTS
    Pipeline(handler, trainer).main()
    return handler.model_parameters


timed(
    run,
    package="fedlab",
    note="float64; torchvision, which it imports and does not use here, replaced by an empty module",
)
