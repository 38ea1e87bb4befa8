"""No derivation is about nothing: each has an exact instance with noise that meets its hypotheses, and all nodes are true on it."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fltheory.derivation.instances import Witnesses, declared
from fltheory.derivation.replay import Replay, unpacked
from fltheory.derivation.statement import Derived
from fltheory.derivation.witness import Evaluation
from tests.derivation.by_hand import attempts

ROOT = Path(__file__).resolve().parents[2]
#: Derivations without an instance, each with the reason; a name that does not belong here any more has to leave.
WITHOUT: Mapping[str, str] = {}
#: Vectors that are zero wherever a derivation applies, by the beginning of its title, with the reason.
ZERO: Mapping[str, str] = {
    "Mixed FL, convex recursion at K = 1": "h may vanish in what the row states",
    "Mixed FL, non-convex recursion at K = 1": "h may vanish in what the row states",
    "Mixed FL, convex rate": "n, c may vanish in what the row states",
    "Mixed FL, strongly convex rate": "n, c may vanish in what the row states",
    "Mixed FL, rate of 2-way Gradient Transfer": "n may vanish in what the row states",
    "Mixed FL, 2-way Gradient Transfer, strongly convex rate": "n may vanish in what the row states",
    "Mixed FL, rate without convexity": "n, c may vanish in what the row states",
    "Mixed FL, Lemma D.11 without client noise": "z0, z may vanish in what the row states",
    "Mixed FL, Table 5, a row that a client does not hold": "own may vanish in what the row states",
    "Lecture note, Theorem 1, one local step": "there is no earlier step of the round",
    "Lecture note, Corollary 4": "the same, in the part that has one local step",
    "Lecture note, (2), (5) and (6)": "the run begins at the origin",
    "Mixed FL, Algorithm 1, first round": "nothing was uploaded before",
    "Mixed FL, both algorithms without central gradients": "the central part is zero",
    "Elastic aggregation, strong growth": "it concludes that every client is stationary",
    "Mixed FL, 2-way Gradient Transfer at rest": "it concludes that no central step is taken",
    "Mixed FL, 2-way Gradient Transfer with clients that are alike at rest": "it concludes that no central step is taken",
}
#: Facts that an instance leaves out, by the title: the instance that is made has one local step.
ONE_STEP = ("FedLAMA, (19) with 5/2 times the distances", "FedLAMA, (19), one round")
#: Parts into which the derivations are divided.
PARTS = 4
#: Rules that make no fact.
DECLARING = {
    "axis",
    "parameter",
    "choose",
    "let",
    "vector",
    "value",
    "next",
    "function",
    "point",
    "hypothesis",
    "distinction",
    "lemma",
    "exponential",
}


def certificates(item: Any) -> Iterator[Mapping[str, Any]]:
    """The derivations inside what is kept, or what a script gives, and the lemmas inside them."""
    if isinstance(item, Mapping) and item.get("format") == "fltheory derivation 1":
        yield item
        yield from (
            one
            for line in map(unpacked, item["lines"])
            if "lemma" in line
            for one in certificates(line.get("derivation"))
        )
    elif isinstance(item, Mapping | list):
        for one in item.values() if isinstance(item, Mapping) else item:
            yield from certificates(one)
    elif callable(item):
        yield from certificates(item())
    elif getattr(item, "certificate", None):
        yield from certificates(item.certificate)


def kept() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for path in sorted((ROOT / "results" / "evidence").glob("*.jsonl")):
        for row in map(json.loads, path.read_text().splitlines()):
            for data in certificates(row):
                yield str(row["id"]), data


def scripts() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What the functions in verify/*/derivations* make that need no argument."""
    for place in sorted((ROOT / "verify").glob("*/derivations*")):
        package = importlib.import_module(f"verify.{place.parent.name}.derivations")
        inner = pkgutil.iter_modules(getattr(package, "__path__", []))
        for module in [package, *(importlib.import_module(f"{package.__name__}.{one.name}") for one in inner)]:
            for name, function in inspect.getmembers(module, inspect.isfunction):
                told = inspect.signature(function)
                free = all(one.default is not one.empty or one.kind in (2, 4) for one in told.parameters.values())
                made = told.return_annotation is Derived or "Mapping" in str(told.return_annotation)
                if function.__module__ == module.__name__ and not name.startswith("_") and free and made:
                    for data in certificates(function()):
                        yield f"{module.__name__}.{name}", data


@cache
def in_parts() -> Sequence[tuple[str, Mapping[str, Any], int]]:
    """All derivations, those of one title or on one instance in one part, so that parts may be evaluated side by side."""
    found = [*kept(), *scripts()]
    leader: dict[str, str] = {}

    def lead(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    for _, data in found:
        leader[lead(declared(data["lines"]))] = lead(str(data["title"]))
    leaders = [lead(str(data["title"])) for _, data in found]
    parts = {one: i % PARTS for i, one in enumerate(dict.fromkeys(leaders))}
    return [(name, data, parts[one]) for (name, data), one in zip(found, leaders, strict=True)]


@pytest.fixture(scope="module", params=range(PARTS))
def evaluated(request: pytest.FixtureRequest) -> dict[str, list[tuple[str, Evaluation | str]]]:
    """By title, what kept rows and scripts derive, each derivation once: on its instance, or why there is none."""
    witnesses, seen = Witnesses(), set()
    found: dict[str, list[tuple[str, Evaluation | str]]] = {}
    for name, data, part in in_parts():
        key = json.dumps(data["lines"], sort_keys=True)
        if part == request.param and key not in seen:
            seen.add(key)
            try:
                answer: Evaluation | str = witnesses(data["lines"], *attempts(str(data["title"]), data["lines"]))
                _ = not isinstance(answer, str) and (
                    answer.broken,
                    answer.false,
                    answer.vanishing,
                )  # all is evaluated here
            except (ArithmeticError, LookupError, RecursionError, ValueError) as error:
                answer = f"{type(error).__name__}: {error}"
            found.setdefault(str(data["title"]), []).append((name, answer))
    return found


def test_every_derivation_has_an_instance_on_which_every_node_is_true(evaluated: Mapping[str, Any]) -> None:
    assert len(evaluated) > 10
    missing: dict[str, list[str]] = {}
    for title, answers in evaluated.items():
        for name, found in answers:
            if isinstance(found, str) or found.broken:
                missing.setdefault(title, []).append(f"{name}: {found if isinstance(found, str) else found.broken[:3]}")
                continue
            assert not found.false, f"{name}, {title}: {found.false} false on an instance that obeys what is supposed"
            made = [str(next(iter(line.values()))) for line in found.lines if next(iter(line)) not in DECLARING]
            assert made, f"{name}, {title}: no fact"
            inside = "Psi at a step inside a round" if title in ONE_STEP else ""
            made = [fact for fact in made if fact != inside]
            assert all(found.facts[fact][0] for fact in made), f"{name}, {title}: a fact is nowhere evaluated"
    assert missing.keys() - WITHOUT.keys() == set(), missing
    here = WITHOUT.keys() & evaluated.keys()
    assert here - missing.keys() == set(), "these have an instance now: take them off the list"


def test_nothing_vanishes_on_an_instance(evaluated: Mapping[str, Any]) -> None:
    """Noise, gradients and whatever else is a vector: none of them is zero everywhere."""
    for title, answers in evaluated.items():
        for name, found in answers:
            if isinstance(found, str) or any(title.startswith(one) for one in ZERO):
                continue
            if not any(str(line["equals"]) == "0" for line in found.of_rule("choose")):  # runs without noise
                assert not found.vanishing, f"{name}, {title}: {found.vanishing}"


def test_every_title_that_has_no_instance_is_a_derivation() -> None:
    assert WITHOUT.keys() <= {str(data["title"]) for _, data in [*kept(), *scripts()]}


def test_every_rule_of_the_replayer_is_evaluated() -> None:
    rules = {name for name in dir(Replay) if name.startswith("line_")}
    assert rules == {name for name in dir(Evaluation) if name.startswith("line_")}
