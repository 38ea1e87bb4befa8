"""The adjustment of layer intervals: every reading of its rule by hand, ties and degenerate cases, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp

from fltheory.algorithms.intervals import RULES, intervals, layer_shares, selected_layers

#: ascending order 2, 0, 1; d dim = 2, 6, 2 and sizes 2, 1, 7
D, SIZES = (Fraction(1), Fraction(6), Fraction(2, 7)), (2, 1, 7)


def test_shares_by_hand() -> None:
    held = layer_shares(D, SIZES)
    assert held.order == (2, 0, 1)
    assert held.discrepancy == (Fraction(1, 5), Fraction(2, 5), 1)
    assert held.parameters == (Fraction(7, 10), Fraction(9, 10), 1)
    falling = layer_shares(D, SIZES, descending=True)
    assert (falling.order, falling.discrepancy) == ((1, 0, 2), (Fraction(3, 5), Fraction(4, 5), 1))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("printed", (12, 6, 12)),
        ("before crossing", (6, 6, 12)),
        ("through crossing", (12, 6, 12)),
        ("nearest crossing", (6, 6, 12)),
        ("accelerated", (3, 3, 6)),
    ],
)
def test_each_rule_by_hand(rule: str, expected: tuple[int, ...]) -> None:
    assert intervals(D, SIZES, 6, 2, rule=rule) == expected


def test_an_exact_crossing_is_the_last_layer_of_the_prefix() -> None:
    d, sizes = (1, 2), (2, 1)  # delta_1 = 1/2, lambda_1 = 2/3
    assert selected_layers(d, sizes, "through crossing") == (0,)
    d, sizes = (1, 3, 6), (2, 1, 1)  # delta_1 = 2/11, lambda_1 = 1/2; then 5/11 and 3/4
    assert selected_layers(d, sizes, "through crossing") == (0, 1)
    d, sizes = (1, 4), (2, 1)  # delta_1 = 1/3 = 1 - lambda_1
    assert selected_layers(d, sizes, "before crossing") == ()
    assert selected_layers(d, sizes, "through crossing") == selected_layers(d, sizes, "nearest crossing") == (0,)
    assert selected_layers(d, sizes, "accelerated") == (1,)


def test_the_printed_rule_lengthens_all_layers_but_one() -> None:
    for d in product(range(4), repeat=3):
        for sizes in product((1, 2, 5), repeat=3):
            expected = 0 if len(set(d)) == 1 else 2
            assert len(selected_layers(d, sizes, "printed")) == expected


@pytest.mark.parametrize("d", [(0, 0), (3, 3), (0.1, 0.1)])
def test_equal_discrepancies_also_of_zero(d: tuple[Any, ...]) -> None:
    held = layer_shares(d, (3, 1))
    assert held.order == (0, 1)
    assert held.discrepancy == held.parameters
    assert selected_layers(d, (3, 1), "printed") == ()


@pytest.mark.parametrize("d", [0, 2])
def test_one_layer(d: int) -> None:
    assert [intervals([d], [5], 4, 2, rule=rule) for rule in RULES] == [(4,), (4,), (8,), (8,), (2,)]


def test_floats_are_the_rationals_that_they_are() -> None:
    d = np.array([0.1, 0.2, 0.3])
    assert intervals(d, np.array([3, 2, 1]), 5, 3) == intervals([Fraction(x) for x in d], (3, 2, 1), 5, 3)
    # in floats 0.1 + 0.2 + 0.3 and its sum in another order differ, and delta_L < lambda_L by rounding
    assert selected_layers((0.3, 0.2, 0.1), (1, 1, 1), "printed") == (2, 1)


def test_factor_one_changes_nothing() -> None:
    assert all(intervals(D, SIZES, 7, 1, rule=rule) == (7, 7, 7) for rule in RULES)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(d=(), sizes=()), "0 layers"),
        (dict(d=(1, 2), sizes=(1,)), "2 layers and sizes has 1"),
        (dict(d=(1, -2)), r"d\[1\]=-2 is negative"),
        (dict(d=(1, float("nan"))), r"d\[1\]"),
        (dict(d=(1, float("inf"))), r"d\[1\]"),
        (dict(d=(1, sp.Symbol("d"))), r"d\[1\]=d cannot be compared"),
        (dict(sizes=(1, 0)), r"sizes\[1\]=0"),
        (dict(sizes=(1, 2.0)), r"sizes\[1\]=2.0"),
        (dict(base=0), "base=0"),
        (dict(factor=0), "factor=0"),
        (dict(rule="middle"), "rule='middle' is unknown"),
        (dict(rule="accelerated", base=5, factor=2), "base=5 is no multiple of factor=2"),
        (dict(d="12"), "d='12' is no sequence"),
    ],
)
def test_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        intervals(**{"d": (1, 2), "sizes": (1, 2), "base": 4, "factor": 2, **arguments})
