"""Client weights from sizes, and float weights as rationals."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from fltheory.problems.checks import Array, real_array
from fltheory.problems.numbers import object_array


def size_weights(sizes: Array, weights: Array | str, *, exact: bool = False) -> Array:
    """``weights`` itself, or ``n_k / n`` for ``"sizes"`` and ``1/N`` for ``"uniform"``."""
    if not isinstance(weights, str):
        return real_array("weights", weights)
    if weights not in ("sizes", "uniform"):
        raise ValueError(f"weights={weights!r} is unknown; expected 'sizes', 'uniform' or an array")
    counts = [int(size) if weights == "sizes" else 1 for size in sizes]
    total = sum(counts)
    if exact:
        return object_array([Fraction(count, total) for count in counts], (len(counts),))
    return np.array(counts) / total


def exact_weights(weights: Array) -> Array:
    """Float weights as Fractions that sum to exactly one.

    Simple fractions (denominator up to a million) are recognised if they round to the same floats and sum to one;
    otherwise the binary values are divided by their sum, which moves each by no more than a rounding error.
    """
    simple = [Fraction(weight).limit_denominator(10**6) for weight in weights.tolist()]
    if sum(simple) == 1 and all(abs(float(s) - w) <= 2e-16 for s, w in zip(simple, weights.tolist(), strict=True)):
        return object_array(simple, weights.shape)
    binary = [Fraction(weight) for weight in weights.tolist()]
    total = sum(binary, Fraction(0))
    return object_array([weight / total for weight in binary], weights.shape)
