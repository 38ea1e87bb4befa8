"""The analogue of FedLAMA's experiments: a perceptron with ReLU and softmax on images whose labels are split by Dirichlet.

Layers are blocks.  The largest layer of ``task.units`` is near the outputs, as in ResNet20, WRN-28-10 and the CNN of the
document; ``NARROWING`` has it at the inputs.  Images of 28 by 28 pixels have 2 by 2 pixels averaged.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from fltheory.experiments.data_sets import FASHION_FOLDER
from fltheory.experiments.origins import digest_of
from fltheory.kinds import Array, Floats, Integers
from fltheory.problems.data.digits import load_digits, mnist_subset
from fltheory.problems.data.federated import LabelledData
from fltheory.problems.data.idx import load_fashion_mnist
from fltheory.problems.data.opposite_labels import halved
from fltheory.problems.perceptron import PerceptronProblem, perceptron_start

WIDENING = (64, 8, 24, 40, 10)
NARROWING = (64, 16, 12, 12, 10)
#: The same for 14 by 14 pixels.
WIDENING_14, NARROWING_14 = (196, 16, 48, 80, 10), (196, 32, 24, 24, 10)
ALPHA = 0.1
#: Images that are used of Fashion-MNIST, the first of its training file.
FASHION = 15_000


@dataclass(frozen=True)
class LayerTask:
    """One data set: its clients, images for the test, and the seed of replicate 0.

    ``units`` and ``narrowing`` are the widths of the two perceptrons from the inputs to the outputs.
    """

    family: str
    n_clients: int
    test: int
    units: tuple[int, ...]
    narrowing: tuple[int, ...]
    first_seed: int

    @cached_property
    def data(self) -> LabelledData:
        """The labelled images; ``ModuleNotFoundError`` or ``FileNotFoundError`` where they are not here."""
        return images_of(self.family)

    @property
    def digest(self) -> str:
        """Of images and labels."""
        return digest_of(self.data.features, self.data.labels)

    def settings(self) -> dict[str, Any]:
        """What a result file says of the set."""
        return {
            "clients": self.n_clients,
            "train": len(self.data.labels) - self.test,
            "test": self.test,
            "units": list(self.units),
            "units, narrowing": list(self.narrowing),
            "first seed": self.first_seed,
        }

    def split(self, seed: int) -> tuple[Floats, Integers, Floats, Integers, list[Integers]]:
        """Features and labels for training and for the test, and the clients' rows of the former."""
        order = np.random.default_rng(np.random.SeedSequence([seed, 0])).permutation(len(self.data.labels))
        features, labels = self.data.features[order], self.data.labels[order]
        parts = split(labels[self.test :], self.n_clients, ALPHA, seed)
        return features[self.test :], labels[self.test :], features[: self.test], labels[: self.test], parts

    def problem(self, units: Sequence[int], seed: int) -> tuple[PerceptronProblem, Floats, Integers]:
        """Training data as a problem, whose clients count alike as in (1) of the document; features and labels for the test."""
        features, labels, tested, answers, parts = self.split(seed)
        rows: dict[str, Any] = dict(
            features=tuple(features[part] for part in parts), labels=tuple(labels[part] for part in parts)
        )
        options: dict[str, Any] = dict(weights="uniform", hidden=tuple(units[1:-1]), classes=units[-1])
        return PerceptronProblem(**rows, regulariser=0, **options), tested, answers


TASKS = (
    LayerTask("digits", 10, 400, WIDENING, NARROWING, 201),
    LayerTask("MNIST subset", 20, 1000, WIDENING_14, NARROWING_14, 1201),
    LayerTask("Fashion-MNIST", 20, 3000, WIDENING_14, NARROWING_14, 2201),
)


@cache
def images_of(family: str) -> LabelledData:
    """Of a data set, which may not be here."""
    if family == "digits":
        return load_digits()
    if family == "MNIST subset":
        return halved(mnist_subset())
    folder = os.environ.get(FASHION_FOLDER)
    data = load_fashion_mnist(folder) if folder else load_fashion_mnist()
    return halved(replace(data, features=data.features[:FASHION], labels=data.labels[:FASHION]))


def split(labels: Integers, n_clients: int, concentration: float, seed: int, *, least: int = 10) -> list[Integers]:
    """Dirichlet shares of every label over the clients, by the rule of the code that the document names (FedML).

    A client that holds its even share already gets nothing more of the following labels, and the whole is drawn again until
    every client has ``least`` examples.
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    while True:
        parts: list[list[int]] = [[] for _ in range(n_clients)]
        for label in np.unique(labels):
            rows = rng.permutation(np.flatnonzero(labels == label))
            shares = rng.dirichlet(np.full(n_clients, concentration))
            shares *= [len(part) * n_clients < len(labels) for part in parts]
            cuts = (np.cumsum(shares / shares.sum())[:-1] * len(rows)).astype(int)
            for part, more in zip(parts, np.split(rows, cuts), strict=True):
                part.extend(more.tolist())
        if min(map(len, parts)) >= least:
            return [np.array(part) for part in parts]


def start_of(units: Sequence[int], seed: int) -> Array:
    """Weights of a layer with m inputs are normal with variance 2/m, shifts are zero."""
    return perceptron_start(units[0], units[1:-1], units[-1], seed=np.random.SeedSequence([seed, 2]))
