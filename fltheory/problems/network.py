"""A network with one hidden layer of ReLU units and binary cross-entropy: the smile classifier of mixed FL.

Augenstein et al., "Mixed Federated Learning" (2022), Appendix C.2.1: fully connected, 64 hidden units.  Not convex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Never

import numpy as np

from fltheory.problems.base import Array, Constants, Number, check_count, check_point, check_request, frozen
from fltheory.problems.blocks import Blocks
from fltheory.problems.classification import ClassificationProblem
from fltheory.problems.logistic import sigmoid
from fltheory.streams import check_seed


@dataclass(frozen=True, eq=False, repr=False)
class NetworkProblem(ClassificationProblem):
    """``F_k(w) = (1/n_k) sum_i log(1 + exp(-y_i s(x_i))) + R(w)``, ``s(x) = v'relu(W x + b) + c``, ``y_i`` in ``{-1, 1}``.

    ``w = (W, b, v, c)``: ``W`` ``(hidden, features)`` row by row, ``b`` and ``v`` ``(hidden,)``, and one number ``c``.  The
    regulariser acts on all of ``w``; the derivative of the ReLU at a kink is 0.  Other arguments as in
    :class:`ClassificationProblem`.  The loss is not convex and its gradients have no Lipschitz constant.

    Raises
    ------
    ValueError : as :class:`ClassificationProblem`; labels besides -1 and 1; ``hidden`` that is no positive integer; whatever is
        read of ``constants``, which are not known.
    """

    hidden: int = 64

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "hidden", check_count("hidden", self.hidden))
        for k, y in enumerate(self.labels):
            wrong = y[(y != 1) & (y != -1)]
            if len(wrong):
                raise ValueError(f"labels[{k}] contains {wrong[0]}; expected labels -1 and 1")

    @property
    def dimension(self) -> int:
        """``d = hidden (features + 2) + 1``."""
        return self.hidden * (int(self.features[0].shape[1]) + 2) + 1

    @cached_property
    def blocks(self) -> Blocks:
        """The layers ``(W, b)`` and ``(v, c)``."""
        return Blocks(("hidden", "output"), (self.dimension - self.hidden - 1, self.hidden + 1))

    @property
    def loss_curvature(self) -> float:
        """There is none."""
        _refuse("loss_curvature")

    @property
    def constants(self) -> NetworkConstants:  # type: ignore[override]
        """Raises ``ValueError`` whatever is read of it: minima and Lipschitz constants are not known."""
        return NetworkConstants(self.weights)

    def inputs(self, client: int) -> Array:
        """``X_k``."""
        return self.features[client]

    def parts(self, w: Array) -> tuple[Array, Array, Array, Array]:
        """Views ``W`` ``(..., h, f)``, ``b`` and ``v`` ``(..., h)``, ``c`` ``(...)`` of ``w`` ``(..., d)``."""
        h, f = self.hidden, int(self.features[0].shape[1])
        matrix = w[..., : h * f].reshape(*w.shape[:-1], h, f)
        return matrix, w[..., h * f : h * (f + 1)], w[..., h * (f + 1) : -1], w[..., -1]

    def scores(self, features: Array, w: Array) -> Array:
        """``s(x)`` of the rows of ``features`` ``(..., n, f)`` under ``w`` ``(..., d)``, ``(..., n)``: log-odds of label 1."""
        check_point(w, (self.dimension,), name="w")
        return self._forward(features, w)[1]

    def losses(self, client: int, w: Array) -> Array:
        """``log(1 + exp(-y_i s(x_i)))``."""
        return np.asarray(np.logaddexp(0.0, -self.labels[client] * self._forward(self.features[client], w)[1]))

    def loss_gradient(self, client: int, w: Array) -> Array:
        """Mean of the sample losses' gradients, ``(..., d) -> (..., d)``."""
        return self._mean_gradient(self.features[client], self.labels[client], w)

    def loss_curvature_at(self, client: int, w: Array) -> Callable[[Array], Array]:
        """Not offered."""
        _refuse("loss_curvature_at")

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """Gradients of the regularised sample losses, ``(..., d) -> (..., n_k, d)``."""
        features, y = self.features[client], self.labels[client]
        if rows is not None:
            features, y = features[rows], y[rows]
        active, scores = self._forward(features, x)
        slope = -y * sigmoid(-y * scores)
        back = slope[..., None] * np.where(active > 0, self.parts(x)[2][..., None, :], 0.0)
        first = back[..., :, None] * features[:, None, :]
        gradient = np.concatenate(
            [first.reshape(*first.shape[:-2], -1), back, slope[..., None] * active, slope[..., None]], axis=-1
        )
        return np.asarray(gradient + self.regulariser.gradient(x)[..., None, :])

    def batch_gradients(self, clients: Array, x: Array, rows: Array) -> Array:
        """Mean regularised gradient of every slot's batch: ``clients`` ``(r, m)``, ``x`` ``(r, m, d)``, ``rows`` ``(r, m, b)``.

        Each slot is computed by products of its own, so that its bits do not depend on its neighbours.
        """
        features, labels, starts = self._all
        index = starts[clients][..., None] + rows
        return np.asarray(self._mean_gradient(features[index], labels[index], x) + self.regulariser.gradient(x))

    @cached_property
    def _all(self) -> tuple[Array, Array, Array]:
        """Features and labels of all clients after one another, and the first row of each client."""
        starts = np.concatenate([[0], np.cumsum(self.sample_sizes)[:-1]])
        return frozen(np.concatenate(self.features)), frozen(np.concatenate(self.labels)), frozen(starts)

    def _forward(self, features: Array, w: Array) -> tuple[Array, Array]:
        """Hidden units ``(..., n, h)`` and scores ``(..., n)``."""
        matrix, shift, output, constant = self.parts(w)
        active = features @ matrix.swapaxes(-1, -2)
        active += shift[..., None, :]
        np.maximum(active, 0.0, out=active)
        return active, (active @ output[..., None])[..., 0] + constant[..., None]

    def _mean_gradient(self, features: Array, y: Array, w: Array) -> Array:
        """Gradient of the mean loss over the rows of ``features`` ``(..., n, f)``, labels ``(..., n)``."""
        active, scores = self._forward(features, w)
        slope = -y * sigmoid(-y * scores) / y.shape[-1]
        back = np.where(active > 0, slope[..., None] * self.parts(w)[2][..., None, :], 0.0)
        answer = np.empty(w.shape)
        matrix, shift, output, _ = self.parts(answer)
        matrix[...] = back.swapaxes(-1, -2) @ features
        shift[...] = back.sum(axis=-2)
        output[...] = (slope[..., None, :] @ active)[..., 0, :]
        answer[..., -1] = slope.sum(axis=-1)
        return answer


def network_start(features: int, hidden: int = 64, *, seed: int | np.random.SeedSequence) -> Array:
    """A start for :class:`NetworkProblem` by the rule of Glorot and Bengio, ``(d,)``: biases zero.

    The weights of a layer with ``m`` inputs and ``n`` outputs are uniform in ``[-a, a]``, ``a^2 = 6/(m + n)``.

    Raises
    ------
    ValueError : fewer than one feature or hidden unit, a seed that is no integer.
    """
    check_count("features", features)
    check_count("hidden", hidden)
    check_request(f"features={features} with hidden={hidden}", hidden * (features + 2) + 1)
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(check_seed(seed))
    rng = np.random.default_rng(seed)
    first = rng.uniform(-1.0, 1.0, hidden * features) * np.sqrt(6.0 / (features + hidden))
    second = rng.uniform(-1.0, 1.0, hidden) * np.sqrt(6.0 / (hidden + 1))
    return np.concatenate([first, np.zeros(hidden), second, np.zeros(1)])


def _refuse(name: str) -> Never:
    raise ValueError(f"{name} of a network does not exist: the loss is not convex and its gradients not Lipschitz")


class NetworkConstants(Constants):
    """Constants that do not exist: every one raises ``ValueError`` when it is read."""

    exactness = "none"

    def __init__(self, weights: Array) -> None:
        self._weights = weights

    @property
    def weights(self) -> Array:
        """``p``."""
        return self._weights

    @property
    def client_smoothness(self) -> Array:
        """Refused."""
        _refuse("client_smoothness")

    @property
    def client_strong_convexity(self) -> Array:
        """Refused."""
        _refuse("client_strong_convexity")

    @property
    def minimiser(self) -> Any:
        """Refused."""
        _refuse("minimiser")

    @property
    def minimum(self) -> Number:
        """Refused."""
        _refuse("minimum")

    @property
    def client_minimisers(self) -> Array:
        """Refused."""
        _refuse("client_minimisers")

    @property
    def client_minima(self) -> Array:
        """Refused."""
        _refuse("client_minima")
