"""Content addresses: another one when a number or a text changes that matters, the same one otherwise."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fltheory as fl
from fltheory.sweep.declared import load_sweep
from fltheory.sweep.grid import Sweep
from fltheory.sweep.keys import RUNS, digest, package_digest

A, b = np.array([np.diag([1.0, 2.0]), np.diag([2.0, 1.0])]), np.eye(2)


def keys(**changed: Any) -> list[str]:
    given: dict[str, Any] = {
        "problems": fl.QuadraticProblem(A, b),
        "algorithms": fl.FedAvg(2, 0.1),
        "rounds": 5,
        "oracle": fl.AdditiveNoise(0.1),
    }
    return [cell.key for cell in Sweep(**{**given, **changed}).cells]


@pytest.mark.parametrize(
    "changed",
    [
        {"problems": fl.QuadraticProblem(A, np.nextafter(b, 2))},
        {"problems": fl.QuadraticProblem(A, b, weights=np.array([0.25, 0.75]))},
        {"algorithms": fl.FedAvg(2, np.nextafter(0.1, 1))},
        {"algorithms": fl.FedAvg(3, 0.1)},
        {"algorithms": fl.FedAvg(2, 0.1, fl.SchemeI(1))},
        {"algorithms": fl.FedAvg(2, fl.Harmonic(0.1, 1.0))},
        {"rounds": 6},
        {"oracle": fl.AdditiveNoise(0.2)},
        {"oracle": None},
        {"record_every": 1},
        {"seed": 1},
        {"start": [0.0, 1.0]},
        {"measure": "final"},
        {"settings": {"backend": "numpy"}},
    ],
)
def test_what_matters_changes_the_key(changed: dict[str, Any]) -> None:
    assert keys(**changed) != keys()


@pytest.mark.parametrize(
    "changed",
    [
        {"problems": {"another name": fl.QuadraticProblem(A.copy(), b.tolist())}},
        {"algorithms": {"mine": fl.FedAvg}, "parameters": {"local_steps": [2], "step_size": [0.1]}},
        {"algorithms": lambda eta: fl.FedAvg(2, eta), "parameters": {"eta": {"small": 0.1}}},
        {"seeds": 100},
        {"record_every": 5},
        {"oracle": {"some": fl.AdditiveNoise(0.1)}},
    ],
)
def test_what_does_not_matter_leaves_it(changed: dict[str, Any]) -> None:
    assert keys(**changed) == keys()


def test_what_was_computed_from_a_problem_is_not_in_its_key() -> None:
    problem = fl.QuadraticProblem(A, b)
    before = digest(problem)
    assert problem.constants.minimiser is not None and problem.mean_matrix is not None
    fl.simulate(problem, fl.FedAvg(2, 0.1), rounds=1)
    assert digest(problem) == before


def test_values_of_different_kinds_differ() -> None:
    values = [
        1,
        1.0,
        True,
        "1",
        Fraction(1),
        None,
        [1],
        (1,),
        {"a": 1},
        {1},
        b"1",
        np.array([1]),
        np.array([1.0]),
        -0.0,
        0.0,
    ]
    values += [partial(int, 1), partial(int, 2), int, len, [[1], [1, 1]], [[1, 1], [1]], ["ab", "c"], ["a", "bc"]]
    assert len({digest(value) for value in values}) == len(values)
    with pytest.raises(ValueError, match="no content that a key"):
        digest(each for each in "ab")
    loop: list[Any] = []
    loop.append(loop)
    assert digest(loop)


def test_numbers_do_not_count_for_the_structure() -> None:
    one, two, three = (digest(a, structure=True) for a in (fl.FedAvg(2, 0.1), fl.FedAvg(2, 0.3), fl.FedAvg(3, 0.1)))
    assert one == two != three


TEXT = """
import fltheory as fl

OFFSET = 1.0

def part(x):
    return x + OFFSET

class Tool:
    factor = 2
    def use(self, x):
        return self.factor * part(x)

def measured(a):
    return Tool().use(a)

sweep = fl.Sweep(call=measured, parameters={"a": [1, 2]})
"""


def test_the_text_of_own_functions_counts_without_its_layout(tmp_path: Path) -> None:
    def key(text: str) -> str:
        (tmp_path / "grid.py").write_text(text, encoding="utf-8")
        import linecache

        linecache.clearcache()
        return load_sweep(tmp_path / "grid.py").cells[0].key

    kept = key(TEXT)
    same = [
        TEXT.replace("[1, 2]", "[1, 2, 3]"),
        TEXT.replace("    return Tool", '    """What it does."""\n\n    # as said\n    return Tool'),
        TEXT + "\ndef other():\n    return 3\n",
    ]
    other = [
        TEXT.replace("OFFSET = 1.0", "OFFSET = 1.5"),
        TEXT.replace("x + OFFSET", "x - OFFSET"),
        TEXT.replace("factor = 2", "factor = 3"),
        TEXT.replace("self.factor * part(x)", "part(x)"),
        TEXT.replace("Tool().use(a)", "Tool().use(a) + 1"),
    ]
    assert [key(text) for text in same] == [kept] * len(same)
    assert kept not in {key(text) for text in other}


@dataclass(frozen=True)
class Slower:
    """A user's algorithm."""

    step_size: float

    def start(self, fed: Any, w: Any) -> Any:
        return w

    def round(self, fed: Any, w: Any) -> Any:
        return fed.average(fed.send(w) - self.step_size * fed.gradient(fed.send(w)))


def test_keys_are_those_of_any_process() -> None:
    code = (
        "import numpy as np, fltheory as fl; from fltheory.sweep.keys import digest; "
        "print(digest(fl.FedAvg(2, 0.1, fl.SchemeI(2))), digest({'b': {3, 1, 'x'}, 'a': np.arange(3.0)}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        digest(fl.FedAvg(2, 0.1, fl.SchemeI(2))),
        digest({"a": np.arange(3.0), "b": {1, 3, "x"}}),
    ]
    assert digest(Slower(0.1)) != digest(Slower(0.2)) and digest(Slower(0.1)) == digest(Slower(0.1))


def test_the_packages_own_text_is_in_every_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = keys()
    assert len(package_digest(RUNS)) == 64
    monkeypatch.setattr("fltheory.sweep.grid.package_digest", lambda folders: "other code")
    assert keys() != before
