"""The methods that are compared, as functions of the number of local steps and the step size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.gradient_corrected import GradientCorrected
from fltheory.algorithms.scaffold import Scaffold
from fltheory.algorithms.vocabulary import Algorithm


@dataclass(frozen=True)
class ComparedMethod:
    """``make(local_steps, step_size)`` is the algorithm; ``known`` where published rates and kept results may speak of it."""

    name: str
    make: Callable[[int, Any], Algorithm]
    known: bool = True
    local: bool = True

    def steps(self, local_steps: int) -> int:
        """Local steps of a round: one for a method that has no others."""
        return local_steps if self.local else 1


KNOWN = {
    "GD": ComparedMethod("GD", lambda steps, step_size: FedAvg(1, step_size), local=False),
    "FedAvg": ComparedMethod("FedAvg", FedAvg),
    "SCAFFOLD": ComparedMethod("SCAFFOLD", Scaffold),
    "FedLin": ComparedMethod("FedLin", GradientCorrected),
}
_CLASSES: dict[object, str] = {FedAvg: "FedAvg", Scaffold: "SCAFFOLD", GradientCorrected: "FedLin"}


def method_of(entry: object) -> ComparedMethod:
    """The method that a name, a class or a function of ``(local_steps, step_size)`` stands for.

    Raises
    ------
    ValueError : none of these.
    """
    name = entry if isinstance(entry, str) else _CLASSES.get(entry) if isinstance(entry, type) else None
    if isinstance(name, str) and name in KNOWN:
        return KNOWN[name]
    if not isinstance(entry, str) and callable(entry):
        return ComparedMethod(getattr(entry, "__name__", repr(entry)), entry, known=False)
    raise ValueError(
        f"algorithms: {entry!r}; expected one of {', '.join(KNOWN)}, their classes, or a function of (local_steps, step_size)"
    )
