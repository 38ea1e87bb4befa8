"""A small network on digits, trained by clients with unequal labels: the analogue of the supplement's Figures 1 and 2.

One hidden layer of ReLU units, softmax cross-entropy, 64 - 24 - 10; the digits of 8 by 8 pixels, a Dirichlet split with parameter
1/2 over ten clients (for each label, shares over the clients), a tenth of each client's data set aside for the sensitivities.  All
randomness is that of the seed, and the same for the methods that are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from fltheory.algorithms.sensitivities import (
    average_sensitivity,
    boosted_share,
    combined,
    elasticity,
    momentum_sensitivity,
)
from fltheory.problems import load_digits
from fltheory.problems.base import Array
from fltheory.problems.data.random_splits import dirichlet_over_clients

HIDDEN, CLASSES, CLIENTS, BATCH, TEST = 24, 10, 10, 16, 400
STEP, EPOCHS, DECAY = 0.05, 2, 0.9


@dataclass(frozen=True)
class Method:
    """``form``: none, average or momentum; ``scaled``: plain aggregation times the mean elasticity that the form would have."""

    form: str = "none"
    tau: float = 0.5
    momentum: float = 0.0
    prox: float = 0.0
    scaled: bool = False


@dataclass(frozen=True)
class Course:
    """Test accuracy after every round, and in every round the share of boosted parameters and the mean elasticity."""

    accuracy: tuple[float, ...]
    boosted: tuple[float, ...]
    mean: tuple[float, ...]


@cache
def course(method: Method, seed: int, rounds: int = 20) -> Course:
    """One run."""
    train, test, parts = _data(seed)
    rng = np.random.default_rng(np.random.SeedSequence([seed, 1]))
    theta = np.concatenate(
        [rng.normal(0, 1 / 8, 64 * HIDDEN), np.zeros(HIDDEN), rng.normal(0, 0.2, HIDDEN * CLASSES), np.zeros(CLASSES)]
    )
    held = [part[: max(1, len(part) // 10)] for part in parts]
    left = [part[len(own) :] for part, own in zip(parts, held, strict=True)]
    sizes, memory = [len(part) for part in left], np.zeros_like(theta)
    accuracy, boosted, mean = [], [], []
    for number in range(rounds):
        moves = [
            _local(theta, train, part, method.prox, np.random.default_rng(np.random.SeedSequence([seed, 2, number, k])))
            - theta
            for k, part in enumerate(left)
        ]
        change = combined(moves, sizes)
        if method.form != "none":
            zeta = elasticity(
                combined([sensitivity(method.form, theta, train[0][own]) for own in held], sizes),
                method.tau,
                without="equal",
            )
            boosted.append(boosted_share(zeta))
            mean.append(float(zeta.mean()))
            change = change * (zeta.mean() if method.scaled else zeta)
        memory = method.momentum * memory + (1 - method.momentum) * change
        theta = theta + memory
        accuracy.append(float((_forward(theta, test[0])[1].argmax(axis=1) == test[1]).mean()))
    return Course(tuple(accuracy), tuple(boosted), tuple(mean))


def mean_accuracy(method: Method, seeds: Sequence[int], rounds: int = 20) -> Array:
    """Mean test accuracy over the rounds, how early a run is good, for each seed."""
    return np.array([np.mean(course(method, seed, rounds).accuracy) for seed in seeds])


def sensitivity(form: str, theta: Array, features: Array) -> Array:
    """Of the squared norm of the outputs: mean of ``|g|`` over examples or over batches of 4, or the momentum form over these."""
    if form == "average":
        return _output_gradient(theta, features, each=True)
    batches = [_output_gradient(theta, features[i : i + 4], each=False) for i in range(0, len(features), 4)]
    return average_sensitivity(batches) if form == "average over batches" else momentum_sensitivity(batches, DECAY)


@cache
def _data(seed: int) -> tuple[tuple[Array, Array], tuple[Array, Array], list[Array]]:
    digits = load_digits()
    order = np.random.default_rng(np.random.SeedSequence([seed, 0])).permutation(len(digits.labels))
    features, labels = digits.features[order], digits.labels[order]
    train, test = (features[TEST:], labels[TEST:]), (features[:TEST], labels[:TEST])
    parts = dirichlet_over_clients(train[1], CLIENTS, concentration=0.5, seed=seed)
    rng = np.random.default_rng(np.random.SeedSequence([seed, 3]))
    return train, test, [rng.permutation(part) for part in parts if len(part) >= 2]


def _cut(theta: Array) -> tuple[Array, Array, Array, Array]:
    first, second = 64 * HIDDEN, 64 * HIDDEN + HIDDEN
    third = second + HIDDEN * CLASSES
    return (
        theta[:first].reshape(64, HIDDEN),
        theta[first:second],
        theta[second:third].reshape(HIDDEN, CLASSES),
        theta[third:],
    )


def _forward(theta: Array, features: Array) -> tuple[Array, Array]:
    w, b, v, c = _cut(theta)
    hidden = np.maximum(features @ w + b, 0)
    return hidden, hidden @ v + c


def _backward(theta: Array, features: Array, hidden: Array, above: Array, *, each: bool) -> Array:
    """Mean gradient where ``above`` is that of the outputs, or with ``each`` the mean of its absolute values over examples."""
    below = (above @ _cut(theta)[2].T) * (hidden > 0)
    if each:
        features, hidden, above, below = (np.abs(one) for one in (features, hidden, above, below))
    n = len(features)
    return (
        np.concatenate([(features.T @ below).ravel(), below.sum(axis=0), (hidden.T @ above).ravel(), above.sum(axis=0)])
        / n
    )


def _output_gradient(theta: Array, features: Array, *, each: bool) -> Array:
    hidden, outputs = _forward(theta, features)
    return _backward(theta, features, hidden, 2 * outputs, each=each)


def _local(theta: Array, train: tuple[Array, Array], rows: Array, prox: float, rng: np.random.Generator) -> Array:
    x, features, labels = theta, train[0][rows], train[1][rows]
    for _ in range(EPOCHS):
        order = rng.permutation(len(rows))
        for start in range(0, len(rows), BATCH):
            batch = order[start : start + BATCH]
            hidden, outputs = _forward(x, features[batch])
            shares = np.exp(outputs - outputs.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            shares[np.arange(len(batch)), labels[batch]] -= 1
            x = x - STEP * (_backward(x, features[batch], hidden, shares, each=False) + prox * (x - theta))
    return np.asarray(x)
