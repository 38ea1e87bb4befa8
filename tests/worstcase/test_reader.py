"""Certificate files of strangers: read strictly, refused in one clear line and within bounded work, printed to the safe side."""

from __future__ import annotations

import copy
import json
import random
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fltheory.worstcase import box_verifier, certificate, command, verifier

KEPT = sorted((Path(__file__).parents[2] / "results" / "certificates").glob("*.json"))
BOX = {
    "format": "fltheory box 1",
    "box": [["1/8", "1/4"], ["1/20", "1/5"]],
    "start": 0,
    "end": 0,
    "optimum": 2,
    "program": [["given", "server", 1], ["optimum"], ["gradient", 1]],
    "contraction": [[0, 0, "1"]],
    "degrees": {"multipliers": [0, 0], "b": [0, 0]},
    "multipliers": [],
    "b": ["0"],
}
WORST: dict[str, Any] = {
    "format": "fltheory worst case 2",
    "claim": {"algorithm": None, "rounds": 0, "models": [], "measure": "custom", "assumptions": ["custom"]},
    "program": [["given", "server", 1]],
    "classes": {"clients": ["1/10", "1"]},
    "shares": {"scheme": "full", "clients": None, "cohort": None},
    "measure": {"inner": [["1", 0, 0]], "values": []},
    "assumptions": [{"inner": [["1", 0, 0]], "values": [], "bound": "distance", "scale": "1"}],
    "upper": {"assumptions": ["1"], "interpolation": {}, "bound": {"distance": "1"}},
}
NUMBER = ["1" * 900, f"{2**2990}/{7**1000}"]


def told(path: Path, *, explained: bool = True) -> tuple[int, list[str]]:
    """What the command says; it never raises, and prints whole lines of printable text."""
    code, lines = command.check(path, explained=explained)
    assert all(line.isprintable() for line in lines), lines
    assert code == 0 or (len(lines) == 1 and len(lines[0]) < 1000), lines
    return code, lines


def write(path: Path, data: Any) -> Path:
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return path


def test_what_is_kept_is_accepted_and_explained() -> None:
    assert len(KEPT) > 10
    for path in KEPT:
        assert told(path)[0] == 0


def deep(data: dict[str, Any], *changes: tuple[list[Any], Any]) -> dict[str, Any]:
    """The data with entries replaced."""
    found = copy.deepcopy(data)
    for path, entry in changes:
        place: Any = found
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = entry
    return found


TEXT = json.dumps(WORST)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (TEXT.replace('"scale": "1"', '"scale": "1", "scale": "2"'), "twice"),
        (TEXT.replace('"scale": "1"', '"scale": 1.0'), "no whole number"),
        (TEXT.replace('"scale": "1"', '"scale": 1e999999'), "no whole number"),
        (TEXT.replace('"scale": "1"', '"scale": NaN'), "no whole number"),
        (TEXT.replace('"scale": "1"', '"scale": -Infinity'), "no whole number"),
        (TEXT.replace('"scale": "1"', f'"scale": {"9" * 5000}'), "5000 digits"),
        (deep(WORST, (["assumptions", 0, "scale"], "9" * 5000)), "5000 characters"),
        (deep(WORST, (["assumptions", 0, "scale"], "9**9")), "no rational"),
        (deep(WORST, (["assumptions", 0, "scale"], "1e999999")), "no rational"),
        (deep(WORST, (["assumptions", 0, "scale"], "1/0")), "denominator zero"),
        (deep(WORST, (["assumptions", 0, "scale"], "1\n")), "printable"),
        (deep(WORST, (["assumptions", 0, "bound"], "distance\u001b[2K\rproved: 0")), "printable"),
        (deep(WORST, (["assumptions", 0, "bound"], "dist\u0430nce")), "printable"),
        (deep(WORST, (["assumptions", 0, "bound"], ["distance"])), "the bound"),
        (deep(WORST, (["note"], "true")), "unknown names"),
        (deep(WORST, (["classes", "servers"], None)), "unknown names"),
        (deep(WORST, (["shares", "law"], None)), "unknown names"),
        (deep(WORST, (["shares", "noise"], "1/2")), "noise"),
        (deep(WORST, (["shares", "deviation"], "0")), "deviation"),
        (deep(WORST, (["measure", "bound"], "distance")), "unknown names"),
        (deep(WORST, (["assumptions", 0, "unless"], "0")), "unknown names"),
        (deep(WORST, (["upper", "except"], "0")), "unknown names"),
        (deep(WORST, (["upper", "interpolation", "servers"], [])), "unknown names"),
        (deep(WORST, (["method_length"], 2)), "method_length"),
        (deep(WORST, (["method_length"], True)), "method_length"),
        (deep(WORST, (["program"], [["given", "server", 1]] * 600)), "at most"),
        (deep(WORST, (["program"], {"0": ["given", "server", 1]})), "at most"),
        (deep(WORST, (["program", 0], "given")), "register 0"),
        (deep(WORST, (["measure", "inner"], {"1": 0})), "malformed"),
        (deep(BOX, (["note"], 1)), "unknown names"),
        (deep(BOX, (["degrees", "c"], [0, 0])), "unknown names"),
        (deep(BOX, (["degrees", "b"], [999, 0])), "whole number"),
        (deep(BOX, (["degrees", "b"], [0, 0, 0])), "degrees"),
        (deep(BOX, (["contraction"], [[10**6, 0, "1"]])), "whole number"),
        ("[]", "expected an object"),
        ("[" * 200_000, "deep"),
        ("3", "expected an object"),
        ('{"format": "a"} {', "Extra data"),
        ("", "Expecting value"),
        ("\ufeff{}", "BOM"),
        (" " * 5_000_000, "bytes"),
        ('{"format": "fltheory worst case 1", "x\\ud800": 0}', "printable"),
    ],
)
def test_what_is_refused_and_why(data: Any, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "file.json", data)
    code, lines = told(path)
    assert code in (1, 2) and words in lines[0], lines
    trusted = box_verifier if isinstance(data, dict) and data["format"].endswith("box 1") else verifier
    assert trusted.main([str(path)]) == code
    assert words in capsys.readouterr().out


def chain(length: int, factor: str) -> list[Any]:
    """Registers that grow in size."""
    program: list[Any] = [["given", "server", 1]]
    return program + [["combine", [[factor, place], [factor + "1", place]]] for place in range(length)]


def noisy(draws: int) -> list[Any]:
    """A gradient for each draw, each of which depends on all draws before."""
    program: list[Any] = [["given", "server", 1], ["optimum"], ["gradient", 1]]
    point = 0
    for draw in range(draws):
        place = len(program)
        program += [
            ["gradient", point],
            ["noise", draw],
            ["combine", [["1", point], ["-1/7", place], ["-1/7", place + 1]]],
        ]
        point = place + 2
    return program


HEAVY = {
    "numbers that grow": deep(WORST, (["program"], chain(490, NUMBER[0]))),
    "fractions that grow": deep(WORST, (["program"], chain(490, NUMBER[1]))),
    "measure of long numbers": deep(
        WORST, (["program"], chain(300, NUMBER[1])), (["measure", "inner"], [["1", 300, 300]] * 1000)
    ),
    "many draws": deep(
        WORST, (["program"], noisy(160)), (["shares", "clients"], 2), (["measure", "inner"], [["1", 0, 470]] * 999)
    ),
    "a dense block": deep(
        WORST,
        (["program"], [["given", "server", 0]] * 499 + [["combine", [[f"1/{2 * k + 3}", k] for k in range(499)]]]),
        (["measure", "inner"], [["1", 499, 499]] * 50),
    ),
    "box of large degrees": deep(BOX, (["degrees"], {"multipliers": [60, 60], "b": [0, 0]})),
    "box with large b": deep(BOX, (["degrees", "b"], [60, 60]), (["b"], ["1"] * 3721)),
    "box of high powers": deep(
        BOX,
        (["program"], [*BOX["program"], *(["combine", [[[[60, 60, "1"], [0, 0, "1"]], k]]] for k in range(2, 60))]),
        (["contraction"], [[60, 60, "1"]]),
    ),
    "box with long numbers": deep(
        BOX, (["contraction"], [[k, n, "1/" + "3" * 900] for k in range(61) for n in range(61)])
    ),
    "box with long ends": deep(
        BOX,
        (["box"], [["1/" + "3" * 900, "1/" + "3" * 899], ["1/" + "7" * 900, "1/" + "7" * 899]]),
        (["degrees", "b"], [20, 20]),
        (["b"], ["1"] * 441),
    ),
}


@pytest.mark.parametrize("name", HEAVY)
def test_small_files_do_not_run_for_long(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a hundredth of the work that is allowed: refused before it is done."""
    monkeypatch.setattr(verifier, "MOST_WORK", verifier.MOST_WORK // 100)
    path = write(tmp_path / "file.json", HEAVY[name])
    begin = time.process_time()
    code, lines = told(path)
    assert code == 1 and "too much work" in lines[0], lines
    assert time.process_time() - begin < 10


@pytest.mark.parametrize("power", [*range(-14, 14), -400, 400, -1800, 1800])
@pytest.mark.parametrize(
    "digits", [1, Fraction(1, 3), Fraction(2, 3), 999_999_999, 9_999_999_999, Fraction(123456789, 10**9)]
)
def test_bounds_are_rounded_to_the_safe_side(power: int, digits: Fraction) -> None:
    value = Fraction(digits) * Fraction(10) ** power
    for entry in (value, -value):
        low, high = (Fraction(verifier.about(entry, up)) for up in (False, True))
        assert low <= entry <= high and high - low <= abs(entry) / 10**8
        assert (low == high) == (Fraction(f"{entry.numerator}/{entry.denominator}") in (low, high))


def test_printed_bounds_are_true(tmp_path: Path) -> None:
    scale = "1/3"
    third = deep(
        WORST,
        (["measure", "inner", 0, 0], scale),
        (["upper", "assumptions"], [scale]),
        (["upper", "bound", "distance"], scale),
    )
    assert "0.333333334 Q_1" in told(write(tmp_path / "a", third))[1][1]
    tiny = "1/1" + "0" * 400
    small = deep(
        WORST,
        (["measure", "inner", 0, 0], tiny),
        (["upper", "assumptions"], [tiny]),
        (["upper", "bound", "distance"], tiny),
    )
    assert "1e-400 Q_1" in told(write(tmp_path / "b", small))[1][1]
    huge = "1" + "0" * 400
    large = deep(
        WORST,
        (["measure", "inner", 0, 0], huge),
        (["upper", "assumptions"], [huge]),
        (["upper", "bound", "distance"], huge),
    )
    assert "1e+400 Q_1" in told(write(tmp_path / "c", large))[1][1]
    b = deep(BOX, (["b"], [huge]))
    assert "  b is at most 1e+400 on the box" in told(write(tmp_path / "d", b))[1]


def test_whole_numbers_are_explained(tmp_path: Path) -> None:
    whole = deep(
        WORST, (["classes", "clients"], [-1, 1]), (["assumptions", 0, "scale"], 1), (["measure", "inner", 0, 0], 1)
    )
    code, lines = told(write(tmp_path / "a", whole))
    assert code == 0 and lines[1].startswith("  proved: |s_1 - w*|^2 <= 1 Q_1"), lines


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in nested data."""
    yield path
    for key, entry in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from places(entry, (*path, key))


ODD = [
    None,
    True,
    0,
    -1,
    1,
    7,
    10**30,
    0.5,
    "",
    "0",
    "-1",
    "1/0",
    "x",
    "1\n",
    [],
    [[]],
    {},
    {"a": "1"},
    ["gradient", 0],
    "server",
]


def mutant(data: Any, rng: random.Random) -> Any:
    """The data with one structural change."""
    found = copy.deepcopy(data)
    path = rng.choice([path for path in places(found) if path])
    place: Any = found
    for key in path[:-1]:
        place = place[key]
    key, kind = path[-1], rng.randrange(5)
    if kind == 0:
        place.pop(key)
    elif kind == 1 and isinstance(place, list):
        place.insert(key, copy.deepcopy(rng.choice(place)))
    elif kind == 2 and isinstance(place, list) and len(place) > 1:
        other = rng.randrange(len(place))
        place[key], place[other] = place[other], place[key]
    elif kind == 3 and isinstance(place, dict):
        place[str(key) + "_"] = place.pop(key)
    else:
        place[key] = rng.choice(ODD)
    return found


def untrue(found: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether an upper bound lies below what is attained."""
    both = {**other, **found}
    if not {"upper", "lower"} <= set(both):
        return False
    quantities, value = both["lower"]
    return sum((factor * quantities[name] for name, factor in both["upper"].items()), Fraction(0)) < value


STATEMENT = ("program", "classes", "shares", "assumptions", "measure")


@pytest.mark.parametrize("path", [path for path in KEPT if path.stat().st_size < 11_000], ids=lambda path: path.stem)
def test_mutants_raise_nothing_and_prove_nothing_false(path: Path, tmp_path: Path) -> None:
    rng, data = random.Random(path.stem), json.loads(path.read_text("utf-8"))
    sides = {}
    for side in ("upper", "lower"):
        other = path.with_name(
            path.name.replace("_upper.json", f"_{side}.json").replace("_lower.json", f"_{side}.json")
        )
        found = json.loads(other.read_text("utf-8"))
        if all(found[key] == data[key] for key in STATEMENT):
            sides |= verifier.verify(found)
    for number in range(25):
        changed = mutant(data, rng)
        code, _ = told(write(tmp_path / "mutant.json", changed), explained=number % 2 == 0)
        if code == 0:
            same = all(changed[key] == data[key] for key in STATEMENT)
            assert not untrue(verifier.verify(changed), sides if same else {}), changed


def test_mutants_of_a_box_raise_nothing(tmp_path: Path) -> None:
    rng = random.Random(5)
    for _ in range(300):
        told(write(tmp_path / "mutant.json", mutant(BOX, rng)))
    assert certificate.FORMAT == WORST["format"]


@pytest.mark.parametrize("name", ["distance, attained: measure >= 7", "7 distance", "", "d <= 1", "0", "x" * 61])
def test_names_of_quantities_say_nothing_else(name: str, tmp_path: Path) -> None:
    text = json.dumps(WORST).replace('"distance"', json.dumps(name))
    code, lines = told(write(tmp_path / "name.json", text))
    assert code == 1 and "the bound" in lines[0]
