"""Number types: float64 arrays, and object arrays of rationals or of elements of another field.

Exact data never mix with floats: a float among exact numbers is an error, not a silent loss of exactness.
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from fltheory.problems.checks import Array, real_array, shown

#: Digits of a number that is given as text, before and after the point.
MOST_DIGITS = 1000


def map_array(function: Callable[[Any], Any], array: Array) -> Array:
    """``function`` applied entry by entry; float64 if all results are floats, else an object array."""
    if function is float and array.dtype == np.float64:
        return np.array(array)
    results = [function(entry) for entry in array.ravel().tolist()]
    if results and all(isinstance(entry, float) for entry in results):
        return np.array(results, dtype=np.float64).reshape(array.shape)
    return object_array(results, array.shape)


def object_array(entries: list[Any], shape: tuple[int, ...]) -> Array:
    """Entries in C order as an object array, without NumPy looking inside them."""
    flat = np.empty(len(entries), dtype=object)
    for index, entry in enumerate(entries):
        flat[index] = entry
    return flat.reshape(shape)


def to_fraction(value: object) -> Fraction:
    """An int, a rational or a float (its exact binary value) as a Fraction; ``ValueError`` for what is none of them."""
    if isinstance(value, (float, np.floating)):
        _require_finite(value)
        return Fraction(float(value))
    if isinstance(value, type) or not hasattr(value, "numerator") or not hasattr(value, "denominator"):
        raise ValueError(f"{shown(value)} is no rational number; expected an integer, a Fraction or a float")
    if type(value) is Fraction and type(value.numerator) is int and type(value.denominator) is int:
        return value
    # NumPy integers would otherwise stay inside the Fraction and overflow silently.
    return Fraction(int(value.numerator), int(value.denominator))


def decimal_fraction(value: object) -> Fraction:
    """As :func:`to_fraction`, but a float counts as the shortest decimal that denotes it: 2e-4 is 1/5000."""
    if isinstance(value, (float, np.floating)):
        _require_finite(value)
        return _decimal(float(value))
    return to_fraction(value)


@lru_cache(maxsize=4096)
def _decimal(value: float) -> Fraction:
    return Fraction(*Decimal(repr(value)).as_integer_ratio())


def fraction_of_text(text: str) -> Fraction:
    """A number written as ``1/4``, ``0.25`` or ``2.5e-1``.

    Raises
    ------
    ValueError : what is none, or is longer than :data:`MOST_DIGITS`, written out: 1e99999999 would take minutes.
    """
    exponent = re.search(r"[eE]([+-]?\d+)\s*$", text)
    if len(text) > MOST_DIGITS or (exponent and abs(int(exponent[1])) > MOST_DIGITS):
        raise ValueError(f"{shown(text)} has too many digits; expected at most {MOST_DIGITS}")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise ValueError(f"{shown(text)} is no number; expected one such as 0.25 or 1/4") from None


def as_number(name: str, value: Any) -> Any:
    """A number that is given as text (``"1/20"``, ``"0.05"``) as a Fraction; anything else as it is, for checks to judge.

    Raises
    ------
    ValueError : a text that is no number; the message begins with ``name``.
    """
    if not isinstance(value, str):
        return value
    try:
        return fraction_of_text(value)
    except ValueError:
        raise ValueError(f"{name}={shown(value)} is no number; expected one such as 0.25 or '1/4'") from None


def set_numbers(owner: object, *names: str) -> None:
    """:func:`as_number` for attributes of a frozen dataclass, in its ``__post_init__``; numbers stay as they are."""
    for name in names:
        value = getattr(owner, name)
        if isinstance(value, str):
            object.__setattr__(owner, name, as_number(name, value))


def _require_finite(value: Any) -> None:
    if not math.isfinite(value):
        raise ValueError(f"{value} is no rational number; expected a finite number")


def is_exact(array: Array) -> bool:
    """Whether all entries are Fractions."""
    return array.dtype == object and all(isinstance(entry, Fraction) for entry in array.flat)


def harmonise(arrays: Mapping[str, object]) -> dict[str, Array]:
    """Bring all arrays to one number type: all float64, or all objects.

    If none is an object array, all become float64.  Otherwise rationals and integers become Fractions and elements
    of other fields stay as they are; floats raise ``ValueError``.  Sharing one field is the caller's duty.
    """
    loose = {name: real_array(name, value) for name, value in arrays.items()}
    # Empty arrays have no number type of their own.
    if not any(array.dtype == object and array.size for array in loose.values()):
        return {name: array.astype(np.float64) for name, array in loose.items()}
    others = any(
        not isinstance(entry, numbers.Number)
        for array in loose.values()
        if array.dtype == object
        for entry in array.flat
    )
    return {name: _exact_entries(name, array, keep=others) for name, array in loose.items()}


def _exact_entries(name: str, array: Array, *, keep: bool) -> Array:
    def convert(entry: Any) -> Any:
        if isinstance(entry, numbers.Rational):
            return entry if keep and not isinstance(entry, np.integer) else to_fraction(entry)
        if isinstance(entry, numbers.Number):
            raise ValueError(
                f"{name} contains {entry!r} of type {type(entry).__name__} next to exact numbers; "
                "expected integers or fractions (or give everything as floats)"
            )
        return entry

    return object_array([convert(entry) for entry in array.ravel().tolist()], array.shape)
