"""Words about scripts: ``figure`` draws from result files, ``experiment`` makes them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from fltheory.commands.parameters import folder_for_output, unknown
from fltheory.machine import is_interrupt, one_blas_thread


@click.command()
@click.argument("name", metavar="NAME|all")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Folder of result files.")
@click.option("--output", type=click.Path(path_type=Path, file_okay=False), help="Folder the pictures go to.")
@click.pass_context
def figure(ctx: click.Context, name: str, data: Path | None, output: Path | None) -> None:
    """Draw a figure from result files (a script figures/NAME.py), or all of them: PDF, SVG, PNG and a caption."""
    from fltheory.experiments.scripts import FIGURES, run_figure

    folder_for_output("--output", output)

    def run(path: Path) -> None:
        run_figure(path, output=output, data=data)

    ctx.exit(_run_scripts(FIGURES, name, run, output, option="--output", inside="figures"))


@click.command()
@click.argument("name", metavar="NAME|all")
@click.option("--full", is_flag=True, help="The full form (hours) instead of the reduced one (minutes).")
@click.option("--results", type=click.Path(path_type=Path, file_okay=False), help="Folder the result files go to.")
@click.option(
    "--attest",
    is_flag=True,
    help="Add nothing: compute one replicate of each kept set again, drawn at random, "
    "and where all bits are equal note the key of today's code, as attested by that replicate.",
)
@click.option(
    "--spot",
    is_flag=True,
    help="Write nothing: compute one replicate of each kept file again, in turn, and compare its bits.",
)
@click.pass_context
def experiment(ctx: click.Context, name: str, full: bool, results: Path | None, attest: bool, spot: bool) -> None:
    """Run an experiment (a script figures/experiments/NAME.py), or all of them, and write its result files.

    Replicates that a file holds are kept if they were made by the same code from the same data with the same settings; the
    rest is dropped and computed anew, and so is what has no replicates (seconds).

    Exit codes: 0 all done; 1 one failed; 2 usage; 3 interrupted.  What was finished is kept, and the same command goes on
    from there.
    """
    one_blas_thread()
    from fltheory.experiments.scripts import EXPERIMENTS, run_experiment, spot_check

    if spot and (full or attest):
        raise click.UsageError("--spot excludes --full and --attest")
    if spot:
        ctx.exit(_run_scripts(EXPERIMENTS, name, lambda path: spot_check(path, results=results), results))
    folder_for_output("--results", results)
    ctx.exit(
        _run_scripts(
            EXPERIMENTS,
            name,
            lambda path: run_experiment(path, full=full, results=results, attest=attest),
            results,
        )
    )


def _run_scripts(
    folder: str, name: str, run: Any, target: Path | None, *, option: str = "--results", inside: str = ""
) -> int:
    """Run scripts by name; the exit code.

    Their files go to ``target``, which ``option`` names (default: ``inside`` of the results).
    """
    from fltheory.evidence.places import writable_results
    from fltheory.evidence.rows import last_line
    from fltheory.experiments.scripts import named_scripts

    found = named_scripts(folder)
    if name != "all" and name not in found:
        unknown("script", name, found)
    failed, started = 0, time.time()
    for item in found if name == "all" else [name]:
        click.echo(f"{item} ...", err=True)
        try:
            run(found[item])
        except (KeyboardInterrupt, Exception) as error:
            if is_interrupt(error):
                click.echo(
                    f"interrupted, kept so far: {_written(target or writable_results() / inside, started)}", err=True
                )
                return 3
            if isinstance(error, OSError) and target is not None and _on_the_way(error.filename, target):
                raise click.UsageError(f"{option} {target}: {error.strerror or error}") from None
            failed += 1
            click.echo(f"{item} failed: {last_line(error)}", err=True)
    return 1 if failed else 0


def _on_the_way(name: Any, folder: Path) -> bool:
    """Whether an error's file is a folder, or one above it: it could not be made."""
    if not isinstance(name, (str, Path)):
        return False
    path, target = Path(name).absolute(), folder.absolute()
    return path == target or path in target.parents


def _written(folder: Path, since: float) -> str:
    """The names of the files below a folder that were written since then."""
    paths = folder.rglob("*") if folder.is_dir() else ()
    names = [
        path.name for path in paths if path.suffix != ".part" and path.is_file() and path.stat().st_mtime >= since - 1
    ]
    return ", ".join(sorted(names)) or "nothing"
