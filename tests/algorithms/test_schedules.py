"""Step sizes: the printed formulas in exact numbers, both indexings, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from fltheory.algorithms import (
    Annealed,
    Constant,
    FedAvg,
    Harmonic,
    HarmonicPerRound,
    ParallelRestartedSGD,
    Scaffold,
    TwoSidedFedAvg,
    li_appendix,
    li_main_text,
)

E = 3


def sizes(schedule: Any, rounds: int = 2) -> list[Any]:
    """The step sizes of all local steps of the first rounds."""
    return [schedule.at(round, step, E) for round in range(rounds) for step in range(E)]


def test_formulas() -> None:
    one = Fraction(1)
    assert sizes(Constant(one / 7)) == [one / 7] * 6
    assert sizes(Harmonic(2 * one, 5 * one)) == [2 * one / (5 + t) for t in range(6)]
    assert sizes(Harmonic(one, one)) == [one / (1 + t) for t in range(6)]
    assert sizes(HarmonicPerRound(one)) == [one] * 3 + [one / 2] * 3
    assert sizes(Annealed(one / 5, 5 * one, 2 * one)) == [(one / 5) / (5 + 2 * t) for t in range(6)]
    assert sizes(Annealed(one / 5, 5 * one, 2 * one, per_round=True)) == [one / 25] * 3 + [one / 35] * 3


def test_the_two_indexings_of_li_et_al() -> None:
    mu, smoothness = Fraction(1, 2), Fraction(1)
    assert sizes(li_main_text(mu, smoothness, E)) == [Fraction(4, 16 + t) for t in range(6)]
    # The appendix counts from t = 1 with gamma smaller by one: the same numbers; counted from t = 0, larger ones.
    assert sizes(li_appendix(mu, smoothness, E)) == sizes(li_main_text(mu, smoothness, E))
    assert sizes(li_appendix(mu, smoothness, E, first=0)) == [Fraction(4, 15 + t) for t in range(6)]
    assert li_main_text(mu, smoothness, 100).gamma == 100


def test_which_are_constant() -> None:
    assert Constant(1).constant and Annealed(1, 5, 0).constant
    assert not any(s.constant for s in (Harmonic(1, 1), HarmonicPerRound(1), Annealed(1, 5, 1)))


@pytest.mark.parametrize(
    "value",
    [
        0,
        -1,
        Fraction(-1, 2),
        np.int64(-1),
        np.float32(-0.5),
        float("nan"),
        float("inf"),
        None,
        "a tenth",
        True,
        1j,
        np.array([0.1]),
    ],
    ids=repr,
)
def test_step_sizes_that_are_not_positive_numbers(value: Any) -> None:
    for make in (FedAvg, TwoSidedFedAvg, ParallelRestartedSGD, Scaffold):
        with pytest.raises(ValueError, match="^step_size="):
            make(1, value)
    for make_two in (TwoSidedFedAvg, Scaffold):
        with pytest.raises(ValueError, match="^server_step_size="):
            make_two(1, 0.1, value)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Harmonic(0, 1), "beta=0 is not positive"),
        (lambda: Harmonic(1, -1), r"gamma \+ first=-1 is not positive"),
        (lambda: Harmonic(1, float("nan")), "gamma=nan"),
        (lambda: Harmonic(1, 1, first=0.5), "first=0.5 is not valid; expected an integer"),
        (lambda: HarmonicPerRound(1, 0), "gamma=0 is not positive"),
        (lambda: Annealed(-1, 5, 1), "scale=-1 is not positive"),
        (lambda: Annealed(1, 0, 1), "offset=0 is not positive"),
        (lambda: Annealed(1, 5, -1), "rate=-1 is negative"),
    ],
)
def test_schedules_that_would_not_stay_positive(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("make", [FedAvg, TwoSidedFedAvg, ParallelRestartedSGD, Scaffold])
def test_local_steps(make: Any) -> None:
    for wrong in (0, -1, 1.5, True, "2"):
        with pytest.raises(ValueError, match=f"local_steps={wrong!r} is not valid; expected an integer >= 1"):
            make(wrong, 0.1)
    assert repr(make(np.int64(2), 0.1)) == repr(make(2, 0.1))


def test_text_is_read_as_the_number_that_it_denotes() -> None:
    assert FedAvg(2, "1/20").step_size == Constant(Fraction(1, 20)) == FedAvg(2, "0.05").step_size
    assert Harmonic("1/3", "2") == Harmonic(Fraction(1, 3), 2)
    with pytest.raises(ValueError, match="^step_size='1/0' is no number; expected one such as 0.25 or '1/4'$"):
        FedAvg(2, "1/0")
