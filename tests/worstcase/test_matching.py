"""Certificates of something else: refused under the old claim, and about something else under the claim that fits them."""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import fltheory as fl
from fltheory.algorithms.vocabulary import Vector
from fltheory.cli import main
from fltheory.worstcase import verifier
from fltheory.worstcase.certificate import bare
from fltheory.worstcase.claims import with_claim
from fltheory.worstcase.constants import best_constant
from fltheory.worstcase.formulation import build_model
from fltheory.worstcase.matching import certificate_matches, differences

CLASS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
FEDAVG = fl.FedAvg(2, Fraction(1, 4))
ASKED = ("--local-steps", "2", "--step-size", "1/4", "--mu", "1/10")

OWN = """
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Plain:
    step_size: Any
    steps: int = 2

    def start(self, fed, w):
        return w

    def round(self, fed, w):
        x = fed.send(w)
        for _ in range(self.steps):
            x = x - self.step_size * fed.gradient(x)
        return fed.average(x)


class Shapeless:
    pass


@dataclass(frozen=True)
class Broken(Plain):
    def round(self, fed, w):
        return w.nothing
"""


class Knowing(fl.FedAvg):
    """It reaches below the vocabulary and goes half of the way to the minimiser."""

    def round(self, fed: Any, w: Any) -> Any:
        after = super().round(fed, w)
        best = Vector(fed, {fed.recorder.put(("optimum",)): Fraction(1)})
        return Fraction(1, 2) * after + Fraction(1, 2) * best


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture(scope="module")
def honest() -> dict[str, Any]:
    found = fl.worst_case(FEDAVG, CLASS)
    assert found.status == "certified" and found.certificate is not None
    return json.loads(json.dumps(found.certificate))


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "my_algorithm.py"
    path.write_text(OWN, encoding="utf-8")
    return path


def written(data: dict[str, Any], folder: Path) -> str:
    path = folder / "c.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return str(path)


def times(factor: Fraction, upper: dict[str, Any]) -> dict[str, Any]:
    """All multipliers and the bound, times a factor."""

    def scaled(text: str) -> str:
        return str(factor * Fraction(text))

    return {
        "interpolation": {
            name: [[i, j, scaled(y), *part] for i, j, y, *part in rows] for name, rows in upper["interpolation"].items()
        },
        "assumptions": [scaled(y) for y in upper["assumptions"]],
        "bound": {name: scaled(y) for name, y in upper["bound"].items()},
    }


def zero_at_the_end(data: dict[str, Any]) -> None:
    data["assumptions"].append({**copy.deepcopy(data["measure"]), "bound": None, "scale": "1"})
    data["upper"] = times(Fraction(0), data["upper"])
    data["upper"]["assumptions"].append("1")


def twice_the_distance(data: dict[str, Any]) -> None:
    data["assumptions"][0]["inner"][0][0] = "2"
    for name, place in (("assumptions", 0), ("bound", "distance")):
        data["upper"][name][place] = str(Fraction(data["upper"][name][place]) / 2)


def a_thousandth(data: dict[str, Any]) -> None:
    data["measure"]["inner"][0][0] = "1/1000"
    data["upper"] = times(Fraction(1, 1000), data["upper"])


def empty(data: dict[str, Any]) -> None:
    data["measure"]["inner"] = []
    data["upper"] = times(Fraction(0), data["upper"])


def swapped(data: dict[str, Any]) -> None:
    first, second = data["assumptions"]
    first["bound"], second["bound"] = second["bound"], first["bound"]
    bound = data["upper"]["bound"]
    bound["distance"], bound["heterogeneity"] = bound["heterogeneity"], bound["distance"]


def half_the_scale(data: dict[str, Any]) -> None:
    data["assumptions"][0]["scale"] = "1/2"
    data["upper"]["bound"]["distance"] = str(Fraction(data["upper"]["bound"]["distance"]) / 2)


FORGERIES: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (zero_at_the_end, "assumption 2: 1 <r5, r5> <= 0; expected none"),
    (twice_the_distance, "assumption 0: 2 <r0, r0> <= 1 distance; expected 1 <r0, r0> <= 1 distance"),
    (a_thousandth, "measure: 1/1000 <r5, r5>; expected 1 <r5, r5>"),
    (empty, "measure: 0; expected 1 <r5, r5>"),
    (swapped, "assumption 0: 1 <r0, r0> <= 1 heterogeneity; expected 1 <r0, r0> <= 1 distance"),
    (half_the_scale, "assumption 0: 1 <r0, r0> <= 1/2 distance; expected"),
]


@pytest.mark.parametrize(("forge", "reason"), FORGERIES, ids=[forge.__name__ for forge, _ in FORGERIES])
def test_what_is_proved_of_something_else_is_told(
    honest: dict[str, Any], tmp_path: Path, forge: Callable[[dict[str, Any]], None], reason: str
) -> None:
    data = copy.deepcopy(honest)
    del data["lower"]
    asked = ("--algorithm", "FedAvg", *ASKED)
    before = run("check-certificate", written(data, tmp_path), *asked)
    assert before.exit_code == 0 and "yes: it is about this method" in before.output, before.output
    proved = before.output.splitlines()[1]
    assert "|w_1 - w*|^2 <= " in proved and "|w_0 - w*|^2" in proved
    forge(data)
    with pytest.raises(verifier.Rejected, match="claim: the (measure|assumptions) said to be"):
        verifier.verify(data)
    data = with_claim(data, tuple(data["claim"]["models"]), data["claim"]["algorithm"])
    assert verifier.verify(data)["upper"] is not None
    assert not certificate_matches(data, FEDAVG, CLASS)
    path = written(data, tmp_path)
    assert run("check-certificate", path).exit_code == 0
    told = run("check-certificate", path, *asked)
    assert told.exit_code == 1 and "NO: it is not about this method" in told.output and reason in told.output
    assert proved not in told.output  # the theorem that was asked for is not what this certificate proves


def test_a_method_that_knows_the_minimiser_is_none(tmp_path: Path) -> None:
    """No certificate says it, whoever writes the file."""
    knowing = Knowing(2, Fraction(1, 4))
    with pytest.raises(ValueError, match="made of register 6, the optimum, which no method knows"):
        fl.worst_case(knowing, CLASS)
    model = build_model(knowing, CLASS)
    claim = {"algorithm": None, "rounds": 1, "models": [0, 7], "measure": "distance", "assumptions": ["distance"]}
    data = json.loads(json.dumps({**bare(model), "format": verifier.FORMAT, "claim": claim}))
    best = best_constant(dataclasses.replace(model, method_length=0, models=()), "heterogeneity", {"distance": 1})
    assert best.certificate is not None
    told = run("check-certificate", written({**data, "upper": best.certificate["upper"]}, tmp_path))
    assert told.exit_code == 1 and "REJECTED" in told.output, told.output


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--rounds", "2"), "program: register 6"),
        (("--local-steps", "3"), "program: register"),
        (("--step-size", "1/5"), "program: register 2 is"),
        (("--mu", "1/20"), "classes, clients: ['1/10', '1']; expected ['1/20', '1']"),
        (("--L", "2"), "classes, clients"),
        (("--measure", "gap"), "measure: 1 <r5, r5>; expected 1 f[r"),
        (("--start", "gap"), "assumption 0"),
        (("--heterogeneity", "none"), "assumption 1: 1 <r7, r7> <= 1 heterogeneity; expected none"),
        (("--heterogeneity", "unbounded"), "assumption 1: 1 <r7, r7> <= 1 heterogeneity; expected none"),
        (("--cohort", "2", "--n-clients", "4"), "shares, scheme: full; expected without replacement"),
        (("--noise", "--n-clients", "4"), "shares, clients: None; expected 4"),
        (("--quantity", "distance=2"), "lower bound: at distance = 1; expected 2"),
    ],
)
def test_another_question_is_told(
    honest: dict[str, Any], tmp_path: Path, options: tuple[str, ...], reason: str
) -> None:
    told = run("check-certificate", written(honest, tmp_path), "--algorithm", "FedAvg", *ASKED, *options)
    assert told.exit_code == 1 and reason in told.output, told.output


def test_malformed_data_are_about_nothing(honest: dict[str, Any]) -> None:
    model = build_model(FEDAVG, CLASS)
    assert differences(honest, model) == ()
    for name, part in honest.items():
        for wrong in (None, 1, [], {}, [None], "x", [part], {"x\n": part}, float("nan"), object()):
            assert name in ("upper", "lower") or differences({**honest, name: wrong}, model)
        if name not in ("upper", "lower"):
            assert differences({key: entry for key, entry in honest.items() if key != name}, model)
    said = differences({**honest, "it holds\nfor all": 1}, model)
    assert len(said) == 1 and "\n" not in said[0]
    assert differences({**honest, "method_length": 6.0}, model)
    assert differences({**honest, "classes": {**honest["classes"], "all methods": None}}, model)


def test_a_method_of_ones_own(own: Path, tmp_path: Path) -> None:
    path, asked = str(tmp_path / "own.json"), ("--step-size", "1/4", "--mu", "1/10")
    made = run("certify", f"{own}:Plain", *asked, "--output", path)
    assert made.exit_code == 0, made.output
    for options, code in (
        (("--file", f"{own}:Plain", *asked), 0),
        (("--file", f"{own}:Plain", *asked, "--set", "steps=3"), 1),
        (("--algorithm", "FedAvg", *asked, "--local-steps", "2"), 0),  # the same program under another name
        (("--algorithm", "FedAvg", *asked), 1),
    ):
        assert run("check-certificate", path, *options).exit_code == code
    longer = run("certify", f"{own}:Plain", *asked, "--set", "steps=3")
    assert longer.exit_code == 0 and longer.output != made.output


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("", (), "names no class"),
        (":Plan", (), "did you mean Plain"),
        (":Shapeless", (), "has no 'start'"),
        (":Plain", (), "needs step_size: expected --step-size NUMBER"),
        (":Plain", ("--step-size", "1", "--set", "steps=1", "--local-steps", "2"), "Plain has no 'local_steps'"),
        (":Plain", ("--step-size", "1", "--set", "step_size=2"), "name it once"),
        (":Plain", ("--step-size", "1", "--cohort", "2"), "Plain has no 'participation'"),
        (":Broken", ("--step-size", "1"), "AttributeError"),
    ],
)
def test_what_is_wrong_with_a_method_of_ones_own(own: Path, name: str, options: tuple[str, ...], words: str) -> None:
    told = run("certify", f"{own}{name}", *options)
    assert told.exit_code == 2 and words in told.output, told.output


def test_a_file_that_fails_and_words_that_do_not_fit(own: Path, honest: dict[str, Any], tmp_path: Path) -> None:
    path = written(honest, tmp_path)
    failing = tmp_path / "failing.py"
    for text, words in (("raise SystemExit(0)", "SystemExit"), ("1 +", "SyntaxError"), ("import nosuch", "nosuch")):
        failing.write_text(text, encoding="utf-8")
        told = run("certify", f"{failing}:Plain", "--step-size", "1")
        assert told.exit_code == 2 and words in told.output
    for options, words in (
        (("--mu", "1/10"), "--mu without --algorithm or --file"),
        (("--algorithm", "FedAvg", "--file", f"{own}:Plain"), "name one of them"),
        (("--algorithm", f"{own}:Plain", *ASKED), "--file is FILE.py:Class"),
        (("--file", "FedAvg", *ASKED), "--file is FILE.py:Class"),
        (("--algorithm", "FedAvgg", *ASKED), "did you mean FedAvg"),
        (("--algorithm", "FedAvg", *ASKED, "--quantity", "splendid=1"), "splendid"),
        (("--algorithm", "FedAvg", *ASKED, "--quantity", "distance=1", "--quantity", "distance=2"), "given twice"),
        (("--file", f"{tmp_path}/none.py:Plain"), "is no file"),
    ):
        told = run("check-certificate", path, *options)
        assert told.exit_code == 2 and words in told.output, told.output


def test_certificates_of_another_kind_are_not_compared(tmp_path: Path) -> None:
    found = fl.lyapunov(fl.FedAvg(1, 0.25), fl.SmoothStronglyConvex(0.1, 1))
    path = tmp_path / "lyapunov.json"
    found.save(path)
    told = run("check-certificate", str(path), "--algorithm", "FedAvg", "--step-size", "1/4", "--mu", "1/10")
    assert told.exit_code == 1 and "no answer" in told.output


def test_the_scheme_and_the_number_of_clients_count() -> None:
    sampled = dataclasses.replace(FEDAVG, participation=fl.NormalisedUniform(2))
    found = fl.worst_case(sampled, CLASS, n_clients=4)
    assert found.certificate is not None
    assert certificate_matches(found.certificate, sampled, CLASS, n_clients=4)
    assert not certificate_matches(found.certificate, sampled, CLASS, n_clients=5)
    assert not certificate_matches(found.certificate, FEDAVG, CLASS, n_clients=4)
