"""Certificates of theorems for every round with a place or two changed at random: rejected, or no better a theorem."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import lyapunov_verifier, verifier

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
QUARTER = Fraction(1, 4)
SOME = fl.NormalisedUniform(2)
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "layers": (fl.FedLAMA(1, 2, QUARTER, intervals=(1, 2)), {}),
    "cohorts": (fl.Scaffold(2, QUARTER, participation=SOME), {"n_clients": 4}),
    "cohorts and noise": (fl.Scaffold(1, QUARTER, participation=SOME), {"n_clients": 4, "noise": True}),
    "dissimilarity": (fl.FedAvg(2, QUARTER), {"heterogeneity": fl.Dissimilarity(2)}),
    "bounded gradients": (fl.FedAvg(2, QUARTER), {"heterogeneity": "bounded gradients"}),
}
WORDS = ("mean", "average", "cohort", "given", "server", "clients", "optimum", "heterogeneity", "G2", "lyapunov")
MUTATIONS = 150


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All leaves and lists of JSON data."""
    if isinstance(data, (dict, list)):
        if isinstance(data, list) and data:
            yield path
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*path, key))
    else:
        yield path


def changed(data: Any, rng: random.Random) -> None:
    """One place, in place: a number, a word, or the entries of a list."""
    *above, last = rng.choice([path for path in places(data) if path])
    for key in above:
        data = data[key]
    entry = data[last]
    if isinstance(entry, list):
        i, j = rng.randrange(len(entry)), rng.randrange(len(entry))
        match rng.randrange(3):
            case 0:
                entry.pop(i)
            case 1:
                entry.insert(i, copy.deepcopy(entry[i]))
            case _:
                entry[i], entry[j] = entry[j], entry[i]
    elif isinstance(entry, int):
        data[last] = entry + rng.choice([-1, 1, 2])
    elif isinstance(entry, str) and set(entry) <= set("-/0123456789"):
        data[last] = str(
            Fraction(entry) * rng.choice([0, -1, Fraction(1, 2), Fraction(999, 1000), Fraction(1001, 1000)])
        )
    else:
        data[last] = rng.choice(WORDS)


@pytest.mark.parametrize("kind", KINDS)
def test_no_mutation_is_a_better_theorem(kind: str) -> None:
    algorithm, options = KINDS[kind]
    found = fl.lyapunov(algorithm, CLIENTS, **options)
    assert found.rho is not None
    rng, rejected = random.Random(kind), 0
    for _ in range(MUTATIONS):
        data: Any = json.loads(json.dumps(found.certificate))
        for _ in range(rng.choice([1, 1, 2])):
            changed(data, rng)
        try:
            told: Any = lyapunov_verifier.verify(data)  # type: ignore[no-untyped-call]
        except verifier.Rejected:
            rejected += 1
            continue
        assert told["rho"] >= found.rho
        assert all(told["factors"].get(name, 0) >= factor for name, factor in found.factors.items())
    assert rejected > MUTATIONS * 2 // 3
