"""Numbers in a round: quotients of its number are rationals, and a refused float names the rational to write."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.readings.exact_round import ExactRound
from fltheory.readings.gram import program

Share = Callable[[Any], Any]


@dataclass(frozen=True)
class Halting:
    """FedAvg that keeps a share of the old model, given by the round."""

    share: Share

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        x = fed.send(w)
        y = fed.average(x - Fraction(1, 4) * fed.gradient(x))
        return y + self.share(fed.round) * (w - y)


@pytest.mark.parametrize(
    ("share", "expected"),
    [
        (lambda t: 1 / (t + 2), Fraction(1, 4)),
        (lambda t: (t + 1) / (t + 2), Fraction(3, 4)),
        (lambda t: np.int64(3) / Fraction(2 * t + 4), Fraction(3, 8)),
        (lambda t: 1 / (10 - 3 * t), Fraction(1, 4)),
        (lambda t: (t + 1) ** -1, Fraction(1, 3)),
        (lambda t: 2 ** -(t + 1), Fraction(1, 8)),
        (lambda t: 1 / (1 + t // 2), Fraction(1, 2)),
        (lambda t: 1 / (2 + t % 2), Fraction(1, 2)),
    ],
)
def test_quotients_of_the_rounds_number_are_exact(share: Share, expected: Fraction) -> None:
    made = program(Halting(share), rounds=3)
    kind, terms = made.instructions[made.models[-1]]
    before = made.models[-2]
    assert kind == "combine" and share(ExactRound(2)) == expected
    # w' = s w + (1 - s) y: the coefficient of the average is 1 - s
    (average,) = [factor for factor, place in terms if made.instructions[place][0] == "average" and place > before]
    assert average == 1 - expected


def test_a_worst_case_of_it_is_that_of_the_rationals() -> None:
    clients = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
    found = fl.worst_case(Halting(lambda t: 1 / (t + 2)), clients, rounds=2)
    plain = fl.worst_case(Halting(lambda t: {0: Fraction(1, 2), 1: Fraction(1, 3)}[t]), clients, rounds=2)
    other = fl.worst_case(Halting(lambda t: Fraction(1, 2)), clients, rounds=2)
    one, same, else_ = (
        {**(answer.certificate or {}), "claim": None} for answer in (found, plain, other)
    )  # the claim has the digest of the function's source
    assert one == same != else_ and found.status == "certified"


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (lambda t: 0.99, r"Fraction\(99, 100\)"),
        (lambda t: np.float64(0.1), r"Fraction\(1, 10\)"),
        (lambda t: 1 / 3, r"Fraction\(1, 3\)"),
        (lambda t: (t + 2) ** -0.5, r"Fraction\(7071067811865476, 10000000000000000\)|Fraction\(\d+, \d+\)"),
        (lambda t: t / 2.0, r"Fraction\(0, 1\)"),
    ],
)
def test_a_float_is_refused_with_its_cure(share: Share, words: str) -> None:
    with pytest.raises(TypeError, match=rf"entered an exact run.*{words}.*one of fed.round"):
        fl.worst_case(Halting(share), fl.SmoothStronglyConvex(Fraction(1, 10), 1))


def test_what_is_no_number_names_no_fraction() -> None:
    for wrong in (float("nan"), np.ones(2)):
        with pytest.raises(TypeError) as caught:
            program(Halting(lambda t, wrong=wrong: wrong), rounds=1)
        assert "Fraction(" not in str(caught.value)


def test_it_is_an_integer_in_all_else() -> None:
    operations = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.pow)
    for a, b in itertools.product(range(-3, 4), repeat=2):
        for operation in operations:
            if (b == 0 and operation in (operator.floordiv, operator.mod)) or (
                operation is operator.pow and a == 0 > b
            ):
                continue
            wanted = Fraction(a) ** b if operation is operator.pow else operation(a, b)
            for left, right in ((ExactRound(a), b), (a, ExactRound(b)), (ExactRound(a), ExactRound(b))):
                assert operation(left, right) == wanted
                assert not isinstance(operation(left, right), float)
        if b:
            assert ExactRound(a) / b == a / ExactRound(b) == Fraction(a, b)
    assert [10, 20, 30][ExactRound(1)] == 20 and len(range(ExactRound(3))) == 3 and -ExactRound(2) == -2
    assert ExactRound(2) + Fraction(1, 2) == Fraction(5, 2) and ExactRound(3) * 0.5 == 1.5
    assert pow(ExactRound(3), 2, 5) == 4
    with pytest.raises(ZeroDivisionError):
        1 / ExactRound(0)
