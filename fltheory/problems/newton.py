"""Minimisers of smooth strongly convex functions with a certificate, and a certified largest eigenvalue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fltheory.problems.base import Array, check_request


@dataclass(frozen=True, eq=False)
class Minimum:
    """A point with ``value - suboptimality <= min f <= value``; ``suboptimality = |grad f|^2/(2 mu)``."""

    point: Array
    value: float
    suboptimality: float


def minimise(
    value: Callable[[Array], float],
    gradient: Callable[[Array], Array],
    curvature: Callable[[Array], Callable[[Array], Array]],
    start: Array,
    *,
    strong_convexity: float,
    tolerance: float = 1e-12,
    iterations: int = 200,
    name: str = "F",
) -> Minimum:
    """Truncated Newton with conjugate gradients; ``curvature(w)`` is ``v -> f''(w) v``.

    Stops when ``|grad f|^2/(2 mu) <= tolerance * max(1, |f|)``; raises ``ValueError`` if ``mu <= 0`` (no certificate)
    and ``ArithmeticError`` if rounding stops the progress before that.
    """
    mu = strong_convexity
    if not mu > 0:
        raise ValueError(
            f"strong_convexity={mu} of {name}: a certified minimum needs mu > 0; use a regulariser of positive strength"
        )
    w, current = start, value(start)
    for _ in range(iterations):
        slope = gradient(w)
        bound = float(slope @ slope) / (2 * mu)
        if bound <= tolerance * max(1.0, abs(current)):
            return Minimum(w, current, bound)
        step = _conjugate_gradients(curvature(w), -slope)
        descent, length = float(slope @ step), 1.0
        while True:
            candidate = w + length * step
            trial = value(candidate)
            # Near the minimum differences of values drown in rounding; a smaller gradient then decides.
            flat = abs(trial - current) <= 1e-14 * max(1.0, abs(current))
            if trial <= current + 1e-4 * length * descent or (
                flat and np.linalg.norm(gradient(candidate)) < np.linalg.norm(slope)
            ):
                break
            length /= 2
            if length < 1e-12:
                raise ArithmeticError(f"{name}: Newton's method stalls at certified suboptimality {bound:.3e}")
        w, current = candidate, trial
    raise ArithmeticError(f"{name}: no certified minimum after {iterations} Newton steps, suboptimality {bound:.3e}")


def _conjugate_gradients(apply: Callable[[Array], Array], right: Array) -> Array:
    solution, residual = np.zeros_like(right), right.copy()
    direction, square = residual.copy(), float(residual @ residual)
    goal = square * min(0.25, square**0.5) ** 2
    for _ in range(10 * len(right)):
        image = apply(direction)
        length = square / float(direction @ image)
        solution += length * direction
        residual -= length * image
        old, square = square, float(residual @ residual)
        if square <= goal:
            break
        direction = residual + (square / old) * direction
    return solution


def certified_gram_norm(features: Array) -> float:
    """An upper bound of the largest eigenvalue of ``X'X/n`` that accounts for rounding, ``X`` of shape ``(n, d)``.

    From computed eigenpairs ``V, D`` of the computed ``C``: ``lambda_max(C) <= max(D) |V|^2 + |C - V D V'|`` with
    ``|V|^2 <= 1 + |V'V - I|``; Frobenius norms, and standard bounds for the rounding of every product involved.
    """
    n, d = features.shape
    # The product, its eigenvectors and what bounds their rounding are held together.
    check_request(f"the smoothness of {n} samples with {d} features", 5 * d * d, instead="fewer features have one")
    eps = float(np.finfo(float).eps)
    gram = features.T @ features / n
    gram_error = 2 * (n + 2) * eps * float(np.linalg.norm(np.abs(features).T @ np.abs(features) / n))
    eigenvalues, basis = np.linalg.eigh((gram + gram.T) / 2)
    size = np.abs(basis)
    rounding = 4 * (d + 4) * eps
    residual = float(np.linalg.norm(gram - (basis * eigenvalues) @ basis.T))
    residual += rounding * float(np.linalg.norm((size * np.abs(eigenvalues)) @ size.T))
    defect = float(np.linalg.norm(basis.T @ basis - np.eye(d))) + rounding * float(np.linalg.norm(size.T @ size))
    bound = max(float(eigenvalues[-1]), 0.0) * (1 + defect) + residual + gram_error
    return float(bound * (1 + 16 * eps))
