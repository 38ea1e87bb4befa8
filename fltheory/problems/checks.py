"""The checks of arguments that all of the package shares: each error names the quantity, its value and the condition.

Numbers may be of any type that computes: ints, floats, rationals, NumPy's scalars, and elements of other fields (rational
functions), of which nothing is asked that only an ordered field has.  A truth value, a text, a class and an array are no
numbers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from numbers import Number as AnyNumber
from numbers import Rational, Real
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.kinds import Array as Array
from fltheory.kinds import Number as Number
from fltheory.machine import memory

WEIGHT_TOLERANCE = 1e-10
#: What takes longer even on a machine that is faster than any is refused at once.
LONGEST_SECONDS = 7 * 86400.0
#: What every problem has.
_PROBLEM = ("n_clients", "dimension", "weights")


def shown(value: object) -> str:
    """A value in an error message: its ``repr`` on one line, cut where it is long; numbers as they print."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(value, (Fraction, np.generic)):
        return str(value)
    if isinstance(value, np.ndarray) and value.size > 8:
        return f"array of shape {value.shape}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 120 else f"{text[:117]}..."


def is_symbolic(value: object) -> bool:
    """Whether a value computes like a number of a field that is not ordered (a rational function, an expression)."""
    words = ("__add__", "__mul__", "__truediv__", "__neg__")
    return (
        not isinstance(value, (type, AnyNumber))
        and not hasattr(value, "shape")
        and all(hasattr(value, word) for word in words)
    )


def _is_ordered(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def is_real(value: object) -> bool:
    """Whether a value is one finite real number; truth values are none."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    return isinstance(value, Rational) or isfinite(value)


def check_number(name: str, value: object) -> None:
    """Raise ``ValueError`` unless ``value`` is a finite real number, or an element of another field."""
    if _is_ordered(value) and not is_real(value):
        raise ValueError(f"{name}={value} is not finite; expected a finite number")
    if not is_real(value) and not is_symbolic(value):
        raise ValueError(f"{name}={shown(value)} is no real number; expected one")


def check_positive(name: str, value: Number) -> None:
    """Raise ``ValueError`` unless ``value`` is a number ``> 0``; elements of fields without an order pass."""
    if _is_ordered(value) and not value > 0:
        raise ValueError(f"{name}={shown(value)} is not positive; expected {name} > 0")
    check_number(name, value)


def check_nonnegative(name: str, value: Number) -> None:
    """Raise ``ValueError`` unless ``value`` is a number ``>= 0``; elements of fields without an order pass."""
    if _is_ordered(value) and not value >= 0:
        raise ValueError(f"{name}={shown(value)} is negative or not a number; expected {name} >= 0")
    check_number(name, value)


def check_share(name: str, value: Number) -> None:
    """Raise ``ValueError`` unless ``0 < value < 1``."""
    if not is_real(value) or not 0 < value < 1:
        raise ValueError(f"{name}={shown(value)} is not a share; expected 0 < {name} < 1")


def check_integer(name: str, value: object) -> int:
    """``value`` as an int, or ``ValueError`` unless it is an integer of any sign."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name}={shown(value)} is not valid; expected an integer")
    return int(value)


def check_count(name: str, value: object, *, least: int = 1) -> int:
    """``value`` as an int, or ``ValueError`` unless it is an integer of at least ``least`` and below ``2**63``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name}={shown(value)} is not valid; expected an integer >= {least}")
    if value >= 2**63:
        raise ValueError(f"{name}={shown(value)} is too large; expected an integer below 2**63")
    return int(value)


def check_flag(name: str, value: object) -> bool:
    """``value`` as a bool, or ``ValueError`` unless it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={shown(value)} is no truth value; expected True or False")
    return bool(value)


def check_choice(name: str, value: object, allowed: Sequence[str]) -> None:
    """Raise ``ValueError`` unless ``value`` is one of ``allowed``, which are texts."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name}={shown(value)} is unknown; expected one of {', '.join(map(repr, allowed))}")


def check_function(name: str, value: object, form: str) -> None:
    """Raise ``ValueError`` unless ``value`` can be called; ``form`` says how, such as ``"algorithm_of(step_size)"``."""
    if not callable(value):
        raise ValueError(f"{name}={shown(value)} cannot be called; expected a function {form}")


def check_instance(name: str, value: object, kinds: Any, expected: str) -> None:
    """Raise ``ValueError`` unless ``value`` is an instance of ``kinds``; ``expected`` says of what, in words."""
    if not isinstance(value, kinds):
        raise ValueError(f"{name}={shown(value)} is not valid; expected {expected}")


def check_words(name: str, value: object, words: Sequence[str], kind: str, expected: str) -> None:
    """Raise ``ValueError`` unless ``value`` has the attributes ``words`` of a ``kind`` and is no class."""
    if isinstance(value, type):
        raise ValueError(f"{name}={value.__name__} is a class; expected an instance: {expected}")
    if not all(hasattr(value, word) for word in words):
        raise ValueError(f"{name}={shown(value)} is no {kind}; expected {expected}")


def check_problem(name: str, value: object) -> None:
    """Raise ``ValueError`` unless ``value`` has what every problem has."""
    check_words(name, value, _PROBLEM, "problem", "one such as QuadraticProblem(...) or li_counterexample(...)")


def check_sequence(name: str, value: object, expected: str) -> list[Any]:
    """The items of a tuple, list or array, or ``ValueError``; a text is no sequence here."""
    if isinstance(value, (str, bytes, dict, type)) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
        raise ValueError(f"{name}={shown(value)} is no sequence; expected {expected}")
    if getattr(value, "ndim", 1) == 0:
        raise ValueError(f"{name}={shown(value)} is no sequence; expected {expected}")
    return list(value)


def check_path(name: str, value: object) -> Path:
    """``value`` as a path, or ``ValueError`` unless it is a text or a path."""
    if not isinstance(value, (str, os.PathLike)) or "\0" in os.fsdecode(value) or not os.fsdecode(value):
        raise ValueError(f"{name}={shown(value)} is no path; expected a text or a pathlib.Path")
    return Path(os.fsdecode(value))


def real_array(name: str, value: object) -> Array:
    """``value`` as an array of numbers, or ``ValueError``: ragged lists, texts, complex numbers and other things."""
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        raise ValueError(f"{name}={shown(value)} is no array; expected numbers in rows of equal length") from None
    if array.dtype.kind not in "biufO":
        what = f"={shown(value)}" if array.ndim == 0 else ""
        raise ValueError(f"{name}{what} has dtype {array.dtype}; expected real numbers")
    if array.dtype == object:
        for entry in array.flat:
            if not isinstance(entry, Real) and not is_symbolic(entry):
                raise ValueError(f"{name} contains {shown(entry)}; expected real numbers")
    return array


def check_finite(name: str, array: Array) -> None:
    """Raise ``ValueError`` at the first NaN or infinity of a float array; exact numbers pass."""
    if array.dtype == object or np.isfinite(array).all():
        return
    index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
    where = "" if array.ndim == 0 else f"[{', '.join(map(str, index))}]"
    raise ValueError(f"{name}{where}={array[index]} is not finite; expected every entry of {name} to be finite")


def check_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    """Raise ``ValueError`` unless ``array.shape == shape``."""
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; expected {shape}")


def check_point(array: Array, shape: tuple[int, ...], *, name: str = "x") -> None:
    """Raise ``ValueError`` unless the trailing axes of ``array`` are ``shape``."""
    if array.shape[-len(shape) :] != shape:
        raise ValueError(f"{name} has shape {array.shape}; expected the last axes to be {shape}")


def check_symmetric(name: str, matrices: Array) -> None:
    """Raise ``ValueError`` at the first entry in which one of the ``matrices`` ``(n, d, d)`` is not symmetric."""
    if matrices.dtype == object:
        wrong = np.argwhere((matrices != matrices.swapaxes(-1, -2)).astype(bool))
    else:
        gap = matrices - matrices.swapaxes(-1, -2)
        wrong = np.argwhere(np.abs(gap) > 1e-10 * np.abs(matrices).max(initial=0.0))
    if len(wrong):
        k, i, j = (int(index) for index in wrong[0])
        raise ValueError(
            f"{name}[{k}] is not symmetric: entry ({i}, {j})={matrices[k, i, j]}, ({j}, {i})={matrices[k, j, i]}"
        )


def check_weights(weights: Array, n_clients: int) -> None:
    """Raise ``ValueError`` unless ``weights`` has shape ``(N,)``, is non-negative and sums to one.

    Exact weights must sum to one exactly, floats to within ``WEIGHT_TOLERANCE``.
    """
    check_shape("weights", weights, (n_clients,))
    check_finite("weights", weights)
    for k, weight in enumerate(weights.tolist()):
        if not weight >= 0:
            raise ValueError(f"weights[{k}]={weight} is negative; expected every weight p_k >= 0")
    total = weights.sum()
    exact = weights.dtype == object
    if (exact and total != 1) or (not exact and abs(total - 1) > WEIGHT_TOLERANCE):
        raise ValueError(f"weights sum to {total}; expected sum_k p_k = 1")


def check_request(what: str, numbers: int, *, bytes_each: int = 8, instead: str = "") -> None:
    """Raise ``ValueError`` where so many numbers would not fit into the memory that this process may use.

    ``what`` names the quantities that make the request large, with their values; ``instead`` says what does it with less.
    """
    needed, there = numbers * bytes_each, memory()
    if there is not None and needed > there:
        raise ValueError(
            f"{what}: too large a request, {_gigabytes(needed)} GB of numbers; expected at most the {_gigabytes(there)} GB "
            f"of memory that this process may use{'; ' if instead else ''}{instead}"
        )


def check_time(what: str, seconds: float, *, instead: str = "") -> None:
    """Raise ``ValueError`` where ``seconds``, of which no machine needs fewer, are more than :data:`LONGEST_SECONDS`."""
    if seconds > LONGEST_SECONDS:
        raise ValueError(
            f"{what}: too large a request, at least {seconds / 86400:.3g} days of computing; expected at most "
            f"{LONGEST_SECONDS / 86400:.0f} days{'; ' if instead else ''}{instead}"
        )


def _gigabytes(size: int) -> str:
    # Integers of any size: a float would overflow.
    tenths = size // 10**8
    return f"{tenths // 10}.{tenths % 10}" if tenths < 10**7 else f"more than {10 ** (len(str(tenths)) - 2)}"
