"""Sensitivities of parameters and the elasticity made from them (supplement to Chen et al., CVPR 2023, Section 1, Algorithms 1, 2).

``g(theta; x)`` is the gradient of ``|F(theta; x)|^2``, the squared norm of the model's *output*: no label is needed.  All functions
take arrays of floats or of exact numbers (``Fraction``) and keep them.

>>> from fractions import Fraction as Q
>>> elasticity([Q(4), Q(1)], Q(1, 2))
array([Fraction(1, 2), Fraction(5, 4)], dtype=object)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from fltheory.algorithms.optimisers import check_decay
from fltheory.kinds import Array
from fltheory.problems.checks import (
    check_choice,
    check_finite,
    check_nonnegative,
    check_sequence,
    check_shape,
    real_array,
)

#: What :func:`elasticity` may do where no parameter has any sensitivity: raise, or treat all parameters as equally sensitive.
WITHOUT_SENSITIVITY = ("refuse", "equal")


def average_sensitivity(gradients: Iterable[Any]) -> Array:
    """Equation (1): the mean of ``|g|``, coordinate by coordinate.

    Its value is free of the order of the gradients.  It can be accumulated online as well, with their number beside it.

    Raises
    ------
    ValueError : no gradients.
    """
    return np.asarray(accumulated(_sizes(gradients)))


def momentum_sensitivity(gradients: Iterable[Any], decay: Any) -> Array:
    """Algorithms 1 and 2: ``Omega <- decay Omega + (1 - decay) |g|`` from zero, one batch after the other.

    After ``B`` batches this is ``(1 - decay) sum_b decay^(B - b) |g_b|``: later batches weigh more, and the weights sum to
    ``1 - decay^B``, so that clients with few batches report less of the same gradients.

    Raises
    ------
    ValueError : no gradients; a decay outside of [0, 1).
    """
    check_decay("decay", decay)
    return np.asarray(accumulated(_sizes(gradients), decay))


def accumulated(sizes: Iterable[Any], decay: Any = None) -> Any:
    """The mean of the sizes, or with a ``decay`` what :func:`momentum_sensitivity` says; of arrays and of vectors of a reading.

    Raises
    ------
    ValueError : no sizes.
    """
    total, count = None, 0
    for size in sizes:
        if decay is None:
            total = size if total is None else total + size
        else:
            total = (1 - decay) * size if total is None else decay * total + (1 - decay) * size
        count += 1
    if total is None:
        raise ValueError("gradients is empty; expected one at least: nothing says how sensitive a parameter is")
    return total / count if decay is None else total


def combined(sensitivities: Sequence[Any], sizes: Sequence[Any]) -> Array:
    """``Omega = sum_k w_k Omega_k`` with ``w_k = |D_k|/sum_j |D_j|``.

    Raises
    ------
    ValueError : not as many sizes as sensitivities, or sizes without a positive sum.
    """
    given = check_sequence("sizes", sizes, "one number >= 0 for each client")
    vectors = [_numbers(f"sensitivities[{k}]", one) for k, one in enumerate(sensitivities)]
    if len(vectors) != len(given) or not given:
        raise ValueError(f"{len(vectors)} sensitivities and {len(given)} sizes; expected as many of each, at least 1")
    for k, (size, vector) in enumerate(zip(given, vectors, strict=True)):
        check_nonnegative(f"sizes[{k}]", size)
        check_shape(f"sensitivities[{k}]", vector, vectors[0].shape)
    whole = sum(given)
    if not whole > 0:
        raise ValueError(f"sizes sum to {whole}; expected numbers >= 0 with a positive sum")
    return np.asarray(sum(size * vector for size, vector in zip(given, vectors, strict=True)) / whole)


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
    check_choice("without", without, WITHOUT_SENSITIVITY)
    check_nonnegative("tau", tau)
    numbers = _numbers("sensitivity", sensitivity)
    if numbers.ndim != 1 or not len(numbers):
        raise ValueError(f"sensitivity has shape {numbers.shape}; expected (d,), one number >= 0 for each parameter")
    for place in np.flatnonzero(numbers < 0)[:1].tolist():
        check_nonnegative(f"sensitivity[{place}]", numbers[place])
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
    numbers = _numbers("zeta", zeta)
    if numbers.ndim != 1 or not len(numbers):
        raise ValueError(f"zeta has shape {numbers.shape}; expected (d,), one number for each parameter")
    return sum(bool(one > 1) for one in numbers) / len(numbers)


def _sizes(gradients: Iterable[Any]) -> Iterator[Array]:
    """``|g|``, one gradient after the other."""
    return (np.abs(_numbers(f"gradients[{place}]", gradient)) for place, gradient in enumerate(gradients))


def _numbers(name: str, values: Any) -> Array:
    """Floats as an array of floats, anything exact as an array of objects."""
    array = real_array(name, values)
    check_finite(name, array)
    return array if array.dtype.kind == "f" else np.asarray(array.astype(object))
