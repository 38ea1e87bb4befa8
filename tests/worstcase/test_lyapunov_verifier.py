"""Nothing false passes the verifier of Lyapunov certificates: forgeries, one by one."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import fltheory as fl
from fltheory.worstcase import lyapunov_verifier, verifier

CLIENTS = fl.SmoothStronglyConvex(Fraction(1, 10), 1)
Data = dict[str, Any]


def _data(algorithm: Any, **options: Any) -> Data:
    found = fl.lyapunov(algorithm, CLIENTS, **options)
    assert found.certificate is not None
    made: Data = json.loads(json.dumps(found.certificate))
    return made


@pytest.fixture(scope="module")
def scaffold() -> Data:
    return _data(fl.Scaffold(2, Fraction(1, 4)))


@pytest.fixture(scope="module")
def fedavg() -> Data:
    return _data(fl.FedAvg(3, Fraction(1, 4)))


def _v(data: Data) -> Data:
    found: Data = next(item for item in data["step"]["assumptions"] if item["bound"] == "lyapunov")
    return found


def _weight_after(data: Data) -> None:
    data["step"]["measure"]["inner"][0][0] = "1/2"


def _weight_before(data: Data) -> None:
    _v(data)["inner"][0][0] = "2"


def _weights_of_all_but_the_floor(data: Data) -> None:
    for part in (_v(data), data["step"]["measure"], data["start"]["measure"]):
        for term in part["inner"]:
            term[0] = str(Fraction(term[0]) / 1000)


def _half(data: Data) -> None:
    """V/2 everywhere, which is no longer at least the distance, though every part is a theorem."""
    _weights_of_all_but_the_floor(data)
    for term in data["floor"]["assumptions"][0]["inner"]:
        term[0] = str(Fraction(term[0]) / 1000)
    for name, factor in data["start"]["upper"]["bound"].items():
        data["start"]["upper"]["bound"][name] = str(Fraction(factor) / 1000)
    bound = data["step"]["upper"]["bound"]
    data["step"]["upper"]["bound"] = {
        name: factor if name == "lyapunov" else str(Fraction(factor) / 1000) for name, factor in bound.items()
    }
    for part in ("start", "step"):
        kept = data[part]["upper"]
        held = [item["bound"] for item in data[part]["assumptions"]]
        kept["assumptions"] = [
            y if bound == "lyapunov" else str(Fraction(y) / 1000)
            for y, bound in zip(kept["assumptions"], held, strict=True)
        ]
        for listed in kept["interpolation"].values():
            for entry in listed:
                entry[2] = str(Fraction(entry[2]) / 1000)
    floor = data["floor"]["upper"]
    floor["assumptions"] = [str(1000 * Fraction(y)) for y in floor["assumptions"]]
    floor["bound"]["lyapunov"] = str(1000 * Fraction(floor["bound"]["lyapunov"]))


def _rate_in_the_bound(data: Data) -> None:
    data["step"]["upper"]["bound"]["lyapunov"] = "7/10"


def _rate(data: Data) -> None:
    _rate_in_the_bound(data)
    place = data["step"]["assumptions"].index(_v(data))
    data["step"]["upper"]["assumptions"][place] = "7/10"


def _assume(part: str, item: Data, *, multiplier: str = "0") -> Callable[[Data], None]:
    def forge(data: Data) -> None:
        data[part]["assumptions"].append(item)
        data[part]["upper"]["assumptions"].append(multiplier)
        if item["bound"] is not None:
            data[part]["upper"]["bound"].setdefault(item["bound"], multiplier)

    return forge


def _square(register: int, bound: str | None, scale: str = "1") -> Data:
    return {"inner": [["1", register, register]], "values": [], "bound": bound, "scale": scale}


def _scaled_v(data: Data) -> None:
    _v(data)["scale"] = "1/2"
    data["step"]["upper"]["bound"]["lyapunov"] = str(Fraction(data["step"]["upper"]["bound"]["lyapunov"]) / 2)


def _two_vs(data: Data) -> None:
    _assume("step", copy.deepcopy(_v(data)))(data)


def _floor_measure(data: Data) -> None:
    for term in data["floor"]["measure"]["inner"]:
        term[0] = "1/1000"


def _no_floor(data: Data) -> None:
    data["floor"]["measure"] = {"inner": [], "values": []}


def _other_classes(data: Data) -> None:
    data["floor"]["classes"]["clients"] = ["1/2", "1"]


def _other_shares(data: Data) -> None:
    data["start"]["shares"]["clients"] = 5
    data["start"]["shares"].pop("noise")


def _server_loss_in_the_floor(data: Data) -> None:
    """A loss of the server's own that is nowhere else: the floor holds, of other instances."""
    for part in ("step", "floor", "start"):
        data[part]["classes"]["centre"] = ["0", "1"]
    given = {"inner": [["1", 0, 0]], "values": []}
    data["floor"] |= {
        "program": [["given", "server", 1], ["optimum"], ["centre", 1]],
        "method_length": 1,
        "assumptions": [{**given, "bound": "lyapunov", "scale": "1"}],
        "measure": given,
        "upper": {"interpolation": {}, "assumptions": ["1"], "bound": {"lyapunov": "1"}},
    }


def _start_measure(data: Data) -> None:
    data["start"]["measure"] = {"inner": [], "values": []}


def _start_distance(data: Data) -> None:
    for item in data["start"]["assumptions"]:
        if item["bound"] == "distance":
            item["inner"][0][0] = "2"
    place = [item["bound"] for item in data["start"]["assumptions"]].index("distance")
    upper = data["start"]["upper"]
    for listed, key in ((upper["assumptions"], place), (upper["bound"], "distance")):
        listed[key] = str(Fraction(listed[key]) / 2)


def _heterogeneity_of_another_point(data: Data) -> None:
    for part in ("step", "start"):
        for item in data[part]["assumptions"]:
            if item["bound"] == "heterogeneity":
                item["bound"] = "noise"
        bound = data[part]["upper"]["bound"]
        if "heterogeneity" in bound:
            bound["noise"] = bound.pop("heterogeneity")


FORGERIES: list[tuple[str, Callable[[Data], None]]] = [
    ("step: the measure is not V", _weight_after),
    ("step: the measure is not V", _weight_before),
    ("step: claimed bound", _rate_in_the_bound),
    ("step: .*not positive semidefinite", _rate),
    ("not positive semidefinite", _weights_of_all_but_the_floor),
    ("V may be less than", _half),
    ("V is not bounded once, with scale one", _scaled_v),
    ("V is not bounded once, with scale one", _two_vs),
    ("an assumption on None", _assume("step", _square(0, None))),
    ("an assumption on 'distance'", _assume("step", _square(0, "distance"))),
    ("not what 'heterogeneity' stands for", _assume("step", _square(0, "heterogeneity"))),
    ("not what 'noise' stands for", _assume("step", _square(0, "noise"))),
    ("scale of 'heterogeneity'", _assume("step", _square(0, "heterogeneity", "1/7"))),
    ("an assumption on 'small'", _assume("start", _square(0, "small"))),
    ("another assumption beside V", _assume("floor", _square(0, None))),
    ("not \\|w - w\\*\\|\\^2", _floor_measure),
    ("not \\|w - w\\*\\|\\^2", _no_floor),
    ("floor: other classes", _other_classes),
    ("start: other shares", _other_shares),
    ("in some parts only", _server_loss_in_the_floor),
    ("start: the measure", _start_measure),
    ("start: no distance", _start_distance),
    ("stands for", _heterogeneity_of_another_point),
]


@pytest.mark.parametrize(
    ("words", "forge"), FORGERIES, ids=[forge.__qualname__.split(".")[0] + words for words, forge in FORGERIES]
)
@pytest.mark.parametrize("name", ["scaffold", "fedavg"])
def test_a_forgery_is_rejected(name: str, words: str, forge: Callable[[Data], None], request: Any) -> None:
    data = copy.deepcopy(request.getfixturevalue(name))
    lyapunov_verifier.verify(data)
    forge(data)
    with pytest.raises(verifier.Rejected, match=words):
        lyapunov_verifier.verify(data)


def test_the_invariant_is_needed_and_cannot_be_claimed(scaffold: Data) -> None:
    control = next(leaf for leaf in scaffold["leaves"] if leaf["given"] is None)
    other = next(leaf for leaf in scaffold["leaves"] if leaf["given"] is not None and leaf["name"] != "w")
    for key, register in (("after", other["after"]), ("start", 0), ("after", control["before"])):
        data = copy.deepcopy(scaffold)
        next(leaf for leaf in data["leaves"] if leaf["given"] is None)[key] = register
        with pytest.raises(verifier.Rejected, match="invariant is lost"):
            lyapunov_verifier.verify(data)


def test_a_vector_of_the_clients_is_no_vector_of_the_server(fedavg: Data) -> None:
    """The local models after the round in the place of the server's: their deviations would be forgotten."""
    data = copy.deepcopy(fedavg)
    program = data["step"]["program"]
    local = program[data["leaves"][0]["after"]][1]
    data["leaves"][0]["after"] = local
    data["step"]["measure"]["inner"] = [["1", local, local]]
    with pytest.raises(verifier.Rejected):
        lyapunov_verifier.verify(data)
    space = verifier._Program(data["step"])
    with pytest.raises(verifier.Rejected, match="in the place of a server's"):
        lyapunov_verifier._Theorem.alike(["given", "server", 1], space, local, "what comes after")


def test_leaves_are_all_that_is_given(fedavg: Data) -> None:
    data = copy.deepcopy(fedavg)
    data["leaves"][0]["given"] = None
    with pytest.raises(verifier.Rejected, match="no leaf of the state"):
        lyapunov_verifier.verify(data)
    data = copy.deepcopy(fedavg)
    data["given"] = []
    with pytest.raises(verifier.Rejected, match="floor: a given vector of the round is missing"):
        lyapunov_verifier.verify(data)


def test_another_method_is_accepted_as_itself_and_matches_nothing(fedavg: Data) -> None:
    other = fl.LyapunovBound.of(_data(fl.FedAvg(3, Fraction(1, 8))))
    assert not other.matches(fl.FedAvg(3, Fraction(1, 4))) and other.matches(fl.FedAvg(3, Fraction(1, 8)))
    assert fl.LyapunovBound.of(fedavg).matches(fl.FedAvg(3, Fraction(1, 4)))


def test_what_a_part_assumes_of_the_minimiser_is_said_or_refused(fedavg: Data) -> None:
    data = copy.deepcopy(fedavg)
    words = "if all clients have the same gradient at w*"
    assert words not in lyapunov_verifier.verify(data)["words"]
    data["floor"]["program"].append(["optimum", "shared"])
    assert words in lyapunov_verifier.verify(data)["words"]
    found = fl.lyapunov(fl.FedAvg(1, Fraction(1, 2)), fl.SmoothConvex(1), rho=1)
    assert found.certificate is not None
    flat: Data = json.loads(json.dumps(found.certificate))
    flat["floor"]["program"].append(["minimiser"])
    with pytest.raises(verifier.Rejected, match="mu=0: clients need not have minimisers"):
        lyapunov_verifier.verify(flat)


@pytest.mark.parametrize("name", ["w - w*", "w\nproved: 1 = 2", "", "grad f*", 3, "1 <= 0"])
def test_names_are_names(fedavg: Data, name: Any) -> None:
    data = copy.deepcopy(fedavg)
    data["leaves"][0]["name"] = name
    with pytest.raises(verifier.Rejected):
        lyapunov_verifier.verify(data)


@pytest.mark.parametrize("junk", [[], None, {}, {"format": "fltheory lyapunov 1"}, {"step": {}, "format": 3}])
def test_what_is_no_certificate_is_rejected(junk: Any) -> None:
    with pytest.raises(verifier.Rejected):
        lyapunov_verifier.verify(junk)


def test_losing_a_field_or_gaining_one_is_noticed(scaffold: Data) -> None:
    for key in scaffold:
        data = copy.deepcopy(scaffold)
        data.pop(key)
        if key == "start":
            assert lyapunov_verifier.verify(data)["start"] is None
            continue
        with pytest.raises(verifier.Rejected):
            lyapunov_verifier.verify(data)
    with pytest.raises(verifier.Rejected, match="unknown names"):
        lyapunov_verifier.verify({**scaffold, "note": "rho = 0"})


def test_it_imports_the_standard_library_and_the_other_verifier() -> None:
    tree = ast.parse(Path(lyapunov_verifier.__file__).read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names == {"sys", "fractions", "pathlib", "verifier", "fltheory.worstcase"}


def test_it_runs_alone(scaffold: Data, tmp_path: Path) -> None:
    wrong = copy.deepcopy(scaffold)
    _rate(wrong)
    for name, text in (("good", json.dumps(scaffold)), ("wrong", json.dumps(wrong)), ("no", "{")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    for module in (verifier, lyapunov_verifier):
        path = Path(module.__file__)
        (tmp_path / path.name).write_bytes(path.read_bytes())
    alone = str(tmp_path / "lyapunov_verifier.py")
    for files, code, words in (
        (["good"], 0, "for every R >= 1"),
        (["good", "wrong"], 1, "REJECTED"),
        (["no", "wrong"], 2, "unreadable"),
    ):
        done = subprocess.run(
            [sys.executable, "-I", "-S", alone, *files], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code and words in done.stdout, done
