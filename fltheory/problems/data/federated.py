"""Labelled data, whole or divided among clients, and the problems made from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.problems.base import Array, check_finite, check_shape
from fltheory.problems.logistic import LogisticProblem
from fltheory.problems.perceptron import PerceptronProblem
from fltheory.problems.regulariser import Regulariser
from fltheory.problems.softmax import SoftmaxProblem


@dataclass(frozen=True, eq=False)
class FederatedData:
    """One ``(n_k, f)`` feature array and one ``(n_k,)`` array of labels ``0 .. classes - 1`` per client."""

    features: tuple[Array, ...]
    labels: tuple[Array, ...]
    classes: int
    name: str = "data"

    @property
    def n_clients(self) -> int:
        """``N``."""
        return len(self.features)

    @property
    def sizes(self) -> Array:
        """``n_k``, ``(N,)``."""
        return np.array([len(x) for x in self.features])

    def softmax(self, regulariser: Regulariser | int, *, weights: Array | str = "sizes") -> SoftmaxProblem:
        """Multinomial regression on these data."""
        options: dict[str, Any] = {"weights": weights, "classes": self.classes}
        return SoftmaxProblem(self.features, self.labels, regulariser, **options)  # type: ignore[arg-type]

    def perceptron(
        self, hidden: Sequence[int], regulariser: Regulariser | int = 0, *, weights: Array | str = "sizes"
    ) -> PerceptronProblem:
        """A perceptron with these hidden widths on these data."""
        options: dict[str, Any] = {"weights": weights, "hidden": tuple(hidden), "classes": self.classes}
        return PerceptronProblem(self.features, self.labels, regulariser, **options)  # type: ignore[arg-type]

    def logistic(
        self, positive: Sequence[int], regulariser: Regulariser | int, *, weights: Array | str = "sizes"
    ) -> LogisticProblem:
        """Binary regression: the classes in ``positive`` against the others."""
        labels = tuple(np.where(np.isin(y, list(positive)), 1, -1) for y in self.labels)
        options: dict[str, Any] = {"weights": weights}
        return LogisticProblem(self.features, labels, regulariser, **options)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class LabelledData:
    """``features`` ``(n, f)`` and ``labels`` ``(n,)`` in ``0 .. classes - 1``, not yet divided."""

    features: Array
    labels: Array
    classes: int
    name: str = "data"

    def __post_init__(self) -> None:
        features, labels = np.asarray(self.features, dtype=np.float64), np.asarray(self.labels)
        if features.ndim != 2 or 0 in features.shape:
            raise ValueError(f"features has shape {features.shape}; expected (n, f) with n >= 1")
        check_shape("labels", labels, (len(features),))
        check_finite("features", features)
        if labels.dtype.kind not in "iu" or labels.min() < 0 or labels.max() >= self.classes:
            raise ValueError(f"labels are not integers in 0..{self.classes - 1}: {labels.min()}..{labels.max()}")
        object.__setattr__(self, "features", features)
        object.__setattr__(self, "labels", labels.astype(np.int64))

    def divide(self, parts: Sequence[Array]) -> FederatedData:
        """One client per index array."""
        return FederatedData(
            tuple(self.features[rows] for rows in parts),
            tuple(self.labels[rows] for rows in parts),
            self.classes,
            self.name,
        )
