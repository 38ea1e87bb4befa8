"""Second derivatives of logistic and softmax regression, with bounds.

With ``C = lambda_max(X_k'X_k/n_k)`` and ``R = max_i |x_i|`` the Hessian is Lipschitz with constant

* ``C R/(6 sqrt 3)`` for logistic regression, ``|s''| <= 1/(6 sqrt 3)`` being the largest slope of ``s (1 - s)``;
* ``C R/sqrt 2`` for softmax regression: along ``u, u, v`` the third derivative of ``log sum_c exp(z_c)`` is the third central
  moment ``E (u - Eu)^2 (v - Ev)`` under the probabilities, at most ``Var(u) (max v - min v) <= |u|^2/2 sqrt 2 |v|``.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from fltheory.kinds import Array, Floats
from fltheory.problems.logistic import sigmoid
from fltheory.problems.newton import certified_gram_norm
from fltheory.problems.second_order import EPS, SecondOrder, sum_error
from fltheory.problems.softmax import softmax


class LinearModelSecondOrder(SecondOrder):
    """What both share: ``H_k = (1/n) sum_i B_i (x) x_i x_i' + m I`` with ``0 <= B_i <= most`` and ``B_i`` Lipschitz."""

    #: Largest eigenvalue of ``B_i``, and its Lipschitz constant in the scores ``z_i``.
    most: float
    slope: float

    def __init__(self, problem: Any) -> None:
        self.problem = problem
        self.modulus = float(problem.regulariser.modulus)
        inputs = [problem.inputs(k) for k in range(problem.n_clients)]
        self.grams = np.array([certified_gram_norm(x) for x in inputs])
        self._squares = [float((x * x).sum()) / len(x) for x in inputs]
        self._longest = [float(np.sqrt((x * x).sum(axis=1).max())) for x in inputs]
        self.lower = np.full(len(inputs), self.modulus)
        self.upper = (self.most * self.grams + self.modulus) * (1 + 8 * EPS)

    def variation(self, client: int, x: Array, radius: float) -> float:
        """The Lipschitz constant times the radius, and never more than ``upper - lower``."""
        gram = float(self.grams[client])
        return min(self.slope * gram * self._longest[client] * radius, self.most * gram) * (1 + 64 * EPS)

    def product_error(self, client: int, x: Array) -> float:
        inputs = self.problem.inputs(client)
        terms = len(inputs) + 2 * inputs.shape[1] + 2 * self.problem.dimension + 16
        scores = self.slope * float(self._score_errors(client, x).max()) + 8 * self._weight_error(client)
        rounded = sum_error(terms) * (self._squares[client] + self.modulus)
        return rounded + scores * float(self.grams[client])

    def sample_matrices(self, client: int, x: Array) -> Floats | None:
        inputs, weights = self.problem.inputs(client), self._weights(client, x)
        outer = inputs[:, :, None] * inputs[:, None, :]
        found = np.einsum("nab,nij->naibj", weights, outer).reshape(len(inputs), *[self.problem.dimension] * 2)
        return np.asarray(found + self.modulus * np.eye(self.problem.dimension))

    def _weights(self, client: int, x: Array) -> Floats:
        """``B_i``, ``(n, c, c)``."""
        raise NotImplementedError

    def _score_errors(self, client: int, x: Array) -> Floats:
        """Bounds of the errors of the scores of each sample, ``(n,)``."""
        raise NotImplementedError

    def _weight_error(self, client: int) -> float:
        """A bound of the relative error of a probability beside that of the scores."""
        return 10 * EPS


class LogisticSecondOrder(LinearModelSecondOrder):
    """``B_i = s(z_i)(1 - s(z_i))``."""

    most = 0.25
    slope = 1 / (6 * sqrt(3))

    def apply(self, client: int, x: Array, v: Array) -> Array:
        inputs = self.problem.inputs(client)
        s = sigmoid(inputs @ x)
        weights = s * (1 - s) / len(inputs)
        return np.asarray(((v @ inputs.T) * weights) @ inputs + self.modulus * v)

    def _weights(self, client: int, x: Array) -> Floats:
        s = sigmoid(self.problem.inputs(client) @ x)
        return np.asarray((s * (1 - s))[:, None, None])

    def gradient_error(self, client: int, x: Array) -> float:
        inputs = np.abs(self.problem.inputs(client))
        n = len(inputs)
        each = self.most * self._score_errors(client, x) + 10 * EPS
        each = each + sum_error(n)  # no factor in front of a sample is larger than one
        return float(np.linalg.norm(each @ inputs)) / n + sum_error(4) * self.modulus * float(np.linalg.norm(x))

    def _score_errors(self, client: int, x: Array) -> Floats:
        inputs = np.abs(self.problem.inputs(client))
        return np.asarray(sum_error(inputs.shape[1]) * (inputs @ np.abs(x)))


class SoftmaxSecondOrder(LinearModelSecondOrder):
    """``B_i = diag(p_i) - p_i p_i'``."""

    most = 0.5
    slope = sqrt(2) / 2

    def apply(self, client: int, x: Array, v: Array) -> Array:
        inputs, classes = self.problem.inputs(client), self.problem.n_classes
        p = softmax(self.problem.logits(client, x))
        rows = v.reshape(-1, classes, inputs.shape[1])
        scores = rows @ inputs.T
        scores -= np.einsum("rcn,nc->rn", scores, p)[:, None]
        scores *= p.T
        return np.asarray((scores @ inputs / len(inputs)).reshape(v.shape) + self.modulus * v)

    def _weights(self, client: int, x: Array) -> Floats:
        p = softmax(self.problem.logits(client, x))
        return np.asarray(p[:, :, None] * (np.eye(p.shape[1]) - p[:, None, :]))

    def gradient_error(self, client: int, x: Array) -> float:
        inputs, logits = self.problem.inputs(client), self.problem.logits(client, x)
        below = logits.max(axis=-1, keepdims=True) - logits
        relative = 2.1 * self._score_errors(client, x)[:, None] + below * EPS + self._weight_error(client)
        each = softmax(logits) * relative + sum_error(len(inputs))
        most = np.linalg.norm(each.T @ np.abs(inputs)) / len(inputs)
        return float(most) + sum_error(4) * self.modulus * float(np.linalg.norm(x))

    def _score_errors(self, client: int, x: Array) -> Floats:
        inputs = np.abs(self.problem.inputs(client))
        scores = inputs @ np.abs(self.problem.matrix(x)).T
        most: Floats = sum_error(inputs.shape[1]) * np.linalg.norm(scores, axis=1)
        return most

    def _weight_error(self, client: int) -> float:
        classes: int = self.problem.n_classes
        return (2 * classes + 10) * EPS
