"""Falsifications of kept evidence in a small checkout; ``python falsifications.py`` within one tries all of them.

Each function changes files; the check that follows must not pass.  "By hand" means that the digests stay as they are; *forged*
ones write evidence, digests and all texts anew, so that only what is computed anew can tell.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

SCRIPT = "verify/li2020/kept.py"
CLAIMS = """
import sympy as sp
from fltheory.evidence import certificates, model
from fltheory.evidence.model import Tightness

x, y = sp.symbols("x y")

def proof(good, **more):
    outcome = Outcome.HOLDS if good else Outcome.REFUTED
    told = dict(margin=1.0 if good else -1.0, counterexample="" if good else "x = 1: 2 > 1")
    return Evidence(Rung.PROOF, outcome, "expanded in 2 steps", 2, **{**told, **more})

def declared(name, **more):
    return claim(name, **{**dict(kind=Kind.ALGEBRA, scope=Scope.GENERAL, statement="x+x=2x", summary="Adding.",
        source="Lemma", printed=dict(total=2), controls=[Control("3", dict(total=3)), Control("4", dict(total=4))]), **more})

@declared("LI-LEM1", assumptions=["A1"])
def loose(total):
    return proof(total == 2, tightness=Tightness(4.0, Rung.PROOF, "1/4"), numbers={"ratio": 1.5, "exact": "1/3"},
        certificate=certificates.identity(x + x - total * x) if total == 2 else None, valid_for="all N >= 2")

@declared("LI-LEM2", printed=dict(total=3), repair="LI-LEM2-R1", fault="slip",
    controls=[Control("4", dict(total=4)), Control("2", dict(total=2), must="pass")])
def wrong(total):
    return proof(total == 2)

@declared("LI-LEM2-R1", depends=["LI-LEM1"])
def repaired(total):
    return proof(total == 2)

@declared("LI-LEM3", quick=False)
def slow(total):
    return proof(total == 2, certificate=certificates.identity(x * y - y * x) if total == 2 else None, valid_for="all x")

@declared("LI-LEM5", quick=False)
def slow_in_words(total):
    return proof(total == 2, certificate={"steps": ["first", "second"]}, numbers={"steps": 2})

@declared("LI-THM2", quick=False, kind=Kind.INEQUALITY, printed=dict(factor="81/100"),
    controls=[Control("smaller", dict(factor="80/100"))])
def contraction(factor):
    # a step of gradient descent at eta = 1/10 on mu = 1, L = 10: |w - w*|^2 shrinks by 81/100
    from fractions import Fraction
    import fltheory as fl
    found = fl.worst_case(fl.FedAvg(1, Fraction(1, 10)), fl.SmoothStronglyConvex(1, 10))
    claimed = Fraction(factor) + Fraction(1, 1000)
    good, bad = found.upper <= claimed, found.lower is not None and found.lower > claimed
    return Evidence(Rung.WORST_CASE, Outcome.HOLDS if good else Outcome.REFUTED if bad else Outcome.NOT_REFUTED, "certified", 1,
        counterexample="the certificate's instance" if bad else "", numbers={"at most": float(found.upper)},
        certificate={"one step": found.certificate}, valid_for="every N", would_settle="" if good or bad else "more")

@declared("LI-THM1", kind=Kind.EXPERIMENT, scope=Scope.EXPERIMENT)
def rerun(total):
    from fltheory.evidence.places import results_folder
    from fltheory.files import read_arrays
    arrays = read_arrays(results_folder() / "experiments" / "tried.npz", "a result file")[1]
    found = Evidence(Rung.RERUN, Outcome.HOLDS, "read", 1, numbers={"mean": float(arrays["level"].mean())}, seeds=(1, 2))
    return found if total == 2 else proof(False)
"""


class Tree:
    """The files of a checkout that a falsification may change, and ways to change them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._before = self._files()

    def _files(self) -> dict[Path, bytes]:
        paths = [p for name in ("results", "verify") for p in (self.root / name).rglob("*") if p.is_file()]
        kept = [p for p in (*paths, self.root / "paper_checks.md") if "last_run" not in p.name and p.suffix != ".pyc"]
        return {path: path.read_bytes() for path in kept}

    def restore(self) -> None:
        for path in set(self._files()) - set(self._before):
            path.unlink()
        for path, data in self._before.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def text(self, name: str, old: str, new: str, count: int = 1) -> None:
        """Change a text file; what is changed must be there."""
        path = self.root / name
        before = path.read_text(encoding="utf-8")
        assert old in before, f"{name} has no {old!r}"
        path.write_text(before.replace(old, new, count), encoding="utf-8")

    def by_hand(self, row_id: str, **changes: Any) -> None:
        """Change facts of a kept row, and nothing else."""
        path = self.root / "results/evidence/li2020.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        rows = [{**row, **changes} if row["id"] == row_id else row for row in rows]
        path.write_text("".join(json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n" for row in rows))

    def forged(self, row_id: str, **changes: Any) -> None:
        """Change facts of a kept row with digest, ledger and texts."""
        from fltheory.evidence import check, store

        rows = store.read_evidence(self.root)
        check.write_all(self.root, {**rows, row_id: {**rows[row_id], **changes}})

    def without(self, row_id: str) -> None:
        """Drop a row everywhere."""
        from fltheory.evidence import check, store

        rows = store.read_evidence(self.root)
        check.write_all(self.root, {name: row for name, row in rows.items() if name != row_id})


def _facts() -> dict[str, tuple[str, dict[str, Any]]]:
    """A row and a change of its facts."""
    control = {
        "name": "3",
        "must": "fail",
        "outcome": "refuted",
        "margin": -1.0,
        "satisfied": True,
        "detail": "x = 1: 2 > 1",
    }
    return {
        "a refuted row holds": ("LI-LEM2", dict(verdict="holds", outcome="holds", counterexample="", margin=1.0)),
        "a loose row is sharp": ("LI-LEM1", dict(verdict="holds", tightness=None)),
        "loose by 4 becomes loose by 77": ("LI-LEM1", dict(tightness={"ratio": 77.0, "rung": "proof", "sharp": "1/4"})),
        "another sharp constant": ("LI-LEM1", dict(tightness={"ratio": 4.0, "rung": "proof", "sharp": "1/5"})),
        "a counterexample: trust me": ("LI-LEM2", dict(counterexample="trust me")),
        "an invented number": ("LI-LEM1", dict(numbers={"ratio": 1.5, "exact": "1/3", "more": 9.0})),
        "another number": ("LI-LEM1", dict(numbers={"ratio": 1.6, "exact": "1/3"})),
        "another exact number": ("LI-LEM1", dict(numbers={"ratio": 1.5, "exact": "2/3"})),
        "another method": ("LI-LEM1", dict(method="by inspection")),
        "another count in the method": ("LI-LEM1", dict(method="expanded in 200 steps")),
        "a margin": ("LI-LEM1", dict(margin=2.0)),
        "more examined": ("LI-LEM1", dict(examined=10**6)),
        "valid for more": ("LI-LEM1", dict(valid_for="all N")),
        "a control less": ("LI-LEM1", dict(controls=[control])),
        "a control of another name": ("LI-LEM1", dict(controls=[control, {**control, "name": "5"}])),
        "a control of another margin": ("LI-LEM1", dict(controls=[control, {**control, "name": "4", "margin": -9.0}])),
        "a certificate of something else": (
            "LI-LEM1",
            dict(certificate={"type": "identity", "expressions": ["y - y"]}),
        ),
        "a certificate removed": ("LI-LEM1", dict(certificate=None)),
        "a proof from a reading": ("LI-THM1", dict(rung="proof", verdict="holds")),
        "a slow proof refuted": (
            "LI-LEM3",
            dict(verdict="wrong as printed", outcome="refuted", counterexample="x = 0", margin=-1.0),
        ),
        "a slow proof with another scope of validity": ("LI-LEM3", dict(valid_for="all x and all y")),
        "a slow certificate replaced": ("LI-LEM3", dict(certificate={"type": "identity", "expressions": ["x - x"]})),
        "a slow certificate removed": ("LI-LEM3", dict(certificate=None)),
        "steps of a slow proof renamed": ("LI-LEM5", dict(certificate={"steps": ["first", "second", "third"]})),
        "a number of a worst case": ("LI-THM2", dict(numbers={"at most": 0.75})),
        "a worst case with another method": ("LI-THM2", dict(method="proved by hand")),
        "a worst case with an identity for its certificate": (
            "LI-THM2",
            dict(certificate={"one step": {"type": "identity", "expressions": ["x - x"]}}),
        ),
        "a worst case without its certificate": ("LI-THM2", dict(certificate=None)),
        "a refuted worst case": (
            "LI-THM2",
            dict(outcome="refuted", verdict="wrong as printed", counterexample="w = 1"),
        ),
        "a worst case with less to settle": ("LI-THM2", dict(valid_for="every N and every momentum")),
        "seeds of a rerun": ("LI-THM1", dict(seeds=[1, 3])),
        "a mean of a rerun": ("LI-THM1", dict(numbers={"mean": 7.0})),
        "what would settle it": ("LI-LEM1", dict(would_settle="nothing")),
        "a wrong row with another repair": ("LI-LEM2", dict(repair="LI-LEM1")),
        "an assumption dropped": ("LI-LEM1", dict(assumptions=[])),
        "a premise dropped": ("LI-LEM2-R1", dict(depends=[])),
        "another statement": ("LI-LEM3", dict(statement="x+x=3x")),
        "another script": ("LI-LEM3", dict(script="li2020/other.py")),
        "another scope": ("LI-LEM3", dict(scope="instance")),
        "another kind": ("LI-LEM3", dict(kind="table")),
        "slow instead of quick": ("LI-LEM1", dict(quick=False)),
    }


def _table(tree: Tree, change: Callable[[list[str]], list[str]], row_id: str = "LI-LEM3") -> None:
    path = tree.root / "results/evidence/keys.tsv"
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    path.write_text("".join("\t".join(change(line) if line[0] == row_id else line) + "\n" for line in lines))


def _files() -> dict[str, Callable[[Tree], None]]:
    """Changes of files that are no facts of one row."""
    kept = "results/evidence/li2020.jsonl"
    ledger = "results/ledger/ledger.json"

    def line(tree: Tree, change: Callable[[str], str]) -> None:
        path = tree.root / kept
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join([*lines[:-1], change(lines[-1])]))

    def arrays(tree: Tree, change: float) -> None:
        import numpy as np

        from fltheory.files import write_arrays

        write_arrays(tree.root / "results/experiments/tried.npz", {"schema": 2}, {"level": np.ones(3) * change})

    def relabelled(tree: Tree) -> None:
        tree.text(SCRIPT, '@declared("LI-LEM3", quick=False)', '@declared("LI-LEM4", quick=False)')

    def exchanged(tree: Tree) -> None:
        """The certificate of another step size, which is a good one, and the numbers as they were."""
        import fltheory as fl
        from fltheory.evidence.rows import jsonable

        other = fl.worst_case(fl.FedAvg(1, Fraction(1, 20)), fl.SmoothStronglyConvex(1, 10)).certificate
        tree.forged("LI-THM2", certificate=jsonable({"one step": other}))

    def weaker_measure(tree: Tree) -> None:
        from fltheory.evidence import store

        kept = json.loads(json.dumps(store.read_evidence(tree.root)["LI-THM2"]["certificate"]))
        kept["one step"]["classes"] = json.loads(json.dumps(kept["one step"]["classes"]).replace("10", "9"))
        tree.forged("LI-THM2", certificate=kept)

    return {
        "a certificate of another step size, forged": exchanged,
        "a certificate of another class, forged": weaker_measure,
        "a line cut off": lambda tree: line(tree, lambda text: text[:-9]),
        "a line that is no JSON": lambda tree: line(tree, lambda text: "rubbish\n"),
        "a conflict marker": lambda tree: line(tree, lambda text: f"{text}=======\n"),
        "a row twice": lambda tree: line(tree, lambda text: text + text),
        "a row of the kept file removed": lambda tree: line(tree, lambda text: ""),
        "a row removed with its key": lambda tree: (
            (
                line(tree, lambda text: ""),
                tree.text("results/evidence/keys.tsv", "LI-THM1\t", "LI-THM3\t"),
            )
            and None
        ),
        "a row removed everywhere": lambda tree: tree.without("LI-LEM3"),
        "the file of evidence removed": lambda tree: (tree.root / kept).unlink(),
        "a file of another document": lambda tree: (
            (tree.root / kept).rename(tree.root / "results/evidence/x2020.jsonl") and None
        ),
        "another key": lambda tree: _table(tree, lambda parts: [parts[0], "0" * 64, *parts[2:]]),
        "another digest": lambda tree: _table(tree, lambda parts: [*parts[:3], "0" * 64]),
        "other versions": lambda tree: tree.text("results/evidence/versions.tsv", "numpy ", "numpy 9"),
        "a key of no row": lambda tree: tree.text("results/evidence/keys.tsv", "LI-LEM3\t", "LI-LEM9\t"),
        "a verdict in the ledger": lambda tree: tree.text(ledger, '"wrong as printed"', '"holds"'),
        "a number in the ledger": lambda tree: tree.text(ledger, "1.5", "1.25"),
        "a row in the table": lambda tree: tree.text("results/ledger/ledger.csv", "wrong as printed", "holds"),
        "a word of the report": lambda tree: tree.text("paper_checks.md", "wrong as printed", "holds"),
        "a page of the ledger": lambda tree: tree.text("results/ledger/li2020/appendix-a.md", "Adding", "Taking away"),
        "an array": lambda tree: arrays(tree, 7.0),
        "a checksum": lambda tree: tree.text("results/checksums.txt", "  experiments", "0  experiments"),
        "a file beside the arrays": lambda tree: (
            (tree.root / "results/experiments/more.npz").write_bytes(b"1") and None
        ),
        "a control removed from the script": lambda tree: tree.text(SCRIPT, ', Control("4", dict(total=4))])', "])"),
        "a script that holds nothing": lambda tree: (tree.root / SCRIPT).write_text("") and None,
        "a script removed": lambda tree: (tree.root / SCRIPT).unlink(),
        "a claim renamed": relabelled,
        "a check that always passes": lambda tree: tree.text(
            SCRIPT, "if good else Outcome.REFUTED", "if True else None"
        ),
        "a printed number in the script": lambda tree: tree.text(
            SCRIPT, "printed=dict(total=2)", "printed=dict(total=3)"
        ),
        "a statement in the script": lambda tree: tree.text(SCRIPT, "x+x=2x", "x+x=2y"),
        "a slow check that never ran": lambda tree: tree.text(SCRIPT, "x * y - y * x", "x * y - x"),
    }


def falsifications() -> dict[str, tuple[Callable[[Tree], None], list[str]]]:
    """By name: the change, and further options of the check that must find it."""
    found: dict[str, tuple[Callable[[Tree], None], list[str]]] = {}
    for name, (row_id, changes) in _facts().items():
        slow = ["--all"] if row_id in ("LI-LEM3", "LI-LEM5") else []
        # what stands in the files is compared whatever rows are asked for: of those edited by hand none has to run
        found[f"{name}, by hand"] = (lambda tree, r=row_id, c=changes: tree.by_hand(r, **c)), ["LI-LEM2"]
        found[f"{name}, forged"] = (lambda tree, r=row_id, c=changes: tree.forged(r, **c)), [*slow, row_id]
    return found | {name: (change, []) for name, change in _files().items()}


def main() -> None:
    """Print JSON: the exit code of the untouched tree before and after, and by name the exit code and the problems."""
    from click.testing import CliRunner

    from fltheory.cli import main as command
    from fltheory.evidence import keys, pool, runner

    runner.pool.run_parallel = lambda catalogue, rows, certificates=None, **options: pool.run_here(
        catalogue, rows, certificates=certificates
    )
    sys.dont_write_bytecode = True
    tree = Tree(Path.cwd())

    def check(options: list[str]) -> tuple[int, list[str]]:
        keys.forget()
        for name in [name for name in sys.modules if name.startswith("verify.")]:
            del sys.modules[name]
        done = CliRunner().invoke(command, ["verify", "--check", *options])
        raised = done.exception is not None and not isinstance(done.exception, SystemExit)
        problems = [repr(done.exception)] if raised else re.findall("PROBLEM.*", done.output)
        return (99 if raised else done.exit_code), problems

    result: dict[str, Any] = {"before": check([])}
    for name, (change, options) in falsifications().items():
        change(tree)
        result[name] = check(options)
        tree.restore()
    print(json.dumps({**result, "after": check([])}), file=sys.__stdout__)


if __name__ == "__main__":
    main()
