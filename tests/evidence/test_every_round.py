"""Rows for every number of rounds: what is kept is verified without the script, and what is tampered with is refused."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

import fltheory as fl
from fltheory.evidence.certificates import can_verify, verify_certificate
from fltheory.evidence.every_round import EveryRound, ExactRun, at_every_round, exact_run
from fltheory.evidence.model import Control, Kind, Outcome, Rung, Scope, claim
from fltheory.evidence.replay import can_replay, replayed
from fltheory.evidence.rows import row_of

ONE, STEP, MU = Fraction(1), Fraction(1, 4), Fraction(1, 10)
CLIENTS = fl.SmoothStronglyConvex(MU, ONE)
RATE = 1 - Fraction(999, 1000) * (1 - (1 - STEP * MU) ** 4)


def flat_run() -> ExactRun:
    problem = fl.QuadraticProblem([[[MU]]] * 2, [[Fraction(0)]] * 2)
    return exact_run("flat clients", problem, fl.FedAvg(2, STEP), rounds=2, start=ONE)


def setting(**changes: Any) -> EveryRound:
    floor = {"heterogeneity": Fraction(1, 10)}
    plain = EveryRound("E = 2", fl.FedAvg(2, STEP), CLIENTS, RATE, {"distance": ONE}, floor, runs=(flat_run(),))
    return replace(plain, **changes)


@claim(
    "OWN-ROUNDS",
    kind=Kind.INEQUALITY,
    scope=Scope.GENERAL,
    statement="E = 2",
    printed=dict(rate=RATE),
    controls=[Control("faster", dict(rate=RATE - Fraction(1, 1000)))],
)
def rounds(rate: Fraction) -> Any:
    return at_every_round([setting(rate=rate)], valid_for="E = 2")


@pytest.fixture(scope="module")
def row() -> Any:
    return row_of(rounds, document="own")


def test_the_row_holds_and_is_bound_to_its_programs(row: Any) -> None:
    assert (row["verdict"], row["rung"]) == ("holds", Rung.WORST_CASE.value) and not row["problems"]
    (kept,) = row["certificate"].values()
    assert can_verify(kept) and verify_certificate(kept) == (True, "verified") and can_replay(row)
    again = replayed(rounds, row["certificate"], document="own")
    assert again["verdict"] == "holds" and not again["problems"] and again["certificate"] == row["certificate"]


def test_a_certificate_of_another_method_does_not_carry_the_row(row: Any) -> None:
    other = fl.lyapunov(fl.FedAvg(3, STEP), CLIENTS, rho=RATE).certificate
    again = replayed(rounds, {"E = 2": other}, document="own")
    assert again["status"] != "done" or again["verdict"] != "holds"
    more = replayed(rounds, {**row["certificate"], "E = 3": other}, document="own")
    assert any("of no program" in text for text in more["problems"])


def _rate(data: Any) -> None:
    data["step"]["upper"]["bound"]["lyapunov"] = "1/2"


def _weight(data: Any) -> None:
    data["step"]["measure"]["inner"][0][0] = "1/2"


def _distance(data: Any) -> None:
    data["floor"]["measure"]["inner"][0][0] = "1/1000"


def _step_size(data: Any) -> None:
    terms = next(item for item in data["step"]["program"] if item[0] == "combine")[1]
    terms[-1][0] = "-1/2"


def _multiplier(data: Any) -> None:
    data["step"]["upper"]["assumptions"][0] = "1/2"


def _format(data: Any) -> None:
    data["format"] = "fltheory lyapunov 2"


def _class(data: Any) -> None:
    data["step"]["classes"]["clients"] = ["1/5", "1"]


@pytest.mark.parametrize("forge", [_rate, _weight, _distance, _step_size, _multiplier, _class, _format])
def test_what_was_tampered_with_is_refused(row: Any, forge: Callable[[Any], None]) -> None:
    forged = copy.deepcopy(next(iter(row["certificate"].values())))
    forge(forged)
    assert not can_verify(forged) or not verify_certificate(forged)[0]


def test_what_is_claimed_too_small_is_refuted_or_left_open() -> None:
    least = (1 - STEP * MU) ** 4
    broken = at_every_round([setting(rate=least * Fraction(9999, 10000))], valid_for="")
    assert broken.outcome is Outcome.REFUTED and broken.rung is Rung.EXACT and "flat clients" in broken.counterexample
    slow = at_every_round([setting(printed=RATE)], valid_for="")
    assert slow.outcome is Outcome.REFUTED and "is not below" in slow.counterexample
    for changes in ({"floor": {}}, {"start": {"distance": ONE}, "floor": {"heterogeneity": Fraction(1, 1000)}}):
        assert at_every_round([setting(**changes)], valid_for="").outcome is Outcome.NOT_REFUTED


@pytest.mark.parametrize(
    ("changes", "words"), [({"rate": ONE}, "rate=1 of 'E = 2'"), ({"runs": ()}, "none ends off the minimiser")]
)
def test_claims_that_cannot_fail_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        setting(**changes)
