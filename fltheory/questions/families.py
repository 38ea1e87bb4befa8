"""Families of algorithms: a method with its local steps, step size and cohort left open."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.participation import Full, Participation
from fltheory.algorithms.vocabulary import Algorithm
from fltheory.problems.checks import shown

_EXPECTED = (
    "expected a class such as fl.FedAvg, an algorithm whose other fields stay, "
    "or a function (local_steps, step_size[, cohort])"
)


@dataclass(frozen=True, eq=False)
class Family:
    """``make(local_steps, step_size, scheme)``; ``cohorts`` tells whether the scheme can be chosen, ``own`` the one it has."""

    name: str
    make: Callable[[int, Any, Participation], Algorithm]
    cohorts: bool
    own: Participation | None = None


def family_of(given: Any) -> Family:
    """A family from what a user gives.

    Raises
    ------
    ValueError : anything else; a class without the fields ``local_steps`` and ``step_size``, or that needs more numbers.
    """
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        return _of_instance(given)
    if isinstance(given, type) and dataclasses.is_dataclass(given):
        return _of_class(given)
    if callable(given) and not isinstance(given, type):
        return _of_function(given)
    raise ValueError(f"algorithm={shown(given)} is no family of algorithms; {_EXPECTED}")


def _of_instance(given: Any) -> Family:
    name, fields = type(given).__name__, _planned(type(given))

    def make(local_steps: int, step_size: Any, scheme: Participation) -> Algorithm:
        chosen = {"local_steps": local_steps, "step_size": step_size}
        made: Algorithm = dataclasses.replace(given, **chosen, **({"participation": scheme} if fields else {}))
        return made

    return Family(name, make, fields, getattr(given, "participation", None) if fields else None)


def _of_class(given: Any) -> Family:
    fields = _planned(given)
    needed = [
        one.name
        for one in dataclasses.fields(given)
        if one.init and one.default is one.default_factory is dataclasses.MISSING
    ]
    missing = [name for name in needed if name not in ("local_steps", "step_size", "participation")]
    if missing:
        raise ValueError(
            f"algorithm={given.__name__} needs {', '.join(missing)} too; expected an instance whose other fields stay, or a "
            f"function such as lambda local_steps, step_size: fl.{given.__name__}(...)"
        )

    def make(local_steps: int, step_size: Any, scheme: Participation) -> Algorithm:
        chosen = {"local_steps": local_steps, "step_size": step_size}
        made: Algorithm = given(**chosen, **({"participation": scheme} if fields else {}))
        return made

    return Family(given.__name__, make, fields)


def _planned(kind: Any) -> bool:
    """Whether the class has a field for the cohort; it must have those for the steps."""
    names = {one.name for one in dataclasses.fields(kind) if one.init}
    for name in ("local_steps", "step_size"):
        if name not in names:
            raise ValueError(f"algorithm={kind.__name__} has no field {name}; {_EXPECTED}")
    return "participation" in names


def _of_function(given: Callable[..., Algorithm]) -> Family:
    try:
        parameters = inspect.signature(given).parameters.values()
    except (TypeError, ValueError):
        raise ValueError(f"algorithm={shown(given)} does not tell its arguments; {_EXPECTED}") from None
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    needed = [one for one in positional if one.default is one.empty]
    if len(needed) > 3 or len(positional) < 2:
        raise ValueError(f"algorithm={shown(given)} takes {len(needed)} arguments; {_EXPECTED}")
    cohorts = len(positional) >= 3

    def make(local_steps: int, step_size: Any, scheme: Participation) -> Algorithm:
        return given(local_steps, step_size, scheme) if cohorts else given(local_steps, step_size)

    probe = make(1, 1e-3, Full())
    if not hasattr(probe, "round"):
        raise ValueError(f"algorithm={shown(given)} returned {shown(probe)}, which is no algorithm; {_EXPECTED}")
    return Family(type(probe).__name__, make, cohorts, None if cohorts else getattr(probe, "participation", None))
