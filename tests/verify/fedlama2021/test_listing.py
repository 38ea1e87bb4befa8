"""The listings as data: names that are read before they are assigned, numbers of lines; and periods of intervals."""

from __future__ import annotations

from fractions import Fraction

import pytest

from verify.fedlama2021.algorithm_1 import LISTINGS
from verify.fedlama2021.interval_dynamics import period
from verify.fedlama2021.intervals_in_use import ADJUST, line_of
from verify.fedlama2021.tables.layer_sizes import resnet20


def test_names_of_the_listings() -> None:
    assert LISTINGS["printed"].undefined(1, 1) == ["u_1"]
    assert LISTINGS["printed"].undefined(2, 1) == ["x_{1,0}", "u_2"]
    assert LISTINGS["next round from the last model"].undefined(2, 1) == ["u_2"]
    assert LISTINGS["corrected"].undefined(3, 2) == []


def test_numbers_of_lines() -> None:
    assert (line_of("Algorithm 1", "compute the metric"), line_of("Algorithm 2", "if delta < lambda")) == (9, 9)
    assert [line_of("Algorithm 1", ADJUST, ends) for ends in (0, 3)] == [11, 14]


@pytest.mark.parametrize(("a", "power", "expected"), [((9, 16), 1, 2), ((9, 25), 1, 1), ((9, 16), 0, 1)])
def test_period_of_two_layers(a: tuple[int, int], power: int, expected: int) -> None:
    assert period([Fraction(one) for one in a], (1, 1), 2, "printed", power) == expected


def test_sizes_of_resnet20() -> None:
    assert (len(resnet20()), sum(resnet20())) == (20, 269722)
