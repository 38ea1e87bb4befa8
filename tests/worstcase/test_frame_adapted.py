"""A second frame, in units of the first answer: it certifies what the first cannot, and claims nothing by itself."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import certify, verifier
from fltheory.worstcase.certify import reduced
from fltheory.worstcase.enclosure import Enclosure
from fltheory.worstcase.entry import WorstCase, build_model, solve_model
from fltheory.worstcase.frame_adapted import adapted
from fltheory.worstcase.sdp import Array
from fltheory.worstcase.solver import Solution, solve
from verify.lecture2022.audit_cases import lecture_case

F = Fraction


class Forever:
    def left(self) -> float:
        return math.inf


def expanding(eta: int, rounds: int, G2: Fraction, smooth: int = 1) -> WorstCase:
    """Nonconvex losses and far too long steps: bounded gradients keep short what the program alone would let grow."""
    return fl.worst_case(
        fl.FedAvg(2, F(eta, smooth)),
        fl.Smooth(smooth),
        rounds=rounds,
        measure="gradient",
        start="gap",
        heterogeneity="bounded gradients",
        quantities={"gap": smooth, "G2": G2 * smooth**2},
    )


def certified(found: WorstCase, width: float) -> bool:
    """Both sides, accepted as they are read back, with the value and what the solver said between them."""
    assert found.status == "certified" and found.upper is not None and found.lower is not None, found
    proved = verifier.verify(json.loads(json.dumps(found.certificate)))
    assert proved["lower"][1] == found.lower
    assert sum(factor * found.quantities[name] for name, factor in proved["upper"].items()) == found.upper
    assert found.solver_value == pytest.approx(found.value, rel=max(1e-5, found.width))
    return 0 <= found.width <= width


@pytest.mark.parametrize(("eta", "rounds", "G2"), [(30, 3, F(1)), (100, 2, F(1)), (1000, 2, F(1, 100))])
def test_what_the_first_frame_leaves_open_is_certified_in_the_second(eta: int, rounds: int, G2: Fraction) -> None:
    """These ended as "lower only" of a tenth of the value."""
    found = expanding(eta, rounds, G2)
    assert certified(found, 1e-5)
    assert found.instance().replay() == pytest.approx(found.value, rel=1e-4)


@pytest.mark.parametrize(("local_steps", "rounds", "eta"), [(2, 2, 30), (3, 1, 100)])
def test_decimals_are_asked_where_no_bound_of_every_length_is_known(local_steps: int, rounds: int, eta: int) -> None:
    """Gradients bounded at queries only: nothing said that the worst case is finite, and floats lost a side or a percent."""
    found = fl.worst_case(
        fl.FedAvg(local_steps, eta), fl.FunctionClass(F(1, 10), 1), rounds=rounds, heterogeneity="bounded gradients"
    )
    assert found.status == "certified" and found.width < 1e-5 and found.lower is not None
    assert found.lower >= (1 - eta) ** 2  # one parabola with a bounded gradient


def test_the_second_frame_does_not_depend_on_units_either() -> None:
    one, other = expanding(30, 3, F(1)), expanding(30, 3, F(1), 10**6)
    assert certified(one, 1e-5) and certified(other, 1e-5)
    assert other.value == pytest.approx(one.value * 1e12, rel=1e-9)


def test_a_wide_enclosure_is_narrowed() -> None:
    """A model of the audit, with a step of 64/L: between 5e-6 and 0.063 was all that was said of 1/16."""
    case = lecture_case("1", s=64, K=1, T=3, G=F(1, 4))
    found = solve_model(case.above, {name: case.quantities[name] for name in case.above.bound_names})
    assert certified(found, 1e-5) and found.lower is not None and found.upper is not None
    assert found.lower <= F(1, 16) <= found.upper


def test_a_tight_answer_asks_for_no_other_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_other(*_: Any) -> Any:
        raise AssertionError("another frame was asked for")

    monkeypatch.setattr(certify, "adapted", no_other)
    found = fl.worst_case(fl.FedAvg(3, F(3, 10)), fl.FunctionClass(F(1, 10), 1))
    assert found.status == "certified"
    with pytest.raises(AssertionError, match="another frame"):
        expanding(100, 2, F(1))


def test_units_come_from_the_answer_and_the_value_is_about_one() -> None:
    """In the first frame the value is 1e-7 of its unit, and vectors are as short."""
    case = lecture_case("1", s=64, K=1, T=3, G=F(1, 4))
    given = {name: case.quantities[name] for name in case.above.bound_names}
    first = reduced(case.above, given)
    answer = solve(first, given)
    other = adapted(first, given, answer.point)
    assert abs(float(first.measure @ answer.point)) < 1e-4
    again = solve(other, given)
    assert 0.1 < abs(float(other.measure @ again.point)) < 10
    for power in (other.measure_factor / _largest(other, case.above), *_ratios(first, other)):
        assert power > 0 and (power.numerator & (power.numerator - 1), power.denominator & (power.denominator - 1)) == (
            0,
            0,
        )


def _largest(problem: Any, model: Any) -> Fraction:
    gram, single = problem.frame.form(model.measure)
    return max(abs(entry) for form in (gram, single) for entry in form.values())


def _ratios(first: Any, other: Any) -> list[Fraction]:
    """What the entries of vectors were multiplied by."""
    return [
        other.frame.images[key][place] / entry
        for key, image in first.frame.images.items()
        for place, entry in image.items()
    ]


@pytest.mark.parametrize("spread", [2, 10, 20])
@pytest.mark.parametrize("seed", range(3))
def test_a_frame_of_any_point_proves_nothing_false(seed: int, spread: int) -> None:
    """Units of a senseless answer: gradient descent's closed form stays between the bounds, where there are any."""
    model = build_model(fl.FedAvg(1, F(3, 2)), fl.FunctionClass(F(1, 10), 1), rounds=2)
    given = dict.fromkeys(model.bound_names, F(1))
    rng = np.random.default_rng([seed, 5])
    problem = reduced(model, given)
    junk = np.exp(rng.uniform(-spread, spread, problem.length))
    junk[rng.random(problem.length) < 0.1 * (spread > 2)] *= -1
    other = adapted(problem, given, junk)
    answer, found = solve(other, given), Enclosure()
    certify._from_floats(found, other, other, given, answer, answer, Forever())
    truth = F(17, 20) ** 4
    assert found.above is None or truth <= found.above
    assert found.below is None or found.below <= truth
    if spread == 2:  # so that the test says something
        assert found.width < 1e-3


def test_a_point_of_zeros_and_one_quantity_of_zero() -> None:
    """No unit is zero; and of a side with vanishing vectors the frame is its own."""
    model = build_model(fl.FedAvg(2, F(3, 10)), fl.FunctionClass(F(1, 10), 1), heterogeneity="gamma", measure="gap")
    given = dict.fromkeys(model.bound_names, F(1))
    problem = reduced(model, given)
    same = adapted(problem, given, np.zeros(problem.length))
    assert np.array_equal(same.pair_rows, problem.pair_rows) and np.array_equal(same.measure, problem.measure)
    shut = expanding(30, 3, F(0))
    assert shut.upper is None or shut.upper >= (shut.lower or 0)


def test_a_side_that_hardly_moves_keeps_its_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drift without a bound of the start has no upper certificate: a lower bound that is 2e-4 better is not worth new evidence."""
    moves = [(None, F(1)), (F(1), None), (F(1), F(1) + F(2, 1000)), (F(1), F(1) - F(2, 1000))]
    assert all(certify._moved(*pair) for pair in moves)
    assert not any(certify._moved(*pair) for pair in [(None, None), (F(1), F(1)), (F(1), F(1) + F(2, 10**4))])
    model = build_model(fl.FedAvg(1, F(1, 2)), fl.FunctionClass(F(1, 10), 1))
    given = dict.fromkeys(model.bound_names, F(1))
    problem = reduced(model, given)
    answer = solve(problem, given)

    def first(found: Enclosure, *_: Any) -> None:
        found.below = F(1)

    def second(found: Enclosure, *_: Any) -> None:
        found.below, found.answer = F(1) + step, answer

    for name, does in (("_from_floats", first), ("_in_frames_of_answers", second)):
        monkeypatch.setattr(certify, name, does)
    for name in ("_precisely", "keep_parabola"):
        monkeypatch.setattr(certify, name, lambda *_: None)
    for step, kept in ((F(2, 10**4), False), (F(2, 1000), True)):
        found = certify.enclose(model, problem, given, answer, Forever())
        assert (found.below, found.answer) == ((1 + step, answer) if kept else (1, None))


def test_no_frame_is_begun_without_time_or_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late:
        def left(self) -> float:
            return 0.0

    def no_other(*_: Any) -> Any:
        raise AssertionError("another frame was asked for")

    monkeypatch.setattr(certify, "adapted", no_other)
    model = build_model(fl.FedAvg(1, F(1, 2)), fl.FunctionClass(F(1, 10), 1))
    given = dict.fromkeys(model.bound_names, F(1))
    problem = reduced(model, given)
    answer = solve(problem, given)
    nothing = Solution("MaxTime", math.nan, {}, np.zeros(0), np.zeros(0), np.zeros(0), math.nan, 0.0, _nan(problem))
    for clock, told in ((Late(), answer), (Forever(), nothing)):
        found = Enclosure()
        certify._in_frames_of_answers(found, problem, problem, given, told, told, clock)
        assert found.answer is None and math.isinf(found.width)


def _nan(problem: Any) -> Array:
    return np.full(problem.length, math.nan)
