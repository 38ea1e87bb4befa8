"""Files that are no derivations are refused, in words and by one exception; the replayer runs by itself."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fltheory.derivation import replay
from fltheory.derivation.replay import Underivable, unpacked, verify
from fltheory.theory.li2020.theorems import theorem_1
from verify.li2020.derivations.theorems import gap

STRANGE: list[Any] = [
    None,
    0,
    -1,
    2.5,
    True,
    "",
    "w",
    "k",
    "1/0",
    "((",
    [],
    ["k"],
    [[]],
    [["k"]],
    {},
    {"": "w"},
    {"w": [1]},
]


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    kept = json.loads(json.dumps(gap(theorem_1.expression, "full").certificate, sort_keys=True))
    return {**kept, "lines": [unpacked(line) for line in kept["lines"]]}


def mutated(data: dict[str, Any], numbers: random.Random) -> dict[str, Any]:
    """One key missing, one more, or one item of another type, somewhere early enough to be quick."""
    changed = copy.deepcopy(data)
    line = numbers.choice(changed["lines"][: numbers.choice((20, 50, len(changed["lines"])))])
    key = numbers.choice(list(line))
    how = numbers.randrange(4)
    if how == 0:
        del line[key]
    elif how == 1:
        line[numbers.choice(("self", "extra", "name", "over", "rule"))] = numbers.choice(STRANGE)
    else:
        line[key] = numbers.choice(STRANGE)
    return changed


def test_mutations_raise_nothing_but_underivable(data: dict[str, Any]) -> None:
    numbers, refused = random.Random(1), 0
    for _ in range(60):
        try:
            verify(mutated(data, numbers))
        except Underivable:
            refused += 1
    assert refused > 40


@pytest.mark.parametrize("field", ["format", "title", "lines", "conclusions"])
@pytest.mark.parametrize("strange", [None, 5, [[]], [5], {"a": 1}, "lines", ["nothing"]])
def test_strange_envelopes_are_refused(data: dict[str, Any], field: str, strange: Any) -> None:
    small = {**data, "lines": data["lines"][:1]}
    with pytest.raises(Underivable):
        verify({**small, field: strange})
    with pytest.raises(Underivable):
        verify({key: item for key, item in small.items() if key != field})


@pytest.mark.parametrize(
    "text", ["", "[" * 100_000, "{}", "[]", "nonsense", '{"format": 1}', "1" * 5000, "\x00", '"\\ud800"', "NaN"]
)
def test_files_that_are_no_derivations(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    assert replay.main([str(path)]) == 1
    assert str(path) in capsys.readouterr().out
    assert replay.main([str(tmp_path / "missing.json")]) == 1


@pytest.mark.parametrize(
    "text", ["-" * 3900 + "1", "(" * 1900 + "1" + ")" * 1900, "1" + "+1" * 1900, "9" * 3999, "lambda: 1", "\x00"]
)
def test_texts_that_cannot_be_read(data: dict[str, Any], text: str) -> None:
    lines = [{"let": "a", "equals": text}]
    with pytest.raises(Underivable):
        verify({**data, "lines": lines, "conclusions": ["a"]})


def test_the_replayer_runs_by_itself(data: dict[str, Any], tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(data))
    bad.write_text(json.dumps({**data, "lines": data["lines"][1:]}))
    run = [sys.executable, "-I", "-S", str(Path(replay.__file__))]
    done = subprocess.run([*run, str(good)], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0 and "gap is derived" in done.stdout
    assert subprocess.run([*run, str(bad)], capture_output=True, cwd=tmp_path, check=False).returncode == 1
