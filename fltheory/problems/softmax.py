"""Multinomial (softmax) regression with bias and l2 regularisation (Li et al. 2020, Appendix D.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory.problems.base import Array, check_count, frozen
from fltheory.problems.blocks import Blocks
from fltheory.problems.classification import ClassificationProblem


@dataclass(frozen=True, eq=False, repr=False)
class SoftmaxProblem(ClassificationProblem):
    """``F_k(w) = (1/n_k) sum_i CrossEntropy(softmax(W x_i + b), y_i) + R(w)``, ``y_i`` in ``0 .. classes - 1``.

    ``w = (W, b)`` is the array ``(classes, features + 1)`` flattened row by row, the bias in the last column (the
    feature that is always one).  The regulariser acts on all of ``w``, bias included, as in Appendix D.1 of
    Li et al.  ``classes=None`` takes the largest label plus one.  Other arguments as in
    :class:`ClassificationProblem`.  Certified ``L_k <= lambda_max(X_k'X_k/n_k)/2 + modulus`` (bias column included).

    Raises
    ------
    ValueError : as :class:`ClassificationProblem`; ``classes`` that is no integer of at least 2; labels outside
        ``0 .. classes - 1``.
    """

    formula = r"F_k(w) = \tfrac{1}{n_k} \sum_i \mathrm{CE}(\mathrm{softmax}(W x_i + b), y_i) + R(w)"

    classes: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        largest = max(int(y.max()) for y in self.labels)
        classes = check_count("classes", max(largest + 1, 2) if self.classes is None else self.classes, least=2)
        for k, y in enumerate(self.labels):
            if y.min() < 0 or y.max() >= classes:
                raise ValueError(f"labels[{k}] lies in {y.min()}..{y.max()}; expected 0..{classes - 1}")
        object.__setattr__(self, "classes", classes)

    @property
    def n_classes(self) -> int:
        """``C``."""
        assert self.classes is not None  # set in __post_init__
        return self.classes

    @property
    def dimension(self) -> int:
        """``C (f + 1)``."""
        return self.n_classes * (int(self.features[0].shape[1]) + 1)

    @cached_property
    def blocks(self) -> Blocks:
        """The matrix ``W`` and the bias ``b``, which is the last column."""
        features, classes = self.dimension // self.n_classes - 1, self.n_classes
        return Blocks(("weights", "bias"), (features * classes, classes), (*([0] * features), 1) * classes)

    @property
    def loss_curvature(self) -> float:
        """``1/2``: ``diag(p) - pp'`` has eigenvalues at most 1/2."""
        return 0.5

    @cached_property
    def _inputs(self) -> tuple[Array, ...]:
        return tuple(frozen(np.hstack([x, np.ones((len(x), 1))])) for x in self.features)

    def inputs(self, client: int) -> Array:
        """Features with the column of ones appended, ``(n_k, f + 1)``."""
        return self._inputs[client]

    def matrix(self, w: Array) -> Array:
        """``(W, b)``, ``(..., d) -> (..., C, f + 1)``."""
        return w.reshape(*w.shape[:-1], self.n_classes, -1)

    def logits(self, client: int, w: Array, rows: Array | None = None) -> Array:
        """``W x_i + b``, ``(..., d) -> (..., n_k, C)``."""
        x = self._inputs[client] if rows is None else self._inputs[client][rows]
        return np.asarray(x @ self.matrix(w).swapaxes(-1, -2))

    def losses(self, client: int, w: Array) -> Array:
        """``log sum_c exp(z_c) - z_y``."""
        z = self.logits(client, w)
        top = z.max(axis=-1)
        own = z[..., np.arange(z.shape[-2]), self.labels[client]]
        return np.asarray(np.log(np.exp(z - top[..., None]).sum(axis=-1)) + top - own)

    def loss_gradient(self, client: int, w: Array) -> Array:
        """``(1/n) sum_i (p_i - e_{y_i}) x_i'``, flattened."""
        residual = self._residual(client, w)
        gradient = residual.swapaxes(-1, -2) @ self._inputs[client] / residual.shape[-2]
        return np.asarray(gradient.reshape(w.shape))

    def loss_curvature_at(self, client: int, w: Array) -> Callable[[Array], Array]:
        """``V -> (1/n) sum_i (diag(p_i) - p_i p_i') V x_i x_i'``."""
        x, p = self._inputs[client], softmax(self.logits(client, w))

        def apply(v: Array) -> Array:
            scores = x @ self.matrix(v).T
            change = p * (scores - (p * scores).sum(axis=-1, keepdims=True))
            return np.asarray((change.T @ x).ravel() / len(x))

        return apply

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """``(p_i - e_{y_i}) x_i' + grad R(w)``, flattened, ``(..., n_k, d)``."""
        inputs = self._inputs[client] if rows is None else self._inputs[client][rows]
        residual = self._residual(client, x, rows)
        outer = residual[..., :, None] * inputs[:, None, :]
        flat = outer.reshape(*residual.shape[:-1], -1)
        return np.asarray(flat + self.regulariser.gradient(x)[..., None, :])

    def _residual(self, client: int, w: Array, rows: Array | None = None) -> Array:
        residual = softmax(self.logits(client, w, rows))
        labels = self.labels[client] if rows is None else self.labels[client][rows]
        residual[..., np.arange(len(labels)), labels] -= 1.0
        return residual


def softmax(z: Array) -> Array:
    """``exp(z_c)/sum exp(z)`` over the last axis, without overflow."""
    weights = np.exp(z - z.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
