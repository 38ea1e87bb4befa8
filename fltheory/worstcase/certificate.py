"""Certificates as JSON data: the method's program, the class, the assumptions, and what proves the bound."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from fltheory.algorithms.vocabulary import Algorithm
from fltheory.files import written_whole
from fltheory.kinds import JSON
from fltheory.readings.arrays import participation_of
from fltheory.readings.gram import program
from fltheory.worstcase.functional import Functional
from fltheory.worstcase.model import Model
from fltheory.worstcase.multipliers import Multipliers
from fltheory.worstcase.sampling import shares
from fltheory.worstcase.space import Shares

FORMAT = "fltheory worst case 1"
Data = dict[str, Any]


def statement(model: Model) -> Data:
    """The part of a certificate that says what is claimed about which method."""
    return {
        "format": FORMAT,
        "program": [_instruction(item) for item in model.instructions],
        "method_length": model.method_length,
        "classes": {
            "clients": _texts(model.clients.exact),
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

    It says nothing of classes, assumptions and measure, which may be anyone's: for worst cases that were asked by
    name there is :func:`fltheory.worstcase.matching.certificate_matches`, which compares all of it.
    """
    traced = program(
        algorithm, rounds=rounds, noisy=noise, noisy_centre=centre_noise, free_state=free_state, n_clients=n_clients
    )
    wanted = [_instruction(item) for item in traced.instructions]
    kept = _shares(shares(participation_of(algorithm), n_clients, noisy=noise))
    return bool(
        data["method_length"] == len(wanted) and data["program"][: len(wanted)] == wanted and data["shares"] == kept
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
        "blocks": {_block(name): [[str(e) for e in row] for row in rows] for name, rows in blocks.items()},
        "values": {str(register): str(entry) for register, entry in values.items()},
        "quantities": {name: str(entry) for name, entry in quantities.items()},
        "value": str(value),
    }


def save(data: Data, path: Path) -> None:
    """Write a certificate, whole or not at all."""
    with written_whole(path) as file:
        file.write(json.dumps(data, separators=(",", ":")) + "\n")


def _block(name: str) -> str:
    kind, *draw = name.split()
    return {"mean": "m", "deviation": "d", "draw": "n"}[kind] + "".join(draw)


def _instruction(item: tuple[Any, ...]) -> list[JSON]:
    if item[0] == "combine":
        return ["combine", [[str(factor), register] for factor, register in item[1]]]
    return list(item)


def _shares(kept: Shares) -> Data:
    return {
        "scheme": kept.scheme,
        "clients": kept.clients,
        "cohort": kept.cohort,
        "deviation": None if kept.deviation is None else str(kept.deviation),
        "noise": str(kept.noise),
    }


def explain(data: Data) -> Iterator[str]:
    """The theorem of a certificate in lines, by registers: who, what is done, what is assumed, what is measured."""

    def text(item: Data) -> str:
        terms = [f"{c} <r{a}, r{b}>" for c, a, b in item["inner"]] + [f"{c} f[r{r}]" for c, r in item["values"]]
        return " + ".join(terms) or "0"

    kept = data["shares"]
    who = (
        "any number of clients, any weights" if kept["clients"] is None else f"{kept['clients']} clients, equal weights"
    )
    yield f"for {who}; averages: {kept['scheme']}" + (f", K = {kept['cohort']}" if kept["cohort"] else "")
    for name, pair in data["classes"].items():
        if pair is not None:
            yield f"curvature of {name} in [{', '.join(map(str, pair))}]"
    for place, item in enumerate(data["program"]):
        if item[0] == "combine":
            words = " + ".join(f"{c} r{r}" for c, r in item[1]) or "0"
        elif item[0] in ("average", "mean", "gradient", "centre"):
            words = f"{item[0]} r{item[1]}"
        else:
            words = " ".join(map(str, item))
        yield f"  r{place} = {words}"
    for item in data["assumptions"]:
        yield f"if {text(item)} <= " + ("0" if item["bound"] is None else f"{item['scale']} {item['bound']}")
    yield f"measure = {text(data['measure'])}"


def _functional(functional: Functional) -> Data:
    return {
        "inner": [[str(c), a, b] for c, a, b in functional.inner],
        "values": [[str(c), r] for c, r in functional.values],
    }


def _texts(numbers: tuple[Fraction, ...]) -> list[str]:
    return [str(number) for number in numbers]
