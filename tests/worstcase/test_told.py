"""What an answer says of itself: definitions that run, the theorem, and multipliers that add up to the proof."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import fltheory as fl
from fltheory.cli import main
from fltheory.worstcase.multipliers import Multipliers
from fltheory.worstcase.told import Names

CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
STEP = Fraction(1, 4)


@pytest.fixture(scope="module")
def answer() -> Any:
    return fl.worst_case(fl.FedAvg(2, STEP), CLASS, rounds=2)


def run_definitions(lines: list[str], w: Fraction, curvatures: Any, centres: Any) -> dict[str, Any]:
    """The lines as Python, for clients ``c_k (x - b_k)^2 / 2`` on the line."""
    known: dict[str, Any] = {
        "w_0": w,
        "gradient": lambda x: curvatures * (x - centres),
        "average": lambda x: np.mean(x + 0 * curvatures),
        "Fraction": Fraction,
    }
    for line in lines:
        name, _, text = line.partition(" = ")
        text = re.sub(r"(\d+(?:/\d+)?) (?=[a-z])", r"Fraction('\1') * ", text).replace("grad f_k", "gradient")
        known[name] = eval(text, {}, known)
    return known


@pytest.mark.parametrize(
    ("algorithm", "factor"), [(fl.FedAvg(2, STEP), Fraction(1)), (fl.TwoSidedFedAvg(2, STEP, 2), Fraction(2))]
)
def test_the_definitions_are_the_method(algorithm: Any, factor: Fraction) -> None:
    found = fl.worst_case(algorithm, CLASS, rounds=2, certify=False)
    defined = Names(found.model).definitions()
    curvatures = np.array([Fraction(1, 2), Fraction(1), Fraction(1, 3)])
    centres = np.array([Fraction(1), Fraction(-2), Fraction(5)])
    known = run_definitions(defined, Fraction(3), curvatures, centres)
    w = Fraction(3)
    for round in range(2):
        x = w + 0 * curvatures
        for _ in range(2):
            x = x - STEP * curvatures * (x - centres)
        w = w + factor * (np.mean(x) - w)
        assert known[f"w_{round + 1}"] == w
    other = run_definitions([line.replace("1/4", "1/5") for line in defined], Fraction(3), curvatures, centres)
    assert other["w_2"] != w


def test_the_theorem_is_told_with_what_it_assumes(answer: Any) -> None:
    lines = answer.lines()
    (theorem,) = [line for line in lines if line.startswith("|w_2 - w*|^2 <= ")]
    told = dict(reversed(term.split(" ")) for term in theorem.split(" <= ")[1].split(" + "))
    assert {name: Fraction(text) >= answer.bound[name] for name, text in told.items()} == dict.fromkeys(
        answer.bound, True
    )
    assert all(Fraction(told[name]) - factor < Fraction(1, 10**8) for name, factor in answer.bound.items())
    assert "if |w_0 - w*|^2 <= distance" in lines
    assert "if sum_k p_k |grad f_k(w*)|^2 <= heterogeneity" in lines
    assert "for every number of clients, all weights, every dimension" in lines


def test_a_notebook_shows_it_as_text(answer: Any) -> None:
    shown = answer._repr_html_()
    assert "|w_2 - w*|^2 &lt;= " in shown and shown.count("<li>") == len(answer.lines()) - 1
    named = fl.worst_case(fl.FedAvg(1, STEP), CLASS, start={"<script>": "distance"}, certify=False)
    assert "&lt;script&gt;" in named._repr_html_() and "<script>" not in named._repr_html_()


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [
        (fl.FedAvg(2, STEP), {"heterogeneity": "gamma", "measure": "gap"}),
        (fl.OneWayGradientTransfer(2, STEP), {"centre": CLASS, "noise": True, "centre_noise": True, "n_clients": 3}),
        (fl.FedAvg(2, STEP), {"heterogeneity": "bounded gradients"}),
    ],
)
def test_the_multipliers_are_those_of_the_certificate(algorithm: Any, options: dict[str, Any]) -> None:
    """Named inequalities, evaluated as the rows of the certificate, have its sum; each pair is taken apart again."""
    found = fl.worst_case(algorithm, CLASS, **options)
    assert found.certificate is not None
    named = found.multipliers()
    assert all(y > 0 for y in named.values())
    upper: Any = found.certificate["upper"]
    pairs = sum((Fraction(y) for rows in upper["interpolation"].values() for _, _, y, *_ in rows), Fraction(0))
    twice = sum((2 * y for name, y in named.items() if name.startswith("cocoercivity")), Fraction(0))
    once = sum((y for name, y in named.items() if name.startswith("interpolation")), Fraction(0))
    assert twice + once == pairs
    names = Names(found.model)
    kept = Multipliers({}, tuple(Fraction(y) for y in upper["assumptions"])).bound(found.model)
    for bound, factor in kept.items():
        texts = {names.assumption(item) for item in found.model.assumptions if item.bound == bound}
        assert sum((named.get(f"assumption {text}", Fraction(0)) for text in texts), Fraction(0)) == factor


def test_a_pair_is_told_by_what_both_directions_share(answer: Any) -> None:
    upper, names = answer.certificate["upper"], Names(answer.model)
    listed = {(i, j): Fraction(y) for i, j, y in upper["interpolation"]["clients"]}
    named = answer.multipliers()
    registers = sorted({place for pair in listed for place in pair})
    for i, j in itertools.combinations(registers, 2):
        one, other = (names.name(answer.model.instructions[place][1]) for place in (i, j))
        both = named.get(f"cocoercivity of client k between {one} and {other}", Fraction(0))
        assert both + named.get(f"interpolation of client k: f({one}) from {other}", 0) == listed.get((i, j), 0)
        assert both + named.get(f"interpolation of client k: f({other}) from {one}", 0) == listed.get((j, i), 0)


def test_noise_and_sampling_are_expectations() -> None:
    found = fl.worst_case(fl.FedAvg(1, STEP, fl.NormalisedUniform(2)), CLASS, n_clients=4, certify=False)
    assert "E |w_1 - w*|^2" in found.lines()[0]
    assert any("an average is over 2 clients, without replacement" in line for line in found.lines())


def test_what_no_functional_says_is_told() -> None:
    """Assumptions that stand in the coordinates: without them the line above would claim too much."""
    centre: dict[str, Any] = {"centre": CLASS, "n_clients": 3}
    one_way = fl.OneWayGradientTransfer(1, STEP)
    cases: list[tuple[Any, dict[str, Any], set[str]]] = [
        (fl.FedAvg(1, STEP), {}, set()),
        (fl.FedAvg(1, STEP), {"heterogeneity": "none"}, {"same gradient"}),
        (fl.FedAvg(1, STEP), {"noise": True, "n_clients": 3}, {"mean zero", "independent"}),
        (one_way, {**centre, "centre_noise": True}, {"mean zero"}),
        (one_way, {**centre, "noise": True, "centre_noise": True}, {"mean zero", "independent, given the server's"}),
    ]
    words = {"same gradient", "mean zero", "independent", "independent, given the server's"}
    for algorithm, options, expected in cases:
        lines = [
            line for line in fl.worst_case(algorithm, CLASS, certify=False, **options).lines() if line[:3] == "if "
        ]
        said = {word for word in words if any(word in line for line in lines)}
        assert said - {"independent"} == expected - {"independent"}
        assert ("independent" in said) == any("independent" in word for word in expected)


def test_the_command_lists_multipliers_on_request() -> None:
    asked = ["certify", "FedAvg", "--step-size", "1/4", "--mu", "1/10"]
    quiet, told = (CliRunner().invoke(main, [*asked, *more]) for more in ((), ("--multipliers",)))
    assert quiet.exit_code == told.exit_code == 0 and "multiplier " not in quiet.output
    listed = [line.split("  ")[-1] for line in told.output.splitlines() if line.startswith("multiplier ")]
    named = fl.worst_case(fl.FedAvg(1, STEP), CLASS).multipliers()
    assert sorted(listed) == sorted(named) and listed[0] == max(named, key=lambda name: named[name])


def test_without_a_proof_there_are_no_multipliers() -> None:
    found = fl.worst_case(fl.FedAvg(1, STEP), CLASS, certify=False)
    with pytest.raises(ValueError, match="not asked for"):
        found.multipliers()
    assert not any("<=" in line and line.startswith("|w_1") for line in found.lines())
