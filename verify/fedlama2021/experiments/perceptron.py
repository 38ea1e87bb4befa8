"""The analogue of FedLAMA's networks: a perceptron with ReLU and softmax on digits, its layers as blocks.

The layers are ``(W, b)`` from the inputs to the outputs.  ``WIDENING`` has its largest layer near the outputs, as ResNet20,
WRN-28-10 and the CNN of the document have; ``NARROWING`` has it at the inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.kinds import Array, Floats, Integers
from fltheory.problems.blocks import Blocks

WIDENING = (64, 8, 24, 40, 10)
NARROWING = (64, 16, 12, 12, 10)


def layers_of(units: Sequence[int]) -> Blocks:
    """A block for each layer."""
    pairs = list(zip(units, units[1:], strict=False))
    return Blocks(tuple(f"layer {k + 1}" for k in range(len(pairs))), tuple((m + 1) * n for m, n in pairs))


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


@dataclass(frozen=True, eq=False)
class Perceptron:
    """Mean cross-entropy on every client's examples; clients count alike, as in (1) of the document.

    ``features`` ``(n, f)`` and ``labels`` ``(n,)`` of all clients, ``parts`` their rows.
    """

    units: tuple[int, ...]
    features: Floats
    labels: Integers
    parts: tuple[Integers, ...]

    @property
    def n_clients(self) -> int:
        return len(self.parts)

    @cached_property
    def blocks(self) -> Blocks:
        return layers_of(self.units)

    @property
    def dimension(self) -> int:
        return self.blocks.dimension

    @cached_property
    def weights(self) -> Floats:
        return np.full(self.n_clients, 1 / self.n_clients)

    @cached_property
    def sample_sizes(self) -> Integers:
        return np.array([len(part) for part in self.parts])

    def matrices(self, w: Array) -> list[tuple[Array, Array]]:
        """``(W, b)`` of every layer, ``(..., m, n)`` and ``(..., 1, n)``."""
        found = []
        for start, m, n in zip(self.blocks.offsets, self.units, self.units[1:], strict=False):
            found.append(
                (
                    w[..., start : start + m * n].reshape(*w.shape[:-1], m, n),
                    w[..., None, start + m * n : start + m * n + n],
                )
            )
        return found

    def outputs(self, features: Array, w: Array) -> Array:
        """Scores of the classes, ``(..., n, 10)``."""
        return _forward(features, self.matrices(w))[-1]

    def batch_gradients(self, clients: Array, x: Array, rows: Array) -> Array:
        """Mean gradient of every slot's batch: ``clients`` ``(r, m)``, ``x`` ``(r, m, d)``, ``rows`` ``(r, m, b)``."""
        starts, order = self._all
        index = order[starts[clients][..., None] + rows]
        return self._gradient(self.features[index], self.labels[index], x)

    @cached_property
    def _all(self) -> tuple[Integers, Integers]:
        """Where each client begins, and all rows, client after client."""
        return np.concatenate([[0], np.cumsum(self.sample_sizes)[:-1]]), np.concatenate(self.parts)

    def _gradient(self, features: Array, labels: Array, x: Array) -> Array:
        layers = self.matrices(x)
        activations = _forward(features, layers)
        scores = activations.pop()
        above = np.exp(scores - scores.max(axis=-1, keepdims=True))
        above /= above.sum(axis=-1, keepdims=True)
        above -= labels[..., None] == np.arange(self.units[-1])
        above /= labels.shape[-1]
        answer = np.empty_like(x)
        into = self.matrices(answer)
        for number in reversed(range(len(layers))):
            into[number][0][...] = activations[number].swapaxes(-1, -2) @ above
            into[number][1][...] = above.sum(axis=-2, keepdims=True)
            if number:
                above = np.where(activations[number] > 0, above @ layers[number][0].swapaxes(-1, -2), 0.0)
        return answer

    def sample_gradients(self, client: int, x: Array, rows: Any = None) -> Array:
        """Of single examples, one after the other."""
        chosen = self.parts[client] if rows is None else self.parts[client][rows]
        one_by_one = [self._gradient(self.features[[i]], self.labels[[i]], x) for i in chosen]
        return np.stack(one_by_one, axis=-2)

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """On all examples of every slot's client."""
        slots = range(self.n_clients) if clients is None else np.asarray(clients).reshape(-1)
        found = [
            self._gradient(self.features[self.parts[k]], self.labels[self.parts[k]], x[..., slot, :])
            for slot, k in enumerate(slots)
        ]
        return np.stack(found, axis=-2)

    def gradient(self, w: Array) -> Array:
        """Of ``F``."""
        return np.asarray(self.client_gradients(np.stack([w] * self.n_clients, axis=-2)).mean(axis=-2))

    def client_values(self, w: Array) -> Array:
        """``F_k(w)``, ``(..., N)``."""
        found = []
        for part in self.parts:
            scores = self.outputs(self.features[part], w)
            top = scores.max(axis=-1, keepdims=True)
            logs = np.log(np.exp(scores - top).sum(axis=-1)) + top[..., 0]
            found.append((logs - np.take_along_axis(scores, self.labels[part][:, None], axis=-1)[..., 0]).mean(axis=-1))
        return np.stack(found, axis=-1)

    def value(self, w: Array) -> Any:
        """``F(w)``."""
        return self.client_values(w).mean(axis=-1)


def _forward(features: Array, layers: Sequence[tuple[Array, Array]]) -> list[Array]:
    """What every layer gets, and the scores."""
    found = [features]
    for number, (matrix, shift) in enumerate(layers):
        out = found[-1] @ matrix
        out += shift
        found.append(out if number == len(layers) - 1 else np.maximum(out, 0, out=out))
    return found


def start_of(units: Sequence[int], seed: int) -> Floats:
    """Weights of a layer with m inputs are normal with variance 2/m, shifts are zero."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, 2]))
    pieces = []
    for m, n in zip(units, units[1:], strict=False):
        pieces += [rng.normal(0, np.sqrt(2 / m), m * n), np.zeros(n)]
    return np.concatenate(pieces)
