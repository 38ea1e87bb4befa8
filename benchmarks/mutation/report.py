"""The scores per group, for ``results/benchmarks/mutation.json``."""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.mutation.equivalent import reason_of
from benchmarks.mutation.journal import KILLED, Journal, Result
from benchmarks.mutation.mutants import Mutant
from benchmarks.mutation.places import GROUPS, ROOT, WANTED, digest_of_files, sources

REPORT = ROOT / "results" / "benchmarks" / "mutation.json"
LIBRARIES = ("numpy", "scipy", "sympy", "numba", "cvxpy", "clarabel", "pytest", "hypothesis")


def report(
    every: dict[str, list[Mutant]],
    drawn: list[Mutant],
    results: dict[str, Result],
    excuses: dict[tuple[str, str, str, str], str],
    journal: Journal,
    *,
    seed: int,
    limit: float,
) -> dict[str, Any]:
    """Counts and lists of the mutants that were drawn and run.

    The score of a group is the killed share of those that change behaviour: of all that ran less the survivors with a reason.
    An excuse of a mutant that is killed is no excuse: it is listed as wrong.
    """
    ran = [mutant for mutant in drawn if mutant.name in results]
    killed = [mutant for mutant in ran if results[mutant.name].outcome == KILLED]
    left = [mutant for mutant in ran if results[mutant.name].outcome != KILLED]
    excused = [mutant for mutant in left if reason_of(mutant, excuses)]
    survived = [mutant for mutant in left if not reason_of(mutant, excuses)]
    groups = {}
    for group in GROUPS:
        count = [sum(mutant.group == group for mutant in part) for part in (ran, killed, survived, excused)]
        behaving = count[1] + count[2]
        groups[group] = {
            "possible": len(every.get(group, [])),
            "ran": count[0],
            "killed": count[1],
            "survived": count[2],
            "equivalent": count[3],
            "score": round(count[1] / behaving, 4) if behaving else None,
            "wanted": WANTED[group],
        }
    operators = Counter(mutant.operator for mutant in ran)
    dead = Counter(mutant.operator for mutant in killed)
    behaving = len(killed) + len(survived)
    return {
        "title": "mutants of the package, and whether a test sees them",
        "seed": seed,
        "asked": len(drawn),
        "ran": len(ran),
        "killed": len(killed),
        "survived": len(survived),
        "equivalent": len(excused),
        "score": round(len(killed) / behaving, 4) if behaving else None,
        "killed by time": sum(results[mutant.name].by == "ended with timeout" for mutant in killed),
        "seconds of tests at most per mutant": limit,
        "sources": digest_of_files(list(sources().values())),
        "tests": journal.suite,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        "groups": groups,
        "operators": {name: {"ran": operators[name], "killed": dead[name]} for name in sorted(operators)},
        "survivors": [_shown(mutant, {"tests": results[mutant.name].tests}) for mutant in survived],
        "equivalents": [_shown(mutant, {"reason": reason_of(mutant, excuses)}) for mutant in excused],
        "excused but killed": [_shown(mutant, {}) for mutant in killed if reason_of(mutant, excuses)],
        "kills": [_shown(mutant, {"by": results[mutant.name].by}) for mutant in killed],
    }


def _shown(mutant: Mutant, more: dict[str, Any]) -> dict[str, Any]:
    place = {"path": mutant.path, "line": mutant.line, "operator": mutant.operator}
    return {**place, "before": mutant.before, "after": mutant.after, **more}


def write_report(content: dict[str, Any], path: Path = REPORT) -> None:
    """Write the file as a whole."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(part, path)


def table(content: dict[str, Any]) -> str:
    """The groups as lines for a person."""
    lines = [f"{'':26}{'ran':>6}{'killed':>8}{'survived':>10}{'equivalent':>12}{'score':>8}{'wanted':>8}"]
    for name, row in [*content["groups"].items(), ("all", content)]:
        score = "-" if row["score"] is None else f"{row['score']:.1%}"
        wanted = f"{row['wanted']:.0%}" if "wanted" in row else ""
        counts = f"{row['ran']:6}{row['killed']:8}{row['survived']:10}{row['equivalent']:12}"
        lines.append(f"{name:26}{counts}{score:>8}{wanted:>8}")
    return "\n".join(lines)
