"""Mutations of certificates: whatever is changed, the verifier must not prove a bound below the certified lower bound.

A mutation may leave a certificate valid (a multiplier raised where the slack allows it): then what is proved must be true.
So each mutant is either rejected, or proves an upper bound that is at least the worst case known from the untouched
certificate of the mutant's own statement.  Writes ``results/benchmarks/mutations.json``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import fltheory as fl
from benchmarks.worst_case.table import write
from fltheory.worstcase import verifier

Data = dict[str, Any]
CENTRAL = {"centre": fl.SmoothStronglyConvex(0.1, 1), "noise": True, "centre_noise": True, "n_clients": 2}
NAMES: dict[str, tuple[Any, dict[str, Any]]] = {
    "FedAvg E=3 R=2": (fl.FedAvg(3, 0.25), {"rounds": 2}),
    "two-sided, gap": (fl.TwoSidedFedAvg(2, 0.5, 1.5), {"measure": "gap"}),
    "noise E=3": (fl.FedAvg(3, 1.0), {"noise": True, "n_clients": 2}),
    "Gamma": (fl.FedAvg(3, 0.25), {"heterogeneity": "gamma"}),
    "central noise": (fl.OneWayGradientTransfer(2, 0.5), CENTRAL),
    "parallel, central noise": (fl.ParallelTraining(2, 0.5, 0.5), CENTRAL),
}


def multiplier_mutants(data: Data) -> Iterator[tuple[str, Data]]:
    """Each multiplier negated, dropped, lowered and raised by 0.1 %; the bound text is made consistent with them."""
    changes = {"sign": -1, "dropped": 0, "-0.1 %": Fraction(999, 1000), "+0.1 %": Fraction(1001, 1000)}
    for kind, factor in changes.items():
        for group, listed in data["upper"]["interpolation"].items():
            for place in range(len(listed)):
                mutant = copy.deepcopy(data)
                entry = mutant["upper"]["interpolation"][group][place]
                entry[2] = str(Fraction(entry[2]) * factor)
                yield f"interpolation {kind}", mutant
        for place, text in enumerate(data["upper"]["assumptions"]):
            mutant = copy.deepcopy(data)
            mutant["upper"]["assumptions"][place] = str(Fraction(text) * factor)
            yield f"assumption {kind}", consistent(mutant)


def balanced_mutants(data: Data) -> Iterator[tuple[str, Data]]:
    """Multipliers changed along the circle i -> j -> i, so that function values still cancel."""
    for group, listed in data["upper"]["interpolation"].items():
        places = {(i, j): place for place, (i, j, _, *draw) in enumerate(listed) if not draw}
        for (i, j), place in places.items():
            if (j, i) in places and i < j:
                for kind, factor in (("-0.1 %", Fraction(999, 1000)), ("+0.1 %", Fraction(1001, 1000))):
                    mutant = copy.deepcopy(data)
                    change = (factor - 1) * min(Fraction(listed[place][2]), Fraction(listed[places[j, i]][2]))
                    for each in (place, places[j, i]):
                        entry = mutant["upper"]["interpolation"][group][each]
                        entry[2] = str(Fraction(entry[2]) + change)
                    yield f"interpolation circle {kind}", mutant


def consistent(data: Data) -> Data:
    """The same data with the bound that its multipliers give."""
    bound: dict[str, Fraction] = {}
    for item, text in zip(data["assumptions"], data["upper"]["assumptions"], strict=True):
        if item["bound"] is not None:
            bound[item["bound"]] = bound.get(item["bound"], Fraction(0)) + Fraction(text) * Fraction(item["scale"])
    data["upper"]["bound"] = {name: str(factor) for name, factor in bound.items()}
    return data


def bound_mutants(data: Data) -> Iterator[tuple[str, Data]]:
    """The claimed bound lowered, or a quantity left out."""
    for name, text in data["upper"]["bound"].items():
        mutant = copy.deepcopy(data)
        mutant["upper"]["bound"][name] = str(Fraction(text) * Fraction(999, 1000))
        yield "bound text lowered", mutant
        mutant = copy.deepcopy(data)
        del mutant["upper"]["bound"][name]
        yield "bound text without a quantity", mutant


def statement_mutants(data: Data) -> Iterator[tuple[str, Data]]:
    """Another method or class under the same multipliers: whether they prove it is for the verifier to see.

    Every one of these makes the worst case of the mutant's statement larger (larger steps, a wider class).
    """
    for place, item in enumerate(data["program"]):
        if item[0] == "combine" and any(Fraction(c) < 0 for c, _ in item[1]):
            mutant = copy.deepcopy(data)
            steps = [[str(Fraction(c) * Fraction(11, 10)) if Fraction(c) < 0 else c, r] for c, r in item[1]]
            mutant["program"][place][1] = steps
            yield "step size", mutant
    for which, text in ((0, "1/20"), (1, "11/10")):
        mutant = copy.deepcopy(data)
        mutant["classes"]["clients"][which] = text
        yield ("mu lowered", "L raised")[which], mutant
    mutant = copy.deepcopy(data)
    mutant["program"][1], mutant["program"][2] = mutant["program"][2], mutant["program"][1]
    yield "register order", mutant


def lower_mutants(data: Data) -> Iterator[tuple[str, Data]]:
    """The instance changed: blocks swapped, entries moved, the value raised."""
    blocks = data["lower"]["blocks"]
    mutant = copy.deepcopy(data)
    mutant["lower"]["blocks"] = {**blocks, "m": blocks["d"], "d": blocks["m"]}
    yield "blocks swapped", mutant
    mutant = copy.deepcopy(data)
    mutant["lower"]["value"] = str(Fraction(data["lower"]["value"]) * Fraction(1001, 1000))
    yield "value raised", mutant
    for name, rows in blocks.items():
        for i in range(len(rows)):
            for factor in (Fraction(1001, 1000), Fraction(-1)):
                mutant = copy.deepcopy(data)
                mutant["lower"]["blocks"][name][i][i] = str(Fraction(rows[i][i]) * factor)
                yield "instance entry", mutant
    for register, text in data["lower"]["values"].items():
        mutant = copy.deepcopy(data)
        mutant["lower"]["values"][register] = str(Fraction(text) + Fraction(1, 1000))
        yield "function value", mutant


def judge(mutant: Data, lowest: Fraction, highest: Fraction, quantities: dict[str, Fraction]) -> str:
    """``"rejected"``, ``"valid"`` (what is proved contradicts nothing known) or ``"FALSE"``."""
    try:
        proved = verifier.verify(mutant)
    except verifier.Rejected:
        return "rejected"
    if "upper" in proved:
        value = sum((factor * quantities[name] for name, factor in proved["upper"].items()), Fraction(0))
        if value < lowest:
            return "FALSE"
    if "lower" in proved and proved["lower"][1] > highest:
        return "FALSE"
    return "valid"


def certified(name: str) -> tuple[Data, dict[str, Fraction]]:
    """The untouched certificate of a case and its quantities."""
    algorithm, options = NAMES[name]
    found = fl.worst_case(algorithm, fl.SmoothStronglyConvex(0.1, 1), **options)
    if found.certificate is None or found.status != "certified":
        raise RuntimeError(f"{name}: {found.status}")
    return found.certificate, dict(found.quantities)


def all_mutants(data: Data) -> Iterator[tuple[str, Data]]:
    """Upper mutants carry no lower part and the other way round, so that each is judged for itself."""
    above = {key: entry for key, entry in data.items() if key != "lower"}
    below = {key: entry for key, entry in data.items() if key != "upper"}
    for source in (multiplier_mutants, balanced_mutants, bound_mutants, statement_mutants):
        yield from source(above)
    yield from lower_mutants(below)


def count(name: str) -> dict[tuple[str, str], int]:
    """How the mutants of a case were judged: ``{(mutation, verdict): number}``."""
    data, quantities = certified(name)
    lowest = Fraction(data["lower"]["value"])
    highest = sum((Fraction(y) * quantities[q] for q, y in data["upper"]["bound"].items()), Fraction(0))
    found: dict[tuple[str, str], int] = {}
    for kind, mutant in all_mutants(data):
        key = kind, judge(mutant, lowest, highest, quantities)
        found[key] = found.get(key, 0) + 1
    return found


def main() -> None:
    """All cases, a table, the results file."""
    rows = []
    for name in NAMES:
        counted = count(name)
        for kind in dict.fromkeys(kind for kind, _ in counted):
            row = {verdict: counted.get((kind, verdict), 0) for verdict in ("rejected", "valid", "FALSE")}
            rows.append({"certificate": name, "mutation": kind, **row})
    summary = {verdict: sum(row[verdict] for row in rows) for verdict in ("rejected", "valid", "FALSE")}
    write("mutations", summary, rows, keys=("certificate", "mutation", "rejected", "valid", "FALSE"))


if __name__ == "__main__":
    main()
