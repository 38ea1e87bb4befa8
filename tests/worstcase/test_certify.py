"""Enclosures: they hold the truth where it is known, and say so when there is none."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import verifier

CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)


@pytest.mark.parametrize("step_size", ["1/4", "1", "18/11", "19/10", "5/2"])
@pytest.mark.parametrize("rounds", [1, 3])
def test_gradient_descent_is_enclosed(step_size: str, rounds: int) -> None:
    """One local step is gradient descent: ``max(|1 - eta mu|, |1 - eta L|)^(2R)`` times the start."""
    eta = Fraction(step_size)
    truth = max(abs(1 - eta / 10), abs(1 - eta)) ** (2 * rounds)
    found = fl.worst_case(fl.FedAvg(1, eta), CLASS, rounds=rounds)
    assert found.status == "certified" and found.lower is not None and found.upper is not None
    assert found.lower <= truth <= found.upper
    assert found.width <= 1e-5


def test_an_enclosure_is_narrow_small_and_verified() -> None:
    found = fl.worst_case(fl.FedAvg(5, Fraction(1, 4)), CLASS, rounds=3)
    assert found.status == "certified" and found.width <= 1e-4
    assert found.certificate is not None and found.upper is not None and found.lower is not None
    read = json.loads(json.dumps(found.certificate))
    proved = verifier.verify(read)
    assert sum(proved["upper"].values()) == found.upper and proved["lower"][1] == found.lower
    assert found.lower <= Fraction(found.value) <= found.upper
    assert len(json.dumps(read)) < 100 * 1024


def test_from_above_alone_is_as_good() -> None:
    both = fl.worst_case(fl.FedAvg(3, Fraction(1, 2)), CLASS)
    above = fl.worst_case(fl.FedAvg(3, Fraction(1, 2)), CLASS, lower=False)
    assert above.upper is not None and above.certificate is not None and both.lower is not None
    assert sum(verifier.verify(above.certificate)["upper"].values()) == above.upper
    assert both.lower <= above.upper <= both.lower * (1 + Fraction(1, 1000))
    with pytest.raises(ValueError, match="lower=1 is neither"):
        fl.worst_case(fl.FedAvg(3, Fraction(1, 2)), CLASS, lower=1)  # type: ignore[arg-type]


def test_bounds_are_homogeneous() -> None:
    """A certificate made at one start holds at every other: its bound is above the worst case there."""
    made = fl.worst_case(fl.FedAvg(3, Fraction(1, 2)), CLASS)
    there = fl.worst_case(fl.FedAvg(3, Fraction(1, 2)), CLASS, quantities={"distance": 3, "heterogeneity": "1/7"})
    assert there.lower is not None
    assert made.bound["distance"] * 3 + made.bound["heterogeneity"] / 7 >= there.lower
    scaled = fl.worst_case(fl.FedAvg(3, Fraction(1, 2)), CLASS, quantities={"distance": 100, "heterogeneity": 100})
    assert made.lower is not None and made.upper is not None and scaled.upper is not None and scaled.lower is not None
    assert 100 * made.lower <= scaled.upper and scaled.lower <= 100 * made.upper


def test_quantities_of_zero_have_both_sides() -> None:
    """Heterogeneity zero is the same as a shared minimiser."""
    zero = fl.worst_case(fl.FedAvg(3, Fraction(1, 4)), CLASS, quantities={"heterogeneity": 0})
    shared = fl.worst_case(fl.FedAvg(3, Fraction(1, 4)), CLASS, heterogeneity="none")
    for found in (zero, shared):
        assert found.status == "certified" and found.width < 1e-4
    assert zero.lower is not None and shared.upper is not None and shared.lower is not None and zero.upper is not None
    assert zero.lower <= shared.upper and shared.lower <= zero.upper


@pytest.mark.parametrize("seed", range(12))
def test_random_parameter_sets_are_certified_or_say_so(script: Any, seed: int) -> None:
    rationaliser = script("rationaliser")
    case: dict[str, Any] = rationaliser.parameters(1000 + seed) | {"local_steps": 1 + seed % 4, "rounds": 1 + seed % 2}
    row = rationaliser.run(case)
    assert row["certified"] == (row["status"] == "certified")
    if row["certified"]:
        assert row["width"] < 0.1
    else:
        assert row["status"] in ("no certificate", "upper only", "lower only")
