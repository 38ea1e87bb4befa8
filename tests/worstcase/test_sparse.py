"""Short proofs: fewer inequalities, a bound within the slack, the same theorem and instance, accepted by the verifier."""

from __future__ import annotations

import copy
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fltheory as fl
from fltheory.cli import main
from fltheory.worstcase import verifier
from fltheory.worstcase.answer import WorstCase
from fltheory.worstcase.kept import replaying
from fltheory.worstcase.matching import certificate_matches
from fltheory.worstcase.sparse import length

F = Fraction
CLIENTS = fl.SmoothStronglyConvex(F(1, 10), 1)
CLASSES = fl.ClientClasses([CLIENTS, fl.SmoothStronglyConvex(F(1, 2), 2)], shares=["1/3", "2/3"])
CONVEX = fl.SmoothConvex(1)
QUARTER, SLACK = F(1, 4), F(1, 10**4)


def upper(answer: WorstCase) -> dict[str, Any]:
    assert answer.certificate is not None
    found: Any = answer.certificate["upper"]
    return dict(found)


def shortened(before: WorstCase, slack: Fraction = SLACK) -> WorstCase:
    """The short answer, with all that it promises checked."""
    after = before.sparse(slack)
    assert before.upper is not None and after.upper is not None and after.certificate is not None
    proved = verifier.verify(after.certificate)
    assert sum(factor * after.quantities[name] for name, factor in proved["upper"].items()) == after.upper
    assert after.bound == proved["upper"] and after.upper <= (1 + slack) * before.upper
    assert after.lower == before.lower and after.status == before.status and after.note == ""
    assert length(upper(after)) < length(upper(before))
    assert before.certificate is not None and before.certificate.get("lower") == after.certificate.get("lower")
    assert before.certificate["claim"] == after.certificate["claim"]
    assert after.value <= float(after.upper) and (after.lower is None or float(after.lower) <= after.value)
    return after


@pytest.mark.parametrize(("steps", "rounds", "most"), [(2, 1, 4), (3, 1, 6), (1, 3, 6), (3, 2, 13), (3, 3, 21)])
def test_about_two_inequalities_for_each_query(steps: int, rounds: int, most: int) -> None:
    method = fl.FedAvg(steps, QUARTER)
    found = shortened(fl.worst_case(method, CLIENTS, rounds=rounds))
    assert length(upper(found)) <= most
    assert found.certificate is not None
    assert certificate_matches(found.certificate, method, CLIENTS, rounds=rounds)


@pytest.mark.parametrize(
    ("method", "clients", "options"),
    [
        (fl.FedAvg(3, QUARTER), CLIENTS, {"noise": True, "n_clients": 10}),
        (fl.FedAvg(3, QUARTER, participation=fl.SchemeI(3)), CLIENTS, {}),
        (fl.FedAvg(3, QUARTER), CLIENTS, {"heterogeneity": "identical"}),
        (fl.FedAvg(3, QUARTER), CLIENTS, {"heterogeneity": "gamma"}),
        (fl.FedAvg(2, QUARTER), CLIENTS, {"heterogeneity": fl.Dissimilarity(2), "rounds": 2}),
        (fl.FedAvg(2, QUARTER), CONVEX, {"measure": "gap", "rounds": 2, "lower": False}),
        (fl.FedAvg(2, QUARTER), CLIENTS, {"quantities": {"heterogeneity": 0}}),
        (fl.FedLAMA(base=1, factor=2, step_size=QUARTER, intervals=(1, 2)), CLIENTS, {}),
        (fl.OneWayGradientTransfer(3, QUARTER), CLIENTS, {"centre": CONVEX}),
        (fl.FedProxExact(1, F(1, 2)), CLIENTS, {"rounds": 2}),
        (fl.Scaffold(2, QUARTER), CLIENTS, {"rounds": 2}),
        (fl.FedAvg(2, QUARTER), CLASSES, {}),
        (fl.FedAvg(2, F(250)), fl.SmoothStronglyConvex(F(1, 10**4), F(1, 1000)), {"rounds": 2}),
    ],
)
def test_whatever_a_certificate_is_about(method: Any, clients: Any, options: dict[str, Any]) -> None:
    shortened(fl.worst_case(method, clients, **options))


def test_the_proof_of_two_local_steps_is_two_cocoercivities() -> None:
    names = shortened(fl.worst_case(fl.FedAvg(2, QUARTER), CLIENTS)).multipliers()
    assert sorted(name for name in names if "client" in name) == [
        "cocoercivity of client k between w_0 and w*",
        "cocoercivity of client k between x_1 and w*",
    ]
    assert all(len(str(y)) <= 16 for y in names.values())


def test_no_inequality_can_be_left_out() -> None:
    """The control: without any one of its multipliers the certificate proves nothing."""
    found = shortened(fl.worst_case(fl.FedAvg(3, QUARTER), CLIENTS))
    count = length(upper(found))
    for place in range(count):
        broken: Any = copy.deepcopy(found.certificate)
        del broken["upper"]["interpolation"]["clients"][place]
        with pytest.raises(verifier.Rejected):
            verifier.verify(broken)


def test_a_claimed_bound_below_the_proof_is_rejected() -> None:
    found = shortened(fl.worst_case(fl.FedAvg(2, QUARTER), CLIENTS))
    broken: Any = copy.deepcopy(found.certificate)
    broken["upper"]["bound"]["distance"] = str(found.bound["distance"] * F(999, 1000))
    with pytest.raises(verifier.Rejected):
        verifier.verify(broken)


def test_a_larger_slack_is_kept_to_and_gives_no_longer_proof() -> None:
    found = fl.worst_case(fl.FedAvg(3, QUARTER), CLIENTS, rounds=2)
    narrow, wide = shortened(found, F(1, 10**5)), shortened(found, F(1, 20))
    assert length(upper(wide)) <= length(upper(narrow))


@pytest.mark.parametrize(
    ("method", "clients", "options", "most"),
    [
        (fl.FedAvg(1, F(1, 2)), CLIENTS, {"rounds": 3}, 6),
        (fl.FedAvg(5, QUARTER), CLIENTS, {"heterogeneity": "identical"}, 10),
        (fl.FedAvg(1, F(1)), CONVEX, {"measure": "gap", "rounds": 3}, 8),
    ],
)
@pytest.mark.parametrize("slack", [F(0), SLACK])
def test_an_attained_bound_stays(
    method: Any, clients: Any, options: dict[str, Any], most: int, slack: Fraction
) -> None:
    before = fl.worst_case(method, clients, exact=True, **options)
    assert before.upper == before.lower
    after = shortened(before, slack)
    assert after.upper == before.upper == after.lower and length(upper(after)) <= most


def test_no_slack_without_an_instance_that_attains_the_bound() -> None:
    found = fl.worst_case(fl.FedAvg(2, QUARTER), CLIENTS)
    with pytest.raises(ValueError, match="slack=0 leaves no room for rounding"):
        found.sparse(0)
    for slack in (-1e-4, math.nan, math.inf, "much", None):
        with pytest.raises(ValueError, match="is no number >= 0"):
            found.sparse(slack)  # type: ignore[arg-type]


def test_where_nothing_is_shorter_a_note_says_so() -> None:
    found = fl.worst_case(fl.FedAvg(1, QUARTER), CLIENTS)
    same = found.sparse()
    assert same.certificate == found.certificate and same.upper == found.upper
    assert same.note == "no shorter proof: none was found within the slack" and same.note in repr(same)
    late = fl.worst_case(fl.FedAvg(3, QUARTER), CLIENTS, rounds=3)
    assert late.sparse(time_limit=1e-9).note == "no shorter proof: the time was up"
    none = fl.worst_case(fl.FedAvg(1, QUARTER), CLIENTS, certify=False).sparse()
    assert none.upper is None and none.note == "no shorter proof: no upper bound was certified (not asked for)"


def test_a_short_certificate_is_kept_and_answers_by_itself() -> None:
    found = shortened(fl.worst_case(fl.FedAvg(3, QUARTER), CLIENTS))
    assert found.certificate is not None
    with replaying([found.certificate]):
        again = fl.worst_case(fl.FedAvg(3, QUARTER), CLIENTS).sparse()
    assert again.upper == found.upper and again.certificate == found.certificate


def test_the_command_writes_the_short_certificate(tmp_path: Path) -> None:
    path = tmp_path / "short.json"
    question = ["--local-steps", "3", "--step-size", "1/4", "--mu", "1/10"]
    result = CliRunner().invoke(main, ["certify", "FedAvg", *question, "--sparse", "--output", str(path)])
    assert result.exit_code == 0 and "proof         6 interpolation inequalities" in result.output, result.output
    assert length(json.loads(path.read_text())["upper"]) == 6
    checked = CliRunner().invoke(main, ["check-certificate", str(path), "--algorithm", "FedAvg", *question])
    assert checked.exit_code == 0 and "yes: it is about this method" in checked.output
