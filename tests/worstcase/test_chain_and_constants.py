"""Chains of one-round certificates against exact rounds; best constants against closed forms."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import fltheory as fl
from fltheory.readings.gram import Recorder
from fltheory.worstcase.chain import chain, chained_bound
from fltheory.worstcase.classes import FunctionClass
from fltheory.worstcase.constants import best_constant, frontier, recognise
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.functional import Assumption, square
from fltheory.worstcase.model import Model
from fltheory.worstcase.space import Shares

CLIENTS = fl.SmoothStronglyConvex(0.1, 1)


@pytest.mark.parametrize(("steps", "eta", "rounds", "heterogeneity"), [(2, 0.25, 3, 1), (3, 0.125, 4, 0.01)])
def test_a_chain_is_above_and_near_the_exact_rounds(steps: int, eta: float, rounds: int, heterogeneity: float) -> None:
    algorithm, quantities = fl.FedAvg(steps, eta), {"heterogeneity": heterogeneity}
    chained = chain(algorithm, CLIENTS, rounds=rounds, quantities=quantities)
    exact = fl.worst_case(algorithm, CLIENTS, rounds=rounds, quantities=quantities)
    assert chained is not None and exact.lower is not None
    assert exact.lower <= chained.bound <= exact.lower * Fraction(101, 100)
    assert chained.after(rounds) == chained.bound


def test_one_round_of_a_chain_is_the_certificate() -> None:
    factors = {"distance": Fraction(9, 10), "heterogeneity": Fraction(1, 100)}
    quantities = {"distance": Fraction(2), "heterogeneity": Fraction(3)}
    assert chained_bound(factors, 0, quantities) == 2
    assert chained_bound(factors, 1, quantities) == Fraction(9, 5) + Fraction(3, 100)
    assert chained_bound(factors, 2, quantities) == Fraction(9, 10) * Fraction(183, 100) + Fraction(3, 100)


class _Valley:
    """One-round certificates for a start of 10^p V: after one round at most ``1 + (p - bottom)^2``."""

    def __init__(self, bottom: float) -> None:
        self.bottom = bottom
        self.powers: list[float] = []
        self.bounds: list[Fraction] = []

    def __call__(self, algorithm: object, function_class: object, *, quantities: dict, **options: object) -> Any:
        power = math.log10(quantities["distance"])
        rest = Fraction(1 + (power - self.bottom) ** 2)
        self.powers.append(power)
        self.bounds.append(rest)
        bound = {"distance": Fraction(0), "heterogeneity": rest}
        return SimpleNamespace(quantities=dict(quantities), upper=rest, bound=bound)


@pytest.mark.parametrize("place", range(20))
def test_the_search_halves_its_way_to_the_best_start(monkeypatch: pytest.MonkeyPatch, place: int) -> None:
    """From a grid of width 1/2 the best point is at most 1/4 away, and half of that after each halving: 8 in 24 evaluations.

    Starts are rounded to four decimals, a ten-thousandth of powers above 1/2.
    """
    valley = _Valley(-0.45 + 0.9 * place / 19)
    monkeypatch.setattr(sys.modules["fltheory.worstcase.chain"], "worst_case", valley)
    found = chain(fl.FedAvg(2, 0.25), CLIENTS, rounds=1, evaluations=24)
    assert found is not None
    assert min(abs(power - valley.bottom) for power in valley.powers) <= 0.25 / 2**8 + 1e-4
    assert len(set(valley.powers)) == len(valley.powers) == 24
    assert found.bound == min(valley.bounds) and found.after(2) == found.bound


def _local_step(eta: Fraction, mu: Fraction) -> Model:
    """``|mean(x_k - eta grad f_k(x_k)) - w*|^2`` against the distance of the mean and the drift of arbitrary points."""
    record = Recorder()
    x = record.put(("given", "clients", 1))
    record.put(("gradient", record.put(("optimum",))))
    moved = record.combine({x: Fraction(1), record.put(("gradient", x)): -eta})
    mean = record.put(("mean", x))
    drift = record.combine({x: Fraction(1), mean: Fraction(-1)})
    after = record.put(("average", moved))
    return Model(
        tuple(record.instructions),
        0,
        FunctionClass(mu, 1),
        None,
        Shares(),
        (Assumption(square(mean), "distance"), Assumption(square(drift), "drift")),
        square(after),
    )


@pytest.mark.parametrize(("eta", "mu", "a"), [("1/4", "1/10", "39/40"), ("1/2", "0", "11/10"), ("1", "1/10", "1")])
def test_the_frontier_of_one_local_step_has_its_closed_form(eta: str, mu: str, a: str) -> None:
    step, modulus, factor = Fraction(eta), Fraction(mu), Fraction(a)
    low, high = 1 - step, 1 - step * modulus
    root = math.sqrt(float((factor - low**2) * (factor - high**2)))
    closed = (float(factor - low * high) - root) / 2
    answer = best_constant(_local_step(step, modulus), "drift", {"distance": factor})
    assert recognise(answer, {"closed": closed, "off": 1.001 * closed}) == ["closed"]
    assert answer.upper is not None and answer.upper >= Fraction(closed) * (1 - Fraction(1, 10**6))


def test_points_of_a_frontier_support_each_other() -> None:
    model = build_model(fl.FedAvg(2, 0.25), CLIENTS)
    points = frontier(model, "distance", "heterogeneity", [0.01, 1])
    assert len(points) == 2
    for point in points:
        for other in points:
            value = sum(other.factors[name] * point.quantities[name] for name in point.quantities)
            assert point.support is not None and value >= point.support


def test_what_cannot_be_fixed_is_said() -> None:
    model = build_model(fl.FedAvg(2, 0.25), CLIENTS, heterogeneity="bounded gradients")
    with pytest.raises(ValueError, match="2 assumptions bound 'G2'"):
        best_constant(model, "distance", {"G2": 1})
    with pytest.raises(ValueError, match="no assumption bounds 'gamma'"):
        best_constant(model, "gamma")
