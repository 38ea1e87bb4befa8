"""pfl: its simulated backend with federated averaging, PyTorch models, users in memory."""

from __future__ import annotations

import os

os.environ["PFL_PYTORCH_DEVICE"] = "cpu"

import logging  # noqa: E402

import numpy as np  # noqa: E402
import torch  # noqa: E402
from pfl.aggregate.simulate import SimulatedBackend  # noqa: E402
from pfl.algorithm.base import NNAlgorithmParams  # noqa: E402
from pfl.algorithm.federated_averaging import FederatedAveraging  # noqa: E402
from pfl.data.dataset import Dataset  # noqa: E402
from pfl.data.federated_dataset import FederatedDataset  # noqa: E402
from pfl.data.sampling import get_user_sampler  # noqa: E402
from pfl.hyperparam import NNTrainHyperParams  # noqa: E402
from pfl.metrics import Weighted  # noqa: E402
from pfl.model.pytorch import PyTorchModel  # noqa: E402

from benchmarks.simulators.task import BATCH, CLIENTS, COHORT, RIDGE, STEP, STEPS, arguments, load, timed  # noqa: E402

logging.disable(logging.CRITICAL)
torch.set_num_threads(1)
features, labels = load(arguments().data)


def user(number: int) -> Dataset:
    """The rows of a client, enough of them for all steps of a round."""
    rows = np.random.default_rng(number).integers(len(labels[number]), size=STEPS * BATCH)
    return Dataset(raw_data=[torch.from_numpy(features[number][rows]), torch.from_numpy(labels[number][rows])])


class Softmax(torch.nn.Module):
    """One linear layer and cross-entropy."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(60, 10).double()

    def forward(self, x):  # type: ignore[no-untyped-def]
        return self.layer(x)

    def loss(self, x, y, eval=False):  # type: ignore[no-untyped-def]  # noqa: A002  the name that pfl calls it by
        return torch.nn.functional.cross_entropy(self(x), y)

    @torch.no_grad()
    def metrics(self, x, y, eval=True):  # type: ignore[no-untyped-def]  # noqa: A002
        return {"loss": Weighted(float(self.loss(x, y)) * len(y), len(y))}


def run(rounds: int) -> object:
    module = Softmax()
    model = PyTorchModel(
        module,
        local_optimizer_create=lambda p, lr: torch.optim.SGD(p, lr, weight_decay=RIDGE),
        central_optimizer=torch.optim.SGD(module.parameters(), 1.0),
    )
    users = FederatedDataset(user, get_user_sampler("random", list(range(CLIENTS))))
    parameters = NNAlgorithmParams(
        central_num_iterations=rounds,
        evaluation_frequency=10**9,
        train_cohort_size=COHORT,
        val_cohort_size=0,
    )
    steps = NNTrainHyperParams(
        local_learning_rate=STEP, local_num_epochs=None, local_batch_size=BATCH, local_num_steps=STEPS
    )
    return FederatedAveraging().run(
        algorithm_params=parameters,
        backend=SimulatedBackend(training_data=users, val_data=None),
        model=model,
        model_train_params=steps,
    )


timed(run, package="pfl", note="float64")
