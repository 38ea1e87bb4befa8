"""Does a test see a mutant?  The tests chosen for it run in a copy of the project that holds it, until one fails.

A mutant is killed by a test that fails, by a run that ends in an error before the tests, and by one that takes five times as
long as its tests take, and ten seconds more.  A test kills only if it passes in the copy without the mutant, run alone; one
that does not is used no more.  A run that ended otherwise is repeated without the mutant, where it must end well, and with it,
where it must end so again: kernels that were still compiled in the first run are no reason.
"""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.mutation.journal import KILLED, SURVIVED, Journal, Result
from benchmarks.mutation.mutants import Mutant
from benchmarks.mutation.reach import KnownTest, choose
from benchmarks.mutation.runs import TIMEOUT, run_tests
from benchmarks.mutation.tree import Tree

PASSED, FAILED = 0, 1


class Judge:
    """One copy of the project, the tests that pass in it, and which of these were seen to pass alone."""

    def __init__(self, tree: Tree, tests: list[KnownTest], journal: Journal, folder: Path, limit: float) -> None:
        self.tree, self.tests, self.journal, self.folder, self.limit = tree, tests, journal, folder, limit
        self._confirmed: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True)

    def judge(self, mutant: Mutant) -> Result:
        """Run the mutant and write down what became of it."""
        begun, attempts = time.monotonic(), 0
        while True:
            chosen = choose(self.tests, mutant.path, mutant.function, self.limit)
            if not chosen:
                return self.journal.add(mutant, SURVIVED, "no test runs it", 0, time.monotonic() - begun)
            code, killer = self._run_mutant(mutant, chosen)
            if code == PASSED:
                return self.journal.add(mutant, SURVIVED, "", len(chosen), time.monotonic() - begun)
            if code == FAILED and killer:
                if self._passes_alone(killer):
                    return self.journal.add(mutant, KILLED, killer, len(chosen), time.monotonic() - begun)
                self.tests = [test for test in self.tests if test.name != killer]
            elif self._run(chosen)[0] == PASSED and self._run_mutant(mutant, chosen)[0] == code:
                return self.journal.add(mutant, KILLED, f"ended with {code}", len(chosen), time.monotonic() - begun)
            elif attempts == 2:
                names = ", ".join(sorted({test.name.split("::")[0] for test in chosen}))
                raise RuntimeError(f"tests chosen for {mutant.path} fail without a mutant: {names}")
            else:
                attempts += 1

    def _run_mutant(self, mutant: Mutant, chosen: list[KnownTest]) -> tuple[int | str, str]:
        self.tree.write(mutant.path, mutant.applied((self.tree.root / mutant.path).read_bytes()))
        try:
            return self._run(chosen)
        finally:
            self.tree.restore()

    def _run(self, chosen: list[KnownTest]) -> tuple[int | str, str]:
        pick, failed = self.folder / "pick", self.folder / "failed"
        pick.write_text("\n".join(test.name for test in chosen), encoding="utf-8")
        failed.unlink(missing_ok=True)
        files = list(dict.fromkeys(test.name.split("::")[0] for test in chosen))
        seconds = 10 + 5 * sum(test.seconds for test in chosen)
        environment = {"MUTATION_PICK": str(pick), "MUTATION_FAILED": str(failed)}
        code = run_tests(self.tree.folder, files, environment, self.folder / "log", seconds)
        return code, failed.read_text("utf-8") if failed.exists() and code != TIMEOUT else ""

    def _passes_alone(self, name: str) -> bool:
        if name not in self._confirmed:
            test = next((test for test in self.tests if test.name == name), None)
            if test is None or self._run([test])[0] != PASSED:
                return False
            self._confirmed.add(name)
        return True
