"""Theorems for all rounds answered by kept certificates: of their own method, class, assumptions and rate, and of no other."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase.kept import NotKept, replaying

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
STEP = Fraction(1, 4)
RATE = Fraction(91, 100)


def asked(local: int = 2, clients: Any = CLIENTS, rho: Any = RATE, **options: Any) -> fl.LyapunovBound:
    return fl.lyapunov(fl.FedAvg(local, STEP), clients, rho=rho, **options)


@pytest.fixture(scope="module")
def found() -> fl.LyapunovBound:
    return asked()


def test_a_kept_certificate_gives_what_it_proves(found: fl.LyapunovBound) -> None:
    with replaying([found.certificate]) as kept:
        answer, any_rate = asked(), asked(rho=None)
    assert (answer.rho, answer.factors, answer.start) == (found.rho, found.factors, found.start)
    assert any_rate.rho == RATE and not kept.unused


@pytest.mark.parametrize(
    "changes",
    [
        {"local": 3},
        {"rho": Fraction(92, 100)},
        {"clients": fl.SmoothStronglyConvex(Fraction(1, 10), 2)},
        {"clients": fl.SmoothStronglyConvex(Fraction(1, 20), 1)},
        {"heterogeneity": "gamma"},
        {"heterogeneity": None},
        {"noise": True, "n_clients": 10},
    ],
)
def test_other_questions_have_none(found: fl.LyapunovBound, changes: dict[str, Any]) -> None:
    with replaying([found.certificate]) as kept, pytest.raises(NotKept, match="no kept certificate is of the rounds"):
        asked(**changes)
    assert len(kept.unused) == 1


def test_a_shared_minimiser_is_no_answer_where_clients_differ() -> None:
    shared = asked(heterogeneity="none")
    with replaying([shared.certificate]):
        assert asked(heterogeneity="none").factors == {}
        with pytest.raises(NotKept):
            asked(heterogeneity="gradients")


def test_what_the_verifier_rejects_is_none(found: fl.LyapunovBound) -> None:
    forged: Any = copy.deepcopy(found.certificate)
    forged["step"]["upper"]["bound"]["lyapunov"] = "9/10"
    with replaying([forged]), pytest.raises(NotKept):
        asked(rho=None)
