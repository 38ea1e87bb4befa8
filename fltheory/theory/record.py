"""What the trusted functions confirmed while a check ran: kept beside its row, so that it can be verified again without it.

A trusted function whose answer is yes notes its arguments in the record that is being made, if there is one.  What it
calls on the way is part of its own answer and notes nothing.  Records are made one inside the other: what is confirmed within
the inner one is no part of the outer one unless it is noted there, so that a control leaves nothing in the row of its claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Confirmed:
    """A trusted function's yes: what it is called in certificates, its arguments, and the step's name where it has one."""

    kind: str
    parts: tuple[Any, ...]
    name: str = ""


_record: ContextVar[list[Confirmed] | None] = ContextVar("record", default=None)


@contextmanager
def recording() -> Iterator[list[Confirmed]]:
    """The list of all that is confirmed until the end of the block, and nowhere else."""
    found: list[Confirmed] = []
    token = _record.set(found)
    try:
        yield found
    finally:
        _record.reset(token)


def note(confirmed: Iterable[Confirmed], name: str = "") -> None:
    """Add to the record that is being made, if there is one; ``name`` for what has none."""
    record = _record.get()
    if record is not None:
        record.extend(one if one.name or not name else replace(one, name=name) for one in confirmed)


def records(kind: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a trusted function note its arguments when it says yes: ``True``, ``(True, reason)``, or ``None`` for no pole."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def noting(*args: P.args, **kwargs: P.kwargs) -> T:
            with recording():
                answer = function(*args, **kwargs)
            if answer is None or (answer[0] if isinstance(answer, tuple) else answer is True):
                note([Confirmed(kind, (*args, *kwargs.values()))])
            return answer

        return noting

    return decorate


class remembered(Generic[P, T]):  # noqa: N801  (a decorator)
    """``functools.cache`` for functions that prove something: an answer from memory notes what was confirmed to find it."""

    def __init__(self, function: Callable[P, T]) -> None:
        wraps(function)(self)
        self._function = function
        self._known: dict[Any, tuple[T, list[Confirmed]]] = {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (args, tuple(sorted(kwargs.items())))
        if key not in self._known:
            with recording() as confirmed:
                answer = self._function(*args, **kwargs)
            self._known[key] = answer, confirmed
        answer, confirmed = self._known[key]
        note(confirmed)
        return answer

    def cache_clear(self) -> None:
        """Forget all answers."""
        self._known.clear()
