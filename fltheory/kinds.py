"""What values are, by name: kinds of arrays and of data, for annotations everywhere.

``Any`` is left to what has no other type: numbers of a field that is chosen when a program runs, and arrays of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

#: A float, a ``fractions.Fraction``, or an element of another field that mixes with the problem's data.
Number: TypeAlias = Any
#: An array of numbers: of floats, or of objects that are exact.
Array: TypeAlias = npt.NDArray[Any]
#: A point, or several, as a user writes them: an array, or numbers in (nested) lists.
PointLike: TypeAlias = Array | Sequence[Number]
Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
#: Keys of streams of random numbers.
Keys: TypeAlias = npt.NDArray[np.uint64]
Truths: TypeAlias = npt.NDArray[np.bool_]
#: Data that JSON can write; a tuple is written as a list.
JSON: TypeAlias = "None | bool | int | float | str | Sequence[JSON] | Mapping[str, JSON]"
