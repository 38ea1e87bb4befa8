"""Honest certificates and the ways to forge them: each forgery has a name, a base and a change of its data."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import fltheory as fl
from fltheory.worstcase.boxes import BoxClaim, certify_box
from fltheory.worstcase.claims import with_claim
from fltheory.worstcase.polynomial import ETA, MU

F, QUARTER = Fraction, Fraction(1, 4)
CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
QUESTIONS: dict[str, Callable[[], Any]] = {
    "fedavg": lambda: fl.worst_case(fl.FedAvg(2, QUARTER), CLASS),
    "two rounds": lambda: fl.worst_case(
        fl.FedAvg(1, QUARTER), CLASS, rounds=2, measure="gap", heterogeneity=["gamma", "bounded gradients"]
    ),
    "noise": lambda: fl.worst_case(fl.FedAvg(2, QUARTER), CLASS, noise=True, n_clients=3),
    "cohort": lambda: fl.worst_case(fl.FedAvg(1, QUARTER, fl.NormalisedUniform(2)), CLASS, n_clients=5),
    "nonconvex": lambda: fl.worst_case(
        fl.FedAvg(1, Fraction(1, 2)), fl.Smooth(1), measure="gradient", heterogeneity=fl.Dissimilarity(2), start="gap"
    ),
    "free state": lambda: fl.worst_case(
        fl.Scaffold(1, QUARTER),
        CLASS,
        free_state=True,
        start={
            "distance": "distance",
            "control": lambda a: a.square(a.minus(a.leaf(2, 0), a.optimal_gradient)),
            "server": lambda a: a.square(a.leaf(1, 0)),
        },
    ),
    "centre": lambda: fl.worst_case(fl.OneWayGradientTransfer(1, QUARTER), CLASS, centre=fl.SmoothConvex(1)),
}
Change = Callable[[dict[str, Any]], Any]


@cache
def _kept(name: str) -> str:
    if name == "box":
        box = ((Fraction(1, 8), QUARTER), (Fraction(1, 20), Fraction(1, 5)))
        made = certify_box(BoxClaim(lambda eta: fl.FedAvg(2, eta), (1 - ETA * MU) ** 2, (2, 2), (3, 2)), box)
        assert made is not None
        return json.dumps(made.data)
    found = QUESTIONS[name]()
    assert found.upper is not None and found.certificate is not None, (name, found.status)
    return json.dumps(found.certificate)


def honest(name: str) -> dict[str, Any]:
    """A fresh copy of an honest certificate."""
    data: dict[str, Any] = json.loads(_kept(name))
    return data


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Replace an entry: the last of the arguments is put at the path of the others."""
    *keys, last, entry = path

    def change(data: dict[str, Any]) -> None:
        place: Any = data
        for key in keys:
            place = place[key]
        place[last] = copy.deepcopy(entry)

    return change


def drop(*path: Any) -> Callable[[dict[str, Any]], None]:
    """Leave an entry out."""

    def change(data: dict[str, Any]) -> None:
        place: Any = data
        for key in path[:-1]:
            place = place[key]
        place.pop(path[-1])

    return change


def text(old: str, new: str) -> Callable[[dict[str, Any]], str]:
    """Replace in the text of the file, once."""

    def change(data: dict[str, Any]) -> str:
        whole = json.dumps(data)
        assert old in whole, old
        return whole.replace(old, new, 1)

    return change


def both(*changes: Change) -> Change:
    """One change after another."""

    def change(data: dict[str, Any]) -> None:
        for one in changes:
            one(data)

    return change


def claimed_anew(data: dict[str, Any]) -> None:
    """The forger writes the claim that fits the changed functionals and program, where there is one."""
    try:
        data |= with_claim(data, tuple(data["claim"]["models"]), data["claim"]["algorithm"])
    except ValueError:
        return


def scaled(factor: Fraction) -> Change:
    """All multipliers of the upper part times a factor."""

    def times(entry: str) -> str:
        return str(factor * Fraction(entry))

    def change(data: dict[str, Any]) -> None:
        upper = data["upper"]
        for rows in upper["interpolation"].values():
            for row in rows:
                row[2] = times(row[2])
        upper["assumptions"] = [times(y) for y in upper["assumptions"]]
        upper["bound"] = {name: times(y) for name, y in upper["bound"].items()}

    return change


def upper_only(data: dict[str, Any]) -> None:
    data.pop("lower", None)


def lower_only(data: dict[str, Any]) -> None:
    data.pop("upper", None)


# --- statements that are others ---------------------------------------------------------------------------------------


def zero_at_the_end(data: dict[str, Any]) -> None:
    """Assume that the measure is zero."""
    data["assumptions"].append({**copy.deepcopy(data["measure"]), "bound": None, "scale": "1"})
    scaled(Fraction(0))(data)
    data["upper"]["assumptions"].append("1")


def larger_start(data: dict[str, Any]) -> None:
    """What is called a quantity is twice that, so that its factor is half."""
    first = data["assumptions"][0]
    for name in ("inner", "values"):
        for row in first[name]:
            row[0] = str(2 * Fraction(row[0]))
    data["upper"]["assumptions"][0] = str(Fraction(data["upper"]["assumptions"][0]) / 2)
    bound = data["upper"]["bound"]
    bound[first["bound"]] = str(Fraction(bound[first["bound"]]) / 2)


def half_the_scale(data: dict[str, Any]) -> None:
    first = data["assumptions"][0]
    first["scale"] = "1/2"
    bound = data["upper"]["bound"]
    bound[first["bound"]] = str(Fraction(bound[first["bound"]]) / 2)


def measured_in(factor: Fraction) -> Change:
    """The measure times a factor."""

    def change(data: dict[str, Any]) -> None:
        for name in ("inner", "values"):
            for row in data["measure"][name]:
                row[0] = str(factor * Fraction(row[0]))
        scaled(factor)(data)

    return change


def empty_measure(data: dict[str, Any]) -> None:
    data["measure"] = {"inner": [], "values": []}
    scaled(Fraction(0))(data)


def swapped_names(data: dict[str, Any]) -> None:
    """Two quantities change their names."""
    one, two = list(dict.fromkeys(item["bound"] for item in data["assumptions"] if item["bound"]))[:2]
    names = {one: two, two: one}
    for item in data["assumptions"]:
        item["bound"] = names.get(item["bound"], item["bound"])
    data["upper"]["bound"] = {names.get(name, name): y for name, y in data["upper"]["bound"].items()}


def renamed(new: str) -> Change:
    """The first quantity gets another name."""

    def change(data: dict[str, Any]) -> None:
        old = data["assumptions"][0]["bound"]
        for item in data["assumptions"]:
            item["bound"] = new if item["bound"] == old else item["bound"]
        data["upper"]["bound"] = {new if name == old else name: y for name, y in data["upper"]["bound"].items()}

    return change


def without_assumption(data: dict[str, Any]) -> None:
    data["assumptions"].pop()
    data["upper"]["assumptions"].pop()
    names = {item["bound"] for item in data["assumptions"]}
    data["upper"]["bound"] = {name: y for name, y in data["upper"]["bound"].items() if name in names}


def more_assumed(item: dict[str, Any], y: str = "0") -> Change:
    """One more assumption, with a multiplier."""

    def change(data: dict[str, Any]) -> None:
        data["assumptions"].append(copy.deepcopy(item))
        data["upper"]["assumptions"].append(y)
        if item["bound"] is not None:
            data["upper"]["bound"][item["bound"]] = y

    return change


def start_measured(data: dict[str, Any]) -> None:
    """The measure is that of the start, for which the distance itself is a bound."""
    first = data["claim"]["models"][0]
    data["measure"] = {"inner": [["1", first, first]], "values": []}
    scaled(Fraction(0))(data)
    data["upper"]["assumptions"][0], data["upper"]["bound"]["distance"] = "1", "1"


def moved_zeta(data: dict[str, Any]) -> None:
    """zeta is of the gradients at the start; the multiplier of it must then be nothing, and the proof fails or is of little."""
    start = data["program"].index(["gradient", 0])
    item = next(item for item in data["assumptions"] if item["bound"] == "heterogeneity")
    item["inner"] = [["1", start, start]]


#: Parts of a certificate that say what is proved.
SAID = ("program", "classes", "assumptions", "measure", "shares", "claim")
WORDS = (
    "distance",
    "heterogeneity",
    "G2",
    "gamma",
    "mean",
    "average",
    "gradient",
    "optimum",
    "minimiser",
    "clients",
    "server",
)


def spots(item: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Texts and numbers in nested data, with their places."""
    if isinstance(item, (dict, list)):
        for key, entry in item.items() if isinstance(item, dict) else enumerate(item):
            yield from spots(entry, (*path, key))
    elif isinstance(item, (str, int)):
        yield path, item


def somewhere(data: dict[str, Any], rng: random.Random) -> None:
    """One or two changes of numbers, registers or words in what a certificate says."""
    for _ in range(rng.choice((1, 1, 2))):
        path, entry = rng.choice([spot for part in SAID for spot in spots(data[part], (part,))])
        if isinstance(entry, int):
            new: Any = rng.choice((*range(9), entry + 1, entry - 1))
        elif entry and set(entry) <= set("-/0123456789"):
            new = str(Fraction(entry) * rng.choice((F(1, 2), F(2), F(-1), F(9, 10), F(11, 10), F(0))))
        else:
            new = rng.choice(WORDS)
        put(*path, new)(data)


@dataclass(frozen=True)
class Forgery:
    """A change of a certificate; ``claims``: whether the forger then writes the claim that fits.

    ``words`` are in the reason of the refusal; or, where the verifier accepts what is then true as printed, ``says`` is in
    the report.
    """

    name: str
    base: str
    change: Change
    words: str = ""
    says: str = ""
    claims: bool = False

    def made(self) -> tuple[dict[str, Any], str]:
        """The data and the text of the file."""
        data = honest(self.base)
        written = self.change(data)
        if isinstance(written, str):
            return {}, written
        if self.claims:
            claimed_anew(data)
        return data, json.dumps(data)
