"""Words on vectors, entry by entry: every product and every sum is rounded by itself, so that the bits are NumPy's."""

from __future__ import annotations

import numpy as np

from fltheory.kernels.jit import rounded
from fltheory.kinds import Array


@rounded
def put(out: Array, x: Array) -> None:
    """``out <- x``."""
    for i in range(out.shape[0]):
        out[i] = x[i]


@rounded
def clear(out: Array) -> None:
    """``out <- 0``."""
    for i in range(out.shape[0]):
        out[i] = 0.0


@rounded
def add(out: Array, x: Array, y: Array) -> None:
    """``out <- x + y``."""
    for i in range(out.shape[0]):
        out[i] = x[i] + y[i]


@rounded
def subtract(out: Array, x: Array, y: Array) -> None:
    """``out <- x - y``."""
    for i in range(out.shape[0]):
        out[i] = x[i] - y[i]


@rounded
def multiply(out: Array, x: Array, number: float) -> None:
    """``out <- number x``."""
    for i in range(out.shape[0]):
        out[i] = x[i] * number


@rounded
def add_multiple(out: Array, x: Array, y: Array, number: float) -> None:
    """``out <- x + number y``."""
    for i in range(out.shape[0]):
        out[i] = x[i] + y[i] * number


@rounded
def gather(out: Array, x: Array, number: float) -> None:
    """``out <- out + number x``."""
    for i in range(out.shape[0]):
        out[i] += number * x[i]


@rounded
def finite(x: Array) -> bool:
    """Whether all entries are."""
    bad = 0
    for i in range(x.shape[0]):
        bad |= not (abs(x[i]) < np.inf)
    return bad == 0


@rounded
def square(x: Array) -> float:
    """``|x|^2``, eight sums side by side."""
    n = x.shape[0]
    a0, a1, a2, a3, a4, a5, a6, a7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = n - n % 8
    for i in range(0, whole, 8):
        a0 += x[i] * x[i]
        a1 += x[i + 1] * x[i + 1]
        a2 += x[i + 2] * x[i + 2]
        a3 += x[i + 3] * x[i + 3]
        a4 += x[i + 4] * x[i + 4]
        a5 += x[i + 5] * x[i + 5]
        a6 += x[i + 6] * x[i + 6]
        a7 += x[i + 7] * x[i + 7]
    for i in range(whole, n):
        a0 += x[i] * x[i]
    return ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7))
