"""Theorem 3 of the lecture note on exact instances: two quadratic clients, two local steps, noise of size one, both codes."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from fltheory.derivation.replay import unpacked
from fltheory.derivation.witness import HOLDS, Evaluation, FiniteInstance
from verify.lecture2022.derivations.theorem_3 import theorem_3

Q = Fraction
CURVATURES, CENTRES, STEP, TIMES = (Q(1), Q(2)), (Q(-1), Q(3)), Q(1, 24), (1, 2)
SIGNS = list(product((-1, 1), repeat=2))


def gradient(k: int, w: Fraction) -> Fraction:
    return CURVATURES[k] * (w - CENTRES[k])


def goes_on(t: int) -> Fraction:
    """0 at steps that average: in step t itself (printed code), or after it (rounds)."""
    return Q(t % 2)


@cache
def state(code: str, past: tuple[Any, ...], t: int) -> tuple[Fraction, tuple[Any, ...], tuple[Any, ...], Fraction]:
    """Average, sums of noises and mean gradients less their averages, and steps since the clients were equal, at time t."""
    if t == 1:
        return Q(0), (Q(0), Q(0)), (Q(0), Q(0)), Q(0)
    u, a, m, n = state(code, past, t - 1)
    noise, go = past[t - 2], goes_on(t - 1)
    slopes = [gradient(k, u + a[k] + n * m[k]) for k in (0, 1)]
    apart = [s - (slopes[0] + slopes[1]) / 2 for s in slopes]
    heard = [e - Q(noise[0] + noise[1], 2) for e in noise]
    after = u - STEP * (slopes[0] + slopes[1] + noise[0] + noise[1]) / 2
    if code == "printed":
        sums = tuple(go * a[k] - STEP * heard[k] for k in (0, 1))
        means = tuple((go * n * m[k] - STEP * apart[k]) / (go * n + 1) for k in (0, 1))
        return after, sums, means, go * n + 1
    sums = tuple(go * (a[k] - STEP * heard[k]) for k in (0, 1))
    return after, sums, tuple((n * m[k] - STEP * apart[k]) / (n + 1) for k in (0, 1)), go * (n + 1)


def instance(code: str) -> FiniteInstance:
    numbers = {
        "N": Q(2),
        "K": Q(2),
        "T": Q(2),
        "L": Q(2),
        "s": STEP,
        "G": Q(8),
        "sigma": Q(1),
        "sigma_G": Q(5),
        "V": Q(1, 2),
    }
    numbers |= {"f_star": Q(0), "gap": sum((c * z**2 / 4 for c, z in zip(CURVATURES, CENTRES, strict=True)), Q(0))}
    given: dict[str, Any] = {name: lambda p, x=x: x for name, x in numbers.items()}
    at = lambda p: state(code, p["past"], p["t"])  # noqa: E731
    given |= {
        "t_": lambda p: Q(p["t"]),
        "go": lambda p: goes_on(p["t"]),
        "n": lambda p: state(code, (SIGNS[0],) * 3, p["t"])[3],
        "u": lambda p: (at(p)[0],),
        "a": lambda p: (at(p)[1][p["k"]],),
        "m": lambda p: (at(p)[2][p["k"]],),
        "noise": lambda p: (Q(p["xi"][p["k"]]),),
    }
    value = lambda x, p: CURVATURES[p["k"]] * (x[0] - CENTRES[p["k"]]) ** 2 / 2  # noqa: E731
    slope = lambda x, p: (gradient(p["k"], x[0]),)  # noqa: E731
    axes = {
        "k": {0: Q(1, 2), 1: Q(1, 2)},
        "xi": {s: Q(1, 4) for s in SIGNS},
        "past": {past: Q(1, 16) for past in product(SIGNS, repeat=2)},
        "t": {t: Q(1, 2) for t in TIMES},
    }
    return FiniteInstance(axes, given, {"f": (value, slope)})


@pytest.mark.parametrize("code", ["printed", "FedAvg"])
def test_every_node_of_theorem_3_is_true_on_a_run(code: str) -> None:
    kept = json.loads(json.dumps(theorem_3(code=code), sort_keys=True))
    found = Evaluation([unpacked(line) for line in kept["lines"]], instance(code))
    assert found.broken == []
    wrong = {name for name, (numbers, relation) in found.facts.items() if not all(map(HOLDS[relation], numbers))}
    assert wrong == set()
    assert min(found.facts["conclusion"][0]) > 0 and min(found.facts["the code"][0]) == 0
