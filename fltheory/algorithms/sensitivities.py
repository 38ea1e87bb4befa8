"""Sensitivities of parameters and the elasticity made from them (supplement to Chen et al., CVPR 2023, Section 1, Algorithms 1, 2).

``g(theta; x)`` is the gradient of ``|F(theta; x)|^2``, the squared norm of the model's *output*: no label is needed.  All functions
take arrays of floats or of exact numbers (``Fraction``) and keep them.

>>> from fractions import Fraction as Q
>>> elasticity([Q(4), Q(1)], Q(1, 2))
array([Fraction(1, 2), Fraction(5, 4)], dtype=object)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from fltheory.problems.base import Array

#: What :func:`elasticity` may do where no parameter has any sensitivity: raise, or treat all parameters as equally sensitive.
WITHOUT_SENSITIVITY = ("refuse", "equal")


def average_sensitivity(gradients: Iterable[Any]) -> Array:
    """Equation (1): the mean of ``|g|``, coordinate by coordinate.

    Its value is free of the order of the gradients.  It can be accumulated online as well, with their number beside it.

    Raises
    ------
    ValueError : no gradients.
    """
    total, count = None, 0
    for gradient in gradients:
        size = np.abs(_numbers(gradient))
        total = size if total is None else total + size
        count += 1
    if total is None:
        raise ValueError("gradients is empty: an average of nothing has no value")
    return np.asarray(total / count)


def momentum_sensitivity(gradients: Iterable[Any], decay: Any) -> Array:
    """Algorithms 1 and 2: ``Omega <- decay Omega + (1 - decay) |g|`` from zero, one batch after the other.

    After ``B`` batches this is ``(1 - decay) sum_b decay^(B - b) |g_b|``: later batches weigh more, and the weights sum to
    ``1 - decay^B``, so that clients with few batches report less of the same gradients.

    Raises
    ------
    ValueError : no gradients; a decay outside of [0, 1).
    """
    if not 0 <= decay < 1:
        raise ValueError(f"decay={decay} is not in [0, 1)")
    found = None
    for gradient in gradients:
        size = (1 - decay) * np.abs(_numbers(gradient))
        found = size if found is None else decay * found + size
    if found is None:
        raise ValueError("gradients is empty: nothing moves the estimate from zero")
    return np.asarray(found)


def combined(sensitivities: Sequence[Any], sizes: Sequence[Any]) -> Array:
    """``Omega = sum_k w_k Omega_k`` with ``w_k = |D_k|/sum_j |D_j|``.

    Raises
    ------
    ValueError : not as many sizes as sensitivities, or sizes without a positive sum.
    """
    if len(sensitivities) != len(sizes) or not len(sizes):
        raise ValueError(
            f"{len(sensitivities)} sensitivities and {len(sizes)} sizes; expected as many of each, at least 1"
        )
    whole = sum(sizes)
    if min(sizes) < 0 or not whole > 0:
        raise ValueError(f"sizes={list(sizes)} are not valid; expected numbers >= 0 with a positive sum")
    parts = (size * _numbers(one) for size, one in zip(sizes, sensitivities, strict=True))
    return np.asarray(sum(parts) / whole)


def elasticity(sensitivity: Any, tau: Any, *, without: str = "refuse") -> Array:
    """``zeta = 1 + tau - Omega/max Omega``, coordinate by coordinate, in ``[tau, 1 + tau]``.

    Coordinates with ``Omega < tau max Omega`` are boosted (``zeta > 1``), those above are restricted, and the most sensitive one
    moves by the factor ``tau``: with ``tau = 0`` it stands still.  Equal sensitivities, among them one parameter alone, give
    ``tau`` everywhere.  Where all of ``Omega`` is zero the quotient is 0/0, which the print does not speak of: ``without="equal"``
    gives ``tau`` everywhere, as for any equal sensitivities.

    Raises
    ------
    ValueError : negative sensitivities or ``tau``; all sensitivities zero and ``without="refuse"``.
    """
    if without not in WITHOUT_SENSITIVITY:
        raise ValueError(f"without={without!r} is none of {', '.join(WITHOUT_SENSITIVITY)}")
    if tau < 0:
        raise ValueError(f"tau={tau} is negative")
    numbers = _numbers(sensitivity)
    if numbers.ndim != 1 or not len(numbers) or min(numbers) < 0:
        raise ValueError("sensitivity is not valid; expected one number >= 0 for each parameter")
    largest = max(numbers)
    if largest == 0:
        if without == "refuse":
            raise ValueError(
                "all sensitivities are zero: 1 + tau - 0/0 has no value; without='equal' gives tau everywhere"
            )
        return np.asarray(numbers + tau)
    return np.asarray(1 + tau - numbers / largest)


def boosted_share(zeta: Any) -> float:
    """The share of coordinates that move further than without elasticity, ``zeta > 1``."""
    numbers = _numbers(zeta)
    return sum(bool(one > 1) for one in numbers) / len(numbers)


def _numbers(values: Any) -> Array:
    """Floats as an array of floats, anything exact as an array of objects."""
    array = np.asarray(values)
    return array if array.dtype.kind == "f" else np.asarray(array.astype(object))
