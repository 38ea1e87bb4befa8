"""Quantities that every round conserves surely, and the map of second moments on the states at which they are zero."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fltheory.kinds import Array
from fltheory.readings.linear import identity, null_space, solve
from fltheory.readings.numbers import Numbers


def restricted(moved: Callable[[Array], Array], basis: Array, left: Array, moment: Array) -> Array:
    """``moved`` on matrices ``(r, r)`` over the states that ``basis`` ``(D, r)`` spans; ``left`` ``(r, D)`` inverts it."""
    if basis.shape[1] == len(basis):
        return moved(moment)
    inside: Array = left @ moved(basis @ moment @ basis.T) @ left.T
    return inside


def without_conserved(moved: Callable[[Array], Array], mean: Array, numbers: Numbers) -> tuple[Array, Array]:
    """``basis`` and ``left`` of :func:`restricted` for ``moved(X) = E A X A'`` and ``mean = E A``.

    With ``l'A = l'`` surely, and only then, ``E |A'l - l|^2 = 0``, which is ``l'(moved(I) - I)l`` for ``l`` with ``mean'l = l``.
    """
    basis = left = identity(len(mean), numbers)
    while size := basis.shape[1]:
        one = identity(size, numbers)
        kept = null_space((left @ mean @ basis).T - one, numbers)
        if not kept.shape[1]:
            break
        image = restricted(moved, basis, left, one)
        spread = kept.T @ (image - one) @ kept
        scale = 1.0 if numbers.exact else max(1.0, float(np.abs(image).max()))
        surely = kept @ null_space(spread, numbers, scale)
        if not surely.shape[1]:
            break
        rest = null_space(surely.T, numbers)
        basis = basis @ rest
        gram = rest.T @ rest
        inverse = solve(gram, identity(len(gram), numbers), numbers) if len(gram) else gram
        assert inverse is not None  # the columns of a basis are independent
        left = inverse @ rest.T @ left
    return basis, left
