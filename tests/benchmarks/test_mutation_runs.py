"""The tool on a project of two lines: who kills a mutant, what is kept for the next run, and who is excused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutation.equivalent import LIST, read_equivalent, reason_of
from benchmarks.mutation.journal import KILLED, SURVIVED, Journal
from benchmarks.mutation.mutants import Mutant, all_mutants, draw, mutants_of
from benchmarks.mutation.places import ROOT, sources
from benchmarks.mutation.reach import KnownTest, choose
from benchmarks.mutation.report import report, table, write_report
from benchmarks.mutation.tree import Tree, without_effect

NAME = "fltheory/problems/small.py"
SOURCE = '''"""A module."""


def smaller(a, b):
    """Whether ``a < b``."""
    return a < b


def unseen(a):
    return a + 1


def forever(n):
    while n > 0:  # ends
        n -= 1
    return n


def elsewhere(a):
    return not a
'''
TESTS = """
from pathlib import Path

import fltheory.problems.small as small
from fltheory.problems.small import elsewhere, forever, smaller


def test_smaller():
    assert smaller(1, 2) and not smaller(2, 1)


def test_forever():
    assert forever(3) == 0


def test_elsewhere():
    assert elsewhere(False) and not Path("failing").exists()


def test_the_text():
    assert "# ends" in Path(small.__file__).read_text()
"""


def checkout(folder: Path) -> Path:
    """A checkout of its own."""
    root = folder / "checkout"
    files = {NAME: SOURCE, "tests/problems/test_small.py": TESTS, "pyproject.toml": "[tool.pytest.ini_options]\n"}
    files |= {"fltheory/__init__.py": "", "fltheory/problems/__init__.py": "", ".gitignore": "__pycache__/\n"}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return checkout(tmp_path)


JUDGE = """
import sys
from pathlib import Path
from dataclasses import asdict
import json
from benchmarks.mutation import reach, runs
from benchmarks.mutation.journal import Journal
from benchmarks.mutation.judge import Judge
from benchmarks.mutation.mutants import Mutant, mutants_of
from benchmarks.mutation.tree import Tree

root, place = Path(sys.argv[1]), Path(sys.argv[2])
NAME, FILES = sys.argv[3], ["tests/problems/test_small.py"]
runs.LIBRARIES = ("pytest", "benchmarks.mutation.plugin")
runs.load_libraries()
tree = Tree(place / "copy", root)
tree.write_without_effect()
recorded = [list(reach.record(tree, place / "reach", FILES, place / "log")) for _ in range(2)]
(root / "failing").touch()  # the test that looks for it passed when it was recorded, and fails now
tree = Tree(place / "copy", root)
judge = Judge(tree, reach.read_record(place / "reach", root), Journal(place / "journal", root), place / "work", 10)
tests = {test.name: sorted(test.ran) for test in judge.tests}
mutants = {f"{one.function}: {one.after}": one for one in mutants_of(NAME, (root / NAME).read_bytes())}
broken = Mutant(NAME, "smaller", "by hand", 6, "return a < b", "", 0, (0, 0, "import os; os._exit(3)\\n"))
wanted = [broken, *(mutants[after] for after in json.loads(sys.argv[4]))]
results = {f"{one.function}: {one.after}": asdict(judge.judge(one)) for one in wanted}
kept = judge.journal.read(mutants.values())
same = (tree.folder / NAME).read_bytes() == (root / NAME).read_bytes()
left = [test.name for test in judge.tests]
print(json.dumps([recorded, tests, results, len(kept), same, left]))
"""


AFTER = {
    "smaller: return None": (KILLED, "tests/problems/test_small.py::test_smaller", 1),
    "smaller: return a <= b": (SURVIVED, "", 1),
    "unseen: return a - 1": (SURVIVED, "", 2),  # no test runs it: those that run others of the file are tried
    "forever: while (not (n > 0)): # ends": (KILLED, "tests/problems/test_small.py::test_forever", 1),
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """What an interpreter of its own found about mutants by the lines after."""
    place = tmp_path_factory.mktemp("judged")
    after = [*AFTER]
    command = [sys.executable, "-P", "-c", JUDGE, str(checkout(place)), str(place), NAME, json.dumps(after)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=500)
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout.splitlines()[-1]))


def test_the_record_says_what_a_test_ran_and_is_made_once(judged: list[Any]) -> None:
    """The test of the text fails where the same program stands in other words, and is not used."""
    recorded, tests, *_ = judged
    assert recorded == [["tests/problems/test_small.py"], []]
    found = {name.split("::")[1]: ran for name, ran in tests.items()}
    assert found == {
        "test_smaller": [f"{NAME}:smaller"],
        "test_forever": [f"{NAME}:forever"],
        "test_elsewhere": [f"{NAME}:elsewhere"],
    }


def test_mutants_are_killed_survive_or_end_the_process(judged: list[Any]) -> None:
    results = {name: (found["outcome"], found["by"], found["tests"]) for name, found in judged[2].items()}
    assert results == {**AFTER, "smaller: ": (KILLED, "ended with 3", 1)}


def test_a_test_that_fails_without_a_mutant_kills_nothing(judged: list[Any]) -> None:
    """``return a - 1`` would have died by it, had it not failed alone as well; it is used no more."""
    *_, kept, same, left = judged
    assert [name.split("::")[1] for name in left] == ["test_smaller", "test_forever"]
    assert kept == 4 and same


def test_a_copy_is_restored_whatever_a_mutant_wrote(project: Path, tmp_path: Path) -> None:
    tree = Tree(tmp_path / "copy", project)
    tree.write(NAME, b"x = 1\n")
    (tree.folder / "pyproject.toml").unlink()
    (tree.folder / "fltheory" / "left.txt").write_text("left")
    tree.restore()
    assert (tree.folder / NAME).read_text() == SOURCE and (tree.folder / "pyproject.toml").is_file()
    assert not (tree.folder / "fltheory" / "left.txt").exists()


def test_other_words_are_the_same_program() -> None:
    """With a line in each function that has no effect, after the docstring, and no comments."""
    source = 'def f(a):  # says\n    """Doc."""\n    return a\n'
    assert without_effect(source) == 'def f(a):\n    """Doc."""\n    None\n    return a\n'
    space: dict = {}
    exec(without_effect(SOURCE), space)
    assert space["smaller"](1, 2) and space["smaller"].__doc__ == "Whether ``a < b``."


def test_tests_near_the_mutant_and_cheap_ones_come_first() -> None:
    def test(name: str, seconds: float, *ran: str) -> KnownTest:
        return KnownTest(name, seconds, frozenset(f"{NAME}:{function}" for function in ran))

    tests = [
        test("tests/test_all.py::a", 0.1, "C.f", "g"),
        test("tests/problems/test_other.py::b", 0.2, "C.f"),
        test("tests/problems/test_small.py::c", 3.0, "C.f"),
        test("tests/problems/test_small.py::d", 1.0, "C.f"),
        test("tests/problems/test_small.py::e", 1.0, "g"),
    ]

    def chosen(function: str, limit: float) -> str:
        return "".join(found.name[-1] for found in choose(tests, NAME, function, limit))

    assert chosen("C.f", 10) == "bdca" and chosen("C", 10) == "bdca"
    assert chosen("C.f", 2) == "bda" and chosen("g", 10) == "ea"
    assert chosen("", 10) == chosen("h", 10) == "bdeca"
    assert choose(tests, "fltheory/problems/else.py", "f", 10) == []


def test_results_are_kept_while_what_they_say_is_true(project: Path, tmp_path: Path) -> None:
    """A kill as long as the file is the same, a survivor as long as the tests are too; half a line is left out."""
    one, other, third = mutants_of(NAME, SOURCE.encode())[:3]

    def kept() -> set[str]:
        return set(Journal(tmp_path / "journal", project).read([one, other, third]))

    journal = Journal(tmp_path / "journal", project)
    journal.add(one, KILLED, "a test", 1, 0.1)
    journal.add(other, SURVIVED, "", 1, 0.1)
    journal.add(third, SURVIVED, "no test runs it", 0, 0.1)
    with open(tmp_path / "journal", "a") as file:
        file.write('{"name": "abc", "outc')
    assert kept() == {one.name, other.name}  # that no test was there may have changed without a change of tests
    (project / "tests" / "test_more.py").write_text("")
    assert kept() == {one.name}
    again = Journal(tmp_path / "journal", project).read([one, other, third], old=True)
    assert set(again) == {one.name, other.name, third.name}  # in a report, a survivor is one until it is tried again
    (project / NAME).write_text(SOURCE + "\n")
    assert kept() == set()


def test_excuses_need_a_reason_and_a_mutant(tmp_path: Path) -> None:
    entry = '[[mutant]]\npath = "p"\noperator = "number"\nbefore = "a = 1"\nafter = "a = 2"\n'
    path = tmp_path / "equivalent.toml"
    path.write_text(entry)
    with pytest.raises(ValueError, match="lacks reason"):
        read_equivalent(path)
    path.write_text(2 * (entry + 'reason = "unused"\n'))
    with pytest.raises(ValueError, match="stands twice"):
        read_equivalent(path)
    path.write_text(entry + 'reason = "unused"\n')
    listed = read_equivalent(path)
    assert reason_of(Mutant("p", "", "number", 1, "a = 1", "a = 2", 0, (0, 0, "")), listed) == "unused"
    assert reason_of(Mutant("p", "", "number", 1, "a = 1", "a = 3", 0, (0, 0, "")), listed) == ""


def test_every_excuse_names_a_mutant_that_exists() -> None:
    named = {path for path, *_ in read_equivalent(LIST)}
    texts = {name: path.read_bytes() for name, path in sources(ROOT).items() if name in named}
    found = {(m.path, m.operator, m.before, m.after) for name, text in texts.items() for m in mutants_of(name, text)}
    assert [key for key in read_equivalent(LIST) if key not in found] == []


def test_scores_count_what_changes_behaviour(project: Path, tmp_path: Path) -> None:
    every = all_mutants(project)
    drawn = draw(every, 4, 0)
    journal = Journal(tmp_path / "journal", project)
    outcomes = [KILLED, SURVIVED, SURVIVED]
    for one, outcome in zip(drawn, outcomes, strict=False):
        journal.add(one, outcome, "a test" if outcome == KILLED else "", 2, 0.1)
    excused = drawn[1]
    excuses = {(excused.path, excused.operator, excused.before, excused.after): "never read"}
    content = report(every, drawn, journal.read(drawn), excuses, journal, seed=0, limit=5)
    row = content["groups"]["problems"]
    assert (row["ran"], row["killed"], row["survived"], row["equivalent"], row["score"]) == (3, 1, 1, 1, 0.5)
    assert content["score"] == 0.5 and content["groups"]["evidence"]["score"] is None
    assert content["equivalents"][0]["reason"] == "never read" and content["asked"] == 4
    assert "50.0%" in table(content)
    write_report(content, tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text()) == content and str(tmp_path) not in json.dumps(content)
