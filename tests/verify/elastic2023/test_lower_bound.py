"""The recursion of Lemma 9 and the pair of Theorem II: the package's numbers against runs and independent enclosures."""

from __future__ import annotations

from fractions import Fraction

import pytest

import fltheory as fl
from fltheory.problems.opposed import opposed_pair
from fltheory.theory.elastic2023 import lower_bound
from verify.elastic2023.lemma_9.least import between, one_digit_off, table_matches
from verify.elastic2023.lemma_9.optimal_errors import PAIR, RECURSION
from verify.elastic2023.theorem_2.rounds import round_of_the_pair

HALF = Fraction(1, 2)


@pytest.mark.parametrize("of_the_pair", [False, True])
@pytest.mark.parametrize("rounds, local_steps", [(1, 2), (3, 5), (7, 10)])
def test_two_enclosures_of_the_least_error_meet(rounds: int, local_steps: int, of_the_pair: bool) -> None:
    first = lower_bound.best_constant(rounds, local_steps, of_the_pair=of_the_pair)
    second = between(rounds, local_steps, of_the_pair=of_the_pair)
    assert max(first[0], second[0]) <= min(first[1], second[1])
    assert first[1] - first[0] < Fraction(1, 10**50)
    assert first[1] >= lower_bound.limit_of_the_constant(local_steps, of_the_pair=of_the_pair)


def test_two_local_steps_have_a_closed_form() -> None:
    for rounds in (1, 4, 9):
        low, high = lower_bound.best_constant(rounds, 2)
        assert low <= Fraction(1, 5) <= high


@pytest.mark.parametrize("arguments", [(0, 2), (1, 1)])
def test_too_few_rounds_or_steps_are_refused(arguments: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="expected"):
        lower_bound.least_final(Fraction(1), *arguments, lower_bound.least_round)


def test_a_spoilt_table_is_refuted() -> None:
    few = {rounds: RECURSION[rounds] for rounds in (17, 18)}
    limits = [lower_bound.limit_of_the_constant(k) for k in (2, 5, 10)]
    assert table_matches(few, (2, 5, 10), of_the_pair=False, limits=limits).outcome.value == "holds"
    assert table_matches(one_digit_off(few, 17, 1), (2, 5, 10), of_the_pair=False, limits=limits).counterexample
    assert PAIR.keys() == RECURSION.keys() == {*range(1, 51)}


@pytest.mark.parametrize("second", [0, 1])
def test_a_round_of_the_pair_is_one_of_federated_averaging(second: int) -> None:
    problem = opposed_pair(Fraction(1), Fraction(1), second=Fraction(second))
    start, step = Fraction(3, 7), Fraction(2, 9)
    run = fl.moments(problem, fl.FedAvg(3, step), rounds=1, start=[start], exact=True)
    expected = round_of_the_pair(3, at=start, step=step, weight=HALF, second=second)
    assert run.mean[-1][0] == Fraction(int(expected.p), int(expected.q))


def test_the_pair_refuses_a_drift_of_zero() -> None:
    with pytest.raises(ValueError, match="G=0"):
        opposed_pair(1, 0)
