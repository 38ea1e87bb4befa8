"""``python -m benchmarks.mutation``: draw mutants, run the tests that can see them, write the scores."""

from __future__ import annotations

import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path

import click

from benchmarks.mutation.equivalent import read_equivalent, reason_of
from benchmarks.mutation.journal import SURVIVED, Journal
from benchmarks.mutation.judge import Judge
from benchmarks.mutation.mutants import Mutant, all_mutants, draw
from benchmarks.mutation.places import GROUPS
from benchmarks.mutation.reach import files_in_order, read_record, record
from benchmarks.mutation.report import report, table, write_report
from benchmarks.mutation.runs import load_libraries
from benchmarks.mutation.tree import Tree


def _work(mutants: list[Mutant], place: int, workspace: Path, journal: Journal, limit: float) -> None:
    """Judge mutants one after the other in a copy of its own."""
    load_libraries()
    excuses = read_equivalent()
    tests = read_record(workspace / "reach.jsonl")
    judge = Judge(Tree(workspace / f"tree_{place}"), tests, journal, workspace / f"work_{place}", limit)
    for mutant in mutants:
        result = judge.judge(mutant)
        note = "equivalent" if result.outcome == SURVIVED and reason_of(mutant, excuses) else result.outcome
        click.echo(f"{note:10} {mutant.path}:{mutant.line} {mutant.operator} ({result.by or f'{result.tests} tests'})")
        if note == SURVIVED:
            click.echo(f"    - {mutant.before}\n    + {mutant.after}")
        sys.stdout.flush()


def _matching(every: dict[str, list[Mutant]], wanted: str) -> list[Mutant]:
    path, _, words = wanted.partition(":")
    found = [
        m for group in every.values() for m in group if m.path.endswith(path) and words in f"{m.before} -> {m.after}"
    ]
    if not found:
        raise click.UsageError(f"--like {wanted!r}: no mutant of a file {path!r} has these words in its line")
    return found


@click.command()
@click.option("--mutants", default=300, show_default=True, type=click.IntRange(1), help="How many are drawn.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of the draw.")
@click.option("--folder", "groups", multiple=True, type=click.Choice(GROUPS), help="Only these groups; default all.")
@click.option(
    "--jobs", default=1, show_default=True, type=click.IntRange(1), help="Mutants at a time, each in its copy."
)
@click.option("--seconds", default=15.0, show_default=True, help="Seconds of chosen tests for one mutant.")
@click.option(
    "--fresh", is_flag=True, help="Forget earlier results; by default a run goes on where the last one stopped."
)
@click.option("--like", help="FILE:WORDS runs all mutants of a file whose lines hold the words, and writes no report.")
@click.option("--workspace", type=click.Path(path_type=Path), help="Folder of copies, record and journal.")
@click.option("--record/--no-record", "recording", default=True, help="First run the tests whose reach is not known.")
@click.option("--judge/--no-judge", "judging", default=True, help="Whether to run mutants, or to report what is known.")
@click.option("--list", "listing", is_flag=True, help="Only print the mutants that would run.")
def main(
    mutants: int,
    seed: int,
    groups: tuple[str, ...],
    jobs: int,
    seconds: float,
    fresh: bool,
    like: str | None,
    workspace: Path | None,
    recording: bool,
    judging: bool,
    listing: bool,
) -> None:
    """Mutation of the package: how many small changes of its code does no test see?"""
    workspace = workspace or Path(tempfile.gettempdir()) / "fltheory-mutation"
    workspace.mkdir(parents=True, exist_ok=True)
    every = all_mutants(groups=groups or GROUPS)
    drawn = _matching(every, like) if like else draw(every, mutants, seed)
    if listing:
        for mutant in drawn:
            click.echo(f"{mutant.path}:{mutant.line} {mutant.operator}\n    - {mutant.before}\n    + {mutant.after}")
        return
    if recording:
        load_libraries()
        copy = Tree(workspace / "record")
        copy.write_without_effect()
        for name in record(copy, workspace / "reach.jsonl", files_in_order(), workspace / "record.log"):
            click.echo(f"recorded {name}")
    journal = Journal(workspace / "journal.jsonl")
    if fresh:
        journal.path.unlink(missing_ok=True)
    known = journal.read(drawn)
    rest = [mutant for mutant in drawn if mutant.name not in known] if judging else []
    click.echo(f"{len(drawn)} mutants, {len(known)} known, {len(rest)} to run")
    context = get_context("fork")
    workers = [
        context.Process(target=_work, args=(rest[place::jobs], place, workspace, journal, seconds))
        for place in range(min(jobs, len(rest)))
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    results = journal.read(drawn, old=True)
    content = report(every, drawn, results, read_equivalent(), journal, seed=seed, limit=seconds)
    if not like and not groups:
        write_report(content)
    click.echo(table(content))
    if any(worker.exitcode for worker in workers):
        raise SystemExit("a worker ended before its mutants did")


if __name__ == "__main__":
    main()
