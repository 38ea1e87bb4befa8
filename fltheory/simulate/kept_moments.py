"""Numbers along runs that are kept with the problem they belong to, so that a second figure does not compute them again."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

T = TypeVar("T")

#: So many answers are kept with one problem; the oldest goes first.
MOST_KEPT = 64
_KEPT: WeakKeyDictionary[Any, dict[bytes, Any]] = WeakKeyDictionary()


def kept(problem: Any, what: str, asked: tuple[Any, ...], compute: Callable[[], T]) -> T:
    """``compute()``, or what it gave for the same problem and what was ``asked`` before.

    The problem is known by identity: those of this package cannot change.  Of others, and of what cannot be pickled (a function
    defined in a call), nothing is kept.
    """
    if not type(problem).__module__.startswith("fltheory."):
        return compute()
    try:
        key = pickle.dumps((what, *(np.asarray(a).tobytes() if isinstance(a, np.ndarray) else a for a in asked)))
        mine: dict[bytes, Any] = _KEPT.setdefault(problem, {})
    except (pickle.PicklingError, AttributeError, TypeError):
        return compute()
    if key not in mine:
        found = compute()
        while len(mine) >= MOST_KEPT:
            mine.pop(next(iter(mine)))
        mine[key] = found
    answer: T = mine[key]
    return answer
