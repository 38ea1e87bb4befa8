"""Bounds as they are printed remain bounds."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import fltheory as fl
from fltheory.worstcase import command
from fltheory.worstcase.decimals import LEAST, downward, power_bounds, root_downward, root_upward, upward

F = Fraction


@pytest.mark.parametrize(
    ("number", "up", "down"),
    [
        (F(1, 3), "0.333333334", "0.333333333"),
        (F(-1, 3), "-0.333333333", "-0.333333334"),
        (F(1, 10**400), "1e-400", "1e-400"),
        (F(1, 3 * 10**400), "3.33333334e-401", "3.33333333e-401"),
        (F(10**400 + 1), "1.00000001e+400", "1e+400"),
        (F(0), "0", "0"),
        (F(1), "1", "1"),
        (F(2469, 20), "123.45", "123.45"),
        (1 - F(1, 10**12), "1", "0.999999999"),
        (F(4) ** 30, "1.15292151e+18", "1.1529215e+18"),
        (F(999_999_999), "999999999", "999999999"),
        (F(9_999_999_999), "1e+10", "9.99999999e+09"),
        (F(1, 10**5), "0.00001", "0.00001"),
        (F(1, 10**6), "1e-06", "1e-06"),
    ],
)
def test_numbers_are_rounded_outward(number: Fraction, up: str, down: str) -> None:
    assert (upward(number), downward(number)) == (up, down)


def test_random_numbers_and_roots_lie_between_their_decimals() -> None:
    rng = random.Random(5)
    for _ in range(600):
        top, bottom = 10 ** rng.randint(1, 40), 10 ** rng.randint(1, 40)
        number = F(rng.randint(-top, top), rng.randint(1, bottom))
        up, down = F(upward(number)), F(downward(number))
        assert down <= number <= up and up - down <= abs(number) / 10**8
        degree, size = rng.randint(1, 12), abs(number)
        up, down = F(root_upward(size, degree)), F(root_downward(size, degree))
        assert down**degree <= size <= up**degree and up - down <= up * F(3, 10**8)


def test_numbers_with_many_digits_are_printed() -> None:
    assert upward(F(7) ** 9000).endswith("e+7605") and downward(F(1, 7**9000)).endswith("e-7606")
    assert root_upward(F(7) ** 9000, 9000) == "7"


def test_answers_and_the_command_print_outward() -> None:
    found = fl.worst_case(fl.FedAvg(1, F(1, 3)), fl.SmoothConvex(1), quantities={"distance": F(1, 3)})
    assert found.upper is not None and found.lower is not None
    told = repr(found)
    assert F(told.split("at most ")[1].split(",")[0]) >= found.upper
    assert F(told.split("at least ")[1].split(";")[0]) <= found.lower
    lines = dict(line.split(None, 1) for line in command.describe(found).replace("at ", "at_").splitlines())
    assert F(lines["at_most"].split()[0]) >= found.upper and F(lines["at_least"].split()[0]) <= found.lower
    assert "diverge" not in told


def test_the_command_says_divergence_and_the_lack_of_a_value() -> None:
    functions = fl.SmoothStronglyConvex(F(1, 10))
    steep = command.describe(fl.worst_case(fl.FedAvg(1, 3), functions, rounds=2))
    assert "diverges: distance by at least 4 per round" in steep
    assert "no upper bound was certified" in command.describe(fl.worst_case(fl.FedAvg(1, 3), functions, certify=False))


@pytest.mark.filterwarnings("ignore")
def test_what_no_float_holds_is_certified_and_printed() -> None:
    functions = fl.SmoothStronglyConvex(F(1, 10))
    tiny = fl.worst_case(fl.FedAvg(1, F(1, 4)), functions, quantities={"distance": F(1, 10**400), "heterogeneity": 0})
    assert tiny.status == "certified" and tiny.lower is not None and 0 < tiny.lower < F(1, 10**400)
    assert "e-401" in repr(tiny)
    huge = fl.worst_case(fl.FedAvg(1, F(10) ** 200), functions)
    assert huge.status == "certified" and huge.upper is not None and huge.upper >= (F(10) ** 200 - 1) ** 2
    assert "beyond the range of floats" in repr(huge) and "inf" not in repr(huge)


def test_powers_lie_between_their_bounds() -> None:
    rng = random.Random(7)
    for _ in range(200):
        base, exponent = F(rng.randint(0, 300), rng.randint(1, 200)), rng.randint(0, 300)
        low, high = power_bounds(base, exponent)
        assert low <= base**exponent <= high and high - low <= max(base**exponent / 2**200, LEAST)
    assert power_bounds(F(0), 10**18) == (0, 0) and power_bounds(F(1), 10**18) == (1, 1)
    assert power_bounds(F(361, 400), 10**18) == (0, LEAST)
    with pytest.raises(ValueError, match="bits before the point"):
        power_bounds(F(3, 2), 10**18)
