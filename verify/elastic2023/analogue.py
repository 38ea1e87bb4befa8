"""A small network on images, trained by clients with unequal labels: the analogue of the supplement's Figures 1 and 2.

One hidden layer of ReLU units, softmax cross-entropy; a Dirichlet split with parameter 1/2 (for each label, shares over the
clients), a tenth of each client's data set aside for the sensitivities.  All randomness is that of the seed, and the same for the
methods that are compared.  Images of 28 by 28 pixels have 2 by 2 pixels averaged.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from fltheory.algorithms.sensitivities import (
    average_sensitivity,
    boosted_share,
    combined,
    elasticity,
    momentum_sensitivity,
)
from fltheory.experiments.data_sets import FASHION_FOLDER
from fltheory.experiments.origins import digest_of
from fltheory.kinds import Array, Floats, Integers
from fltheory.problems.data.digits import load_digits, mnist_subset
from fltheory.problems.data.federated import LabelledData
from fltheory.problems.data.idx import load_fashion_mnist
from fltheory.problems.data.opposite_labels import halved
from fltheory.problems.data.random_splits import dirichlet_over_clients
from fltheory.problems.perceptron import PerceptronProblem

BATCH, STEP, EPOCHS, DECAY, ROUNDS = 16, 0.05, 2, 0.9, 20
CONCENTRATION, TAU, TAUS = 0.5, 0.5, (0.1, 0.3, 0.5, 0.9)
#: Images that are used of the larger sets, the first of their files.
MOST = 5_000


@dataclass(frozen=True)
class Method:
    """``form``: none, average or momentum; ``scaled``: plain aggregation times the mean elasticity that the form would have."""

    form: str = "none"
    tau: float = TAU
    momentum: float = 0.0
    prox: float = 0.0
    scaled: bool = False

    @property
    def label(self) -> str:
        """In result files."""
        base = "FedAvgM" if self.momentum else "FedProx" if self.prox else "FedAvg"
        return base if self.form == "none" else f"{base}, {self.form}{', scaled' * self.scaled}, tau={self.tau}"

    def with_form(self, form: str, *, tau: float = TAU, scaled: bool = False) -> Method:
        """The same with elastic aggregation."""
        return replace(self, form=form, tau=tau, scaled=scaled)


METHODS = {"FedAvg": Method(), "FedAvgM": Method(momentum=0.5), "FedProx": Method(prox=0.1)}
#: Each optimiser without elastic aggregation, with it, and with the mean elasticity alone.
OPTIMISERS = tuple(
    one
    for method in METHODS.values()
    for one in (
        method,
        method.with_form("momentum"),
        method.with_form("momentum", scaled=True),
    )
)
#: FedAvg with both forms, for each tau.
FORMS = tuple(Method(form, tau) for form in ("momentum", "average") for tau in TAUS)


@dataclass(frozen=True)
class ElasticTask:
    """A set of replicates: its data, clients, hidden units, images for the test, methods, and the seed of replicate 0."""

    family: str
    n_clients: int
    hidden: int
    test: int
    methods: tuple[Method, ...]
    replicates: int
    first_seed: int

    @property
    def name(self) -> str:
        """Of the set in result files."""
        return f"{self.family}, {'two forms' if self.methods == FORMS else 'optimisers'}"

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
        train, features = len(self.data.labels) - self.test, int(self.data.features.shape[1])
        units = [features, self.hidden, self.data.classes]
        return {
            "clients": self.n_clients,
            "train": train,
            "test": self.test,
            "units": units,
            "first seed": self.first_seed,
        }


TASKS = (
    ElasticTask("digits", 10, 24, 400, OPTIMISERS, 30, 701),
    ElasticTask("digits", 10, 24, 400, FORMS, 60, 801),
    ElasticTask("MNIST subset", 20, 48, 1000, OPTIMISERS, 30, 1701),
    ElasticTask("MNIST subset", 20, 48, 1000, FORMS, 60, 1801),
    ElasticTask("Fashion-MNIST", 20, 48, 1000, OPTIMISERS, 30, 2701),
    ElasticTask("Fashion-MNIST", 20, 48, 1000, FORMS, 60, 2801),
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
    return halved(replace(data, features=data.features[:MOST], labels=data.labels[:MOST]))


@dataclass(frozen=True, eq=False)
class Division:
    """One replicate: what the clients train on, as a problem, what they set aside, the test, and the start."""

    problem: PerceptronProblem
    held: tuple[Floats, ...]
    test: Floats
    answers: Integers
    start: Floats


def divided(task: ElasticTask, seed: int) -> Division:
    """The data of a replicate."""
    order = np.random.default_rng(np.random.SeedSequence([seed, 0])).permutation(len(task.data.labels))
    features, labels = task.data.features[order], task.data.labels[order]
    test, answers, features, labels = (
        features[: task.test],
        labels[: task.test],
        features[task.test :],
        labels[task.test :],
    )
    parts = dirichlet_over_clients(labels, task.n_clients, concentration=CONCENTRATION, seed=seed)
    rng = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    parts = [rng.permutation(part) for part in parts if len(part) >= 2]
    cuts = [max(1, len(part) // 10) for part in parts]
    left = [part[cut:] for part, cut in zip(parts, cuts, strict=True)]
    options: dict[str, Any] = dict(hidden=(task.hidden,), classes=task.data.classes)
    rows: dict[str, Any] = dict(
        features=tuple(features[rows] for rows in left), labels=tuple(labels[rows] for rows in left)
    )
    problem = PerceptronProblem(**rows, regulariser=0, **options)
    (m, n, c), rng = problem.units, np.random.default_rng(np.random.SeedSequence([seed, 1]))
    start = [rng.normal(0, m**-0.5, m * n), np.zeros(n), rng.normal(0, n**-0.5, n * c), np.zeros(c)]
    held = tuple(features[part[:cut]] for part, cut in zip(parts, cuts, strict=True))
    return Division(problem, held, test, answers, np.concatenate(start))


def measured(division: Division, methods: Sequence[Method], seed: int, rounds: int = ROUNDS) -> list[dict[str, Array]]:
    """A run of each method, all with the same batches.

    ``hits`` on the test after every round; with elasticity the share of ``boosted`` parameters and the ``mean`` in it.
    """
    problem, sizes = division.problem, division.problem.sample_sizes.tolist()
    theta = np.repeat(division.start[None], len(methods), axis=0)
    memory, prox = np.zeros_like(theta), np.array([method.prox for method in methods])
    found: list[dict[str, list[Any]]] = [{"hits": [], "boosted": [], "mean": []} for _ in methods]
    for number in range(rounds):
        draws = [np.random.default_rng(np.random.SeedSequence([seed, 2, number, k])) for k in range(problem.n_clients)]
        moves = local(problem, theta, prox, draws) - theta[:, None]
        for i, (method, notes) in enumerate(zip(methods, found, strict=True)):
            change = combined(list(moves[i]), sizes)
            if method.form != "none":
                each = [sensitivity(problem, method.form, theta[i], own) for own in division.held]
                zeta = elasticity(combined(each, sizes), method.tau, without="equal")
                notes["boosted"].append(boosted_share(zeta))
                notes["mean"].append(float(zeta.mean()))
                change = change * (zeta.mean() if method.scaled else zeta)
            memory[i] = method.momentum * memory[i] + (1 - method.momentum) * change
            theta[i] += memory[i]
            notes["hits"].append(
                int((problem.scores(division.test, theta[i]).argmax(axis=-1) == division.answers).sum())
            )
    return [
        {name: np.array(notes, dtype=np.int16 if name == "hits" else float) for name, notes in own.items() if notes}
        for own in found
    ]


def local(problem: PerceptronProblem, theta: Array, prox: Array, draws: Sequence[np.random.Generator]) -> Array:
    """Two epochs of every client from each of the models ``theta`` ``(M, d)`` with penalties ``prox`` ``(M,)``: ``(M, N, d)``.

    Batches of 16 in random order, the same for all models; what is left is the last one.
    """
    models, sizes = len(theta), problem.sample_sizes
    begin, pull = theta[:, None], prox[:, None, None]
    x = np.repeat(begin, problem.n_clients, axis=1)
    for _ in range(EPOCHS):
        orders = [rng.permutation(size) for rng, size in zip(draws, sizes, strict=True)]
        for first in range(0, int(sizes.max()), BATCH):
            lengths = np.minimum(sizes - first, BATCH)
            for length in np.unique(lengths[lengths > 0]):
                who = np.flatnonzero(lengths == length)
                rows = np.stack([orders[k][first : first + length] for k in who])
                shape = (models, *rows.shape)
                clients = np.broadcast_to(who, shape[:2])
                gradient = problem.batch_gradients(clients, x[:, who], np.broadcast_to(rows, shape))
                x[:, who] -= STEP * (gradient + pull * (x[:, who] - begin))
    return x


def sensitivity(problem: PerceptronProblem, form: str, theta: Array, features: Array) -> Array:
    """Of the squared norm of the outputs: mean of ``|g|`` over examples or over batches of 4, or the momentum form over these."""
    above = 2 * problem.scores(features, theta)
    if form == "average":
        everywhere = np.repeat(theta[None], len(features), axis=0)
        return np.asarray(np.abs(problem.score_gradient(features[:, None], everywhere, above[:, None])).mean(axis=0))
    batches = []
    for first in range(0, len(features), 4):
        own = slice(first, first + 4)
        batches.append(problem.score_gradient(features[own], theta, above[own] / len(features[own])))
    return average_sensitivity(batches) if form == "average over batches" else momentum_sensitivity(batches, DECAY)
