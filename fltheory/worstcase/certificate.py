"""Certificates as JSON data: the method's program, the class, the assumptions, and what proves the bound."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.files import written_whole
from fltheory.kinds import JSON
from fltheory.readings.arrays import participation_of
from fltheory.readings.gram import program
from fltheory.worstcase import verifier
from fltheory.worstcase.client_classes import named_classes
from fltheory.worstcase.functional import Functional, square
from fltheory.worstcase.model import Model
from fltheory.worstcase.multipliers import Multipliers
from fltheory.worstcase.sampling import shares
from fltheory.worstcase.space import Shares, draw_of, kind_of

FORMAT, PART = verifier.FORMAT, verifier.PART
Data = dict[str, Any]


def statement(model: Model) -> Data:
    """What a certificate claims, by name, and of which method, by registers.

    Raises
    ------
    ValueError : a method that is made of the minimiser, or a model that is no point of the server's.
    """
    return {"format": FORMAT, "claim": model.claim} | {**bare(model), "format": FORMAT}


def bare(model: Model) -> Data:
    """The same without a claim: for a part of another certificate, whose verifier says what it means."""
    return {
        "format": PART,
        "program": [_instruction(item) for item in model.instructions],
        "method_length": model.method_length,
        "classes": {
            **{name: _texts(functions.exact) for name, functions in named_classes(model.clients).items()},
            "centre": None if model.centre is None else _texts(model.centre.exact),
        },
        "shares": _shares(model.shares),
        "assumptions": [
            {**_functional(item.functional), "bound": item.bound, "scale": str(item.scale)}
            for item in model.assumptions
        ],
        "measure": _functional(model.measure),
    }


def holds_program(
    data: Data,
    algorithm: Algorithm,
    rounds: int,
    *,
    noise: bool = False,
    centre_noise: bool = False,
    free_state: bool = False,
    n_clients: int | None = None,
) -> bool:
    """Whether a certificate's program begins with these rounds of this algorithm, under its scheme; both are made anew.

    Compressors of the algorithm must be in its assumptions, with their variances.

    It says nothing of classes, assumptions and measure, which may be anyone's: for worst cases that were asked by
    name there is :func:`fltheory.worstcase.matching.certificate_matches`, which compares all of it.
    """
    traced = program(
        algorithm, rounds=rounds, noisy=noise, noisy_centre=centre_noise, free_state=free_state, n_clients=n_clients
    )
    wanted = [_instruction(item) for item in traced.instructions]
    kept = _shares(shares(participation_of(algorithm), n_clients, noisy=noise or bool(traced.relative)))
    relative = [square(place) - square(register) * omega for place, omega, register in traced.relative]
    return bool(
        all(_functional(item) in [_without_bound(one) for one in data["assumptions"]] for item in relative)
        and data["method_length"] == len(wanted)
        and data["program"][: len(wanted)] == wanted
        and data["shares"] == kept
    )


def upper(model: Model, multipliers: Multipliers) -> Data:
    """The part that proves an upper bound."""
    listed: dict[str, list[list[Any]]] = {group.name: [] for group in model.groups}
    for (name, i, j, part), y in multipliers.pairs.items():
        if y:
            listed[name].append([i, j, str(y)] if part is None else [i, j, str(y), part])
    return {
        "interpolation": listed,
        "assumptions": [str(y) for y in multipliers.assumptions],
        "bound": {name: str(factor) for name, factor in multipliers.bound(model).items()},
    }


def lower(
    blocks: Mapping[str, list[list[Fraction]]],
    values: Mapping[int, Fraction],
    quantities: Mapping[str, Fraction],
    value: Fraction,
) -> Data:
    """The part that shows an instance which attains a value."""
    return {
        "blocks": {block_title(name): [[str(e) for e in row] for row in rows] for name, rows in blocks.items()},
        "values": {str(register): str(entry) for register, entry in values.items()},
        "quantities": {name: str(entry) for name, entry in quantities.items()},
        "value": str(value),
    }


def save(data: Data, path: Path) -> None:
    """Write a certificate, whole or not at all."""
    with written_whole(path) as file:
        file.write(json.dumps(data, separators=(",", ":")) + "\n")


def block_title(name: str) -> str:
    """The name of a block in certificates, as the verifier has it."""
    kind, draw = {"mean": "m", "deviation": "d", "draw": "n", "apart": "e"}[kind_of(name)], draw_of(name)
    return kind + (str(draw) if draw >= 0 else f" of class {-1 - draw}" if draw < -1 else "")


def _instruction(item: tuple[Any, ...]) -> list[JSON]:
    if item[0] == "combine":
        return ["combine", [[str(factor), register] for factor, register in item[1]]]
    if item[0] in ("prox", "centre prox"):
        return [item[0], item[1], str(item[2])]
    return list(item)


def _shares(kept: Shares) -> Data:
    return {
        "scheme": kept.scheme,
        "clients": kept.clients,
        "cohort": kept.cohort,
        "deviation": None if kept.deviation is None else str(kept.deviation),
        "noise": str(kept.noise),
        **({"classes": _texts(kept.classes)} if kept.classes else {}),
    }


def _functional(functional: Functional) -> Data:
    return {
        "inner": [[str(c), a, b] for c, a, b in functional.inner],
        "values": [[str(c), r] for c, r in functional.values],
    }


def _without_bound(item: Data) -> Data | None:
    return {"inner": item["inner"], "values": item["values"]} if item["bound"] is None else None


def _texts(numbers: Iterable[Fraction]) -> list[str]:
    return [str(number) for number in numbers]
