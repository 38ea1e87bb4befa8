"""Numbers for coordinates, as every reading takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from fltheory.algorithms.vocabulary import ClientVector, PerClient, Vector
from fltheory.kinds import Array
from fltheory.problems.blocks import Blocks
from fltheory.problems.checks import check_finite, check_sequence
from fltheory.readings.numbers import Numbers, accept


def coordinate_numbers(given: Any, numbers: Numbers, blocks: Blocks) -> Array:
    """One number per coordinate in the type ``numbers``, ``(d,)``, from ``d`` numbers or from one per block.

    Raises
    ------
    TypeError : a vector (a product of two vectors is not linear), numbers per client.
    ValueError : another count, numbers that are not finite; else as :func:`accept`.
    """
    listed = listed_numbers(given)
    if not numbers.exact and isinstance(given, np.ndarray) and given.dtype.kind == "f":
        flat = np.asarray(blocks.spread(listed), dtype=np.float64)
    else:
        flat = np.array(blocks.spread([accept(numbers, one) for one in listed]), dtype=numbers.dtype)
    check_finite("numbers of scale", flat)
    return flat


def listed_numbers(given: Any) -> list[Any]:
    """The numbers of ``scale`` as a list; ``TypeError`` for a vector, ``ValueError`` for what is no sequence."""
    if isinstance(given, (Vector, ClientVector, PerClient)):
        raise TypeError(
            f"scale got a {type(given).__name__}; expected one number per coordinate or per block (a product of two vectors is "
            "not linear: say decide)"
        )
    return check_sequence("numbers", given, "one number per coordinate or per block")


def require_vector(v: Any, fed: Any, word: str) -> None:
    """Raise ``TypeError`` unless ``v`` is a vector of the reading."""
    if not isinstance(v, (Vector, ClientVector)) or v.fed is not fed:
        raise TypeError(f"{word} got a {type(v).__name__}; expected a vector of this reading")
