"""Which tests can see a mutant: those that ran its function, nearest folder first, the cheapest first within a folder.

All tests run once on the copy whose sources are printed anew (:func:`~benchmarks.mutation.tree.without_effect`), and what each one
ran is noted.  Only tests that pass there are chosen.  Imports alone would say little: each test imports ``fltheory``, whose
names are loaded on first use.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.mutation.places import FOLDERS, PACKAGE, ROOT, digest_of_files
from benchmarks.mutation.runs import run_tests
from benchmarks.mutation.tree import Tree

#: Seconds of the processor that one test may take to be used at all, and that a file of tests may take.
TEST_LIMIT, FILE_LIMIT = 6.0, 150.0
#: What runs in processes of its own, where no profile sees it, and the tests that start them: tried last, whatever they take.
IN_PROCESSES = {
    "fltheory/evidence/worker.py": "tests/evidence/test_worker_answers.py::",
    "fltheory/workers.py": "tests/test_workers.py::",
    "fltheory/evidence/": "tests/test_cli.py::test_writing_checking_and_changing",
}
#: Tests of these files look at the project's texts, build it or end processes in the middle: they say nothing about a mutant.
LEFT_OUT = ("test_static.py", "test_wheel.py", "test_docs.py", "test_names.py", "test_interrupts.py", "test_layers.py")


@dataclass(frozen=True)
class KnownTest:
    """A test that passes: its name, its seconds, and what it ran, as ``path:function``."""

    name: str
    seconds: float
    ran: frozenset[str] = field(repr=False)


def folder_of(test: str) -> str:
    """The folder of a test under ``tests``, empty for those that lie there."""
    parts = test.split("::")[0].split("/")
    return parts[1] if len(parts) > 2 else ""


def files_in_order(root: Path = ROOT) -> list[str]:
    """The files of tests that are used: those of the mutated folders first."""
    near = {folder: place for place, folder in enumerate((*FOLDERS, "experiments", ""))}
    paths = (path for path in (root / "tests").rglob("test_*.py") if path.name not in LEFT_OUT)
    names = (path.relative_to(root).as_posix() for path in paths)
    return sorted(names, key=lambda name: (near.get(folder_of(name), len(near)), name))


def record(tree: Tree, target: Path, files: list[str], log: Path) -> Iterator[str]:
    """Run each file that is not in the record as it stands now, and add what it ran; yields the names of what was run."""
    done = {line["file"]: line["digest"] for line in _lines(target) if "file" in line}
    for name in files:
        own = digest_of_files([tree.root / name])
        if done.get(name) == own:
            continue
        part = target.with_suffix(".part")
        part.unlink(missing_ok=True)
        part.touch()
        environment = {"MUTATION_RECORD": str(part), "MUTATION_LIMIT": str(TEST_LIMIT)}
        code = run_tests(tree.folder, [name], environment, log, FILE_LIMIT)
        with open(target, "a", encoding="utf-8") as file:
            file.write(json.dumps({"file": name, "digest": own, "ended": code}) + "\n")
            file.write(part.read_text("utf-8"))
        part.unlink()
        yield name


def _lines(path: Path) -> list[dict]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def read_record(path: Path, root: Path = ROOT) -> list[KnownTest]:
    """The tests that pass, of files that still are what was run; the last run of a file counts."""
    current: dict[str, bool] = {}
    tests: dict[str, KnownTest] = {}
    for line in _lines(path):
        if "file" in line:
            name = line["file"]
            tests = {key: test for key, test in tests.items() if key.split("::")[0] != name}
            current[name] = (root / name).is_file() and digest_of_files([root / name]) == line["digest"]
        elif line["passed"] and current.get(line["test"].split("::")[0]):
            tests[line["test"]] = KnownTest(line["test"], line["seconds"], frozenset(line["ran"]))
    return list(tests.values())


def choose(tests: list[KnownTest], path: str, function: str, limit: float) -> list[KnownTest]:
    """The tests for a mutant in a function (empty: at the top of the file), up to so many seconds together.

    A class stands for its methods.  Where no test ran the function, those that ran anything in the file stand in for them.
    Those of :data:`IN_PROCESSES` come on top.
    """
    inside = f"{path}:{function}"
    exact = [test for test in tests if inside in test.ran or any(ran.startswith(f"{inside}.") for ran in test.ran)]
    wide = [test for test in tests if any(ran.startswith(f"{path}:") for ran in test.ran)]
    own = path.removeprefix(f"{PACKAGE}/").split("/")[0]

    def order(test: KnownTest) -> tuple[bool, float, str]:
        return folder_of(test.name) != own, test.seconds, test.name

    chosen: list[KnownTest] = []
    spent = 0.0
    for test in sorted(exact if function and exact else wide, key=order):
        if spent + test.seconds <= limit:
            chosen.append(test)
            spent += test.seconds
    last = tuple(tests_of for start, tests_of in IN_PROCESSES.items() if path.startswith(start))
    return chosen + [test for test in tests if last and test.name.startswith(last) and test not in chosen]
