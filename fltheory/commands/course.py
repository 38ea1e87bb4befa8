"""The word ``course``: sheets, checks and solutions of the lessons, and the built pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from fltheory.commands.parameters import folder_for_output, function_of

NUMBER = click.IntRange(1, 8)


@click.group()
def course() -> None:
    """The course: open a lesson, print its sheet, check an answer, show the solution."""


@course.command(name="open")
@click.argument("number", type=NUMBER, metavar="LESSON")
@click.option("--print-only", is_flag=True, help="Print the file's name and open nothing.")
def open_lesson(number: int, print_only: bool) -> None:
    """Open a lesson in the browser; it needs no network."""
    import tempfile

    from fltheory.evidence.places import scripts_root

    page = scripts_root() / "course" / "html" / f"lesson_{number}.html"
    if not page.is_file():  # an installed package makes the pages when they are asked for
        from fltheory.course.build import build

        folder = Path(tempfile.mkdtemp(prefix="fltheory-course-"))
        _needing_report(lambda: build(folder), folder)
        page = folder / "html" / page.name
    click.echo(str(page))
    if not print_only:
        click.launch(str(page))


@course.command()
@click.argument("number", type=NUMBER, metavar="LESSON")
def sheet(number: int) -> None:
    """Print the exercise of a lesson as a sheet."""
    from fltheory.course.build import sheet as made

    click.echo(made(number), nl=False)


@course.command()
@click.argument("number", type=NUMBER, metavar="LESSON")
def solution(number: int) -> None:
    """Print the solution of a lesson's exercise, with its derivation."""
    from fltheory.course.build import sheet as made

    click.echo(made(number, solved=True), nl=False)


@course.command()
@click.argument("number", type=NUMBER, metavar="LESSON")
@click.argument("answer", metavar="FILE.py|FORMULA")
@click.pass_context
def check(ctx: click.Context, number: int, answer: str) -> None:
    """Check an answer: a file that defines answer(...), which is executed, or a formula between quotes.

    Exit codes: 0 right; 1 not yet; 2 usage; 3 interrupted.
    """
    from fltheory.course import check_answer

    given: Any = function_of(f"{answer}:answer") if answer.endswith(".py") else answer
    try:
        found = check_answer(number, given)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.echo(found.words)
    ctx.exit(0 if found.passed else 1)


@course.command()
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), help="Folder; default course/ of a checkout."
)
@click.option("--recompute", is_flag=True, help="Compute the exact points anew first.")
def build(output: Path | None, recompute: bool) -> None:
    """Write all pages and notebooks anew from the lessons."""
    from fltheory.course.build import build as made
    from fltheory.evidence.places import scripts_root

    folder = scripts_root() / "course" if output is None else output
    folder_for_output("--output", folder)
    written = _needing_report(lambda: made(folder, recompute=recompute), folder)
    click.echo(f"{folder}: {len(written)} files")


def _needing_report(make: Any, folder: Path) -> Any:
    try:
        return make()
    except OSError as error:
        raise click.UsageError(f"--output {folder}: {error.strerror or error}") from None
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error.name} is missing: pip install 'fltheory[course]'") from None
