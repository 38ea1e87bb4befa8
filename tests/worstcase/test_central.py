"""Points near the central path: strictly inside, near Clarabel's answer, certified as they are; none where none are inside."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import fltheory as fl
from fltheory.worstcase import certify, verifier
from fltheory.worstcase.central import ACCEPTED, central
from fltheory.worstcase.certify import from_inside, reduced
from fltheory.worstcase.enclosure import Enclosure, keep_lower
from fltheory.worstcase.entry import TimeLeft
from fltheory.worstcase.formulation import build_model
from fltheory.worstcase.normalised import Normalised
from fltheory.worstcase.solver import Solution, solve

CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
ONES = {"distance": Fraction(1), "heterogeneity": Fraction(1)}


def asked(local_steps: int = 3, rounds: int = 2) -> tuple[Normalised, Solution]:
    problem = reduced(build_model(fl.FedAvg(local_steps, Fraction(1, 4)), CLASS, rounds=rounds), ONES)
    found = central(problem, ONES)
    assert found is not None
    return problem, found


@pytest.mark.parametrize(("local_steps", "rounds"), [(1, 1), (3, 2), (5, 3), (2, 6)])
def test_both_points_are_strictly_inside(local_steps: int, rounds: int) -> None:
    problem, found = asked(local_steps, rounds)
    rows = np.concatenate([problem.pair_rows, problem.assumption_rows])
    right = np.concatenate([np.zeros(len(problem.pair_rows)), problem.right(ONES)])
    multipliers = np.concatenate([found.pairs, found.assumptions])
    assert (rows @ found.point < right).all() and (multipliers > 0).all()
    slack = multipliers @ rows - problem.measure
    assert np.abs(slack[problem.gram_length :]).max() < 1e-9
    for z in (found.point, slack):
        assert all(np.linalg.eigvalsh(matrix)[0] > 0 for matrix in problem.matrices(z).values())
    above, below = float(right @ multipliers), float(problem.measure @ found.point)
    assert 0 < above - below <= ACCEPTED * below
    apart = abs(solve(problem, ONES).value - found.value)
    assert apart <= 2 * ACCEPTED * found.value


def test_many_unknowns_are_certified_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clarabel is not asked, and the enclosure is narrower than what its answers gave (5.5e-6)."""

    def refuse(*_: object, **__: object) -> Solution:
        raise AssertionError("nothing is left to ask")

    monkeypatch.setattr(certify, "solve", refuse)
    answer = fl.worst_case(fl.FedAvg(8, Fraction(1, 4)), CLASS, rounds=3)
    assert answer.status == "certified" and answer.width <= 2e-6
    assert answer.lower is not None and answer.upper is not None and answer.certificate is not None
    proved = verifier.verify(answer.certificate)
    assert sum(proved["upper"].values()) == answer.upper and proved["lower"][1] == answer.lower
    forged = {**answer.certificate, "lower": {**answer.certificate["lower"], "value": str(answer.upper * 2)}}
    with pytest.raises(verifier.Rejected, match="below the claimed"):
        verifier.verify(forged)


def test_fewer_digits_cost_nothing_and_prove_the_same() -> None:
    problem, found = asked()
    short, long = Enclosure(), Enclosure()
    assert keep_lower(short, problem, ONES, found.point, 10**14, short=True)
    assert keep_lower(long, problem, ONES, found.point, 10**14)
    assert short.below is not None and long.below is not None and short.lower is not None and long.lower is not None
    assert abs(short.below - long.below) <= Fraction(1, 10**12)
    assert len(str(short.lower["blocks"])) < len(str(long.lower["blocks"]))
    outside = 1.01 * found.point
    assert not keep_lower(Enclosure(), problem, ONES, outside, 10**14, short=True)


def test_it_gives_up_where_nothing_is_inside_and_where_time_is_over() -> None:
    layered = fl.FedLAMA(base=1, factor=2, step_size=Fraction(1, 4), intervals=(1, 2))
    problem = reduced(build_model(layered, CLASS), ONES)
    assert central(problem, ONES) is None  # opposite inequalities: equations
    problem, _ = asked()
    assert central(problem, ONES, time_limit=0.0) is None


def test_few_unknowns_are_left_to_clarabel() -> None:
    problem, _ = asked()
    assert from_inside(problem, ONES, TimeLeft(None)) is None
