"""Worst cases answered by kept certificates: only by those of their own programs, and only by good ones."""

from __future__ import annotations

import copy
import math
from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase.kept import NotKept, replaying, shelf


def asked(step_size: Fraction = Fraction(1, 10)) -> Any:
    return fl.worst_case(fl.FedAvg(1, step_size), fl.SmoothStronglyConvex(1, 10))


@pytest.fixture(scope="module")
def solved() -> Any:
    return asked()


def test_a_kept_certificate_gives_what_it_proves(solved: Any) -> None:
    with replaying([solved.certificate]) as kept:
        answer = asked()
    assert (answer.upper, answer.lower, answer.status) == (solved.upper, solved.lower, "certified")
    assert answer.bound == solved.bound and answer.certificate == solved.certificate
    assert answer.lower <= Fraction(answer.value) <= answer.upper and not kept.unused
    assert math.isnan(answer.solver_value) and shelf() is None


def test_other_programs_have_none(solved: Any) -> None:
    with replaying([solved.certificate]) as kept:
        for ask in (
            lambda: asked(Fraction(1, 20)),
            lambda: fl.worst_case(fl.FedAvg(2, Fraction(1, 10)), fl.SmoothStronglyConvex(1, 10)),
            lambda: fl.worst_case(fl.FedAvg(1, Fraction(1, 10)), fl.SmoothStronglyConvex(1, 9)),
            lambda: fl.worst_case(fl.FedAvg(1, Fraction(1, 10)), fl.SmoothStronglyConvex(1, 10), measure="gap"),
        ):
            with pytest.raises(NotKept, match="no kept certificate is of the program"):
                ask()
        assert len(kept.unused) == 1


def test_a_certificate_that_the_verifier_rejects_is_none(solved: Any) -> None:
    forged = copy.deepcopy(solved.certificate)
    forged["upper"] = asked(Fraction(1, 20)).certificate["upper"]
    with replaying([forged]), pytest.raises(NotKept, match="does not verify"):
        asked()


def test_a_lower_bound_of_other_quantities_is_none(solved: Any) -> None:
    with replaying([solved.certificate]):
        answer = fl.worst_case(
            fl.FedAvg(1, Fraction(1, 10)), fl.SmoothStronglyConvex(1, 10), quantities={"distance": 2}
        )
    assert answer.lower is None and answer.status == "upper only"
    assert answer.upper == solved.upper + solved.bound["distance"]
