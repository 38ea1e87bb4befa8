"""Texts are the package's algorithms; every deviation changes the models, and is told from all others but those listed here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.algorithms.participation import CohortOutcome
from fltheory.conformance.catalogue import FAMILIES, family_of
from fltheory.conformance.probes import probes
from fltheory.conformance.search import DeviationSearch, Seen, keys
from fltheory.conformance.walk import path

#: Changes that are one and the same to whoever sees models only.
ALIKE = (
    {"counted-updates", "twice-updates", "server-cohort", "nova-tau-cohort"},
    {"counted-models", "twice-models"},
    {"all-updates", "nova-tau-unnormalised"},
    {"positions", "positions-data"},
    {"ck-sign", "correct-sign"},
    {"ck-forgotten", "ck-frozen", "correct-only-c"},
    {"ck-reset-to-c", "correct-none"},
    {"m-scaled", "server-step"},
    {"m-old", "server-late"},
    {"m-server-twice", "server-twice"},
    {"adam-minus", "server-minus"},
    {"nova-gradient", "server-gradient"},
    {"h-sign", "h-plus"},
    {"h-never", "h-not-used"},
    {"hk-no-alpha", "linear-over-alpha"},
    {"hk-sign", "linear-sign"},
    {"hk-frozen", "linear-none"},
    {"hk-twice", "linear-twice"},
    {"gt-averaged", "half"},
    {"clip", "clip-torch"},
    {"ck-factor", "correct-factor"},
    {"hk-factor", "linear-factor"},
    {"h-factor", "h-used-factor"},
)
#: With equal weights these are no change: they are deviations under weights by counts.
EQUAL = {"position", "reversed", "sorted", "scheme-II-models", "scheme-II-updates", "raw-counts-over-cohort"}
#: Of clients with equal numbers of steps these are none.
STEPS = {"by-steps", "by-counts-steps", "steps-by-least", "steps-by-most", "ck-most"}
#: Of option I only.
OPTION = {"ck-gradient-end", "ck-gradient-average"}


def searched(name: str, schedule: str = "constant", changes: frozenset[str] = frozenset()) -> DeviationSearch:
    family = FAMILIES[name]
    values = {**family.neutral, **family.values, "decay": 0.8}
    chosen = probes(values, unequal=family.unequal, schedule=schedule)
    base = keys(family.choices()[0]) | changes
    takes = frozenset(family.values) | {"cohorts", "schedule"}
    return DeviationSearch(
        family, [Seen(p, path(family, p, values, base)) for p in chosen], values, takes, 1e-9, seconds=4.0
    )


def same(left: DeviationSearch, right: DeviationSearch) -> bool:
    return all(
        np.allclose(a.models, b.models, rtol=0, atol=1e-6 * np.nanmax(np.abs(a.models)), equal_nan=True)
        for a, b in zip(left.seen, right.seen, strict=True)
    )


def test_there_are_many() -> None:
    listed = {deviation.key for family in FAMILIES.values() for deviation in family.deviations}
    words = [deviation.words for deviation in {d.key: d for f in FAMILIES.values() for d in f.deviations}.values()]
    assert len(listed) >= 300 and len(set(words)) >= len(words) - 3
    assert family_of(fl.Scaffold).name == family_of("scaffold").name == "Scaffold"
    assert all(len({d.key for d in f.deviations}) == len(f.deviations) for f in FAMILIES.values())


@pytest.mark.parametrize("name", FAMILIES)
def test_the_text_is_the_algorithm_of_the_package(name: str) -> None:
    """Under weights by counts, with all clients and with cohorts, whose coefficients are given."""
    family = FAMILIES[name]
    values = {**family.neutral, **family.values, "decay": 1.0}
    if name in ("FedProx", "FedNova"):
        values["server_step_size"] = 1.0
    choice = next(c for c in family.choices() if not {"uniform"} & keys(c) and len(keys(c)) == 0)
    for probe in probes(values, unequal=name in ("FedAvg", "FedNova", "Scaffold")):
        found = path(family, probe, values, keys(choice) | ({"nova-tau-all"} if name == "FedNova" else set()))
        outcomes = []
        for cohort in probe.cohorts:
            shares = probe.weights[list(cohort)]
            outcomes.append(CohortOutcome(1.0, cohort, tuple((shares / shares.sum()).tolist()), 0.0))
        wanted = fl.trajectory(
            probe.problem if family.centre else probe.problem.clients,
            family.published(probe),
            rounds=probe.rounds,
            start=probe.start,
            cohorts=outcomes,
        ).models
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_deviation_is_told_from_the_others(name: str) -> None:
    usual = searched(name)
    known_numbers = [d.at(0.37) if d.number is not None else d for d in usual.applicable()]
    found = {
        d: searched(name, "constant", frozenset({d.token})) for d in known_numbers if not d.key.startswith("decay-")
    }
    unequal = any(one.probe.unequal for one in usual.seen)
    for place, (deviation, search) in enumerate(found.items()):
        key = deviation.key
        if same(usual, search):
            allowed = (
                OPTION
                | (EQUAL if "uniform" in keys(usual.family.choices()[0]) else set())
                | (set() if unequal else STEPS)
            )
            assert key in allowed, key
            continue
        alike = {other.key for other, theirs in found.items() if other is not deviation and same(search, theirs)}
        known = next((group for group in ALIKE if key in group), {key})
        if not unequal:
            known = known | STEPS
        assert alike <= known, (key, alike)
        if place == 40:
            assert not search.conventions()
            assert key in {match.deviations[0].key for match in search.singles()}


@pytest.mark.parametrize(("schedule", "name"), [("decay", "FedAvg"), ("steps", "FedAvg"), ("decay", "FedProx")])
def test_schedules_are_told_apart(schedule: str, name: str) -> None:
    usual = searched(name, schedule)
    rates = [d.at(0.37) if d.number is not None else d for d in usual.applicable() if d.place == "rate"]
    assert len(rates) >= 17
    found: list[Any] = [usual, *(searched(name, schedule, frozenset({d.token})) for d in rates)]
    assert not any(same(a, b) for i, a in enumerate(found) for b in found[i + 1 :])
