"""What a fitted number may be made of: parameters, numbers of clients, epochs and steps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fltheory.conformance.probes import Probe
from fltheory.conformance.words import FIXED, Deviation, FreeNumber

#: Parameters in words.
PARAMETERS = {
    "step_size": "the local step size",
    "server_step_size": "the server's learning rate",
    "central_step_size": "the central step size",
    "merge_step_size": "the merging rate",
    "prox": "the proximal weight",
    "decay": "the decay of the step size",
    "momentum": "the momentum",
}
_SHARES = ("momentum", "beta1", "beta2")
_LEFT_OUT = ("central_steps", "intervals", "base", "factor")


def fixed(values: Mapping[str, Any], takes: frozenset[str], *, decays: bool) -> list[Deviation]:
    """For each parameter: it is another number in the code than the one that was given."""
    found = []
    for name, value in values.items():
        if name in _LEFT_OUT or (name == "decay" and not decays) or not isinstance(value, (int, float)):
            continue
        given = f"not {value:g} as given" if name in takes else f"where the run is given none ({value:g})"
        words = f"{PARAMETERS.get(name, name)} is {{}}, {given}"
        if name in _SHARES:
            number = FreeNumber((0.9, 0.99, 0.999, 0.5), 0.0, 0.99999)
        else:
            number = FreeNumber((float(value) / 2, float(value) * 2, 1.0), 1e-4 * value, 1e4 * value, log=True)
        if name == "epsilon":
            number = FreeNumber((1e-8, 1e-3, 1e-2, 0.1), 1e-12, 1e3, log=True)
        found.append(Deviation(f"{FIXED}{name}", f"fixed {name}", words, number=number))
    return found


def relation(number: float, values: Mapping[str, Any], seen: Sequence[Probe], room: float) -> str:
    """Words such as ``prox^2`` if the number is that to rounding, else nothing."""
    for words, other in _made_of(values, seen):
        if math.isfinite(other) and abs(number - other) <= room * abs(number):
            return words
    return ""


def _made_of(values: Mapping[str, Any], seen: Sequence[Probe]) -> Iterator[tuple[str, float]]:
    """What is tried, the simple ones first; numbers of steps only where all clients make as many."""
    given = {
        name: float(value)
        for name, value in values.items()
        if isinstance(value, (int, float)) and value not in (0, 1) and name not in _LEFT_OUT
    }
    sizes = {"N": float(seen[0].n_clients), "the number of epochs": float(seen[0].epochs)}
    if not any(probe.unequal for probe in seen):
        sizes |= {"the number of batches": float(seen[0].batches[0])}
        sizes |= {"the number of local steps": float(seen[0].local_steps[0])}
    for name, value in given.items():
        yield name, value
        yield f"1 - {name}", 1 - value
        yield f"{name}^2", value**2
        yield f"1/{name}", 1 / value
        yield f"{name}/2", value / 2
        yield f"2 {name}", 2 * value
        yield f"the root of {name}", math.sqrt(value) if value >= 0 else math.nan
    for name, value in sizes.items():
        yield f"1/{name}", 1 / value
        yield f"{name}", value
    for name, value in given.items():
        for other, size in given.items():
            if other > name:
                yield f"{name} times {other}", value * size
            if other != name:
                yield f"{name}/{other}", value / size
                yield f"{name} (1 - {other})", value * (1 - size)
        for other, size in sizes.items():
            yield f"{name} over {other}", value / size
            yield f"{name} times {other}", value * size
