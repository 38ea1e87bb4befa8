"""Which bounds a check reads: the edges between claims that nobody types.

While :func:`reading` lasts, every bound whose expression is asked for is noted, and so is one that is copied with changes.  What
a bound asks of itself, when it is printed or evaluated at an instance, is no reading: values of a statement are not premises.
The class itself says nothing of this, as the keys of committed experiments are made of its file.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

from fltheory.evidence.stated import Statement

if TYPE_CHECKING:
    from fltheory.theory.bound import Bound

_read: ContextVar[dict[int, Bound] | None] = ContextVar("read", default=None)


class _Noted:
    """The expression of bounds, as it is stored in them; asking for it is noted."""

    def __init__(self, asks_itself: str) -> None:
        self._asks_itself = asks_itself

    def __get__(self, bound: Bound | None, owner: type | None = None) -> Any:
        if bound is None:
            raise AttributeError("expression")
        record = _read.get()
        if record is not None and sys._getframe(1).f_globals.get("__name__") != self._asks_itself:
            record[id(bound)] = bound
        return bound.__dict__["expression"]

    def __set__(self, bound: Bound, value: Any) -> None:
        bound.__dict__["expression"] = value


@cache
def _install() -> None:
    from fltheory.theory.bound import Bound

    setattr(Bound, "expression", _Noted(Bound.__module__))  # noqa: B010


@contextmanager
def reading() -> Iterator[dict[int, Bound]]:
    """The bounds that are read until the end of the block."""
    _install()
    found: dict[int, Bound] = {}
    token = _read.set(found)
    try:
        yield found
    finally:
        _read.reset(token)


def digests(statements: Iterable[Statement]) -> list[str]:
    """What statements print, in few signs each, with their names, sorted: what prints the same is the same display."""
    signs = ((hashlib.sha256(one.latex().encode()).hexdigest()[:10], getattr(one, "name", "")) for one in statements)
    return sorted({" ".join(filter(None, pair)) for pair in signs})
