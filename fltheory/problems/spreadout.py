"""The model of a dual encoder as one vector, and the regulariser that spreads its embeddings out.

Zhang et al., "Learning Spread-out Local Feature Descriptors" (2017); in the form of the program of Ning et al., "Learning
Federated Representations and Recommendations with Limited Negatives" (2021): the norm of all cosines of two different items.

``sum_{i,j} cos^2 = |U'U|_F^2`` with the normalised table ``U``: this takes ``N d^2`` multiplications by the ``d x d`` matrix,
not the ``N^2 d/2`` of one similarity for each pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.problems.base import Array, check_count, check_instance, check_positive
from fltheory.problems.blocks import Blocks
from fltheory.problems.showing import ShownProblem

#: Added to squared lengths, so that a vector of zeros has a direction (zero).
TINY = 1e-12


@dataclass(frozen=True)
class Shape:
    """How a model vector is cut: the table ``(items, width)``, the hidden layer ``(width, width)`` and its bias."""

    items: int
    width: int

    def __post_init__(self) -> None:
        check_count("items", self.items)
        check_count("width", self.width)

    @property
    def size(self) -> int:
        """Numbers of the model, ``N d + d^2 + d``."""
        return self.items * self.width + self.width**2 + self.width

    @property
    def blocks(self) -> Blocks:
        """The table, and the hidden layer with its bias."""
        return Blocks(("embeddings", "hidden"), (self.items * self.width, self.width**2 + self.width))

    def cut(self, x: Array) -> tuple[Array, Array, Array]:
        """Table, matrix and bias of models ``(..., size)``, as views."""
        table, matrix = self.items * self.width, self.width**2
        lead = x.shape[:-1]
        return (
            x[..., :table].reshape(*lead, self.items, self.width),
            x[..., table : table + matrix].reshape(*lead, self.width, self.width),
            x[..., table + matrix :],
        )

    def start(self, seed: int, *, scale: float = 0.05) -> Array:
        """Random first model: table uniform in ``[-scale, scale]``, matrix by Glorot and Bengio, bias zero."""
        rng = np.random.default_rng(np.random.SeedSequence(seed))
        edge = np.sqrt(3 / self.width)
        return np.concatenate(
            [
                rng.uniform(-scale, scale, self.items * self.width),
                rng.uniform(-edge, edge, self.width**2),
                np.zeros(self.width),
            ]
        )


def unit(vectors: Array) -> tuple[Array, Array]:
    """``v/sqrt(|v|^2 + tiny)`` along the last axis, and the root."""
    length = np.sqrt(dot(vectors, vectors) + TINY)
    return vectors / length, length


def unit_backward(gradient: Array, direction: Array, length: Array) -> Array:
    """Pulls a gradient at :func:`unit`'s answer back to its argument."""
    return np.asarray((gradient - dot(gradient, direction) * direction) / length)


def dot(left: Array, right: Array) -> Array:
    """Inner products along the last axis, which is kept; much faster than a sum of products where it is short."""
    return np.asarray(np.einsum("...i,...i->...", left, right))[..., None]


@dataclass(frozen=True, eq=False, repr=False)
class Spreadout(ShownProblem):
    """``strength * sqrt(sum_{i != j} cos(E_i, E_j)^2)`` of the table in a model of the given shape; one client.

    Raises
    ------
    ValueError : a strength that is not positive.
    """

    shape: Shape
    strength: float

    def __post_init__(self) -> None:
        check_instance("shape", self.shape, Shape, "a Shape(items, width), as DualEncoder.shape")
        check_positive("strength", self.strength)

    @property
    def n_clients(self) -> int:
        """One."""
        return 1

    @property
    def dimension(self) -> int:
        """Numbers of the model."""
        return self.shape.size

    @cached_property
    def blocks(self) -> Blocks:
        """The layers of the dual encoder."""
        return self.shape.blocks

    @cached_property
    def weights(self) -> Array:
        """One."""
        return np.ones(1)

    def value(self, w: Array) -> Any:
        """``(..., d) -> (...)``."""
        return self._parts(w)[0] * self.strength

    def client_values(self, w: Array) -> Array:
        """``(..., d) -> (..., 1)``."""
        return np.asarray(self.value(w))[..., None]

    def gradient(self, w: Array) -> Array:
        """``(..., d) -> (..., d)``; zero where all embeddings are orthogonal."""
        w = np.asarray(w, dtype=float)
        norm, directions, lengths, squares, gram = self._parts(w)
        slope = np.divide(2 * self.strength, norm, out=np.zeros_like(norm), where=norm > 0)[..., None, None]
        back = unit_backward(slope * (directions @ gram - squares * directions), directions, lengths)
        gradient = np.zeros(w.shape)
        gradient[..., : self.shape.items * self.shape.width] = back.reshape(*w.shape[:-1], -1)
        return gradient

    def client_gradients(self, x: Array, clients: Array | None = None) -> Array:
        """``(..., 1, d) -> (..., 1, d)``."""
        return self.gradient(x)

    def _parts(self, w: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Norm of the similarities off the diagonal, and what its gradient needs."""
        table, _, _ = self.shape.cut(np.asarray(w, dtype=float))
        directions, lengths = unit(table)
        gram = directions.swapaxes(-1, -2) @ directions
        squares = dot(directions, directions)
        total = (gram * gram).sum(axis=(-1, -2)) - (squares * squares).sum(axis=(-1, -2))
        return np.sqrt(np.maximum(total, 0.0)), directions, lengths, squares, gram
