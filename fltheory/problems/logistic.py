"""Binary logistic regression with labels ``-1, +1`` and l2 regularisation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fltheory.problems.base import Array
from fltheory.problems.classification import ClassificationProblem


@dataclass(frozen=True, eq=False, repr=False)
class LogisticProblem(ClassificationProblem):
    """``F_k(w) = (1/n_k) sum_i log(1 + exp(-y_i x_i'w)) + R(w)``, ``y_i`` in ``{-1, 1}``.

    Arguments as in :class:`ClassificationProblem`; ``w`` has one entry per feature (append a column of ones for an
    intercept).  Certified ``L_k <= lambda_max(X_k'X_k/n_k)/4 + modulus``.

    Raises
    ------
    ValueError : as :class:`ClassificationProblem`; labels besides -1 and 1.
    """

    formula = r"F_k(w) = \tfrac{1}{n_k} \sum_i \log(1 + e^{-y_i x_i^\top w}) + R(w)"

    def __post_init__(self) -> None:
        super().__post_init__()
        for k, y in enumerate(self.labels):
            wrong = y[(y != 1) & (y != -1)]
            if len(wrong):
                raise ValueError(f"labels[{k}] contains {wrong[0]}; expected labels -1 and 1")

    @property
    def dimension(self) -> int:
        """Number of features."""
        return int(self.features[0].shape[1])

    @property
    def loss_curvature(self) -> float:
        """``1/4``, the largest second derivative of ``log(1 + exp(-z))``."""
        return 0.25

    def inputs(self, client: int) -> Array:
        """``X_k``."""
        return self.features[client]

    def losses(self, client: int, w: Array) -> Array:
        """``log(1 + exp(-y_i x_i'w))``."""
        return np.asarray(np.logaddexp(0.0, -self._margins(client, w)))

    def loss_gradient(self, client: int, w: Array) -> Array:
        """``-(1/n) sum_i y_i s(-y_i x_i'w) x_i`` with the sigmoid ``s``."""
        y = self.labels[client]
        factor = -(y * sigmoid(-self._margins(client, w))) / len(y)
        return np.asarray((factor[..., None, :] @ self.features[client])[..., 0, :])

    def loss_curvature_at(self, client: int, w: Array) -> Callable[[Array], Array]:
        """``v -> X' diag(s (1 - s)) X v / n``."""
        x = self.features[client]
        s = sigmoid(self._margins(client, w))
        curvature = s * (1 - s) / len(x)
        return lambda v: np.asarray((curvature * (x @ v)) @ x)

    def sample_gradients(self, client: int, x: Array, rows: Array | None = None) -> Array:
        """``-y_i s(-y_i x_i'w) x_i + grad R(w)``."""
        features, y = self.features[client], self.labels[client]
        if rows is not None:
            features, y = features[rows], y[rows]
        margins = y * (features @ x[..., None])[..., 0]
        factor = -y * sigmoid(-margins)
        return np.asarray(factor[..., None] * features + self.regulariser.gradient(x)[..., None, :])

    def _margins(self, client: int, w: Array) -> Array:
        # One product per point: a product of all points at once would give other bits for other numbers of points.
        return np.asarray(self.labels[client] * (self.features[client] @ w[..., None])[..., 0])


def sigmoid(z: Array) -> Array:
    """``1/(1 + exp(-z))`` without overflow."""
    small = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0, 1.0, small) / (1.0 + small))
