"""A perceptron with ReLU layers and softmax outputs: the smallest network whose layers can be averaged at different times.

Not convex, and not smooth either: gradients jump where a unit's input passes zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Never

import numpy as np

from fltheory.kinds import Floats, Integers
from fltheory.problems.base import Array, check_count, check_point, check_request, check_sequence, frozen
from fltheory.problems.blocks import Blocks
from fltheory.problems.classification import ClassificationProblem
from fltheory.problems.network import NetworkConstants
from fltheory.problems.softmax import softmax
from fltheory.streams import check_seed


@dataclass(frozen=True, eq=False, repr=False)
class PerceptronProblem(ClassificationProblem):
    """``F_k(w) = (1/n_k) sum_i CrossEntropy(softmax(s(x_i)), y_i) + R(w)``, ``y_i`` in ``0 .. classes - 1``.

    ``s(x) = W_L' relu(... relu(W_1' x + b_1) ...) + b_L`` with the widths ``hidden`` of the layers ``1 .. L - 1``, at least one.
    ``w`` holds ``W_l`` ``(inputs, outputs)`` row by row and then ``b_l`` ``(outputs,)``, for one layer after the other: each is a
    block.  The regulariser acts on all of ``w``.  The derivative of the ReLU at a kink is 0.  ``classes=None`` takes the
    largest label plus one.  Other arguments and errors as in :class:`ClassificationProblem`.

    Raises
    ------
    ValueError : no hidden layer (that is :class:`SoftmaxProblem`) or a width below 1; labels outside of ``0 .. classes - 1``;
        whatever is read of ``constants``: minima and Lipschitz constants are not known.
    """

    hidden: tuple[int, ...] = (32,)
    classes: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "hidden", _widths(self.hidden))
        largest = max(int(y.max()) for y in self.labels)
        classes = check_count("classes", max(largest + 1, 2) if self.classes is None else self.classes, least=2)
        for k, y in enumerate(self.labels):
            if y.min() < 0 or y.max() >= classes:
                raise ValueError(f"labels[{k}] lies in {y.min()}..{y.max()}; expected 0..{classes - 1}")
        object.__setattr__(self, "classes", classes)

    @cached_property
    def units(self) -> tuple[int, ...]:
        """Features, hidden widths, classes: ``(L + 1,)``."""
        assert self.classes is not None  # set in __post_init__
        return (int(self.features[0].shape[1]), *self.hidden, self.classes)

    @cached_property
    def blocks(self) -> Blocks:
        """The layers ``(W_l, b_l)`` from the inputs to the outputs, "layer 1", "layer 2", ..."""
        return Blocks.of([(m + 1) * n for m, n in pairwise(self.units)])

    @property
    def dimension(self) -> int:
        """``d``, the sum of ``(inputs + 1) outputs`` over the layers."""
        return self.blocks.dimension

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

    def layers(self, w: Array) -> list[tuple[Array, Array]]:
        """Views ``W_l`` ``(..., inputs, outputs)`` and ``b_l`` ``(..., 1, outputs)`` of ``w`` ``(..., d)``."""
        found, begin = [], 0
        for m, n in pairwise(self.units):
            matrix = w[..., begin : begin + m * n].reshape(*w.shape[:-1], m, n)
            found.append((matrix, w[..., None, begin + m * n : begin + (m + 1) * n]))
            begin += (m + 1) * n
        return found

    def scores(self, features: Array, w: Array) -> Array:
        """``s(x)`` of the rows of ``features`` ``(..., n, f)`` under ``w`` ``(..., d)``, ``(..., n, C)``."""
        check_point(w, (self.dimension,), name="w")
        return self._forward(features, w)[-1]

    def score_gradient(self, features: Array, w: Array, above: Array) -> Array:
        """The gradient of ``sum_i above_i's(x_i)``: ``(..., n, f)``, ``(..., d)``, ``(..., n, C)`` to ``(..., d)``."""
        check_point(w, (self.dimension,), name="w")
        return self._backward(self._forward(features, w)[:-1], w, above)

    def losses(self, client: int, w: Array) -> Array:
        """``log sum_c exp(s_c) - s_y``."""
        scores = self._forward(self.features[client], w)[-1]
        top = scores.max(axis=-1)
        own = scores[..., np.arange(scores.shape[-2]), self.labels[client]]
        return np.asarray(np.log(np.exp(scores - top[..., None]).sum(axis=-1)) + top - own)

    def loss_gradient(self, client: int, w: Array) -> Array:
        """Mean of the sample losses' gradients, ``(..., d) -> (..., d)``."""
        return self._mean_gradient(self.features[client], self.labels[client], w)

    def loss_curvature_at(self, client: int, w: Array) -> Callable[[Array], Array]:
        """Not offered."""
        _refuse("loss_curvature_at")

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """Gradients of the regularised sample losses, ``(..., d) -> (..., n_k, d)``: batches of one row each."""
        features, labels = self.features[client], self.labels[client]
        if rows is not None:
            features, labels = features[rows], labels[rows]
        everywhere = np.repeat(x[..., None, :], len(labels), axis=-2)
        own = self._mean_gradient(features[:, None, :], labels[:, None], everywhere)
        return np.asarray(own + self.regulariser.gradient(x)[..., None, :])

    def batch_gradients(self, clients: Array, x: Array, rows: Array) -> Array:
        """Mean regularised gradient of every slot's batch: ``clients`` ``(r, m)``, ``x`` ``(r, m, d)``, ``rows`` ``(r, m, b)``.

        The plain twin of the kernels.  Each slot is computed by products of its own, so that its bits do not depend on its
        neighbours.
        """
        features, labels, starts = self._all
        index = starts[clients][..., None] + rows
        return np.asarray(self._mean_gradient(features[index], labels[index], x) + self.regulariser.gradient(x))

    @cached_property
    def _all(self) -> tuple[Array, Array, Array]:
        """Features and labels of all clients after one another, and the first row of each client."""
        starts = np.concatenate([[0], np.cumsum(self.sample_sizes)[:-1]])
        return frozen(np.concatenate(self.features)), frozen(np.concatenate(self.labels)), frozen(starts)

    def _forward(self, features: Array, w: Array) -> list[Array]:
        """What every layer gets, and the scores."""
        found, layers = [features], self.layers(w)
        for number, (matrix, shift) in enumerate(layers):
            out = found[-1] @ matrix + shift
            found.append(out if number == len(layers) - 1 else np.maximum(out, 0.0, out=out))
        return found

    def _backward(self, inputs: Sequence[Array], w: Array, above: Array) -> Array:
        """Gradients of the layers whose inputs are given, from the last to the first."""
        answer = np.empty(w.shape)
        layers, into = self.layers(w), self.layers(answer)
        for number in reversed(range(len(layers))):
            into[number][0][...] = inputs[number].swapaxes(-1, -2) @ above
            into[number][1][...] = above.sum(axis=-2, keepdims=True)
            if number:
                above = np.where(inputs[number] > 0, above @ layers[number][0].swapaxes(-1, -2), 0.0)
        return answer

    def _mean_gradient(self, features: Array, labels: Integers, w: Array) -> Array:
        """Gradient of the mean loss over the rows of ``features`` ``(..., n, f)``, labels ``(..., n)``."""
        *inputs, scores = self._forward(features, w)
        above = softmax(scores)
        above -= labels[..., None] == np.arange(self.units[-1])
        return self._backward(inputs, w, above / labels.shape[-1])


def perceptron_start(
    features: int, hidden: Sequence[int], classes: int, *, seed: int | np.random.SeedSequence
) -> Floats:
    """A start for :class:`PerceptronProblem` by the rule of He et al., ``(d,)``: biases zero.

    The weights of a layer with ``m`` inputs are normal with variance ``2/m``.

    Raises
    ------
    ValueError : fewer than one feature, width or hidden layer, fewer than two classes, a seed that is no integer.
    """
    units = (check_count("features", features), *_widths(hidden), check_count("classes", classes, least=2))
    check_request(f"units={units}", sum((m + 1) * n for m, n in pairwise(units)))
    if not isinstance(seed, np.random.SeedSequence):
        seed = np.random.SeedSequence(check_seed(seed))
    rng, pieces = np.random.default_rng(seed), []
    for m, n in pairwise(units):
        pieces += [rng.normal(0.0, np.sqrt(2.0 / m), m * n), np.zeros(n)]
    return np.concatenate(pieces)


def _widths(hidden: Any) -> tuple[int, ...]:
    widths = tuple(
        check_count(f"hidden[{place}]", width)
        for place, width in enumerate(check_sequence("hidden", hidden, "the widths of the hidden layers"))
    )
    if not widths:
        raise ValueError("hidden=() has no layer; expected at least one width, and SoftmaxProblem for none")
    return widths


def _refuse(name: str) -> Never:
    raise ValueError(f"{name} of a perceptron does not exist: the loss is not convex and its gradients not Lipschitz")
