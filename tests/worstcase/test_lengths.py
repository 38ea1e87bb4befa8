"""Bounds of squared lengths from one assumption each: a factor in front of a square divides its bound."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase.entry import build_model
from fltheory.worstcase.functional import Assumption, inner, square
from fltheory.worstcase.limits import limits
from fltheory.worstcase.space import Space

F = Fraction


@pytest.mark.parametrize("factor", [F(1), F(4), F(1, 9)])
def test_a_square_with_a_factor(factor: Fraction) -> None:
    """``c |w|^2 <= 2 q`` with ``q = 3``, over a square of 5: ``|w|^2 <= 6/(5 c)``."""
    model = build_model(fl.FedAvg(1, F(1, 4)), fl.SmoothStronglyConvex(F(1, 10), 1))
    start = model.assumptions[0].functional.inner[0][1]
    changed = replace(model, assumptions=(Assumption(square(start) * factor, "q", F(2)),))
    assert limits(changed, {"q": F(3)}, F(5))[start] == F(6, 5) / factor


def test_a_negative_square_bounds_nothing() -> None:
    model = build_model(fl.FedAvg(1, F(1, 4)), fl.SmoothStronglyConvex(F(1, 10), 1))
    start = model.assumptions[0].functional.inner[0][1]
    changed = replace(model, assumptions=(Assumption(square(start) * -1, "q"),))
    assert limits(changed, {"q": F(3)}, F(1)) == {}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_products_with_the_minimiser_are_nothing(order: tuple[int, int]) -> None:
    """``4 |w|^2 + 6 <w*, w> <= 8`` with the minimiser at the origin: ``|w|^2 <= 2``, in whatever order they stand."""
    model = build_model(fl.FedAvg(1, F(1, 4)), fl.SmoothStronglyConvex(F(1, 10), 1))
    start = model.assumptions[0].functional.inner[0][1]
    optimum = next(place for place, item in enumerate(model.instructions) if item[0] == "optimum")
    pair = (optimum, start)
    functional = square(start) * 4 + inner(pair[order[0]], pair[order[1]]) * 6
    changed = replace(model, assumptions=(Assumption(functional, "q"),))
    assert limits(changed, {"q": F(8)}, F(1)) == {start: 2}


def test_the_shorter_of_two_bounds_counts() -> None:
    model = build_model(fl.FedAvg(1, F(1, 4)), fl.SmoothStronglyConvex(F(1, 10), 1))
    start = model.assumptions[0].functional.inner[0][1]
    for order in ((1, 4), (4, 1)):
        both = tuple(Assumption(square(start) * factor, f"q{factor}") for factor in order)
        assert limits(replace(model, assumptions=both), {"q1": F(3), "q4": F(8)}, F(1))[start] == 2


@pytest.mark.parametrize(
    ("parts", "before"),
    [
        ([], []),
        (["mean"], []),
        (["mean 0"], [0]),
        (["mean 1"], [0, 1]),
        (["draw 2"], [2]),
        (["draw 4"], [2, 3, 4]),
        (["mean 0", "draw 3"], [0, 2, 3]),
    ],
)
def test_gradients_follow_draws_of_clients_and_of_the_server_apart(parts: list[str], before: list[int]) -> None:
    """Two draws of the clients', then three of the server's: of each kind all up to the last one in the point."""
    space: Any = SimpleNamespace(_kinds=[("mean", "deviation")] * 2 + [("draw",)] * 3)
    assert Space._before(space, {(part, 0): Fraction(1) for part in parts}) == before
