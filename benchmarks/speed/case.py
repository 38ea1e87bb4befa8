"""What a case of the benchmark is, and the list of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

#: Modules that declare cases, in the order of the table.
MODULES = ("sampled", "algorithms", "rounds", "structure", "batches", "kernels", "exact", "start_up", "scaling")


class Skip(Exception):
    """The case needs something that is not here; its text says what."""


class Disagreement(Exception):
    """Two contestants were given the same draws and ended at different models."""


@dataclass(frozen=True)
class Row:
    """One measured number: who, for how many runs; ``unit`` where it is not that of its case; smaller is better."""

    who: str
    value: float
    runs: int = 1
    note: str = ""
    unit: str = ""


@dataclass(frozen=True)
class Case:
    """A name, what is measured in which unit, and the function ``measure(quick)`` that returns its rows."""

    name: str
    what: str
    unit: str
    measure: Callable[[bool], list[Row]]
    #: Seconds after which the process of the case is ended.
    limit: float = 180.0
    #: Gigabytes of address space that the case may use; what asks for more is refused, not killed.
    gigabytes: float = 12.0


@dataclass
class _Cases:
    known: dict[str, Case] = field(default_factory=dict)


_ALL = _Cases()


def case(name: str, what: str, unit: str, **options: Any) -> Callable[[Callable[[bool], list[Row]]], Any]:
    """Declare ``measure(quick)`` as a case."""

    def declare(measure: Callable[[bool], list[Row]]) -> Callable[[bool], list[Row]]:
        if name in _ALL.known:
            raise ValueError(f"case {name!r} is declared twice")
        _ALL.known[name] = Case(name, what, unit, measure, **options)
        return measure

    return declare


def cases() -> dict[str, Case]:
    """All cases by name."""
    for module in MODULES:
        import_module(f"benchmarks.speed.{module}")
    return dict(_ALL.known)
